import { describe, expect, it } from 'vitest';
import type { Profiles, RunEntry, Runs } from '../../api/runs';
import { entriesOf, progress, shortHardware } from './entries';

const run = (id: string, more: Partial<RunEntry> = {}): RunEntry => ({ id, name: id, status: 'live', elapsed_s: 3, epochs_ended: 2, begun: '2026-01-01T00:00:00Z', trace: [], ...more });
const runs = (...list: RunEntry[]): Runs => ({ headline: '', sums: { runs: 0, live: 0 }, today: { runs: 0, live: 0 }, runs: list });
const kept = (id: string, more: object = {}): Profiles['profiles'][number] =>
  ({ id, bundled: false, origin: 'imported', status: 'complete', tags: [], added: '2026-01-02T00:00:00Z', name: id, hardware: '8 × Tesla P100', epochs: 1, ...more }) as Profiles['profiles'][number];

describe('what the profile bar shows', () => {
  it('has a run and its profile once, live runs first and bundled profiles last', () => {
    const profiles: Profiles = { profiles: [kept('bundled', { bundled: true, origin: 'bundled', duration_s: 302400 }), kept('mine'), kept('of-a')], total: 3 };
    const list = entriesOf(profiles, runs(run('old', { status: 'ended', profile: 'of-a' }), run('now', { planned_epochs: 20, hardware: '1 × NVIDIA H200' })), [{ id: '1', address: 'http://x', form: 'wattree', run: 'now' }]);
    expect(list.map((e) => e.id)).toEqual(['now', 'mine', 'of-a', 'bundled']);
    expect(list[0]).toMatchObject({ isLive: true, note: 'epoch 3 of 20 · 1 × H200', link: { address: 'http://x' } });
    expect(list[2]?.profile?.id).toBe('of-a');
    expect(list[3]?.note).toBe('84.0\u202fh · 8 × P100');
  });

  it('names a file that cannot be read, with the reason', () => {
    const profiles = { profiles: [{ id: 'bad', bundled: false, origin: 'imported', status: 'unreadable', tags: [], added: '', error: 'no JSON' }], total: 1 } as unknown as Profiles;
    expect(entriesOf(profiles, undefined)[0]).toMatchObject({ status: 'unreadable', note: 'no JSON' });
  });

  it('counts the epoch that goes on, never beyond the plan', () => {
    expect(progress(run('a'))).toBe('epoch 3');
    expect(progress(run('a', { epochs_ended: 5, planned_epochs: 5 }))).toBe('epoch 5 of 5');
    expect(progress(run('a', { status: 'ended', epochs_ended: 1 }))).toBe('one epoch');
  });

  it('shortens hardware to what tells it apart', () => {
    expect(shortHardware('64 × Tesla V100 SXM2 32GB, 2 × AMD EPYC 7742')).toBe('64 × V100 SXM2 32GB, 2 × EPYC 7742');
  });
});
