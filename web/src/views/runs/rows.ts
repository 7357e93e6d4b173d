// Rows of the list of runs: what stands in each, filtered, sorted, and parts of a job below it.
import { isLive, isOver, isReadable, type RunEntry } from '../../api/runs';
import type { Entry } from '../../widgets/profiles/entries';

/** What the chips above the list stand for. */
export const GROUPS = ['live', 'stale', 'finished', 'failed', 'stopped', 'lost', 'imported', 'estimated', 'published', 'unreadable'] as const;
export type Group = (typeof GROUPS)[number];

export function groupOf(entry: Entry): Group {
  const { status } = entry;
  if (isLive(status)) return 'live';
  if (status === 'ended' || status === 'kept') return 'finished';
  return GROUPS.find((group) => group === status) ?? 'finished';
}

export interface Row {
  readonly entry: Entry;
  readonly parts: readonly Row[];     // Of a job, the trackers that ran it.
  readonly elapsed: number | undefined;
  readonly energy: number | undefined;  // Of the devices, in joules.
  readonly carbon: number | undefined;  // In grams, with PUE where there is one.
  readonly power: number | undefined;
  readonly epochs: number;
  readonly hardware: string;
  readonly tags: readonly string[];
  readonly began: string;
}

/** Emissions of a profile that has no run come from elsewhere: `carbonOf`. */
export function rowOf(entry: Entry, carbonOf: (id: string) => number | undefined): Row {
  const { run, profile } = entry;
  const kept = profile !== undefined && isReadable(profile) ? profile : undefined;
  return {
    entry, parts: [], elapsed: run?.elapsed_s ?? kept?.duration_s, energy: run?.device_energy_j ?? kept?.device_energy_j,
    carbon: run === undefined ? carbonOf(entry.id) : run.carbon_gco2e, power: run !== undefined && !isOver(run.status) ? run.power_w : undefined,
    epochs: run?.epochs_ended ?? kept?.epochs ?? 0, hardware: run?.hardware ?? kept?.hardware ?? '', tags: profile?.tags ?? [],
    began: run?.begun ?? kept?.started ?? profile?.added ?? '',
  };
}

const sum = (values: readonly (number | undefined)[]): number | undefined =>
  values.every((x) => x !== undefined) ? values.reduce<number>((a, b) => a + (b ?? 0), 0) : undefined;
const BASES = ['measured', 'published', 'derived', 'predicted', 'assumed'];
const weakest = (kinds: readonly string[]): string => BASES.findLast((basis) => kinds.includes(basis)) ?? '';

/** Several trackers of one job are its parts; the job's figures are their sums. */
export function withJobs(rows: readonly Row[]): Row[] {
  const byJob = new Map<string, Row[]>();
  for (const row of rows) {
    const job = row.entry.run?.job;
    if (job !== undefined && job !== '') byJob.set(job, [...(byJob.get(job) ?? []), row]);
  }
  const out: Row[] = [];
  for (const row of rows) {
    const job = row.entry.run?.job ?? '';
    const parts = byJob.get(job) ?? [];
    if (parts.length < 2) out.push(row);
    else if (parts[0] === row) out.push(jobRow(job, parts));
  }
  return out;
}

function jobRow(job: string, parts: readonly Row[]): Row {
  const names = [...new Set(parts.map((part) => part.entry.name))];
  const hosts = new Set(parts.map((part) => part.entry.run?.host ?? ''));
  const live = parts.filter((part) => part.entry.isLive).length;
  const first = parts.find((part) => part.entry.isLive) ?? parts[0];
  const times = parts.map((part) => part.elapsed ?? 0);
  const entry: Entry = {
    id: `job ${job}`, name: names.join(', '), basis: weakest(parts.map((part) => part.entry.basis)), status: first?.entry.status ?? 'ended', isLive: live > 0, isBundled: false,
    note: `job ${job.replace(/^job /, '')} on ${hosts.size === 1 ? 'one machine' : `${String(hosts.size)} machines`} · ${String(parts.length - live)} of ${String(parts.length)} ended`,
  };
  return {
    entry, parts, elapsed: Math.max(...times), energy: sum(parts.map((part) => part.energy)), carbon: sum(parts.map((part) => part.carbon)), power: sum(parts.filter((part) => part.entry.isLive).map((part) => part.power)),
    epochs: Math.max(...parts.map((part) => part.epochs)), hardware: [...new Set(parts.map((part) => part.hardware))].join(', '), tags: [...new Set(parts.flatMap((part) => part.tags))], began: parts.map((part) => part.began).sort()[0] ?? '',
  };
}

export interface Filter { readonly groups: readonly string[]; readonly tag: string; readonly words: string }

export function fits(row: Row, filter: Filter): boolean {
  if (filter.groups.length > 0 && !filter.groups.includes(groupOf(row.entry))) return false;
  if (filter.tag !== '' && !row.tags.includes(filter.tag)) return false;
  const run: Partial<RunEntry> = row.entry.run ?? {};
  const hay = [row.entry.name, row.entry.id, row.hardware, run.host, run.job, run.command, run.region, ...row.tags].join(' ').toLowerCase();
  return filter.words.toLowerCase().split(/\s+/).every((word) => hay.includes(word));
}

export const SORTS = ['begun', 'name', 'elapsed', 'energy', 'carbon', 'power'] as const;

/** "-energy": the most first. What is not known comes last, either way. */
export function sorted(rows: readonly Row[], sort: string): Row[] {
  const isDown = sort.startsWith('-');
  const by = SORTS.find((each) => each === sort.replace('-', '')) ?? 'begun';
  if (by === 'begun' && isDown) return [...rows];  // As they come.
  const value = (row: Row): number | string | undefined => (by === 'begun' ? row.began : by === 'name' ? row.entry.name.toLowerCase() : row[by]);
  return [...rows].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
    return (x < y ? -1 : x > y ? 1 : 0) * (isDown ? -1 : 1);
  });
}
