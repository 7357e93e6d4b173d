import { describe, expect, it } from 'vitest';
import { lastOf, linePath, ticks } from './trace';

describe('traces of power', () => {
  it('draws the mean of each point at its end', () => {
    expect(linePath([[1, 10, 9, 11], [2, 20, 19, 21]], (s) => s * 10, (w) => 100 - w, 0)).toBe('M0 90L10 90L20 80');
    expect(linePath([], (s) => s, (w) => w, 0)).toBe('');
  });
  it('has round ticks', () => {
    expect(ticks(700, 4)).toEqual([0, 200, 400, 600]);
    expect(ticks(65, 4)).toEqual([0, 20, 40, 60]);
    expect(ticks(0, 4)).toEqual([0]);
    expect(ticks(NaN, 4)).toEqual([0]);
  });
  it('cuts the last seconds', () => {
    expect(lastOf([[10, 1, 1, 1], [50, 2, 2, 2], [100, 3, 3, 3]], 60)).toEqual([[50, 2, 2, 2], [100, 3, 3, 3]]);
  });
});
