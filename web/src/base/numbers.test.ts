import { describe, expect, it } from 'vitest';
import { bytes, change, column, count, differenceStep, energy, integer, interval, percent, plusMinus, shareStep, signed, time } from './numbers';

const plain = (text: string): string => text.replaceAll('\u202f', ' ');

describe('numbers', () => {
  it('have three significant digits and a prefix', () => {
    expect(plain(energy(0.7484))).toBe('748 mJ');
    expect(plain(energy(1.0523))).toBe('1.05 J');
    expect(plain(time(9.19e-5))).toBe('91.9 µs');
    expect(plain(energy(0.99996))).toBe('1.00 J');
    expect(plain(energy(999.6))).toBe('1.00 kJ');
  });
  it('are never NaN, and a dash where unknown', () => {
    for (const x of [NaN, Infinity, null, undefined]) expect(energy(x)).toBe('–');
    expect(energy(0)).toContain('0');
    expect(count(null)).toBe('–');
    expect(percent(undefined)).toBe('–');
  });
  it('group thousands', () => {
    expect(plain(integer(3072))).toBe('3 072');
    expect(plain(count(1980))).toBe('1 980');
    expect(plain(count(109_482_240))).toBe('109 M');
  });
  it('write bytes by 1024', () => {
    expect(plain(bytes(24 * 1024 ** 2))).toBe('24.0 MiB');
    expect(plain(bytes(999))).toBe('999 B');
  });
  it('write shares and changes', () => {
    expect(plain(percent(0.2423))).toBe('24.2 %');
    expect(plain(percent(0.00001))).toBe('< 0.1 %');
    expect(plain(change(-0.5))).toBe('−50 %');
    expect(plain(change(0.413))).toBe('+41 %');
    expect(plain(signed(-0.0184, 'J'))).toBe('−18.4 mJ');
  });
  it('write intervals as ± where they are symmetric, else both ends', () => {
    expect(plain(plusMinus(100, 93.2, 106.8))).toBe('±6.8 %');
    expect(plain(interval(100, 93.2, 106.8, 'J'))).toBe('±6.8 %');
    expect(plain(interval(1, 0.9, 2, 'J'))).toBe('900 mJ to 2.00 J');
    expect(interval(1, null, 2, 'J')).toBe('');
    expect(interval(0, 0, 0, 'J')).toBe('');
  });
  it('keep one unit in a column unless it spans too much', () => {
    const narrow = column([0.5, 0.002], 'J');
    expect(plain(narrow(0.002))).toBe('2.00 mJ');
    expect(plain(narrow(0.5))).toBe('500 mJ');
    expect(plain(column([5, 1e-6], 'J')(1e-6))).toBe('1.00 µJ');
  });
});

describe('scales', () => {
  it('take twelve steps for shares, by the square root', () => {
    expect([0, 0.008, 0.25, 1, 2, -1].map(shareStep)).toEqual([0, 1, 6, 11, 11, 0]);
  });
  it('have "same" in the middle of differences', () => {
    expect(differenceStep(0)).toBe(5);
    expect(differenceStep(1)).toBe(10);
    expect(differenceStep(-3)).toBe(0);
  });
});
