// All models for a size and a device, and two of them beside each other.
import { isObject } from './client';
import type { components } from './schema';

type Schemas = components['schemas'];

export type Leaderboard = Schemas['leaderboard'];
export type LeaderRow = Leaderboard['rows'][number];
export type Pair = Schemas['compare_pair'];
export type Part = Pair['parts'][number];
export type Predictor = Schemas['predictors']['predictors'][number];

export const isLeaderboard = (x: unknown): x is Leaderboard => isObject(x) && Array.isArray(x['rows']) && typeof x['headline'] === 'string';
export const isPair = (x: unknown): x is Pair => isObject(x) && isObject(x['a']) && isObject(x['b']) && Array.isArray(x['parts']);
export const isPredictors = (x: unknown): x is Schemas['predictors'] => isObject(x) && Array.isArray(x['predictors']);
