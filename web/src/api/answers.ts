// What the pages take from the server's answers. The types are generated from docs/openapi.json; a page asks for whole
// predictions or for sweeps, which one schema describes, so that both are told apart here.
import { isObject } from './client';
import type { components } from './schema';

type Schemas = components['schemas'];
type With<T, K extends keyof T> = T & { [P in K]-?: Exclude<T[P], undefined> };

export type RawBasis = Schemas['predict_basis'];
export type RawFeature = Schemas['predict_feature'];
export type RawMeasured = Schemas['predict_measured'];
/** A node of a prediction, or of a tree that was measured; all figures may be missing in the latter. */
export type RawNode = Omit<Partial<Schemas['predict_node']>, 'scope' | 'type' | 'level' | 'children' | 'features'>
  & Pick<Schemas['predict_node'], 'scope' | 'type' | 'level'>
  & { children: RawNode[]; features?: Readonly<Record<string, number | null>>; error?: number };
export type Memory = Schemas['predict_memory'];
export type Group = Schemas['predict_group'];
type Whole = With<Schemas['predict'], 'batch_size' | 'seq_len' | 'memory' | 'params' | 'flops' | 'bytes' | 'headline' | 'roles'>;
export type Prediction = Omit<Whole, 'tree'> & { tree: RawNode };
export type Role = Prediction['roles'][number];
export type SizeOfSweep = Exclude<Schemas['predict']['sizes'], undefined>[number];
export type Sweep = With<Schemas['predict'], 'sizes'>;
export type MeasuredTrees = Schemas['measured_trees'];
export type Phase = Schemas['generate_phase'];
export type Generated = Schemas['generate'];
export type Explanation = Schemas['explain'];
export type Models = Schemas['models'];
export type ModelEntry = Models['models'][number];

const has = (x: unknown, ...keys: string[]): x is Record<string, unknown> => isObject(x) && keys.every((key) => key in x);

export function isNode(x: unknown): x is RawNode {
  return isObject(x) && typeof x['scope'] === 'string' && typeof x['type'] === 'string' && Array.isArray(x['children']);
}
export const isPrediction = (x: unknown): x is Prediction =>
  has(x, 'model', 'memory') && isNode(x['tree']) && typeof x['headline'] === 'string' && Array.isArray(x['roles']);
export const isSweep = (x: unknown): x is Sweep => has(x, 'sizes') && Array.isArray(x['sizes']);
export const isGenerated = (x: unknown): x is Generated => has(x, 'prefill', 'decode', 'request', 'memory');
export const isExplanation = (x: unknown): x is Explanation => has(x, 'node') && Array.isArray(x['terms']) && Array.isArray(x['children']);
export const isModels = (x: unknown): x is Models => has(x, 'families') && Array.isArray(x['models']);
