import type { Part } from '../api/leaderboard';
import { roleName } from './roles';

/** "intermediate.dense": what a part is called, as short as asked. */
export function partName(part: Part, most = 60): string {
  const scope = (part.scope ?? '').replace(/^.*\*\./, '').replace(/^.*\*:/, '');
  const name = scope !== '' ? scope : part.type !== undefined && part.type !== '' ? part.type : roleName(part.role ?? 'other');
  return name.length <= most ? name : `${name.slice(0, Math.max(1, most - 1))}…`;
}
