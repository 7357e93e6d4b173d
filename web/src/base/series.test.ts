import { describe, expect, it } from 'vitest';
import { amount, duration, electricity, ENERGY_UNITS, mass, MASS_UNITS, unitFor } from './amounts';
import { firstAt, movedApart, nearest, perStep, roundedUp, thin, ticks } from './series';

const line = (n: number, y: (i: number) => number): { x: number; y: number }[] => Array.from({ length: n }, (_, i) => ({ x: i, y: y(i) }));

describe('series', () => {
  it('keeps the lowest and the highest of a line that it thins', () => {
    const points = line(100_000, (i) => (i === 54_321 ? 9 : i === 12_345 ? -9 : Math.sin(i)));
    const few = thin(points, 0, 100_000);
    expect(few.length).toBeLessThanOrEqual(2000);
    expect(few.some((p) => p.x === 54_321) && few.some((p) => p.x === 12_345)).toBe(true);
    expect([few[0]?.x, few[few.length - 1]?.x]).toEqual([0, 99_999]);
    expect(few.every((p, i) => i === 0 || p.x > (few[i - 1]?.x ?? 0))).toBe(true);
  });
  it('leaves short lines alone and reaches beyond the edges of a range', () => {
    const points = line(10, (i) => i);
    expect(thin(points, 0, 9)).toEqual(points);
    expect(thin(points, 3, 5).map((p) => p.x)).toEqual([2, 3, 4, 5, 6]);
    expect(thin([], 0, 1)).toEqual([]);
  });
  it('finds points by bisection', () => {
    const points = [{ x: 1, y: 0 }, { x: 3, y: 0 }, { x: 9, y: 0 }];
    expect(firstAt(points, 3)).toBe(1);
    expect(nearest(points, 5)?.x).toBe(3);
    expect(nearest(points, 100)?.x).toBe(9);
    expect(nearest([], 1)).toBeUndefined();
  });
  it('takes sums apart into steps', () => {
    expect(perStep([{ x: 0, y: 1 }, { x: 1, y: 3 }, { x: 3, y: 9 }])).toEqual([{ x: 1, y: 2 }, { x: 3, y: 3 }]);
  });
  it('puts round numbers on axes', () => {
    expect(ticks(0, 12.3, 6)).toEqual([0, 5, 10]);
    expect(ticks(0, 3, 10, true)).toEqual([0, 1, 2, 3]);
    expect(ticks(5, 5, 4)).toEqual([5]);
    expect(roundedUp(12.3)).toBe(15);
    expect(roundedUp(0)).toBe(1);
    expect(roundedUp(NaN)).toBe(1);
  });
  it('moves labels apart within their room', () => {
    expect(movedApart([{ y: 10, height: 20 }, { y: 15, height: 20 }], 0, 100)).toEqual([10, 30]);
    expect(movedApart([{ y: 95, height: 20 }, { y: 90, height: 20 }], 0, 100)).toEqual([80, 60]);
  });
});

describe('amounts', () => {
  it('are written in the unit that was chosen, or in one that fits', () => {
    expect(amount(0.61866 * 453.59237, unitFor(MASS_UNITS, 'lb', 0), 5)).toBe('0.61866\u202flb');
    expect(mass(576_507)).toBe('577\u202fkg');
    expect(mass(12.3)).toBe('12.3\u202fg');
    expect(electricity(3.6e6)).toBe('1.00\u202fkWh');
    expect(electricity(5400)).toBe('1.50\u202fWh');
    expect(amount(3.6e6, unitFor(ENERGY_UNITS, 'MJ', 0))).toBe('3.60\u202fMJ');
    expect(mass(undefined)).toBe('–');
    expect(mass(NaN)).toBe('–');
    expect(duration(302_400)).toBe('84.0\u202fh');
  });
});
