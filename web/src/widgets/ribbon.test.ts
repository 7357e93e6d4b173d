import { describe, expect, it } from 'vitest';
import { differenceOf } from './ribbon';

describe('what a result is of', () => {
  it('is told by what differs from what was asked for', () => {
    expect(differenceOf('./api/v1/predict?model=gpt2&batch=16&seq=128', './api/v1/predict?model=gpt2&batch=32&seq=128')).toEqual({ shown: 'batch 16', asked: '32' });
    expect(differenceOf('./api/v1/predict?model=gpt2&batch=16', './api/v1/predict?model=bert&batch=32')).toEqual({ shown: 'gpt2, batch 16', asked: 'bert, batch 32' });
    expect(differenceOf('./api/v1/predict?model=gpt2', './api/v1/predict?model=gpt2&dtype=int8')).toEqual({ shown: 'its own precision', asked: 'int8' });
    expect(differenceOf('./api/v1/whatif?profile=a&points=2', './api/v1/whatif?profile=a&points=3')).toEqual({ shown: 'an earlier result', asked: 'the settings now' });
  });
});
