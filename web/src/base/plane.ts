// Scales and labels of a scatter plot.

export interface Scale { readonly at: (x: number) => number; readonly back: (p: number) => number; readonly ticks: readonly number[] }

/** Whole decades around the values, with a little room at both ends. */
export function logScale(values: readonly number[], from: number, to: number): Scale {
  const known = values.filter((x) => x > 0 && Number.isFinite(x));
  const low = Math.log10(Math.min(...known, known.length > 0 ? Infinity : 1)) - 0.15;
  const high = Math.log10(Math.max(...known, known.length > 0 ? 0 : 10)) + 0.15;
  const span = Math.max(0.5, high - low);
  const ticks: number[] = [];
  for (let e = Math.ceil(low); e <= low + span; e += 1) ticks.push(10 ** e);
  return { at: (x) => from + ((Math.log10(Math.max(x, 1e-30)) - low) / span) * (to - from), back: (p) => 10 ** (low + ((p - from) / (to - from)) * span), ticks };
}

export function linearScale(values: readonly number[], from: number, to: number): Scale {
  const low = Math.min(...values, Infinity);
  const high = Math.max(...values, -Infinity);
  if (!Number.isFinite(low)) return { at: () => from, back: () => 0, ticks: [] };
  const pad = Math.max(1e-9, (high - low) * 0.06 || Math.abs(high) * 0.05 || 1);
  const span = high - low + 2 * pad;
  const step = [1, 2, 5].map((m) => m * 10 ** Math.floor(Math.log10(span / 4))).find((s) => span / s <= 6) ?? span;
  const ticks: number[] = [];
  for (let t = Math.ceil((low - pad) / step) * step; t <= high + pad; t += step) ticks.push(Number(t.toPrecision(6)));
  return { at: (x) => from + ((x - low + pad) / span) * (to - from), back: (p) => low - pad + ((p - from) / (to - from)) * span, ticks };
}

export interface Point { readonly x: number; readonly y: number }
export interface Label extends Point { readonly text: string; readonly anchor: 'start' | 'end'; readonly index: number }

/** Names beside points, most important first, as many as find room. */
export function labels(points: readonly (Point & { text: string; rank: number; index: number })[], width: number, height: number): Label[] {
  const boxes: { x0: number; x1: number; y0: number; y1: number }[] = points.map((p) => ({ x0: p.x - 5, x1: p.x + 5, y0: p.y - 5, y1: p.y + 5 }));
  const out: Label[] = [];
  for (const p of [...points].sort((a, b) => a.rank - b.rank)) {
    const w = p.text.length * 6.3;
    const places = [{ x: p.x + 8, y: p.y + 4, anchor: 'start' as const }, { x: p.x - 8, y: p.y + 4, anchor: 'end' as const },
      { x: p.x + 6, y: p.y + 15, anchor: 'start' as const }, { x: p.x - 6, y: p.y - 8, anchor: 'end' as const }];
    const found = places.map((at) => ({ at, box: { x0: at.anchor === 'start' ? at.x : at.x - w, x1: at.anchor === 'start' ? at.x + w : at.x, y0: at.y - 10, y1: at.y + 3 } }))
      .find(({ box }) => box.x0 > 0 && box.x1 < width && box.y0 > 0 && box.y1 < height && !boxes.some((b) => b.x0 < box.x1 && b.x1 > box.x0 && b.y0 < box.y1 && b.y1 > box.y0));
    if (found === undefined) continue;
    boxes.push(found.box);
    out.push({ ...found.at, text: p.text, index: p.index });
  }
  return out;
}

/** Points that no other beats: none has more of x without more of y (or less of x, where less is better). */
export function front<T>(items: readonly T[], x: (item: T) => number, y: (item: T) => number): T[] {
  let best = -Infinity;
  return [...items].sort((a, b) => y(a) - y(b) || x(b) - x(a)).filter((item) => {
    if (x(item) <= best) return false;
    best = x(item);
    return true;
  });
}

/** Through the points of a front, never below it: right first, then up. */
export function staircase(points: readonly Point[]): string {
  const sorted = [...points].sort((a, b) => a.x - b.x);
  return sorted.map((p, i) => (i === 0 ? `M${p.x.toFixed(1)} ${p.y.toFixed(1)}` : `H${p.x.toFixed(1)}V${p.y.toFixed(1)}`)).join('');
}
