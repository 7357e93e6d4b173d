// The lines of the chart and its words, from the answer to a what-if. Nothing is computed but differences between neighbours.
import { amount, type AmountUnit, electricity, ENERGY_UNITS, MASS_UNITS, unitFor } from '../../base/amounts';
import { change, digits, interval } from '../../base/numbers';
import { nearest, perStep, type SeriesPoint } from '../../base/series';
import type { CurvePoint, Equation, Flag, Side, Step, WhatIf } from '../../api/track';
import type { ChartFlag, ChartLine, EpochBar } from '../../widgets/track/chart';
import type { TrackQuery } from './query';

/** What every point of an answer has, and some of it only where it is known. */
interface Amounts { readonly device_energy_j: number; readonly energy_j: number; readonly carbon_gco2e?: number | undefined }

type Shown = Pick<TrackQuery, 'quantity' | 'sum' | 'boundary' | 'unit'>;

/** A point's amount, of what the chart shows. Undefined where there are no emissions. */
export function amountOf(point: Partial<Amounts> | undefined, shown: Shown): number | undefined {
  if (shown.quantity === 'co2') return point?.carbon_gco2e;
  return shown.boundary === 'devices' ? point?.device_energy_j : point?.energy_j;
}
function bounds(point: CurvePoint, shown: Shown): { low?: number; high?: number } {
  const [low, high] = shown.quantity === 'co2' ? [point.carbon_low_gco2e, point.carbon_high_gco2e]
    : shown.boundary === 'devices' ? [point.device_energy_low_j, point.device_energy_high_j] : [point.energy_low_j, point.energy_high_j];
  return low === undefined || high === undefined ? {} : { low, high };
}

/** A point where an epoch ended. */
export interface EpochEnd extends SeriesPoint { readonly epoch: number }
export interface Series { readonly recorded: readonly SeriesPoint[]; readonly ahead: readonly SeriesPoint[]; readonly ends: readonly EpochEnd[] }

/** What the chart's x axis counts: epochs, or seconds since the run began. */
export type Axis = 'epoch' | 'time';

/** Over time while a run goes on, and where it has no epochs; what each epoch took stands by its number. */
export function axisOf(side: Side, isLive: boolean, shown: Shown): Axis {
  if ((side.over_time ?? []).length < 2 || (side.has_epochs && (!isLive || shown.sum === 'epoch'))) return 'epoch';
  return 'time';
}

export function seriesOf(side: Side, shown: Shown, axis: Axis = 'epoch'): Series {
  return axis === 'time' ? overTime(side, shown) : overEpochs(side, shown);
}

function startingAt(last: SeriesPoint, next: readonly SeriesPoint[]): SeriesPoint[] {
  return next.length === 0 ? [] : [{ x: last.x, y: last.y, ...(next[0]?.low === undefined ? {} : { low: last.y, high: last.y }) }, ...next];
}

/** The interval of the whole, as much of it as a part is of the whole: what is unknown is one factor. */
function shareOf(part: number, whole: SeriesPoint | undefined): { low?: number; high?: number } {
  if (whole?.low === undefined || whole.high === undefined || !(whole.y > 0)) return {};
  return { low: (part * whole.low) / whole.y, high: (part * whole.high) / whole.y };
}

function overTime(side: Side, shown: Shown): Series {
  const samples = (side.over_time ?? []).flatMap((p) => {
    const y = amountOf(p, shown);
    return y === undefined ? [] : [{ x: p.elapsed_s, y, epoch: p.epoch }];
  });
  const points = side.curve.points.flatMap((p) => {
    const y = amountOf(p, shown);
    return y === undefined || p.elapsed_s === undefined ? [] : [{ x: p.elapsed_s, y, epoch: p.epoch, isAhead: p.extrapolated, ...bounds(p, shown) }];
  });
  // A run that was kept without samples has its epochs.
  const whole = points.filter((p) => !p.isAhead).at(-1);
  const known = samples.length > 1 ? samples.map((p) => ({ ...p, ...shareOf(p.y, whole) })) : [{ x: 0, y: 0, epoch: undefined }, ...points.filter((p) => !p.isAhead)];
  const last = known[known.length - 1];
  if (points.length === 0 || last === undefined) return { recorded: [], ahead: [], ends: [] };
  const ends = known.flatMap((p) => (p.epoch === undefined ? [] : [{ ...p, epoch: p.epoch }]));
  return { recorded: known, ahead: startingAt(last, points.filter((p) => p.isAhead && p.x > last.x)), ends };
}

