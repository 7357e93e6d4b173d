import { describe, expect, it } from 'vitest';
import type { RunEntry } from '../../api/runs';
import type { Entry } from '../../widgets/profiles/entries';
import { fits, groupOf, rowOf, sorted, withJobs } from './rows';

const entry = (id: string, more: Partial<RunEntry> = {}): Entry => {
  const run: RunEntry = { id, name: id, status: 'ended', elapsed_s: 3, epochs_ended: 2, begun: '2026-01-01T00:00:00Z', trace: [], ...more };
  return { id, name: run.name, basis: run.basis?.kind ?? 'measured', status: run.status, note: '', isLive: run.status === 'live', isBundled: false, run };
};
const row = (id: string, more: Partial<RunEntry> = {}) => rowOf(entry(id, more), () => undefined);

describe('rows of the list', () => {
  it('gathers the trackers of a job, and sums what all of them know', () => {
    const a = row('a', { job: 'job 4711', host: 'x', device_energy_j: 100, carbon_gco2e: 2, status: 'live', elapsed_s: 9 });
    const b = row('b', { job: 'job 4711', host: 'y', device_energy_j: 50, basis: { kind: 'assumed', boundary: 'host' } });
    const rows = withJobs([a, row('alone', { job: '1' }), b]);
    expect(rows.map((r) => r.entry.name)).toEqual(['a, b', 'alone']);
    expect(rows[0]).toMatchObject({ energy: 150, carbon: undefined, elapsed: 9 });
    expect(rows[0]?.entry).toMatchObject({ basis: 'assumed', isLive: true, note: 'job 4711 on 2 machines · 1 of 2 ended' });
    expect(rows[0]?.parts).toHaveLength(2);
  });

  it('finds by status, tag and words', () => {
    const a = { ...row('BERT', { hardware: '1 × H200', host: 'gpu-a' }), tags: ['mlm'] };
    const all = { groups: [], tag: '', words: '' };
    expect(groupOf(a.entry)).toBe('finished');
    expect(fits(a, all)).toBe(true);
    expect(fits(a, { ...all, groups: ['live'] })).toBe(false);
    expect(fits(a, { ...all, tag: 'mlm', words: 'bert h200 GPU-A' })).toBe(true);
    expect(fits(a, { ...all, tag: 'other' })).toBe(false);
    expect(fits(a, { ...all, words: 'gpt' })).toBe(false);
  });

  it('sorts, with what is not known last', () => {
    const rows = [row('none'), row('much', { device_energy_j: 9 }), row('little', { device_energy_j: 1 })];
    expect(sorted(rows, '-energy').map((r) => r.entry.name)).toEqual(['much', 'little', 'none']);
    expect(sorted(rows, 'energy').map((r) => r.entry.name)).toEqual(['little', 'much', 'none']);
    expect(sorted(rows, 'name').map((r) => r.entry.name)).toEqual(['little', 'much', 'none']);
    expect(sorted(rows, 'nonsense').map((r) => r.entry.name)).toHaveLength(3);
  });
});
