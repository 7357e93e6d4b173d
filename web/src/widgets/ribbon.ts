// What differs between the question that a result answers and the one that was asked last, by their addresses.

const WORDS: Readonly<Record<string, string>> = {
  model: '', a: '', b: '', profile: '', other: 'beside', batch: 'batch', seq: 'sequence', past: 'past',
  generate: 'generating', dtype: '', attention: '', execution: '', on: 'on', as: 'as', set: 'with', depth: 'depth',
  fold: 'fold', region: 'in', intensity: 'at', hardware: 'on', pue: 'PUE', epochs: 'epochs', keep: 'same',
  baseline_region: 'in', baseline_pue: 'PUE', baseline_hardware: 'on', baseline_intensity: 'at',
};
/** Of those, what is said without a word before it where it is absent. */
const USUAL: Readonly<Record<string, string>> = {
  dtype: 'its own precision', on: 'the server’s hardware', attention: 'the usual attention',
  execution: 'the usual execution', region: 'its own region', hardware: 'its own hardware', pue: 'its own PUE',
  set: 'no overrides', as: 'its own head',
};

function valuesOf(address: string): Map<string, string> {
  const query = address.includes('?') ? address.slice(address.indexOf('?') + 1) : '';
  const out = new Map<string, string>();
  for (const [key, value] of new URLSearchParams(query)) {
    const before = out.get(key);
    out.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return out;
}

function inWords(key: string, value: string | undefined): string {
  const word = WORDS[key.replace(/^b\./, '')] ?? '';
  if (value === undefined) return USUAL[key] ?? (word === '' ? 'the usual' : `no ${word}`);
  return word === '' ? value : `${word} ${value}`;
}

export function differenceOf(shown: string, asked: string): { shown: string; asked: string } {
  const [was, is] = [valuesOf(shown), valuesOf(asked)];
  const all = [...new Set([...was.keys(), ...is.keys()])];
  const keys = all.filter((key) => key in WORDS && was.get(key) !== is.get(key));
  if (keys.length === 0) return { shown: 'an earlier result', asked: 'the settings now' };
  // With one number that differs, the word need not be said twice: "batch 16; no result for 32".
  const [only] = keys;
  const value = only === undefined ? undefined : is.get(only);
  const short = keys.length === 1 && was.has(only ?? '') ? value : undefined;
  const said = (values: Map<string, string>): string => keys.map((key) => inWords(key, values.get(key))).join(', ');
  return { shown: said(was), asked: short ?? said(is) };
}
