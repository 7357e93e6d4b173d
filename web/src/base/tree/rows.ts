// Finds the nodes in view, and the one under the pointer, without looking at all of them.
import type { Layout, Placed } from './layout';

export interface Rows {
  /** Boxes whose centre lies between two heights. */
  between(top: number, bottom: number): readonly Placed[];
  /** Nodes whose band touches what is between two heights: bands are longer than boxes. */
  bandsBetween(top: number, bottom: number): readonly Placed[];
}

function firstAtLeast(sorted: readonly Placed[], y: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.y ?? Infinity) < y) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function inRows(layout: Layout): Rows {
  const sorted = [...layout.placed].sort((a, b) => a.y - b.y);
  const between = (top: number, bottom: number): readonly Placed[] => sorted.slice(firstAtLeast(sorted, top), firstAtLeast(sorted, bottom));
  return {
    between,
    bandsBetween: (top, bottom) => layout.placed.filter((p) => {
      const reach = Math.max(p.band, 38) / 2;
      const from = p.parent?.y ?? p.y;
      return Math.max(p.y, from) + reach >= top && Math.min(p.y, from) - reach <= bottom;
    }),
  };
}

export function rowAt(rows: Rows, x: number, y: number): Placed | undefined {
  return rows.between(y - 24, y + 24).find((p) => x >= p.x && x <= p.x + p.width && Math.abs(y - p.y) <= p.height / 2);
}
