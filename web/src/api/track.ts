// Answers about runs, as the Track page takes them.
import { isObject } from './client';
import type { components } from './schema';

type Schemas = components['schemas'];
export type WhatIf = Schemas['whatif'];
export type Side = WhatIf['baseline'];
export type CurvePoint = Side['curve']['points'][number];
export type Equation = Exclude<Side['equations'], undefined>[number];
export type Flag = Side['flags'][number];
export type Step = WhatIf['steps'][number];
export type RegionEntry = Exclude<WhatIf['regions'], undefined>[number];
export type HardwareChange = WhatIf['hardware_changes'][number];
export type Device = Schemas['hardware']['hardware'][number];
export type Devices = Schemas['hardware'];
export type ProfileEntry = Schemas['profile_entry'];
export type Profiles = Schemas['profiles'];
export type Runs = Schemas['runs'];
export type RunEntry = Runs['runs'][number];
export type RunDetail = Schemas['run'];

const has = (x: unknown, ...keys: string[]): x is Record<string, unknown> => isObject(x) && keys.every((key) => key in x);
const isSide = (x: unknown): boolean => has(x, 'name', 'setting') && has(x['curve'], 'points', 'basis');
export const isWhatIf = (x: unknown): x is WhatIf => has(x, 'steps') && isSide(x['baseline']) && isSide(x['alternative']);
export const isProfiles = (x: unknown): x is Profiles => has(x, 'profiles') && Array.isArray(x['profiles']);
export const isRuns = (x: unknown): x is Runs => has(x, 'headline') && Array.isArray(x['runs']);
export const isRunDetail = (x: unknown): x is RunDetail => has(x, 'id', 'status', 'epochs_ended') && Array.isArray(x['epochs']);
export const isDevices = (x: unknown): x is Devices => has(x, 'hardware') && Array.isArray(x['hardware']);
