import { describe, expect, it } from 'vitest';
import { pageOf, readQuery, writeQuery } from './address.svelte';
import { csv, csvField, fileName } from './files';
import { nameOf } from './keys';

describe('addresses', () => {
  it('name the page by their last part, under any prefix', () => {
    expect(pageOf('/')).toBe('predict');
    expect(pageOf('/energy/tools/compare')).toBe('compare');
    expect(pageOf('/compare/')).toBe('predict');
  });
  it('come back as they were written, and leave defaults out', () => {
    const query = { model: 'org/na me', set: 'a=1;b=<script>', batch: '16' };
    expect(readQuery(writeQuery(query))).toEqual(query);
    expect(writeQuery({ batch: '16', x: '' }, { batch: '16' })).toBe('');
  });
});

describe('files', () => {
  it('quote CSV and defuse formulas', () => {
    expect(csvField('a,"b"')).toBe('"a,""b"""');
    expect(csvField('=HYPERLINK(1)')).toBe("'=HYPERLINK(1)");
    expect(csvField(-1.5)).toBe('-1.5');
    expect(csv([['a', null], ['b', 2]])).toBe('a,\r\nb,2\r\n');
  });
  it('have names that every system takes', () => {
    expect(fileName('../../etc/passwd')).toBe('..-..-etc-passwd');
    expect(fileName('***')).toBe('wattree');
  });
});

describe('keys', () => {
  const key = (name: string, more: Partial<KeyboardEvent> = {}): string => nameOf({ key: name, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...more });
  it('are named as they are listed', () => {
    expect(key('k', { ctrlKey: true })).toBe('Ctrl K');
    expect(key('k', { metaKey: true })).toBe('Ctrl K');
    expect(key('E', { shiftKey: true })).toBe('Shift E');
    expect(key('?', { shiftKey: true })).toBe('?');
  });
});
