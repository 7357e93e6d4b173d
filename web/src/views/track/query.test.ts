import { describe, expect, it } from 'vitest';
import { isAlternative, ownTable, readTrack, whatIfParameters, writePins } from './query';

describe('the address of Track', () => {
  it('is read, and nonsense in it is left out', () => {
    const q = readTrack({ run: 'a', region: 'US-WA', epochs: '20', q: 'kwh', sum: 'epoch', from: '5', to: '3', map: 'moon', epoch: '-1' });
    expect(q).toMatchObject({ run: 'a', facets: { region: 'US-WA' }, epochs: 20, quantity: 'kwh', sum: 'epoch', map: undefined });
    expect([q.from, q.to, q.epoch]).toEqual([undefined, undefined, undefined]);
    expect(readTrack({ epochs: '99999999999' }).epochs).toBeUndefined();
  });
  it('keeps pinned alternatives', () => {
    const pins = [{ region: 'US-WA', hardware: '1xH100 PCIe 80GB' }, { pue: '1.1' }];
    const written = writePins(pins);
    expect(written['pin3']).toBeUndefined();
    expect(readTrack({ pin1: written['pin1'] ?? '', pin2: written['pin2'] ?? '' }).pins).toEqual(pins);
  });
  it('asks for what is different, and for nothing else', () => {
    const asked = whatIfParameters(readTrack({ 'base.pue': '1.2' }), 'run', { region: 'US-WA' }, 20);
    expect(Object.entries(asked).filter(([, v]) => v !== undefined)).toEqual([['profile', 'run'], ['region', 'US-WA'], ['epochs', 20], ['baseline_pue', '1.2']]);
    expect(isAlternative({})).toBe(false);
    expect(isAlternative({ keep: 'hours' })).toBe(false);
    expect(isAlternative({ pue: '1.1' })).toBe(true);
  });
  it('makes a table of devices of one’s own', () => {
    expect(ownTable('My "card"|gpu|300|50')).toBe('name,kind,tdp_w,fp32_gflops\n"My ""card""",gpu,300,50000');
    expect(ownTable('')).toBeUndefined();
  });
});
