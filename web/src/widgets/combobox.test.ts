import { describe, expect, it } from 'vitest';
import { distance, fits, near } from './combobox';

describe('a field that is searched', () => {
  it('finds words in any order, whatever stands between them', () => {
    expect(fits('H100 SXM5 80GB NVIDIA', 'sxm h100')).toBe(true);
    expect(fits('llama-3.2-1b', 'llama 3.2 1b')).toBe(true);
    expect(fits('RTX 4090', 'rtx4090')).toBe(true);
    expect(fits('H100', 'a100')).toBe(false);
  });
  it('knows what is near to a name that is not there', () => {
    expect(distance('kitten', 'sitting')).toBe(3);
    const models = ['llama-3-8b', 'llama-3.2-1b', 'gpt2', 'bert-base-uncased'].map((name) => ({ name }));
    expect(near(models, 'llama-3.1-8b').map((m) => m.name)).toEqual(['llama-3-8b', 'llama-3.2-1b']);
    expect(near(models, 'meta-llama/Llama-3-8B')[0]?.name).toBe('llama-3-8b');
    expect(near(models, 'zzzz')).toEqual([]);
  });
});
