// The Track page's address: which run, which alternative, and how both are shown.
import type { Query } from '../../base/address.svelte';
import type { Parameters } from '../../api/client';

/** What is different in the alternative. A name in the address is a name here. */
export const FACETS = ['alt', 'region', 'intensity', 'hardware', 'own', 'keep', 'formula', 'pue', 'model', 'batch', 'seq', 'dtype', 'on', 'passes', 'factor'] as const;
export type Facet = (typeof FACETS)[number];
export type Facets = Readonly<Partial<Record<Facet, string>>>;

export interface TrackQuery {
  readonly run: string;
  readonly facets: Facets;
  readonly pins: readonly Facets[];
  /** What the run's own profile does not say, or not as it is wanted. */
  readonly base: Readonly<Partial<Record<'region' | 'intensity' | 'hardware' | 'pue', string>>>;
  readonly epochs: number | undefined;
  readonly epoch: number | undefined;
  readonly quantity: 'co2' | 'kwh';
  readonly sum: 'total' | 'epoch';
  readonly unit: string;
  readonly boundary: 'pue' | 'devices';
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly map: 'us' | 'world' | 'canada' | 'cloud' | undefined;  // Undefined: the one that the run is on.
}

export const MOST_PINS = 3;
const MOST_EPOCHS = 1_000_000;

function whole(text: string | undefined, least: number): number | undefined {
  const n = Number(text);
  return text !== undefined && /^\d+$/.test(text) && n >= least && n <= MOST_EPOCHS ? n : undefined;
}

function facetsOf(query: Query): Facets {
  return Object.fromEntries(FACETS.flatMap((name) => (query[name] !== undefined && query[name] !== '' ? [[name, query[name]]] : [])));
}

export function readTrack(query: Query): TrackQuery {
  const pins = [1, 2, 3].map((i) => query[`pin${String(i)}`]).filter((text) => text !== undefined);
  const base: Record<string, string> = {};
  for (const name of ['region', 'intensity', 'hardware', 'pue'] as const) {
    const value = query[`base.${name}`];
    if (value !== undefined && value !== '') base[name] = value;
  }
  const from = whole(query['from'], 0);
  const to = whole(query['to'], 1);
  const isRange = from === undefined || to === undefined || from < to;
  const { map } = query;
  return {
    run: query['run'] ?? '', facets: facetsOf(query), pins: pins.map((text) => facetsOf(Object.fromEntries(new URLSearchParams(text)))), base,
    epochs: whole(query['epochs'], 1), epoch: whole(query['epoch'], 1),
    quantity: query['q'] === 'kwh' ? 'kwh' : 'co2', sum: query['sum'] === 'epoch' ? 'epoch' : 'total',
    unit: query['unit'] ?? '', boundary: query['with'] === 'devices' ? 'devices' : 'pue',
    from: isRange ? from : undefined, to: isRange ? to : undefined,
    map: map === 'us' || map === 'world' || map === 'canada' || map === 'cloud' ? map : undefined,
  };
}

/** For the address: pins of an alternative, as many as are there. */
export function writePins(pins: readonly Facets[]): Record<string, string | undefined> {
  return Object.fromEntries([1, 2, 3].map((i) => {
    const pin = pins[i - 1];
    return [`pin${String(i)}`, pin === undefined ? undefined : new URLSearchParams(Object.entries(pin)).toString()];
  }));
}

/** "My card,gpu,300,50": a device of one's own, as a table that the server reads. Speed is in TFLOPS here. */
export function ownTable(own: string): string | undefined {
  const rows = own.split(';').map((row) => row.split('|')).filter((row) => row.length === 4);
  if (rows.length === 0) return undefined;
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const lines = rows.map(([name = '', kind = '', watts = '', tflops = '']) => [quoted(name), kind, watts, String(Number(tflops) * 1000)].join(','));
  return ['name,kind,tdp_w,fp32_gflops', ...lines].join('\n');
}

/** What `whatif` is asked for an alternative. */
export function whatIfParameters(q: TrackQuery, run: string, facets: Facets, epochs: number | undefined): Record<string, Parameters[string]> {
  const predicted = facets.model !== undefined;
  return {
    profile: run, other: predicted ? undefined : facets.alt, region: facets.region, intensity: facets.intensity, hardware: facets.hardware,
    hardware_file: ownTable(facets.own ?? ''), keep: facets.keep, formula: facets.formula, pue: facets.pue, epochs,
    baseline_region: q.base.region, baseline_intensity: q.base.intensity, baseline_hardware: q.base.hardware, baseline_pue: q.base.pue,
    ...(predicted ? {
      other_model: facets.model, other_batch: facets.batch, other_seq: facets.seq, other_dtype: facets.dtype, other_on: facets.on,
      other_passes: facets.passes, other_factor: facets.factor,
    } : {}),
  };
}

/** Whether anything is different. */
const HOW: ReadonlySet<string> = new Set(['keep', 'own', 'formula']);
export const isAlternative = (facets: Facets): boolean => Object.keys(facets).some((name) => !HOW.has(name));