function overEpochs(side: Side, shown: Shown): Series {
  const points = side.curve.points.flatMap((p) => {
    const y = amountOf(p, shown);
    return y === undefined ? [] : [{ x: p.epoch, y, isAhead: p.extrapolated, ...bounds(p, shown) }];
  });
  if (points.length === 0) return { recorded: [], ahead: [], ends: [] };
  const start = { x: 0, y: amountOf(side.curve.outside_epochs, shown) ?? 0 };
  const recorded = [start, ...points.filter((p) => !p.isAhead)];
  const last = recorded[recorded.length - 1] ?? start;
  const ahead = startingAt(last, points.filter((p) => p.isAhead));
  if (shown.sum === 'total') return { recorded, ahead, ends: recorded.slice(1).map((p) => ({ ...p, epoch: p.x })) };
  // The answer has what each epoch took, but for the devices alone, which are told of recorded epochs.
  const eachOf = (p: CurvePoint): number | undefined => (shown.quantity === 'co2' ? p.epoch_carbon_gco2e : shown.boundary === 'devices' ? undefined : p.epoch_energy_j);
  // One that goes on has not taken all of it yet.
  const each = (isAhead: boolean): SeriesPoint[] => side.curve.points.flatMap((p) => {
    const y = eachOf(p);
    return p.extrapolated !== isAhead || p.so_far === true || y === undefined ? [] : [{ x: p.epoch, y }];
  });
  const recordedEach = each(false).length > 0 ? each(false) : perStep(recorded);
  const aheadEach = each(true).length > 0 ? each(true) : perStep(ahead);
  const end = recordedEach[recordedEach.length - 1];
  return { recorded: recordedEach, ahead: aheadEach.length > 0 && end !== undefined ? [end, ...aheadEach] : aheadEach, ends: recordedEach.map((p) => ({ ...p, epoch: p.x })) };
}

/** The epoch that went on at a moment of the run. */
export function epochAt(side: Side, seconds: number): number {
  const next = (side.over_time ?? []).find((p) => p.epoch !== undefined && p.elapsed_s >= seconds);
  return next?.epoch ?? side.curve.points.find((p) => p.so_far === true)?.epoch ?? Math.max(1, side.recorded_epochs);
}

/** Where an epoch stands on the axis: at its end. */
export function placeOf(series: Series, epoch: number, axis: Axis): number {
  if (axis === 'epoch') return epoch;
  if (epoch <= 0) return 0;
  return series.ends.find((p) => p.epoch >= epoch)?.x ?? series.ahead.at(-1)?.x ?? series.recorded.at(-1)?.x ?? 0;
}

export function unitOf(answer: WhatIf, shown: Shown): AmountUnit {
  const units = shown.quantity === 'co2' ? MASS_UNITS : ENERGY_UNITS;
  const ends = [answer.baseline, answer.alternative].map((side) => seriesOf(side, shown)).flatMap((series) => [...series.recorded.slice(-1), ...series.ahead.slice(-1)]);
  const most = ends.reduce((high, p) => Math.max(high, p.y), 0);
  return unitFor(units, shown.unit, most);
}

export const axisTitle = (unit: AmountUnit, shown: Shown): string =>
  `${unit.name}${shown.quantity === 'co2' ? ' CO₂e' : ''} ${shown.sum === 'total' ? 'since the start' : 'in each epoch'}${shown.quantity === 'kwh' && shown.boundary === 'devices' ? ', devices alone' : ''}`;

