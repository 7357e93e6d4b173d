// All that the Track page asks the server, and what it follows while a run goes on.
import { address } from '../../base/address.svelte';
import { without } from '../../base/objects';
import { absolute, apiPath, ask, type Failure } from '../../api/client';
import { followRun, type ServerEvent } from '../../api/events';
import { Resource } from '../../api/resource.svelte';
import { isLinks, isOver, isProfiles, isReadable, isRunDetail, isRuns, type Links, type Profiles, type ReadableProfile, type RunDetail, type RunEntry, type Runs } from '../../api/runs';
import { isWhatIf, type WhatIf } from '../../api/track';
import { entriesOf, type Entry } from '../../widgets/profiles/entries';
import { type Facet, type Facets, isAlternative, MOST_PINS, readTrack, type TrackQuery, whatIfParameters, writePins } from './query';

const POINTS = 2000;
const MOST_POINTS = 20_000;
const LIVE_POINTS = 500;  // Of an answer that comes every second.
const TOGETHER_MS = 100;
const REGIONS_EVERY = 5;
const LIST_EVERY_MS = 5000;

export class TrackState {
  readonly query: TrackQuery = $derived(readTrack(address.query));
  readonly profiles = new Resource<Profiles>({ changes: true });
  readonly runs = new Resource<Runs>({ changes: true });
  readonly links = new Resource<Links>({ changes: true });
  readonly detail = new Resource<RunDetail>({ changes: true });
  readonly whatif = new Resource<WhatIf>({ changes: true });
  /** The run alone, for an alternative that is refused before there was any answer. */
  readonly alone = new Resource<WhatIf>({ changes: true });
  readonly regions = new Resource<WhatIf>({ changes: true });
  readonly pinned = [1, 2, 3].map(() => new Resource<WhatIf>({ changes: true }));
  /** What the pointer is over, laid over the alternative until it leaves. Never in the address. */
  preview = $state.raw<Facets | undefined>();
  /** Where the chart is read: an epoch, or seconds since the beginning where it is drawn over time. */
  hovered = $state<number | undefined>();
  /** Counts what a live run has told: each question is asked again. */
  news = $state(0);
  isFollowing = $state(false);
  heardAt = $state(0);
  triedAgainIn = $state(0);
  /** What changes little from one second to the next is asked less often: all regions. */
  readonly #someNews = $derived(Math.floor(this.news / REGIONS_EVERY));
  readonly #answered = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** A run is known by its own id, and once it is kept by its profile's. */
  readonly listed: RunEntry | undefined = $derived(this.runs.data?.runs.find((r) => r.id === this.query.run || r.profile === this.query.run));
  readonly run: RunDetail | undefined = $derived(this.listed !== undefined && this.detail.data?.id === this.listed.id ? this.detail.data : undefined);
  readonly entry: ReadableProfile | undefined = $derived(this.profiles.data?.profiles.filter(isReadable).find((p) => p.id === this.query.run || p.id === this.listed?.profile));
  /** What the events of the chosen run tell is newer than the list. */
  readonly entries: Entry[] = $derived(entriesOf(this.profiles.data, this.runs.data === undefined || this.run === undefined ? this.runs.data
    : { ...this.runs.data, runs: this.runs.data.runs.map((r) => (r.id === this.run?.id ? { ...r, ...this.run, trace: r.trace } : r)) }, this.links.data?.links));
  readonly isLive: boolean = $derived(this.listed !== undefined && !isOver(this.run?.status ?? this.listed.status));
  readonly following = $derived(this.isLive ? { isThere: this.isFollowing || this.triedAgainIn === 0, at: this.heardAt === 0 ? Date.now() : this.heardAt, nextTryIn: this.triedAgainIn } : undefined);
  readonly facets: Facets = $derived(merged(this.query.facets, this.preview));
  readonly hasAlternative: boolean = $derived(isAlternative(this.facets));
  readonly planned: number | undefined = $derived(this.run?.planned_epochs ?? this.listed?.planned_epochs
    ?? this.entry?.planned_epochs);
  readonly epochs: number | undefined = $derived(this.query.epochs ?? this.planned);

