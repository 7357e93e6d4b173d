// The tree of an answer as the list of nodes that the pages draw.
import type { Basis, EnergyNode, EnergyTree, Feature, Measured, NodeClass } from '../base/tree/energy_tree';
import type { RawFeature, RawMeasured, RawNode } from './answers';

const CLASSES: Readonly<Record<string, NodeClass>> = {
  module: 'module', parametric: 'parametric', nonparametric: 'plain', math: 'math',
};

function classOf(raw: RawNode): NodeClass {
  const said = raw.class === undefined ? undefined : CLASSES[raw.class];
  if (said !== undefined) return said;
  if (raw.level === 'math') return 'math';
  if (raw.level === 'ml') return (raw.params ?? 0) > 0 ? 'parametric' : 'plain';
  return 'module';
}

/** A node's name below its parent: "layer.0…11", "dense", "add.1". */
export function nameOf(raw: RawNode, parentScope: string): string {
  if (raw.scope === '') return raw.type;
  let name = raw.scope.startsWith(parentScope) ? raw.scope.slice(parentScope.length) : raw.scope;
  name = name.replace(/^[.:]/, '');
  if (name === '') name = raw.type;  // A module that is called more than once has its parent's scope.
  const last = raw.last_scope === undefined ? undefined : /\.(\d+)$/.exec(raw.last_scope)?.[1];
  return last === undefined ? name : `${name}…${last}`;
}

function featuresOf(raw: RawNode, table: readonly RawFeature[]): Feature[] {
  if (raw.features === undefined) return [];
  return table.map(({ name, unit, meaning, basis, null_means }) =>
    ({ name, value: raw.features?.[name] ?? null, unit, meaning, basis, reason: null_means ?? 'not known' }));
}

function measuredOf(raw: RawMeasured | undefined): Measured | null {
  if (raw === undefined) return null;
  return { energy: raw.energy_j, time: raw.time_s, error: raw.relative_error, windows: raw.windows, cards: raw.cards, doubts: raw.doubts, basis: raw.basis as Basis };
}

export function readTree(root: RawNode, features: readonly RawFeature[] = []): EnergyTree {
  const nodes: EnergyNode[] = [];
  const byKey = new Map<string, number>();
  const whole = root.energy_j ?? 0;

  const add = (raw: RawNode, parent: number, depth: number, parentScope: string, times: number): number => {
    const id = nodes.length;
    const count = raw.count ?? 1;
    const total = raw.times ?? times * count;
    let key = raw.scope + (raw.run === undefined ? '' : `#${String(raw.run)}`);
    for (let i = 2; byKey.has(key); i += 1) key = `${raw.scope}#${String(i)}`;
    byKey.set(key, id);
    const children: number[] = [];
    const energy = raw.energy_j ?? 0;
    const node: { -readonly [K in keyof EnergyNode]: EnergyNode[K] } = {
      id, key, parent, children, depth, end: 0, name: nameOf(raw, parentScope), scope: raw.scope, type: raw.type, level: raw.level,
      cls: classOf(raw), role: raw.role ?? '', count, times: total, hidden: raw.hidden ?? 0, energy,
      low: raw.energy_low_j ?? null, high: raw.energy_high_j ?? null, own: raw.own_energy_j ?? null, time: raw.time_s ?? null,
      share: raw.share ?? (whole > 0 ? energy / whole : 0), measured: raw.measured_j ?? null, alone: raw.alone_j ?? null,
      measuredOnce: measuredOf(raw.measured), aloneOnce: measuredOf(raw.alone),
      params: raw.params ?? 0, flops: raw.flops ?? null, bytes: raw.bytes ?? null, shape: raw.shape ?? [],
      standIn: raw.stand_in_share ?? 0, basis: (raw.basis as Basis | undefined) ?? null, features: featuresOf(raw, features),
    };
    nodes.push(node);
    for (const child of raw.children) children.push(add(child, id, depth + 1, raw.scope, total));
    node.end = nodes.length;
    return id;
  };
  add(root, -1, 0, '', 1);
  return { nodes, byKey };
}
