// Lines with many points, and the axes they are drawn on.

export interface At { readonly x: number; readonly y: number }
/** With an interval where there is one. */
export interface SeriesPoint extends At { readonly low?: number; readonly high?: number }

/** The position of the first point at `x` or after it, of points that rise in x. */
export function firstAt(points: readonly At[], x: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.x ?? Infinity) < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The point whose x is nearest. */
export function nearest<T extends At>(points: readonly T[], x: number): T | undefined {
  const at = firstAt(points, x);
  const after = points[at];
  const before = points[at - 1];
  if (after === undefined || before === undefined) return after ?? before;
  return x - before.x <= after.x - x ? before : after;
}

/**
 * The points between `from` and `to` with one more at either side, so that lines reach the edges. Where there are more than
 * `most`, the lowest and the highest of each stretch stay: drawn, the line looks as it would with all of them.
 */
export function thin<T extends At>(points: readonly T[], from: number, to: number, most = 2000): T[] {
  const begin = Math.max(0, firstAt(points, from) - 1);
  const end = Math.min(points.length, firstAt(points, to) + 2);
  if (end - begin <= most) return points.slice(begin, end);
  const stretches = Math.max(1, Math.floor(most / 2) - 1);
  const size = (end - begin) / stretches;
  const out: T[] = [];
  const push = (point: T | undefined): void => {
    if (point !== undefined && point !== out[out.length - 1]) out.push(point);
  };
  push(points[begin]);
  for (let s = 0; s < stretches; s += 1) {
    let lowest = begin + Math.floor(s * size);
    let highest = lowest;
    const last = Math.min(end, begin + Math.floor((s + 1) * size));
    for (let i = lowest; i < last; i += 1) {
      const y = points[i]?.y ?? 0;
      if (y < (points[lowest]?.y ?? 0)) lowest = i;
      if (y > (points[highest]?.y ?? 0)) highest = i;
    }
    push(points[Math.min(lowest, highest)]);
    push(points[Math.max(lowest, highest)]);
  }
  push(points[end - 1]);
  return out;
}

/** What each step took, of a line that adds up: between two points the mean of the steps. */
export function perStep(points: readonly At[]): At[] {
  const out: At[] = [];
  points.forEach((point, i) => {
    const before = points[i - 1];
    if (before !== undefined && point.x > before.x) out.push({ x: point.x, y: (point.y - before.y) / (point.x - before.x) });
  });
  return out;
}

/** Round numbers from `low` to `high`, about so many. */
export function ticks(low: number, high: number, about: number, isWhole = false): number[] {
  if (!(high > low) || !Number.isFinite(high - low)) return [low];
  const rough = (high - low) / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? rough;
  if (isWhole) step = Math.max(1, Math.round(step));
  const out: number[] = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + step * 1e-9; t += step) out.push(Number(t.toPrecision(12)));
  return out;
}

/** A little above the highest value, so that an axis does not change with every new point. */
export function roundedUp(x: number): number {
  if (!(x > 0) || !Number.isFinite(x)) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  return ([1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((m) => m * power >= x * 1.02) ?? 10) * power;
}

export const linePath = (points: readonly At[], px: (x: number) => number, py: (y: number) => number): string =>
  points.map((p, i) => `${i === 0 ? 'M' : 'L'}${px(p.x).toFixed(1)} ${py(p.y).toFixed(1)}`).join('');

/** The area between the lowest and the highest, where points have both. */
export function bandPath(points: readonly SeriesPoint[], px: (x: number) => number, py: (y: number) => number): string {
  const known = points.filter((p) => p.low !== undefined && p.high !== undefined);
  if (known.length === 0) return '';
  const upper = known.map((p) => `${px(p.x).toFixed(1)} ${py(p.high ?? p.y).toFixed(1)}`);
  const lower = known.map((p) => `${px(p.x).toFixed(1)} ${py(p.low ?? p.y).toFixed(1)}`).reverse();
  return `M${[...upper, ...lower].join('L')}Z`;
}

/** Labels at heights that are asked for, moved apart so that none covers another. */
export function movedApart(wanted: readonly { readonly y: number; readonly height: number }[], from: number, to: number): number[] {
  const order = wanted.map((w, i) => ({ ...w, i })).sort((a, b) => a.y - b.y);
  const out = wanted.map((w) => w.y);
  let floor = from;
  for (const each of order) {
    const y = Math.max(each.y, floor);
    out[each.i] = y;
    floor = y + each.height;
  }
  let ceiling = to;
  for (const each of [...order].reverse()) {
    const y = Math.min(out[each.i] ?? 0, ceiling - each.height);
    out[each.i] = y;
    ceiling = y;
  }
  return out;
}