  /** What is asked for an alternative; of few epochs on view, more points in all. */
  #parameters(facets: Facets): Record<string, string | number | boolean | undefined> {
    const { from = 0, to } = this.query;
    const all = this.whatif.data?.baseline.curve.points.at(-1)?.epoch ?? 0;
    // By powers of two, so that dragging an end does not ask anew at every step.
    const closer = 2 ** Math.ceil(Math.log2(all / Math.max(1, Math.min(all, (to ?? all) - from)) || 1));
    const points = all <= POINTS ? POINTS : Math.min(MOST_POINTS, POINTS * closer);
    return { ...whatIfParameters(this.query, this.query.run, facets, this.epochs), points: this.isLive ? Math.min(points, LIVE_POINTS) : points } as Record<string, string | number | boolean | undefined>;
  }
  get link(): string {
    return absolute(apiPath('whatif', this.#parameters(this.query.facets)));
  }

  list(force = false): void {
    this.profiles.load('profiles', (signal) => ask({ path: apiPath('profiles'), signal }, isProfiles), force);
    this.links.load('links', (signal) => ask({ path: apiPath('links'), signal }, isLinks), force);
    this.runs.load('runs', (signal) => ask({ path: apiPath('runs', { points: 2 }), signal }, isRuns), force);
  }

  /** Looks for new runs and profiles as long as the page is seen. Returns the function that ends it. */
  watch(): () => void {
    this.list();
    const timer = setInterval(() => {
      if (!document.hidden) this.list(true);
    }, LIST_EVERY_MS);
    return () => clearInterval(timer);
  }

  /** Without a run in the address: the newest that goes on, else the newest of one's own, else a sample. */
  choose(): void {
    if (this.query.run !== '' || this.profiles.data === undefined || this.runs.data === undefined) return;
    const live = this.runs.data.runs.find((r) => !isOver(r.status));
    const first = live?.id ?? this.entries.find((e) => e.status !== 'unreadable')?.id;
    if (first !== undefined) address.set({ run: first }, 'replace');
  }

  /** Whether it is known how many epochs are planned: asked before, the answer would end at the last one recorded. */
  readonly knowsEpochs: boolean = $derived(this.query.epochs !== undefined || this.listed !== undefined || this.entry !== undefined
    || [this.runs, this.profiles].every((list) => list.data !== undefined || list.failure !== undefined));

  /** The same question is asked again once the run has told more. */
  #load(name: string, resource: Resource<WhatIf>, path: string, news = this.news): void {
    const isNews = (this.#answered.get(name) ?? 0) !== news;
    this.#answered.set(name, news);
    resource.load(path, (signal) => ask({ path, signal }, isWhatIf), isNews, this.query.run);
  }
  ask(): void {
    if (this.query.run === '' || !this.knowsEpochs) return;
    this.#load('whatif', this.whatif, apiPath('whatif', { ...this.#parameters(this.facets), over_time: true }));
  }
  askAlone(): void {
    if (this.whatif.failure?.kind !== 'refused' || this.whatif.data !== undefined || !this.hasAlternative) return;
    this.#load('alone', this.alone, apiPath('whatif', { ...this.#parameters({}), over_time: true }));
  }
  readonly answer: WhatIf | undefined = $derived(this.whatif.data ?? (this.whatif.failure === undefined || this.alone.data === undefined || this.alone.shownAbout !== this.query.run ? undefined : this.alone.data));
  /** The alternative in every region does not depend on the region that is chosen. */
  askRegions(): void {
    if (this.query.run === '' || this.answer === undefined) return;
    const rest = without(this.query.facets as Readonly<Record<string, string>>, 'region', 'intensity');
    this.#load('regions', this.regions, apiPath('whatif', { ...this.#parameters(rest), points: 4, regions: true, equations: false, equivalents: false }), this.#someNews);
  }
  askPins(): void {
    this.pinned.forEach((resource, i) => {
      const pin = this.query.pins[i];
      if (pin === undefined) {
        resource.clear();
        return;
      }
      this.#load(`pin${String(i)}`, resource, apiPath('whatif', { ...this.#parameters(pin), over_time: true, equations: false, equivalents: false }));
    });
  }
  askDetail(): void {
    const id = this.listed?.id;
    if (id === undefined) {
      if (this.detail.data !== undefined) this.detail.clear();
      return;
    }
    const path = apiPath(`runs/${encodeURIComponent(id)}`, { points: 4 });
    this.detail.load(path, (signal) => ask({ path, signal }, isRunDetail));
  }

  /** Follows the run's events. Returns the function that ends it. */
  follow(): (() => void) | undefined {
    const listed = this.listed;
    if (listed === undefined || isOver(listed.status)) return undefined;
    const stop = followRun(listed.id, String(listed.epochs_ended), {
      onevent: (event) => this.#hear(event),
      onstate: (isThere, seconds) => {
        this.isFollowing = isThere;
        this.triedAgainIn = seconds;
      },
    });
    return () => {
      stop();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.isFollowing = false;
      this.triedAgainIn = 0;
      this.heardAt = 0;
    };
  }
  #hear(event: ServerEvent): void {
    const status = event.data as Partial<RunDetail>;
    this.heardAt = Date.now() - 1000 * (status.silent_s ?? 0);
    if (event.name !== 'epoch') {
      const known = this.detail.data;
      if (known !== undefined && known.id === this.listed?.id) this.detail.data = { ...known, ...status };
    }
    this.#tell();
    // The run is kept as a profile a moment after it has ended.
    if (event.name === 'ended') setTimeout(() => { this.list(true); this.news += 1; }, 500);
  }
  /** Once for events that come fast one after the other. */
  #tell(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.news += 1;
    }, TOGETHER_MS);
  }

  change(changes: Partial<Record<Facet, string | undefined>>, how: 'push' | 'replace' = 'push'): void {
    this.preview = undefined;
    address.set(exclusive(changes), how);
  }
  reset(): void {
    this.preview = undefined;
    address.set(Object.fromEntries(Object.keys(this.query.facets).map((name) => [name, undefined])));
  }
  get mayPin(): boolean {
    return isAlternative(this.query.facets) && this.query.pins.length < MOST_PINS;
  }
  /** The alternative turns grey and stays, so that a new one can be tried. */
  pin(): void {
    const { facets, pins } = this.query;
    address.set({ ...Object.fromEntries(Object.keys(facets).map((name) => [name, undefined])), ...writePins([...pins, facets]) });
  }
  unpin(i: number): void {
    address.set(writePins(this.query.pins.filter((_, j) => j !== i)));
  }
  get failure(): Failure | undefined {
    return this.whatif.failure ?? (this.profiles.data === undefined ? this.profiles.failure : undefined);
  }
}

/** A region has an intensity, and a profile that was recorded is no prediction: one takes the other's place. */
function exclusive(changes: Partial<Record<Facet, string | undefined>>): Partial<Record<Facet, string | undefined>> {
  if (changes.region !== undefined) return { intensity: undefined, ...changes };
  if (changes.intensity !== undefined) return { region: undefined, ...changes };
  if (changes.alt !== undefined) return { model: undefined, passes: undefined, factor: undefined, batch: undefined, seq: undefined, dtype: undefined, on: undefined, ...changes };
  if (changes.model !== undefined) return { alt: undefined, ...changes };
  return changes;
}

function merged(facets: Facets, preview: Facets | undefined): Facets {
  if (preview === undefined) return facets;
  return Object.fromEntries(Object.entries({ ...facets, ...exclusive(preview) }).filter(([, value]) => value !== undefined));
}
