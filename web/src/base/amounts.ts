// The units that people choose for emissions and electricity. Answers are in grams and joules; only the display differs.
import { digits, joined, quantity } from './numbers';

const NARROW = '\u202f';

export interface AmountUnit { readonly name: string; readonly factor: number }
export const MASS_UNITS: readonly AmountUnit[] = [{ name: 'g', factor: 1 }, { name: 'kg', factor: 1000 }, { name: 'lb', factor: 453.59237 }];
export const ENERGY_UNITS: readonly AmountUnit[] = [{ name: 'Wh', factor: 3600 }, { name: 'kWh', factor: 3.6e6 }, { name: 'MJ', factor: 1e6 }];

/** As asked for, or else the larger of the first two that leaves a number of one or more. */
export function unitFor(units: readonly AmountUnit[], asked: string, largest: number): AmountUnit {
  const [small, big] = units;
  const chosen = units.find((unit) => unit.name === asked);
  if (chosen !== undefined) return chosen;
  const found = big !== undefined && largest >= big.factor ? big : small;
  return found ?? { name: '', factor: 1 };
}

export function amount(x: number | null | undefined, unit: AmountUnit, significant = 3): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return '–';
  return `${digits(x / unit.factor, significant)}${NARROW}${unit.name}`;
}

/** Below one of the smallest unit a prefix says more than zeros: 18.1 mWh. */
function alone(x: number | null | undefined, units: readonly AmountUnit[], asked: string): string {
  const size = Math.abs(x ?? 0);
  const unit = unitFor(units, asked, size);
  return asked === '' && size > 0 && size < unit.factor * 0.9995 ? joined(quantity((x ?? 0) / unit.factor, unit.name)) : amount(x, unit);
}

/** Emissions and electricity where there is no axis to share a unit with. */
export const mass = (x: number | null | undefined, asked = ''): string => alone(x, MASS_UNITS, asked);
export const electricity = (x: number | null | undefined, asked = ''): string => alone(x, ENERGY_UNITS, asked);

/** 84 h, 5 min 20 s: durations as people say them. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return '–';
  if (seconds < 100) return `${digits(seconds)}${NARROW}s`;
  if (seconds < 6000) return `${digits(seconds / 60)}${NARROW}min`;
  return `${digits(seconds / 3600)}${NARROW}h`;
}
