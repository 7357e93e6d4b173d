// The carbon of electricity by region, and what a run would emit in each.
import { isObject } from './client';
import type { components } from './schema';

type Schemas = components['schemas'];

export type Regions = Schemas['regions'];
export type Region = Regions['regions'][number];
export type RegionSource = Regions['sources'][number];
/** A region in the answer to a what-if: what the alternative would emit there. */
export type RegionChange = Exclude<Schemas['whatif']['regions'], undefined>[number];

export const isRegions = (x: unknown): x is Regions => isObject(x) && Array.isArray(x['regions']) && Array.isArray(x['sources']);
