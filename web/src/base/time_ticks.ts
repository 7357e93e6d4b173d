// Round moments on an axis of time.
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];
const NARROW = '\u202f';

export interface TimeTick { readonly x: number; readonly text: string }

/** "30 s", "1:30 min", "2 h": what a clock that began at zero would show. */
export function clock(seconds: number): string {
  const s = Math.round(seconds);
  const two = (n: number): string => String(n).padStart(2, '0');
  if (s < 60) return `${String(s)}${NARROW}s`;
  if (s < 3600) return `${String(Math.floor(s / 60))}${s % 60 === 0 ? '' : `:${two(s % 60)}`}${NARROW}min`;
  return `${String(Math.floor(s / 3600))}${s % 3600 === 0 ? '' : `:${two(Math.floor((s % 3600) / 60))}`}${NARROW}h`;
}

/** From `low` to `high` seconds, about so many. */
export function timeTicks(low: number, high: number, about: number): TimeTick[] {
  const rough = (high - low) / Math.max(1, about);
  if (!(rough > 0) || !Number.isFinite(rough)) return [{ x: low, text: clock(low) }];
  const day = 86_400;
  const step = STEPS.find((s) => s >= rough) ?? Math.ceil(rough / day) * day;
  const out: TimeTick[] = [];
  for (let x = Math.ceil(low / step) * step; x <= high + 1e-9; x += step) {
    out.push({ x, text: x === 0 ? 'start' : clock(x) });
  }
  return out;
}
