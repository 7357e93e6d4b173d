// All that the Predict page asks the server, and what it remembers between answers.
import { address } from '../../base/address.svelte';
import { type Explanation, type Generated, type Group, isExplanation, isGenerated, isPrediction, isSweep, type Prediction, type Sweep } from '../../api/answers';
import { absolute, apiPath, ask, Failure, isObject, type Parameters } from '../../api/client';
import { Resource } from '../../api/resource.svelte';
import { isSuggestions, type Suggestions } from '../../api/suggestions';
import { readTree } from '../../api/tree';
import { firstChoice, readOpened, revealed, writeOpened } from '../../base/tree/opening';
import { TreeState } from '../../widgets/tree/tree_state.svelte';
import { inAddress, parameters, type PredictQuery, readPredict } from './query';

/** A config that only this page has. */
export interface LocalConfig { readonly name: string; readonly config: Record<string, unknown> }

const RECENT = 'wattree.models';
export function recentModels(): string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(RECENT) ?? '[]');
    return Array.isArray(list) ? list.filter((x) => typeof x === 'string').slice(0, 5) : [];
  } catch {
    return [];
  }
}
function remember(name: string): void {
  try {
    localStorage.setItem(RECENT, JSON.stringify([name, ...recentModels().filter((each) => each !== name)].slice(0, 5)));
  } catch {
    // Storage may be forbidden; then the list is empty.
  }
}

export class PredictState {
  readonly query = $derived(readPredict(address.query));
  readonly prediction = new Resource<Prediction>();
  readonly explanation = new Resource<Explanation>();
  readonly suggestions = new Resource<Suggestions>();
  readonly generated = new Resource<Generated>();
  readonly sweep = new Resource<Sweep>();
  readonly groups = new Resource<readonly Group[]>();
  readonly tree = new TreeState();
  local = $state.raw<LocalConfig | undefined>();
  measured = $state.raw<{ readonly name: string; readonly text: string } | undefined>();
  isSweepOpen = $state(false);
  lastGood: PredictQuery | undefined;
  #shown: Prediction | undefined;
  #swept = '';
  #isTooLong = false;  // For the query that was swept: twice its length, or four times.

  /** The operation's address, as the page asks for it; a local config goes in a body instead. */
  path(operation: string, more: Parameters = {}): string {
    return apiPath(operation, { ...parameters(this.query), ...more });
  }
  link(operation: string, more: Parameters = {}): string {
    return absolute(this.path(operation, more));
  }

