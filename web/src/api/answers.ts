// What the pages take from the server's answers.
import { isObject } from './client';

export interface RawBasis { kind: 'measured' | 'published' | 'derived' | 'predicted' | 'assumed'; by?: string; boundary: string }
export interface RawFeature { name: string; unit: string; meaning: string; basis: string; by: string; null_means?: string }
export interface RawMeasured { energy_j: number; time_s: number; relative_error: number; windows: number; cards: number; doubts: string[]; basis: RawBasis }
export interface RawNode {
  scope: string; last_scope?: string; count?: number; times?: number; hidden?: number; run?: number;
  type: string; level: 'model' | 'module' | 'ml' | 'math'; class?: string; role?: string; shape?: number[];
  params?: number; flops?: number; matmul_flops?: number; bytes?: number;
  time_s?: number; time_low_s?: number; time_high_s?: number;
  energy_j?: number; energy_low_j?: number; energy_high_j?: number; own_energy_j?: number; idle_j?: number;
  measured_j?: number; alone_j?: number; share?: number; stand_in_share?: number; basis?: RawBasis;
  measured?: RawMeasured; alone?: RawMeasured; features?: Record<string, number | null>; children: RawNode[];
}
export interface Memory {
  weights_bytes: number; inputs_bytes: number; cache_bytes: number; activations_bytes: number; peak_bytes: number;
  device_bytes?: number; fits?: boolean;
}
export interface Role { role: string; energy_j: number; share: number }
export interface TotalsRow { part: string; energy_kwh: number; cost_usd: number; carbon_gco2e?: number; basis: RawBasis }
export interface Totals {
  queries: number; query: string; passes_per_query: number; energy_per_query_j: number; pue?: number; region?: string;
  host_left_out: boolean; rows: TotalsRow[];
}
export interface Group { name?: string; scope?: string; type?: string; count: number; time_s?: number; energy_j: number; share: number; rest?: boolean }
export interface Subject {
  model: string; class: string; batch_size: number; seq_len: number; target_len?: number; source_len?: number; past?: number;
  dtype: string; attention: string; execution?: string; hardware: string; predictor: string;
}
export interface Prediction extends Subject {
  memory: Memory; params: number; flops: number; bytes: number; power_w?: number; energy_per_item_j?: number;
  energy_per_token_j?: number; headline: string; roles: Role[]; totals?: Totals; breakdown?: { by: string; groups: Group[] };
  features?: RawFeature[]; tree: RawNode;
}
export interface SizeOfSweep {
  batch_size: number; seq_len: number; time_s?: number; energy_j: number; energy_low_j: number; energy_high_j: number;
  energy_per_item_j: number; energy_per_token_j?: number; power_w?: number; memory: Memory; basis: RawBasis;
}
export interface Sweep { model: string; sizes: SizeOfSweep[] }
export interface Phase {
  passes: number; time_s?: number; energy_j: number; energy_low_j: number; energy_high_j: number; power_w?: number;
  energy_per_item_j: number; energy_per_token_j?: number; basis: RawBasis;
}
export interface Generated extends Subject {
  generate: number; memory: Memory; prefill: Phase; decode: Phase; request: Phase; without_vocabulary?: string; totals?: Totals;
}
export interface Term { name: string; unit: string; count: number; energy_each_j: number; time_each_s: number; energy_j: number; time_s: number }
export interface ExplainNode {
  scope: string; type: string; level: string; energy_j: number; energy_low_j?: number; energy_high_j?: number; own_energy_j?: number;
  time_s?: number; share?: number; stand_in_share?: number; basis: RawBasis;
}
export interface Explanation extends Subject {
  node: ExplainNode; terms: Term[]; children: ExplainNode[]; priced_as?: string; stand_in?: boolean; far?: boolean; samples?: number;
  work?: { kind: string; groups: number; m: number; n: number; k: number; bytes: number };
  looked_up?: { energy_j: number; time_s: number; samples: number };
}
export interface ModelEntry { name: string; model_type: string; class: string; params: number; kind?: string }
export interface Models { models: ModelEntry[]; families: { model_type: string; classes: string[] }[] }
export interface HardwareEntry { name: string; aliases: string[]; vendor?: string; kind: string; memory_gb?: number; tdp_w?: number; year?: number }

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
export const isHardware = (x: unknown): x is { hardware: HardwareEntry[] } => has(x) && Array.isArray(x['hardware']);
