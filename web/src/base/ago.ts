// How long ago something was, as people say it.
const NARROW = '\u202f';

export function ago(seconds: number): string {
  const s = Math.max(0, seconds);
  if (s < 10) return `${s.toFixed(1)}${NARROW}s ago`;
  if (s < 100) return `${String(Math.round(s))}${NARROW}s ago`;
  if (s < 5400) return `${String(Math.round(s / 60))}${NARROW}min ago`;
  if (s < 172_800) return `${String(Math.round(s / 3600))}${NARROW}h ago`;
  return `${String(Math.round(s / 86_400))} days ago`;
}
