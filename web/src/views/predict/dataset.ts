// Datasets of measured trees: JSON Lines of `wattree profile`, or IrEne's own JSON.
import type { RawBasis, RawNode } from '../../api/answers';
import { isObject } from '../../api/client';

export interface LevelError { nodes: number; mean_error: number; inside: number }
export interface MeasuredTree { model: string; batch_size: number; seq_len: number; dtype?: string; protocol?: string; predicted_from: string; why_not?: string; tree: RawNode }
export interface MeasuredTrees { hardware: string; predictor: string; basis: RawBasis; errors: { ml?: LevelError; module?: LevelError; model?: LevelError }; trees: MeasuredTree[] }

export const isMeasuredTrees = (x: unknown): x is MeasuredTrees => isObject(x) && Array.isArray(x['trees']) && isObject(x['errors']);

/** A dataset has trees; a config has none. */
export const isDataset = (name: string, text: string): boolean => name.endsWith('.jsonl') || text.slice(0, 20_000).includes('"frontend_tree"');
