// What the profile bar and the list of runs show of a run or a kept profile, in the same words.
import { isOver, isReadable, type Link, type ProfileEntry, type Profiles, type ReadableProfile, type RunEntry, type Runs } from '../../api/runs';
import { duration } from '../../base/amounts';
import { integer } from '../../base/numbers';

export interface Entry {
  readonly id: string;        // For /track?run=: the profile's, or that of a run which has none.
  readonly name: string;
  readonly basis: string;     // Of its energy; '' where there is none.
  readonly status: string;    // Of a run; of a profile alone where it comes from.
  readonly note: string;      // How long, how many epochs, on what.
  readonly isLive: boolean;
  readonly isBundled: boolean;
  readonly run?: RunEntry;
  readonly profile?: ProfileEntry;
  readonly link?: Link;
}

export const epochsInWords = (n: number): string => (n === 0 ? 'no epochs' : n === 1 ? 'one epoch' : `${integer(n)} epochs`);

/** Whether a run tells of epochs; while it goes on, it may still begin to. */
export const tellsOfEpochs = (run: RunEntry): boolean => run.epochs_ended > 0 || run.planned_epochs !== undefined || (run.epoch ?? '') !== '';

/** "epoch 11 of 20": the one that goes on. */
export function progress(run: RunEntry): string {
  const { epochs_ended: ended, planned_epochs: planned } = run;
  if (isOver(run.status)) return epochsInWords(ended);
  if (!tellsOfEpochs(run)) return 'no epochs';
  const now = planned === undefined ? ended + 1 : Math.min(planned, ended + 1);
  return `epoch ${integer(now)}${planned === undefined ? '' : ` of ${integer(planned)}`}`;
}

/** Of names of devices what tells them apart: 64 × V100 SXM2 32GB. */
export const shortHardware = (hardware: string): string => hardware.replaceAll(/\b(NVIDIA|Tesla|GeForce|AMD|Intel|Google Cloud) (?=\S)/g, '');

function ofRun(run: RunEntry, profile: ProfileEntry | undefined, links: readonly Link[]): Entry {
  const link = links.find((each) => each.run === run.id);
  const parts = [progress(run), shortHardware(run.hardware ?? '')].filter((part) => part !== '');
  return {
    id: run.profile ?? run.id, name: run.name, basis: run.basis?.kind ?? '', status: run.status, note: parts.join(' · '), isLive: !isOver(run.status), isBundled: false,
    run, ...(profile === undefined ? {} : { profile }), ...(link === undefined ? {} : { link }),
  };
}

function ofProfile(profile: ProfileEntry): Entry {
  if (!isReadable(profile)) return { id: profile.id, name: profile.id, basis: '', status: 'unreadable', note: profile.error, isLive: false, isBundled: profile.bundled, profile };
  const parts = [profile.duration_s === undefined ? epochsInWords(profile.epochs) : duration(profile.duration_s), shortHardware(profile.hardware)].filter((part) => part !== '');
  return { id: profile.id, name: profile.name, basis: profile.basis?.kind ?? '', status: originInWords(profile), note: parts.join(' · '), isLive: false, isBundled: profile.bundled, profile };
}

export const originInWords = (profile: ReadableProfile): string =>
  profile.bundled || profile.basis?.kind === 'published' ? 'published' : profile.origin === 'tracked' ? 'kept' : profile.origin;

/** Runs that go on first, then the newest; what comes with the program last. */
export function entriesOf(profiles: Profiles | undefined, runs: Runs | undefined, links: readonly Link[] = []): Entry[] {
  const kept = new Map((profiles?.profiles ?? []).map((profile) => [profile.id, profile]));
  const out = (runs?.runs ?? []).map((run) => ofRun(run, run.profile === undefined ? undefined : kept.get(run.profile), links));
  const seen = new Set(out.map((entry) => entry.id));
  out.push(...[...kept.values()].filter((profile) => !seen.has(profile.id)).map(ofProfile));
  const began = (e: Entry): string => e.run?.begun ?? (e.profile !== undefined && isReadable(e.profile) ? e.profile.started : undefined) ?? e.profile?.added ?? '';
  const rank = (e: Entry): number => (e.isLive ? 0 : e.isBundled ? 2 : 1);
  return out.sort((a, b) => rank(a) - rank(b) || began(b).localeCompare(began(a)) || a.name.localeCompare(b.name));
}
