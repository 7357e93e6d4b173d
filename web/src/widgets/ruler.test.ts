import { describe, expect, it } from 'vitest';
import { exponents, itemsOf, massInWords, placed, position } from './ruler';

describe('the ruler', () => {
  it('takes what has carbon, and shows short tons as they were published', () => {
    const items = itemsOf([
      { item: 'Air travel', co2e_short_tons: 0.99, year: 2019, source: 'Strubell et al. 2019' },
      { item: 'Driving', unit: 'km', co2e_kg: 0.2485, year: 2023, source: 'US EPA' },
      { item: 'A household', unit: 'day', energy_kwh: 29.6, year: 2022, source: 'US EIA' },
    ]);
    expect(items.map((i) => [i.name, i.text])).toEqual([['Driving, 1 km', '249\u202fg'], ['Air travel', '0.99 tons']]);
    expect(items[1]?.grams).toBeCloseTo(898_113, 0);  // 0.99 × 2,000 lb × 453.59237 g
    expect(items[1]?.source).toBe('Strubell et al. 2019, 2019');
  });

  it('spans powers of ten', () => {
    expect(exponents([12.3, 5.7e7])).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(exponents([0.0196])).toEqual([-2, -1]);
    expect(exponents([])).toEqual([0, 1]);
    expect(position(100, [0, 1, 2, 3, 4])).toBeCloseTo(0.5, 12);
    expect(position(1e9, [0, 1])).toBe(1);
  });

  it('writes grams, kilograms and tonnes', () => {
    expect([0.0196, 12.3, 577_000, 1.2e6].map(massInWords)).toEqual(['19.6\u202fmg', '12.3\u202fg', '577\u202fkg', '1.20\u202ft']);
  });

  it('puts labels that would overlap into rows, all on the ruler', () => {
    const rows = placed([{ x: 0, width: 50 }, { x: 20, width: 50 }, { x: 100, width: 50 }], 110);
    expect(rows.map((r) => r.row)).toEqual([0, 1, 0]);
    expect(rows.every((r) => r.left >= 0 && r.left + 50 <= 110)).toBe(true);
  });
});
