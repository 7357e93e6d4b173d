// What would reduce the energy, each predicted by the server.
import { isObject } from './client';
import type { components } from './schema';

export type Suggestions = components['schemas']['suggest'];

export const isSuggestions = (x: unknown): x is Suggestions => isObject(x) && Array.isArray(x['suggestions']);