/** "12.1 to 12.4 g"; nothing where both ends read the same. */
function between(low: number, high: number, unit: AmountUnit): string {
  const [a, b] = [amount(low, unit), amount(high, unit)];
  return a === b ? '' : `${a.slice(0, a.lastIndexOf('\u202f'))} to ${b}`;
}

export function lineOf(id: string, tone: ChartLine['tone'], side: Side, name: string, note: string, shown: Shown, unit: AmountUnit, axis: Axis): ChartLine {
  const series = seriesOf(side, shown, axis);
  const end = series.ahead.at(-1) ?? series.recorded.at(-1);
  const { basis } = side.curve;
  const from = shown.quantity === 'co2' ? basis.carbon : shown.boundary === 'devices' ? basis.device_energy : basis.energy;
  const range = end?.low === undefined || end.high === undefined ? '' : between(end.low, end.high, unit);
  return { id, tone, name, note, ...series, end: end === undefined ? '–' : amount(end.y, unit), interval: range, basis: from === undefined ? 'no region' : `${from.kind}, ${from.boundary}` };
}

function whyExcess(f: Flag): string {
  if (f.has_startup === true) return 'the command’s start-up is in it';
  if (f.times_as_long !== undefined) return `it lasted ${digits(f.times_as_long)} times as long`;
  if (f.times_the_power !== undefined) return `it drew ${digits(f.times_the_power)} times the power`;
  return 'nobody recorded how long epochs took';
}

export function flagsOf(side: Side, series: Series, axis: Axis): ChartFlag[] {
  return side.flags.map((f) => ({
    x: placeOf(series, f.epoch, axis), y: nearest(series.recorded, placeOf(series, f.epoch, axis))?.y ?? 0, excess: f.device_energy_j,
    text: `Epoch ${String(f.epoch)} took ${change(f.device_energy_j / f.median_j - 1).replace('+', '')} more than the median`, reason: whyExcess(f),
  }));
}

export function barsOf(side: Side): EpochBar[] {
  const flagged = new Set(side.flags.map((f) => f.epoch));
  return (side.equations ?? []).filter((e) => e.epoch > 0).map((e) => ({
    epoch: e.epoch, energy: e.device_energy_j, idle: e.idle_j ?? 0, declared: e.assumed_j ?? 0, isFlagged: flagged.has(e.epoch),
  }));
}

/** What one epoch consisted of, in words. */
export function partsOf(e: Equation | undefined): string[] {
  if (e === undefined) return [];
  return [e.idle_j === undefined ? '' : `of which idle ${electricity(e.idle_j)}`, e.assumed_j === undefined ? '' : e.assumed_j === e.device_energy_j ? 'declared, not measured' : `assumed ${electricity(e.assumed_j)}`].filter(Boolean);
}

const WORDS: Readonly<Record<Step['facet'], (name: string) => string>> = {
  profile: (name) => `${name} instead`, region: (name) => `in ${name}`, hardware: (name) => `on ${name}`, pue: (name) => `with ${name}`,
};
export function stepRows(steps: readonly Step[], shown: Shown): { name: string; title: string; before: number; after: number }[] {
  return steps.flatMap((s) => {
    const [before, after] = shown.quantity === 'co2' ? [s.carbon_before_gco2e, s.carbon_after_gco2e] : [s.energy_before_j, s.energy_after_j];
    return before === undefined || after === undefined ? [] : [{ name: WORDS[s.facet](s.name), title: `${s.from} → ${s.to}`, before, after }];
  });
}

const ORDER = ['measured', 'published', 'derived', 'predicted', 'assumed'];
/** A sum takes its weakest part's mark. */
export const weakest = (kinds: readonly (string | undefined)[]): string =>
  ORDER[Math.max(0, ...kinds.map((kind) => (kind === undefined ? 0 : ORDER.indexOf(kind))))] ?? 'assumed';

export const rangeOf = (point: CurvePoint | undefined, shown: Shown): string => {
  if (point === undefined) return '';
  const { low, high } = bounds(point, shown);
  return interval(amountOf(point, shown), low, high, shown.quantity === 'co2' ? 'g' : 'J');
};
