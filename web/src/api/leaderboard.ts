// All models for a size and a device, and two of them beside each other.
import { isObject } from './client';
import type { components } from './schema';

type Schemas = components['schemas'];

export type Leaderboard = Schemas['leaderboard'];
export type LeaderRow = Leaderboard['rows'][number];
export type Pair = Schemas['compare_pair'];
export type Part = Pair['parts'][number];
export type Predictors = Schemas['predictors'];
export type Predictor = Predictors['predictors'][number];
/** What a prediction may be asked for: a predictor, or a device that is scaled by its datasheet. */
export type Predictable = Predictors['hardware'][number];

export const isLeaderboard = (x: unknown): x is Leaderboard => isObject(x) && Array.isArray(x['rows']) && typeof x['headline'] === 'string';
export const isPair = (x: unknown): x is Pair => isObject(x) && isObject(x['a']) && isObject(x['b']) && Array.isArray(x['parts']);
export const isPredictors = (x: unknown): x is Predictors => isObject(x) && Array.isArray(x['predictors']) && Array.isArray(x['hardware']);
