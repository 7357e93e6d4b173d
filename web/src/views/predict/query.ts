// What the query bar says, between the address and the API.
import type { Query } from '../../base/address.svelte';
import type { Parameters } from '../../api/client';

export interface PredictQuery {
  readonly model: string; readonly batch: number; readonly seq: number; readonly past: number; readonly generate: number;
  readonly dtype: string; readonly attention: string; readonly on: string; readonly execution: string; readonly as: string; readonly set: string;
}

export const DEFAULTS: PredictQuery = {
  model: 'bert-base-uncased', batch: 16, seq: 128, past: 0, generate: 0, dtype: 'bf16', attention: 'sdpa', on: '', execution: 'graph', as: '', set: '',
};


const whole = (text: string | undefined, otherwise: number, least: number): number => {
  const n = Number(text);
  return text !== undefined && text !== '' && Number.isInteger(n) && n >= least ? n : otherwise;
};

export function readPredict(query: Query, prefix = ''): PredictQuery {
  const at = (key: string): string | undefined => (prefix === '' ? query[key] : (query[prefix + key] ?? query[key]));
  return {
    model: at('model') ?? DEFAULTS.model, batch: whole(at('batch'), DEFAULTS.batch, 1), seq: whole(at('seq'), DEFAULTS.seq, 1),
    past: whole(at('past'), 0, 0), generate: whole(at('generate'), 0, 0), dtype: at('dtype') ?? DEFAULTS.dtype,
    attention: at('attention') ?? DEFAULTS.attention, on: at('on') ?? '', execution: at('execution') ?? DEFAULTS.execution,
    as: at('as') ?? '', set: at('set') ?? '',
  };
}

/** For the address: what is at its default is left out. */
export function inAddress(changes: Partial<PredictQuery>): Record<string, string | undefined> {
  const out: Record<string, string | undefined> = {};
  for (const [key, value] of Object.entries(changes)) {
    out[key] = String(value) === String(DEFAULTS[key as keyof PredictQuery]) ? undefined : String(value);
  }
  return out;
}

/** "a=1; b=2": several overrides in one field. */
export const overrides = (set: string): string[] => set.split(';').map((each) => each.trim()).filter((each) => each !== '');

/** For the API. A decode step has one new token, so that its length is not asked for. */
export function parameters(q: PredictQuery): Record<string, Parameters[string]> {
  return {
    model: q.model, batch: q.batch, seq: q.past > 0 ? undefined : q.seq, past: q.past > 0 ? q.past : undefined,
    dtype: q.dtype, attention: q.attention, on: q.on || undefined, execution: q.execution, as: q.as || undefined, set: overrides(q.set),
  };
}

const quoted = (text: string): string => (/^[\w./:=,+@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The same question on the command line. */
export function commandLine(q: PredictQuery): string {
  const words = ['wattree', 'predict', q.model, '-b', String(q.batch), ...(q.past > 0 ? ['--past', String(q.past)] : ['-s', String(q.seq)]), '--dtype', q.dtype];
  if (q.attention !== 'sdpa') words.push('--attention', q.attention);
  if (q.on !== '') words.push('--on', q.on);
  if (q.execution !== 'graph') words.push('--execution', q.execution);
  if (q.as !== '') words.push('--as', q.as);
  for (const each of overrides(q.set)) words.push('--set', each);
  if (q.generate > 0) words.push('--generate', String(q.generate));
  return words.map(quoted).join(' ');
}

export const curlLine = (address: string): string => `curl -s '${address.replaceAll("'", '%27')}'`;
