// The words on a node.
import { energy, percent, times } from '../../base/numbers';
import type { Shown } from '../../base/tree/opening';

export const MOST_LETTERS = 26;

export function title(shown: Shown): string {
  if (shown.gathered.length > 0) return `${String(shown.gathered.length)} more`;
  return shown.chain.map((node) => plainName(node.name, node.count)).join(' › ') + times(shown.chain.reduce((n, node) => n * node.count, 1));
}

/** "layer.0…11" is "layer" where ×12 stands beside it. */
function plainName(name: string, count: number): string {
  return count > 1 ? name.replace(/\.\d+…\d+$/, '') : name;
}

export const figures = (shown: Shown): string => `${energy(shown.energy)} · ${percent(shown.share)}`;

export const cut = (text: string, most = MOST_LETTERS): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

export function spoken(shown: Shown): string {
  if (shown.gathered.length > 0) return `${title(shown)} ${percent(shown.share)}, ${energy(shown.energy)}`;
  // As it is written, so that someone who speaks to the computer can say what they see.
  const knob = shown.inside > 0 && !shown.isOpen && shown.node.cls !== 'math' ? ` +${String(shown.inside)}` : '';
  return `${cut(title(shown))} ${figures(shown)}${knob}, ${shown.node.type}`;
}

/** Of a box, with room for the knob. */
export function widthOf(shown: Shown): number {
  const isText = shown.gathered.length > 0 || shown.node.cls === 'math';
  const name = cut(title(shown)).length * 7 + (isText ? 10 : 26);
  const numbers = isText ? figures(shown).length * 5.8 + name + 8 : figures(shown).length * 6.3 + 26;
  return Math.round(Math.min(250, Math.max(84, name, numbers) + (shown.inside > 0 && !isText ? 24 : 0)));
}
