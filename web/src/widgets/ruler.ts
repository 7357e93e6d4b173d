// A logarithmic ruler of emissions: what stands on it, and where labels find room.
import type { components } from '../api/schema';
import { quantity } from '../base/numbers';

export type Equivalents = components['schemas']['equivalents']['equivalents'];
const GRAMS_PER_SHORT_TON = 907_184.74;  // 2,000 lb

export interface Item { readonly name: string; readonly grams: number; readonly text: string; readonly source: string }

/** Only what has carbon, a source and a year; the smallest first. Short tons stay short tons, as they were published. */
export function itemsOf(equivalents: Equivalents): Item[] {
  return equivalents.flatMap((e): Item[] => {
    const grams = e.co2e_short_tons !== undefined ? e.co2e_short_tons * GRAMS_PER_SHORT_TON : e.co2e_kg === undefined ? undefined : e.co2e_kg * 1000;
    if (grams === undefined || grams <= 0 || e.source === '') return [];
    return [{ name: e.unit === undefined ? e.item : `${e.item}, 1 ${e.unit}`, grams, text: e.co2e_short_tons === undefined ? massInWords(grams) : `${String(e.co2e_short_tons)} tons`, source: `${e.source}, ${String(e.year)}` }];
  }).sort((a, b) => a.grams - b.grams);
}

/** 12.3 g, 577 kg, 1.20 t. */
export function massInWords(grams: number): string {
  const { value, unit } = grams >= 1e6 ? quantity(grams / 1e6, 't') : quantity(grams, 'g');
  return `${value}\u202f${unit}`;
}

/** Powers of ten around all values: from the first exponent to the last. */
export function exponents(values: readonly number[]): number[] {
  const known = values.filter((x) => x > 0 && Number.isFinite(x));
  if (known.length === 0) return [0, 1];
  const first = Math.floor(Math.log10(Math.min(...known)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...known)) + 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Where a value stands between the first and the last exponent: 0 to 1. */
export function position(grams: number, scale: readonly number[]): number {
  const [first = 0] = scale;
  const last = scale.at(-1) ?? first + 1;
  return Math.max(0, Math.min(1, (Math.log10(grams) - first) / (last - first)));
}

export interface Label { readonly x: number; readonly width: number }

/** A row for each label, the first that has room; and where it begins so that it stays on the ruler of this width. */
export function placed(labels: readonly Label[], width: number, gap = 10): { row: number; left: number }[] {
  const ends: number[] = [];
  return labels.map(({ x, width: w }) => {
    const left = Math.max(0, Math.min(width - w, x - w / 2));
    let row = ends.findIndex((end) => end + gap <= left);
    if (row < 0) row = ends.length;
    ends[row] = left + w;
    return { row, left };
  });
}
