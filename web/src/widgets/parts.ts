import type { Part } from '../api/leaderboard';
import { textWidth, textWithin } from '../base/text_width';
import { roleName, shortRole } from './roles';

const scopeOf = (part: Part): string => (part.scope ?? '').replace(/^.*\*\./, '').replace(/^.*\*:/, '') || (part.type ?? '');

/** "intermediate.dense": what a part is called. */
export const partName = (part: Part): string => scopeOf(part) || roleName(part.role ?? 'other');

/** The same within so many pixels: a shorter word, or its beginning. */
export function partNameWithin(part: Part, width: number, weight: number, size: number): string {
  const name = partName(part);
  if (textWidth(name, weight, size) <= width) return name;
  return textWithin(scopeOf(part) || shortRole(part.role ?? 'other'), width, weight, size);
}
