// A trace of power as lines: points are [end in seconds, mean, lowest, highest] in watts.
export type Trace = readonly (readonly number[])[];

const short = (x: number): string => x.toFixed(1).replace(/\.0$/, '');

/** The mean as a line. A point stands at its end; the first begins at the left edge. */
export function linePath(trace: Trace, x: (seconds: number) => number, y: (watts: number) => number, begin: number): string {
  if (trace.length === 0) return '';
  const first = trace[0]?.[1] ?? 0;
  return `M${short(x(begin))} ${short(y(first))}${trace.map(([end = 0, mean = 0]) => `L${short(x(end))} ${short(y(mean))}`).join('')}`;
}

/** Steps of 1, 2 or 5 times a power of ten, at most `most` of them up to the highest value. */
export function ticks(highest: number, most: number): number[] {
  if (!(highest > 0)) return [0];
  const raw = highest / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= raw) ?? raw;
  return Array.from({ length: Math.floor(highest / step + 1e-9) + 1 }, (_, i) => i * step);
}

/** The last seconds of a trace. */
export const lastOf = (trace: Trace, seconds: number): Trace => {
  const end = trace.at(-1)?.[0] ?? 0;
  return trace.filter(([at = 0]) => at > end - seconds);
};
