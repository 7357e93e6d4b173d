// Runs, kept profiles and links to trackers: what the server knows of them, and what can be done with them.
import { apiPath, ask, askFile, isObject } from './client';
import type { components } from './schema';

type Schemas = components['schemas'];

export type Runs = Schemas['runs'];
export type RunEntry = Runs['runs'][number];
export interface RunEpoch { readonly epoch: number; readonly name: string; readonly begin_s?: number; readonly duration_s?: number; readonly device_energy_j?: number }
/** What one run has beside the fields of the list; the generator of types leaves fields beside a reference out. */
export type RunDetail = RunEntry & { readonly epochs_in_all: number; readonly epochs: readonly RunEpoch[] };
export type RunStatus = RunEntry['status'];
export type Sums = Runs['sums'];
export type Profiles = Schemas['profiles'];
export type ProfileEntry = Schemas['profile_entry'];
export type ReadableProfile = Exclude<ProfileEntry, { status: 'unreadable' }>;
export type Links = Schemas['links'];
export type Link = Links['links'][number];
export interface Imported { readonly format: string; readonly profiles: readonly ProfileEntry[]; readonly notes: readonly string[] }
/** What is known of somebody else's run. */
export interface Estimate { readonly name: string; readonly hardware: readonly { readonly name: string; readonly count: number }[]; readonly hours: number; readonly region?: string; readonly pue?: string; readonly utilisation?: number; readonly author?: string }

const has = (x: unknown, ...keys: string[]): x is Record<string, unknown> => isObject(x) && keys.every((key) => key in x);
export const isRuns = (x: unknown): x is Runs => has(x, 'headline', 'sums', 'today') && Array.isArray(x['runs']);
export const isRunDetail = (x: unknown): x is RunDetail => has(x, 'id', 'status') && Array.isArray(x['epochs']) && Array.isArray(x['trace']);
export const isProfiles = (x: unknown): x is Profiles => isObject(x) && Array.isArray(x['profiles']);
export const isLinks = (x: unknown): x is Links => isObject(x) && Array.isArray(x['links']);
export const isReadable = (entry: ProfileEntry): entry is ReadableProfile => entry.status !== 'unreadable';
const isLink = (x: unknown): x is Link => has(x, 'id', 'run', 'address');
const isEntry = (x: unknown): x is ProfileEntry => has(x, 'id', 'origin', 'status');
const isImported = (x: unknown): x is Imported => has(x, 'format', 'notes') && Array.isArray(x['profiles']);
const isPaused = (x: unknown): x is { id: string; status: RunStatus } => has(x, 'id', 'status');
const isAny = (x: unknown): x is unknown => x !== undefined;

const OVER: ReadonlySet<string> = new Set(['ended', 'failed', 'stopped', 'lost']);
/** Whether nothing more is to come. A lost tracker may be somebody's, so that its run counts as over until it is heard again. */
export const isOver = (status: string): boolean => OVER.has(status);

const LIVE: ReadonlySet<string> = new Set(['live', 'waiting', 'paused']);
/** Whether it is heard: it draws power, and its figures are of this moment. */
export const isLive = (status: string): boolean => LIVE.has(status);

const of = (collection: string, id: string, what = ''): string => apiPath(`${collection}/${encodeURIComponent(id)}${what}`);

const TYPES: readonly (readonly [RegExp, string])[] = [[/\.html?$/i, 'text/html'], [/\.csv$/i, 'text/csv'], [/\.json$/i, 'application/json']];
export const importProfile = (name: string, file: Blob): Promise<Imported> =>
  ask({ path: apiPath('profiles'), text: file, type: TYPES.find(([ending]) => ending.test(name))?.[1] ?? 'text/plain' }, isImported);
export const estimateProfile = (estimate: Estimate): Promise<ProfileEntry> => ask({ path: apiPath('profiles/estimate'), body: estimate }, isEntry);
export const changeProfile = (id: string, change: { name?: string; tags?: readonly string[] }): Promise<ProfileEntry> =>
  ask({ path: of('profiles', id), method: 'PATCH', body: change }, isEntry);
export const deleteProfile = (id: string): Promise<unknown> => ask({ path: of('profiles', id), method: 'DELETE' }, isAny);
export const restoreProfile = (id: string): Promise<ProfileEntry> => ask({ path: of('profiles', id, '/restore'), method: 'POST' }, isEntry);
export const addLink = (address: string, token: string): Promise<Link> =>
  ask({ path: apiPath('links'), body: { address, ...(token === '' ? {} : { token }) } }, isLink);
export const removeLink = (id: string): Promise<Links> => ask({ path: of('links', id), method: 'DELETE' }, isLinks);
export const pauseRun = (id: string, isPause: boolean): Promise<{ id: string; status: RunStatus }> =>
  ask({ path: of('runs', id, isPause ? '/pause' : '/resume'), method: 'POST' }, isPaused);

export const FORMATS = [
  { format: 'wattree', name: 'Wattree profile', ending: 'json', type: 'application/json' },
  { format: 'energyvis', name: 'EnergyVis profile', ending: 'energyvis.json', type: 'application/json' },
  { format: 'html', name: 'Report', ending: 'html', type: 'text/html' },
] as const;
/** Of a kept profile by its id, of a run that goes on by the run's. */
export const exportProfile = (id: string, format: string): Promise<string> => askFile({ path: `${of('profiles', id, '/export')}?format=${format}` });
