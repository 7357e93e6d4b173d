// What the list of runs asks the server, again and again as long as somebody looks.
import { address } from '../../base/address.svelte';
import { apiPath, ask, Failure, isObject } from '../../api/client';
import { Resource } from '../../api/resource.svelte';
import { isLinks, isLive, isOver, isProfiles, isReadable, isRunDetail, isRuns, type Links, type Profiles, type RunDetail, type Runs } from '../../api/runs';
import { type Entry, entriesOf } from '../../widgets/profiles/entries';
import { fits, type Group, groupOf, GROUPS, type Row, rowOf, sorted, withJobs } from './rows';

const LIVE_EVERY_MS = 1000;
const QUIET_EVERY = 2;  // Where nothing goes on, each second beat.
const TRACE_POINTS = 400;
const SPARK_POINTS = 60;
const ALL = 2000;
/** What the server calls the statuses that a chip stands for. */
const STATUSES = {
  live: ['live', 'waiting', 'paused'], stale: ['stale'], finished: ['ended'], failed: ['failed'], stopped: ['stopped'], lost: ['lost'],
} as const satisfies Partial<Record<Group, readonly string[]>>;

/** The end of the baseline's curve; two numbers, however long the run was. */
interface Emitted { baseline: { curve: { points: { carbon_gco2e?: number }[] } } }
const isEmitted = (x: unknown): x is Emitted => isObject(x) && isObject(x['baseline']) && isObject(x['baseline']['curve']) && Array.isArray(x['baseline']['curve']['points']);

export class RunsState {
  /** All of them, asked for when one begins or ends; those that go on and the sums are asked for again and again. */
  readonly runs = new Resource<Runs>({ changes: true });
  readonly goingOn = new Resource<Runs>({ changes: true });
  readonly head = new Resource<Runs>({ changes: true });
  readonly sums = new Resource<Runs>({ changes: true });
  readonly profiles = new Resource<Profiles>({ changes: true });
  readonly links = new Resource<Links>({ changes: true });
  readonly detail = new Resource<RunDetail>({ changes: true });
  heardAt = $state(0);
  /** Chosen by the user to be seen live; else the newest. */
  watched = $state('');
  chosen = $state.raw<readonly string[]>([]);
  emitted = $state.raw<Readonly<Record<string, number>>>({});
  readonly #asked = new Set<string>();

  readonly groups: readonly Group[] = $derived((address.query['status'] ?? '').split(',').flatMap((name) => GROUPS.find((group) => group === name) ?? []));
  readonly tag: string = $derived(address.query['tag'] ?? '');
  readonly words: string = $derived(address.query['q'] ?? '');
  readonly sort: string = $derived(address.query['sort'] ?? '-begun');
  readonly isFiltered: boolean = $derived(this.groups.length > 0 || this.tag !== '' || this.words !== '');

  readonly list: Runs | undefined = $derived.by(() => {
    const all = this.runs.data;
    if (all === undefined) return undefined;
    const fresh = new Map((this.goingOn.data?.runs ?? []).map((run) => [run.id, run]));
    const known = new Set(all.runs.map((run) => run.id));
    const { headline, sums, today } = this.head.data ?? all;
    return { headline, sums, today, runs: [...[...fresh.values()].filter((run) => !known.has(run.id)), ...all.runs.map((run) => (isOver(run.status) ? run : fresh.get(run.id) ?? run))] };
  });
  readonly entries: readonly Entry[] = $derived(this.profiles.data === undefined && this.list === undefined ? [] : entriesOf(this.profiles.data, this.list, this.links.data?.links ?? []));
  readonly all: readonly Row[] = $derived(this.entries.map((entry) => rowOf(entry, (id) => this.emitted[id])));
  readonly found: readonly Row[] = $derived(this.all.filter((row) => fits(row, { groups: this.groups, tag: this.tag, words: this.words })));
  readonly rows: readonly Row[] = $derived(sorted(withJobs(this.found), this.sort));
  readonly counts: ReadonlyMap<Group, number> = $derived.by(() => {
    const out = new Map<Group, number>();
    for (const row of this.all) out.set(groupOf(row.entry), (out.get(groupOf(row.entry)) ?? 0) + 1);
    return out;
  });
  readonly tags: readonly string[] = $derived([...new Set(this.all.flatMap((row) => row.tags))].sort());
  readonly live: readonly Entry[] = $derived(this.entries.filter((entry) => entry.isLive && entry.run !== undefined));
  /** One that is not heard is shown where nothing else goes on. */
  readonly shownLive: Entry | undefined = $derived(this.live.find((entry) => entry.run?.id === this.watched) ?? this.live.find((entry) => isLive(entry.status)) ?? this.live[0]);

