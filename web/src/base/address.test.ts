import { describe, expect, it } from 'vitest';
import { carried, pageOf } from './address.svelte';

describe('the way from one page to another', () => {
  it('takes the model and the settings along, and leaves the rest as it was there', () => {
    expect(carried('predict', { model: 'gpt2', batch: '4', node: 'x' }, 'compare', { b: 'opt-125m', batch: '64', on: 'L4' })).toEqual({ a: 'gpt2', batch: '4', b: 'opt-125m' });
    expect(carried('compare', { a: 'gpt2', on: 'L4' }, 'leaderboard')).toEqual({ ref: 'gpt2', on: 'L4' });
    expect(carried('leaderboard', {}, 'predict', { model: 'gpt2', view: 'table', seq: '8' })).toEqual({ view: 'table' });
    expect(carried('predict', { batch: '4' }, 'track', { run: 'mine' })).toEqual({ run: 'mine' });
  });
  it('knows pages by the end of the path, wherever the server is mounted', () => {
    expect([pageOf('/'), pageOf('/tools/wattree/'), pageOf('/index.html')]).toEqual(['predict', 'predict', 'predict']);
    expect(pageOf('/tools/runs')).toBe('runs');
    expect(pageOf('/nonsense')).toBeUndefined();
  });
});
