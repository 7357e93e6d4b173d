// What the consumption chart draws.
import type { SeriesPoint } from '../../base/series';

/** Room for the numbers at the left, in the chart and in the strip below it. */
export const LEFT = 46;

export interface ChartLine {
  readonly id: string;
  readonly name: string;
  readonly note: string;  // Where and on what.
  readonly tone: 'base' | 'alt' | 'pin';
  readonly recorded: readonly SeriesPoint[];
  readonly ahead: readonly SeriesPoint[];  // Begins with the last recorded point.
  readonly ends: readonly (SeriesPoint & { readonly epoch: number })[];  // Where epochs ended.
  readonly end: string;  // The last value, in words.
  readonly interval: string;
  readonly basis: string;
}
export interface ChartFlag { readonly x: number; readonly y: number; readonly excess: number; readonly text: string; readonly reason: string }

/** Of one epoch in the strip below the chart, in joules. */
export interface EpochBar {
  readonly epoch: number;
  readonly energy: number;    // Of the devices.
  readonly idle: number;
  readonly declared: number;  // What nobody measured.
  readonly isFlagged: boolean;
}
