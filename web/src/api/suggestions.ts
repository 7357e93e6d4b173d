// What would reduce the energy, each predicted by the server.
import type { Memory, RawBasis } from './answers';
import { isObject } from './client';

export interface Suggestion {
  kind: string; what: string; sentence: string; change: Record<string, string>; energy_per_item_j: number; time_s?: number;
  ratio: number; ratio_low: number; ratio_high: number; sure: boolean; caveat: string; memory: Memory; basis: RawBasis;
}
export interface Suggestions { energy_per_item_j: number; suggestions: Suggestion[]; no_saving: string[] }

export const isSuggestions = (x: unknown): x is Suggestions => isObject(x) && Array.isArray(x['suggestions']);