  #ask<T>(resource: Resource<T>, operation: string, more: Parameters, isWhole: (x: unknown) => x is T, force = false): void {
    const path = this.path(operation, more);
    const local = this.local;
    if (local === undefined) {
      resource.load(path, (signal) => ask({ path, signal }, isWhole), force);
      return;
    }
    const fields = Object.fromEntries(Object.entries({ ...parameters(this.query), ...more }).filter(([key, value]) => key !== 'model' && value !== undefined && value !== ''));
    resource.load(`${local.name} ${path}`, (signal) => ask({ path: apiPath(operation), signal, body: { ...fields, config: local.config } }, isWhole), force);
  }

  predict(force = false): void {
    this.#ask(this.prediction, 'predict', address.query['fold'] === 'no' ? { fold: 'no' } : {}, isPrediction, force);
  }
  explain(): void {
    const node = this.tree.node;
    if (node === undefined || this.prediction.data === undefined) return;
    this.#ask(this.explanation, 'explain', { node: node.scope === '' ? '.' : node.scope }, isExplanation);
  }
  suggest(): void {
    this.#ask(this.suggestions, 'suggest', {}, isSuggestions);
  }
  generate(): void {
    const { generate } = this.query;
    if (generate === 0 || this.query.past > 0) this.generated.clear();
    else this.#ask(this.generated, 'generate', { generate, past: undefined }, isGenerated);
  }
  sweepSizes(): void {
    const { batch, seq } = this.query;
    const around = (list: readonly number[], now: number): string => [...new Set([...list, now])].filter((n) => n >= 1).sort((a, b) => a - b).join(',');
    const batches = around([1, 4, 16, 64, 256], batch);
    const shorter = [8, 4, 2].map((part) => Math.floor(seq / part));
    const sizes = (lengths: readonly number[]): Parameters => ({ batch: batches, seq: around(lengths, seq), past: undefined, depth: 0 });
    // Many models have a longest input, and a sweep beyond it is refused as a whole. Once it was, longer ones are not asked
    // for again, until the query is another one.
    const swept = `${this.local?.name ?? ''} ${this.path('sweep')}`;
    if (swept !== this.#swept) this.#isTooLong = false;
    else if (this.sweep.failure?.field === 'seq') this.#isTooLong = true;
    this.#swept = swept;
    this.#ask(this.sweep, 'sweep', sizes(this.#isTooLong ? shorter : [...shorter, 2 * seq, 4 * seq]), isSweep);
  }
  group(by: string): void {
    if (by === 'node') return;
    const isGrouped = (x: unknown): x is Prediction => isPrediction(x) && isObject(x.breakdown);
    const path = this.path('predict', { by, depth: 0 });
    this.groups.load(path, async (signal) => {
      if (this.local !== undefined) {
        const answer = await ask({ path: apiPath('predict'), signal, body: { ...bodyFields(this.query), by, depth: 0, config: this.local.config } }, isGrouped);
        return answer.breakdown?.groups ?? [];
      }
      const answer = await ask({ path, signal }, isGrouped);
      return answer.breakdown?.groups ?? [];
    });
  }

  /** A new answer: the same nodes stay open and chosen, as far as they are there. */
  take(answer: Prediction): void {
    if (answer === this.#shown) return;
    this.#shown = answer;
    this.lastGood = this.query;
    if (this.local === undefined) remember(answer.model);
    const tree = readTree(answer.tree, answer.features ?? []);
    this.tree.hover(undefined);
    this.tree.marked = new Set();
    this.tree.tree = tree;
    const asked = address.query['node'];
    const chosen = asked === undefined ? undefined : tree.byKey.get(asked === '.' ? '' : asked);
    const open = readOpened(tree, address.query['open'] ?? '');
    this.tree.chosen = chosen ?? firstChoice(tree);
    this.tree.open = asked === undefined && address.query['open'] !== undefined ? open : revealed(tree, open, this.tree.chosen);
    this.explanation.clear();
  }

  change(changes: Partial<PredictQuery>, how: 'push' | 'replace' = 'push'): void {
    if (changes.model !== undefined) {
      this.local = undefined;
      address.set({ ...inAddress(changes), node: undefined, open: undefined, as: undefined, set: undefined }, how);
    } else {
      address.set(inAddress(changes), how);
    }
  }

  /** Back to what worked last, for an error that has no better way out. */
  undo(): void {
    if (this.lastGood !== undefined) address.set(inAddress(this.lastGood), 'replace');
  }

  /** Shows each of the layers that are folded into one, with the same node of the first of them chosen. */
  unfold(id: number): void {
    address.set({ fold: 'no', open: undefined, node: this.tree.tree.nodes[id]?.key || '.' });
  }

  drop(name: string, text: string): Failure | undefined {
    let config: unknown;
    try {
      config = JSON.parse(text);
    } catch {
      return new Failure('refused', `${name} isn’t valid JSON.`, 'A config.json of the Hugging Face Hub is a JSON object.');
    }
    if (!isObject(config)) return new Failure('refused', `${name} is no config: it is not an object.`);
    this.local = { name: configName(name, config), config };
    address.set({ model: undefined, node: undefined, open: undefined, as: undefined, set: undefined });
    return undefined;
  }

  listen(): void {
    this.tree.onchoose = (id) => address.set({ node: this.tree.tree.nodes[id]?.key || '.' }, 'replace');
    this.tree.onopen = (open) => address.set({ open: writeOpened(this.tree.tree, open) }, 'replace');
  }
}

/** Most configs are called config.json: what they say of themselves tells them apart. */
function configName(file: string, config: Record<string, unknown>): string {
  if (file !== 'config.json') return file;
  const { _name_or_path: path, architectures, model_type: type } = config;
  const own = typeof path === 'string' && path !== '' ? path.slice(path.lastIndexOf('/') + 1) : Array.isArray(architectures) && typeof architectures[0] === 'string' ? architectures[0] : type;
  return typeof own === 'string' && own !== '' ? `${own.slice(0, 60)} (config.json)` : file;
}

function bodyFields(q: PredictQuery): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parameters(q)).filter(([key, value]) => key !== 'model' && value !== undefined));
}
