// Where the tree's nodes and bands go: tidy by contours, a parent at its children's centre of energy.
import { drawn, type Shown } from './opening';

export interface Placed {
  readonly shown: Shown;
  readonly parent: Placed | null;
  readonly x: number;
  readonly width: number;
  readonly height: number;  // Of the box.
  readonly band: number;    // As high as its energy.
  y: number;                // The centre of both.
  slot: number;             // Where its band begins within the parent's, from the top of that.
}

export interface Layout { readonly placed: readonly Placed[]; readonly width: number; readonly height: number }

export interface Measures {
  readonly river: number;    // Height of the whole energy.
  readonly box: number;
  readonly line: number;     // Height of a math op, which is text alone.
  readonly gap: number;
  readonly between: number;  // From a column to the next.
  readonly widthOf: (shown: Shown) => number;
}

interface Contour { readonly top: number[]; readonly bottom: number[] }

const half = (p: Placed): number => Math.max(p.height, p.band) / 2;

export function layOut(root: Shown, measures: Measures): Layout {
  const widths = drawn(root).map(measures.widthOf);  // By a node's index.
  const xs = columns(root, widths, measures.between);
  const placed: Placed[] = [];
  const whole = root.energy > 0 ? root.energy : 1;

  // Sets y relative to the parent and returns the outline of what hangs below, relative to the node's own centre.
  const place = (shown: Shown, parent: Placed | null): { at: Placed; contour: Contour } => {
    const isText = shown.gathered.length > 0 || shown.node.cls === 'math';
    const at: Placed = {
      shown, parent, x: xs[shown.depth] ?? 0, width: widths[shown.index] ?? 0, height: isText ? measures.line : measures.box,
      band: Math.max(0.5, (shown.energy / whole) * measures.river), y: 0, slot: 0,
    };
    placed.push(at);
    if (shown.children.length === 0) return { at, contour: { top: [-half(at)], bottom: [half(at)] } };
    const below: Contour = { top: [], bottom: [] };
    const children: Placed[] = [];
    let slot = 0;
    for (const each of shown.children) {
      const child = place(each, at);
      child.at.y = children.length === 0 ? 0 : drop(below, child.contour, measures.gap);
      child.at.slot = slot;
      slot += child.at.band;
      merge(below, child.contour, child.at.y);
      children.push(child.at);
    }
    const centre = centreOfEnergy(children);
    for (const child of children) child.y -= centre;
    return { at, contour: { top: [-half(at), ...below.top.map((y) => y - centre)], bottom: [half(at), ...below.bottom.map((y) => y - centre)] } };
  };

  const { contour } = place(root, null);
  const top = Math.min(...contour.top);
  let width = 0;
  for (const each of placed) {  // Parents come before their children.
    each.y = each.parent === null ? -top + 4 : each.parent.y + each.y;
    width = Math.max(width, each.x + each.width);
  }
  return { placed, width: width + 10, height: Math.max(...contour.bottom) - top + 8 };
}

/** Where each column begins: behind the widest node of the one before it. */
function columns(root: Shown, widths: readonly number[], between: number): number[] {
  const widest: number[] = [];
  for (const shown of drawn(root)) widest[shown.depth] = Math.max(widest[shown.depth] ?? 0, widths[shown.index] ?? 0);
  const xs = [10];
  for (const width of widest) xs.push((xs[xs.length - 1] ?? 0) + width + between);
  return xs;
}

/** How far down a subtree has to go to stand clear of what is placed already. */
function drop(placed: Contour, next: Contour, gap: number): number {
  let y = -Infinity;
  const depth = Math.min(placed.bottom.length, next.top.length);
  for (let d = 0; d < depth; d += 1) y = Math.max(y, (placed.bottom[d] ?? 0) + gap - (next.top[d] ?? 0));
  return y;
}

function merge(placed: Contour, next: Contour, y: number): void {
  for (let d = 0; d < next.top.length; d += 1) {
    placed.top[d] ??= (next.top[d] ?? 0) + y;
    placed.bottom[d] = (next.bottom[d] ?? 0) + y;
  }
}

