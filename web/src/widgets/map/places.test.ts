import { describe, expect, it } from 'vitest';
import type { Region } from '../../api/regions';
import { boxOf, carbonStep, drawing, findRegion, labelAt, mapOf, toward, typedPlace, type Shapes } from './places';
import shapes from './shapes.json';

const region = (code: string, name: string, kind: Region['kind'] = 'us_state', grams = 100): Region =>
  ({ code, name, kind, aliases: [], gco2e_per_kwh: grams, year: 2023, source: 'egrid' });
const STATES = [region('US-WA', 'Washington'), region('US-OR', 'Oregon'), region('US-ID', 'Idaho'), region('US-CA', 'California'), region('US-GA', 'Georgia'), region('US-FL', 'Florida'), region('US-ME', 'Maine')];
const us = drawing('us', shapes as unknown as Shapes, STATES, []);
const place = (code: string) => {
  const found = us.places.find((p) => p.region.code === code);
  if (found === undefined) throw new Error(code);
  return found;
};

describe('the maps', () => {
  it('has an outline for each state and a place for each country, and every cloud region stands somewhere', () => {
    const all = shapes as unknown as Shapes;
    expect(Object.keys(all.us.places)).toHaveLength(51);
    expect(Object.values(all.us.places).every((p) => p.d !== undefined)).toBe(true);
    expect(Object.keys(all.world.places).length).toBeGreaterThan(200);
    expect(all.cloud['aws:us-west-2']?.in).toBe('US-OR');
    expect(all.cloud['gcp:us-west1']?.in).toBe('US-OR');
    const dots = Object.values(all.cloud).map((c) => c.at);
    for (const [i, a] of dots.entries()) for (const b of dots.slice(i + 1)) expect(Math.hypot(a[0] - b[0], a[1] - b[1])).toBeGreaterThan(8);
  });

  it('draws Canada as tiles that do not touch', () => {
    const codes = ['BC', 'AB', 'SK', 'MB', 'ON', 'QC', 'NB', 'NS', 'PE', 'NL', 'YT', 'NT', 'NU'];
    const canada = drawing('canada', shapes as unknown as Shapes, codes.map((c) => region(`CA-${c}`, c, 'ca_province')), []);
    expect(canada.places).toHaveLength(13);
    const boxes = canada.places.map(boxOf);
    for (const [i, a] of boxes.entries()) for (const b of boxes.slice(i + 1)) expect(a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top).toBe(true);
  });

  it('finds a region by code, name and alias', () => {
    const list = [{ ...region('DEU', 'Germany', 'country'), aliases: ['DE'] }, ...STATES];
    expect(findRegion(list, 'us-ga')?.name).toBe('Georgia');
    expect(findRegion(list, 'California')?.code).toBe('US-CA');
    expect(findRegion(list, 'de')?.code).toBe('DEU');
    expect(findRegion(list, '')).toBeUndefined();
    expect(mapOf(findRegion(list, 'DE'))).toBe('world');
  });
});

describe('keys', () => {
  it('goes to the nearest place in the direction of an arrow', () => {
    expect(toward(us.places, place('US-WA'), 'ArrowDown')?.region.code).toBe('US-OR');
    expect(toward(us.places, place('US-OR'), 'ArrowRight')?.region.code).toBe('US-ID');
    expect(toward(us.places, place('US-GA'), 'ArrowDown')?.region.code).toBe('US-FL');
    expect(toward(us.places, place('US-WA'), 'ArrowLeft')).toBeUndefined();
    expect(toward(us.places, place('US-WA'), 'Enter')).toBeUndefined();
  });

  it('jumps by name, and a letter typed again goes on', () => {
    expect(typedPlace(us.places, 'geo', undefined)?.region.code).toBe('US-GA');
    expect(typedPlace(us.places, 'us-m', undefined)?.region.code).toBe('US-ME');
    expect(typedPlace(us.places, 'zz', undefined)).toBeUndefined();
    expect(typedPlace([...us.places, { ...place('US-GA'), region: region('US-X', 'Guam') }], 'gg', place('US-GA'))?.region.name).toBe('Guam');
  });
});

describe('drawing', () => {
  it('takes the step of a scale that ends at 900 g', () => {
    expect([0, 99.9, 100, 325.43, 893, 2000].map(carbonStep)).toEqual([0, 0, 1, 3, 8, 8]);
  });

  it('knows the box around the largest piece of an outline', () => {
    expect(boxOf({ d: 'M10 20l5 0 0 5-5 0zM1 2l3 4-1 1z', at: [0, 0] })).toEqual({ left: 10, top: 20, right: 15, bottom: 25 });
  });

  it('puts a label beside its place and off another label', () => {
    const size = { width: 100, height: 60 };
    const shape = { d: 'M80 20l10 0 0 10-10 0z', at: [85, 25] as const };
    const first = labelAt(shape, size, 30, 8);
    expect(first.right <= 100 && first.top >= 0).toBe(true);
    const second = labelAt(shape, size, 30, 8, first);
    expect(second.left >= first.right || second.right <= first.left || second.top >= first.bottom || second.bottom <= first.top).toBe(true);
  });
});
