// What a run would take elsewhere: answers to a what-if, and the devices that may stand in.
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

const has = (x: unknown, ...keys: string[]): x is Record<string, unknown> => isObject(x) && keys.every((key) => key in x);
const isSide = (x: unknown): boolean => has(x, 'name', 'setting') && has(x['curve'], 'points', 'basis');
export const isWhatIf = (x: unknown): x is WhatIf => has(x, 'steps') && isSide(x['baseline']) && isSide(x['alternative']);
export const isDevices = (x: unknown): x is Devices => has(x, 'hardware') && Array.isArray(x['hardware']);