function centreOfEnergy(children: readonly Placed[]): number {
  const total = children.reduce((sum, child) => sum + child.shown.energy, 0);
  if (total <= 0) return ((children[0]?.y ?? 0) + (children[children.length - 1]?.y ?? 0)) / 2;
  return children.reduce((sum, child) => sum + child.y * child.shown.energy, 0) / total;
}

const f = (x: number): string => String(Math.round(x * 10) / 10);

/** The band from a parent to a child, through the child's own width. */
export function bandPath(p: Placed): string {
  const top = p.y - p.band / 2;
  const right = p.x + p.width;
  const through = p.shown.children.length > 0 ? right : p.x + p.width / 2;
  if (p.parent === null) return `M0 ${f(top)}H${f(through)}V${f(top + p.band)}H0z`;
  return ribbon(p.parent.x + p.parent.width, p.parent.y - p.parent.band / 2 + p.slot, p.x, top, p.band) + `M${f(p.x)} ${f(top)}H${f(through)}V${f(top + p.band)}H${f(p.x)}z`;
}

function ribbon(x0: number, y0: number, x1: number, y1: number, height: number): string {
  const middle = (x0 + x1) / 2;
  return `M${f(x0)} ${f(y0)}C${f(middle)} ${f(y0)} ${f(middle)} ${f(y1)} ${f(x1)} ${f(y1)}V${f(y1 + height)}`
    + `C${f(middle)} ${f(y1 + height)} ${f(middle)} ${f(y0 + height)} ${f(x0)} ${f(y0 + height)}z`;
}

/** The same from afar, where curves cannot be seen. */
export function farBandPath(p: Placed): string {
  if (p.parent === null) return bandPath(p);
  const x0 = p.parent.x + p.parent.width;
  const y0 = p.parent.y - p.parent.band / 2 + p.slot;
  return `M${f(x0)} ${f(y0)}L${f(p.x)} ${f(p.y - p.band / 2)}v${f(p.band)}L${f(x0)} ${f(y0 + p.band)}z`;
}

/** The chosen node's own part, traced back to the root. */
export function tracePaths(chosen: Placed): string[] {
  const paths: string[] = [];
  const height = Math.max(1.5, chosen.band);
  let offset = 0;  // Of the part within the band of `at`.
  for (let at: Placed | null = chosen; at !== null; at = at.parent) {
    const y = at.y - at.band / 2 + offset;
    const right = at === chosen ? at.x + at.width / 2 : at.x + at.width;
    paths.push(`M${f(at.parent === null ? 0 : at.x)} ${f(y)}H${f(right)}V${f(y + height)}H${f(at.parent === null ? 0 : at.x)}z`);
    if (at.parent !== null) {
      offset += at.slot;
      paths.push(ribbon(at.parent.x + at.parent.width, at.parent.y - at.parent.band / 2 + offset, at.x, y, height));
    }
  }
  return paths;
}

/** The outline of a box: pill, rectangle, or one with two corners cut. */
export function boxPath(p: Pick<Placed, 'x' | 'y' | 'width' | 'height'>, cls: string, inset = 0): string {
  const x = p.x + inset;
  const y = p.y - p.height / 2 + inset;
  const w = p.width - 2 * inset;
  const h = p.height - 2 * inset;
  if (cls === 'module') {
    const r = h / 2;
    return `M${f(x + r)} ${f(y)}H${f(x + w - r)}A${f(r)} ${f(r)} 0 0 1 ${f(x + w - r)} ${f(y + h)}H${f(x + r)}A${f(r)} ${f(r)} 0 0 1 ${f(x + r)} ${f(y)}z`;
  }
  if (cls === 'plain') {
    const c = Math.min(9, h / 2);
    return `M${f(x + c)} ${f(y)}H${f(x + w)}V${f(y + h - c)}L${f(x + w - c)} ${f(y + h)}H${f(x)}V${f(y + c)}z`;
  }
  return `M${f(x)} ${f(y)}H${f(x + w)}V${f(y + h)}H${f(x)}z`;
}
