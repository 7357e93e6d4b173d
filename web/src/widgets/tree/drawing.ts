// The tree as shapes and words, for a canvas and for a file alike.
import { shareStep } from '../../base/numbers';
import { kindOf } from '../../base/tree/energy_tree';
import { bandPath, boxPath, farBandPath, type Placed, tracePaths } from '../../base/tree/layout';
import type { Shown } from '../../base/tree/opening';
import { cut, figures, isText, knob, NAME, NUMBERS, title } from './labels';
import type { Colour, TreeState } from './tree_state.svelte';

export interface Ink { readonly fill?: string; readonly stroke?: string; readonly width?: number; readonly alpha?: number }
export interface Type { readonly weight: number; readonly size: number; readonly fill: string; readonly alpha: number; readonly isCentred?: boolean }

/** Whatever can be drawn on. */
export interface Pen {
  path(d: string, ink: Ink): void;
  words(text: string, x: number, y: number, type: Type): void;
}

/** How much can be seen: everything, boxes without their words, or blocks from afar. */
export type Detail = 'words' | 'boxes' | 'blocks';
export const detailAt = (zoom: number): Detail => (zoom > 0.35 ? 'words' : zoom > 0.15 ? 'boxes' : 'blocks');

export interface Picture {
  readonly boxes: readonly Placed[];
  readonly bands: readonly Placed[];
  readonly chosen: Placed | undefined;
  readonly detail: Detail;
  readonly state: TreeState;
  readonly colour: (token: string) => string;
}

export function drawTree(pen: Pen, picture: Picture): void {
  const { bands, chosen, detail, colour } = picture;
  // One path for all bands: a thousand fills cost more than one of a thousand parts.
  pen.path(bands.map(detail === 'blocks' ? farBandPath : bandPath).join(''), { fill: colour('river') });
  if (chosen !== undefined) pen.path(tracePaths(chosen).join(''), { fill: colour('e6'), alpha: 0.5 });
  if (detail === 'blocks') drawBlocks(pen, picture);
  else for (const p of picture.boxes) drawNode(pen, picture, p);
}

/** From afar: one path for all nodes of a colour. */
function drawBlocks(pen: Pen, { boxes, state, colour }: Picture): void {
  const byFill = new Map<string, string[]>();
  for (const p of boxes) {
    const fill = `${fillOf(p.shown, state.colour)}${state.isFaded(p.shown) ? '/faded' : ''}`;
    const all = byFill.get(fill);
    if (all === undefined) byFill.set(fill, [boxPath(p, '')]);
    else all.push(boxPath(p, ''));
  }
  for (const [fill, paths] of byFill) {
    const [token = '', faded] = fill.split('/');
    pen.path(paths.join(''), { fill: colour(token), ...(faded === undefined ? {} : { alpha: 0.4 }) });
  }
}

function drawNode(pen: Pen, { detail, chosen, state, colour }: Picture, p: Placed): void {
  const s = p.shown;
  const step = shareStep(s.share);
  const alpha = state.isFaded(s) ? 0.4 : 1;
  const withWords = detail === 'words';
  if (isText(s)) {
    const name = `${cut(title(s))}  ${figures(s)}`;
    if (withWords) pen.words(name, p.x + 6, p.y + 4, { ...NUMBERS, fill: colour(s.gathered.length > 0 ? 'ink3' : 'ink2'), alpha });
    return;
  }
  const { cls } = s.node;
  const line = colour(state.colour === 'share' ? `e${String(Math.min(11, Math.max(7, step + 3)))}` : 'ink3');
  const width = cls === 'parametric' ? 2 : 1;
  if (s.chain.some((node) => node.count > 1)) {
    for (const behind of [4, 2]) pen.path(boxPath({ ...p, x: p.x + behind, y: p.y + behind }, cls), { fill: colour('bg'), stroke: line, width: 1, alpha });
  }
  const box = boxPath(p, cls);
  const isChosen = p === chosen;
  if (isChosen || state.isMarked(s)) pen.path(box, { stroke: colour(isChosen ? 'ink' : 'accent'), width: 7, alpha });
  pen.path(box, { fill: colour(fillOf(s, state.colour)), stroke: isChosen ? colour('bg') : line, width: isChosen ? 2.5 : width, alpha });
  if (!withWords) return;
  const fill = colour(state.colour === 'share' ? `e${String(step)}t` : 'ink');
  pen.words(cut(title(s)), p.x + 13, p.y - 3.5, { ...NAME, fill, alpha });
  pen.words(figures(s), p.x + 13, p.y + 11.5, { ...NUMBERS, fill, alpha });
  const sign = knob(s);
  if (sign === '') return;
  const middle = p.x + p.width - 16;
  const r = s.isOpen ? 7.5 : 10.5;
  pen.path(`M${String(middle - r)} ${String(p.y)}a${String(r)} ${String(r)} 0 1 1 ${String(2 * r)} 0a${String(r)} ${String(r)} 0 1 1 ${String(-2 * r)} 0z`, { fill: colour('bg'), stroke: line, width: 1, alpha });
  pen.words(sign, middle, p.y + 3.6, { weight: 600, size: 10.5, fill: colour('ink'), alpha, isCentred: true });
}

function fillOf(s: Shown, by: Colour): string {
  if (by === 'share' || s.gathered.length > 0) return `e${String(shareStep(s.share))}`;
  if (by === 'class') return { module: 'f-mod', parametric: 'f-par', plain: 'f-non', math: 'f-math' }[s.node.cls];
  const kind = kindOf(s.node);
  return kind === 'module' ? 'surface' : `k-${kind}`;
}

/** The tokens that drawTree() asks for. */
export const TOKENS: readonly string[] = ['bg', 'surface', 'ink', 'ink2', 'ink3', 'river', 'accent', 'f-mod', 'f-par', 'f-non', 'f-math',
  'k-lin', 'k-att', 'k-norm', 'k-act', 'k-el', 'k-emb', 'k-oth', ...Array.from({ length: 12 }, (_, i) => [`e${String(i)}`, `e${String(i)}t`]).flat()];
