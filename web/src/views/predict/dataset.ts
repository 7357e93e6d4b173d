// Datasets of measured trees: JSON Lines of `wattree profile`, or IrEne's own JSON.
import type { MeasuredTrees } from '../../api/answers';
import { isObject } from '../../api/client';

export const isMeasuredTrees = (x: unknown): x is MeasuredTrees => isObject(x) && Array.isArray(x['trees']) && isObject(x['errors']);

/** A dataset has trees; a config has none. */
export const isDataset = (name: string, text: string): boolean => name.endsWith('.jsonl') || text.slice(0, 20_000).includes('"frontend_tree"');