  /** Profiles change rarely, and by what this page does. */
  listKept(force = false): void {
    const profiles = apiPath('profiles', { limit: 1000 });
    this.profiles.load(profiles, (signal) => ask({ path: profiles, signal }, isProfiles), force);
    const links = apiPath('links');
    this.links.load(links, (signal) => ask({ path: links, signal }, isLinks), force);
  }
  listRuns(force = false): void {
    const path = apiPath('runs', { limit: ALL, points: SPARK_POINTS });
    this.runs.load(path, async (signal) => {
      const answer = await ask({ path, signal }, isRuns);
      this.heardAt = Date.now();
      return answer;
    }, force);
  }
  /** A few kilobytes, however many runs there were. Where nothing goes on, the head alone tells when something does. */
  askNews(): void {
    const head = apiPath('runs', { limit: 1, points: 2 });
    this.head.load(head, async (signal) => {
      const answer = await ask({ path: head, signal }, isRuns);
      if (this.runs.data !== undefined && answer.sums.runs !== this.runs.data.sums.runs) this.#listAnew();
      return answer;
    }, true);
    if (!this.#isAnyGoingOn) return;
    const live = apiPath('runs', { status: [...STATUSES.live, ...STATUSES.stale], points: SPARK_POINTS, limit: ALL });
    this.goingOn.load(live, async (signal) => {
      const answer = await ask({ path: live, signal }, isRuns);
      this.heardAt = Date.now();
      const ids = (runs: Runs['runs']): string => runs.filter((run) => !isOver(run.status)).map((run) => run.id).sort().join(' ');
      if (this.runs.data !== undefined && ids(this.runs.data.runs) !== ids(answer.runs)) this.#listAnew();
      return answer;
    }, true);
    this.askDetail();
  }
  get #isAnyGoingOn(): boolean {
    return (this.head.data?.sums.live ?? 0) > 0 || this.entries.some((entry) => entry.isLive);
  }
  /** A run has begun or ended; one that has ended has a profile, too. */
  #listAnew(): void {
    this.listRuns(true);
    this.listKept(true);
  }
  /** Of what the server can filter, the server has the sums. */
  askSums(force = false): void {
    const wanted = this.groups.flatMap((group): readonly string[] => (group in STATUSES ? STATUSES[group as keyof typeof STATUSES] : []));
    if (!this.isFiltered || this.tag !== '' || (this.groups.length > 0 && wanted.length === 0)) return;
    const path = apiPath('runs', { status: wanted, q: this.words, limit: 1, points: 2 });
    this.sums.load(path, (signal) => ask({ path, signal }, isRuns), force);
  }
  askDetail(): void {
    const id = this.shownLive?.run?.id;
    if (id === undefined) return;
    const path = apiPath(`runs/${encodeURIComponent(id)}`, { points: TRACE_POINTS });
    this.detail.load(path, (signal) => ask({ path, signal }, isRunDetail), true);
  }
  /** What profiles without a run emit, each asked for once. */
  askEmitted(): void {
    if (this.runs.data === undefined) return;
    for (const { entry } of this.rows) {
      if (entry.run !== undefined || entry.profile === undefined || !isReadable(entry.profile) || entry.profile.region === undefined || this.#asked.has(entry.id) || this.#asked.size > 100) continue;
      this.#asked.add(entry.id);
      const path = apiPath('whatif', { profile: entry.id, points: 4, equations: false, equivalents: false });
      ask({ path }, isEmitted).then((answer) => {
        const grams = answer.baseline.curve.points.at(-1)?.carbon_gco2e;
        if (grams !== undefined) this.emitted = { ...this.emitted, [entry.id]: grams };
      }, (error: unknown) => {
        if (error instanceof Failure && error.kind === 'gone') this.#asked.delete(entry.id);
      });
    }
  }

  /** Returns the function that ends it. */
  watch(): () => void {
    this.listKept();
    this.listRuns(true);
    let beat = 0;
    const timer = setInterval(() => {
      beat += 1;
      if (document.hidden || (!this.#isAnyGoingOn && beat % QUIET_EVERY !== 0)) return;
      this.askNews();
      if (this.isFiltered && beat % QUIET_EVERY === 0) this.askSums(true);
    }, LIVE_EVERY_MS);
    return () => clearInterval(timer);
  }

  choose(id: string, isChosen: boolean): void {
    const rest = this.chosen.filter((each) => each !== id);
    this.chosen = isChosen ? [...rest.slice(-1), id] : rest;
  }
}
