// The words on a node, and how much room they take.
import { energy, percent, times } from '../../base/numbers';
import { textWidth } from '../../base/text_width';
import type { Shown } from '../../base/tree/opening';

export const MOST_LETTERS = 26;
export const NAME = { weight: 580, size: 12.5 } as const;
export const NUMBERS = { weight: 400, size: 11.5 } as const;
const KNOB = 26;
const WIDEST = 250;

export function title(shown: Shown): string {
  if (shown.gathered.length > 0) return `${String(shown.gathered.length)} more`;
  return shown.chain.map((node) => plainName(node.name, node.count)).join(' › ') + times(shown.chain.reduce((n, node) => n * node.count, 1));
}

/** "layer.0…11" is "layer" where ×12 stands beside it. */
function plainName(name: string, count: number): string {
  return count > 1 ? name.replace(/\.\d+…\d+$/, '') : name;
}

/** Layers repeat each other's numbers, and writing one costs more than looking it up. */
function remembered(write: (x: number) => string): (x: number) => string {
  const known = new Map<number, string>();
  return (x) => {
    let text = known.get(x);
    if (text === undefined) {
      if (known.size > 20_000) known.clear();
      known.set(x, (text = write(x)));
    }
    return text;
  };
}
const energyOf = remembered(energy);
const percentOf = remembered(percent);

export const figures = (shown: Shown): string => `${energyOf(shown.energy)} · ${percentOf(shown.share)}`;

export const cut = (text: string, most = MOST_LETTERS): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/** Drawn as text alone, without a box. */
export const isText = (shown: Shown): boolean => shown.gathered.length > 0 || shown.node.cls === 'math';

/** What the knob says, or '' where there is none. */
export const knob = (shown: Shown): string => (shown.inside === 0 || isText(shown) ? '' : shown.isOpen ? '−' : `+${String(shown.inside)}`);

export function spoken(shown: Shown): string {
  if (shown.gathered.length > 0) return `${title(shown)} ${percentOf(shown.share)}, ${energyOf(shown.energy)}`;
  // As it is written, so that someone who speaks to the computer can say what they see.
  const more = shown.isOpen || knob(shown) === '' ? '' : ` ${knob(shown)}`;
  return `${cut(title(shown))} ${figures(shown)}${more}, ${shown.node.type}`;
}

/** Of a box, with room for the knob. */
export function widthOf(shown: Shown): number {
  const name = cut(title(shown));
  if (isText(shown)) return Math.round(Math.min(WIDEST, textWidth(name, NUMBERS.weight, NUMBERS.size) + textWidth(figures(shown), NUMBERS.weight, NUMBERS.size) + 22));
  const widest = Math.max(textWidth(name, NAME.weight, NAME.size), textWidth(figures(shown), NUMBERS.weight, NUMBERS.size));
  return Math.round(Math.min(WIDEST, Math.max(84, widest + 28 + (knob(shown) === '' ? 0 : KNOB))));
}
