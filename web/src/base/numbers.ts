// How numbers are written, on every page alike: three significant digits, an SI prefix and a narrow no-break space.

const NARROW = '\u202f';
const UNKNOWN = '–';
const PREFIXES: readonly (readonly [number, string])[] = [
  [1e18, 'E'], [1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''],
  [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n'], [1e-12, 'p'],
];

export interface Quantity { readonly value: string; readonly unit: string }

const isKnown = (x: number | null | undefined): x is number => x !== null && x !== undefined && Number.isFinite(x);

function grouped(digits: string): string {
  const [whole = '', part] = digits.split('.');
  const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, NARROW);
  return part === undefined ? spaced : `${spaced}.${part}`;
}

/** Three significant digits, never in powers of ten: 0.0123, 4.50, 181, 3 072. */
export function digits(x: number, significant = 3): string {
  if (x === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(x)));
  const rounded = Number(x.toPrecision(significant));
  const places = Math.max(0, significant - 1 - Math.floor(Math.log10(Math.abs(rounded)) + 1e-12));
  return grouped(rounded.toFixed(Math.min(12, magnitude < -9 ? 12 : places))).replace('-', '−');
}

/** The prefix that leaves one to three digits before the point. */
export function prefixFor(x: number): readonly [number, string] {
  const size = Number(Math.abs(x).toPrecision(3));
  return PREFIXES.find(([factor]) => size >= factor) ?? (size === 0 ? [1, ''] : [1e-12, 'p']);
}

export function quantity(x: number | null | undefined, unit: string): Quantity {
  if (!isKnown(x)) return { value: UNKNOWN, unit: '' };
  const [factor, prefix] = prefixFor(x);
  return { value: digits(x / factor), unit: prefix + unit };
}

export const joined = (q: Quantity): string => (q.unit === '' ? q.value : q.value + NARROW + q.unit);

export const energy = (x: number | null | undefined): string => joined(quantity(x, 'J'));
export const time = (x: number | null | undefined): string => joined(quantity(x, 's'));
export const power = (x: number | null | undefined): string => joined(quantity(x, 'W'));
export const flops = (x: number | null | undefined): string => joined(quantity(x, 'FLOP'));

/** 109 M, 4.39 M: a count in words that people use for parameters. */
export function count(x: number | null | undefined): string {
  if (!isKnown(x)) return UNKNOWN;
  if (Math.abs(x) < 1e4) return grouped(String(x));
  return joined(quantity(x, ''));
}

export const integer = (x: number | null | undefined): string => (isKnown(x) ? grouped(String(Math.round(x))) : UNKNOWN);

/** Bytes by powers of 1024, as memory is sold and reported. */
export function bytes(x: number | null | undefined): string {
  if (!isKnown(x)) return UNKNOWN;
  const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = x;
  let i = 0;
  while (value >= 1000 && i + 1 < names.length) {
    value /= 1024;
    i += 1;
  }
  return `${digits(value)}${NARROW}${names[i] ?? ''}`;
}

/** A share as percent with one decimal, as the lists show it: 24.2 %. */
export function percent(share: number | null | undefined, places = 1): string {
  if (!isKnown(share)) return UNKNOWN;
  const p = share * 100;
  if (p > 0 && p < 0.05 && places === 1) return `<${NARROW}0.1${NARROW}%`;
  return `${p.toFixed(places)}${NARROW}%`.replace('-', '−');
}

/** A change, with its sign: +41 %, −50 %. */
export function change(fraction: number | null | undefined): string {
  if (!isKnown(fraction)) return UNKNOWN;
  const p = fraction * 100;
  const text = Math.abs(p) < 10 ? Math.abs(p).toFixed(1) : Math.abs(p).toFixed(0);
  return `${p < 0 ? '−' : '+'}${text}${NARROW}%`;
}

/** 1.41×; "same" where it differs by less than the last digit shows. */
export const ratio = (x: number | null | undefined): string => (isKnown(x) ? `${digits(x)}×` : UNKNOWN);

/** With the sign in front: +236 mJ, −18.4 mJ. */
export const signed = (x: number | null | undefined, unit: string): string =>
  isKnown(x) ? (x < 0 ? '−' : '+') + joined(quantity(Math.abs(x), unit)) : UNKNOWN;

export interface Interval { readonly low: number; readonly high: number }

/** ± as half of the interval in percent, or both ends where the value is far from their middle. */
export function interval(x: number | null | undefined, low: number | null | undefined,
                         high: number | null | undefined, unit: string): string {
  if (!isKnown(x) || !isKnown(low) || !isKnown(high) || x <= 0) return '';
  const width = high - low;
  if (width <= 0) return '';
  const skew = Math.abs(high - x - (x - low)) / width;
  if (skew > 0.4) return `${joined(quantity(low, unit))} to ${joined(quantity(high, unit))}`;
  return plusMinus(x, low, high);
}

export function plusMinus(x: number, low: number | null | undefined, high: number | null | undefined): string {
  if (!isKnown(low) || !isKnown(high) || x <= 0 || high <= low) return '';
  const half = ((high - low) / 2 / x) * 100;
  return `±${half < 10 ? half.toFixed(1) : half.toFixed(0)}${NARROW}%`;
}

/** Writes every number of a column in one unit, as long as the column spans less than a factor of 10⁴. */
export function column(values: readonly (number | null | undefined)[], unit: string): (x: number | null | undefined) => string {
  const known = values.filter(isKnown).filter((x) => x > 0);
  const largest = Math.max(...known, 0);
  const smallest = Math.min(...known, Infinity);
  if (known.length === 0 || largest / smallest >= 1e4) return (x) => joined(quantity(x, unit));
  const [factor, prefix] = prefixFor(largest);
  return (x) => (isKnown(x) ? `${digits(x / factor)}${NARROW}${prefix}${unit}` : UNKNOWN);
}

/** Steps 0 to 11 of the scale for shares of energy. */
export function shareStep(share: number): number {
  return Math.round(11 * Math.sqrt(Math.min(1, Math.max(0, share))));
}

/** Steps 0 to 10 of the scale for differences; 5 is "same". `part` runs from −1 to 1. */
export function differenceStep(part: number): number {
  const bounded = Math.min(1, Math.max(-1, part));
  return 5 + Math.round(5 * Math.sign(bounded) * Math.sqrt(Math.abs(bounded)));
}

export const times = (n: number): string => (n > 1 ? ` ×${integer(n)}` : '');
