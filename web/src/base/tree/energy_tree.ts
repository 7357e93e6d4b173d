// A model's nodes as a flat list in the order of the drawing, a parent before its children. Every figure is the API's.

export type NodeClass = 'module' | 'parametric' | 'plain' | 'math';
export type BasisKind = 'measured' | 'predicted' | 'published' | 'derived' | 'assumed';
export interface Basis { readonly kind: BasisKind; readonly by?: string; readonly boundary: string }
export interface Feature { readonly name: string; readonly value: number | null; readonly unit: string; readonly basis: string; readonly meaning: string; readonly reason: string }

/** A measurement of one execution: how sure it is, and why one might doubt it. */
export interface Measured {
  readonly energy: number; readonly time: number; readonly error: number; readonly windows: number; readonly cards: number;
  readonly doubts: readonly string[]; readonly basis: Basis;
}

export interface EnergyNode {
  readonly id: number;          // Its place in the list.
  readonly key: string;         // What the address calls it.
  readonly parent: number;      // -1 of the root.
  readonly children: readonly number[];
  readonly depth: number;
  readonly end: number;         // Past its last descendant.
  readonly name: string;        // Below its parent: "dense", "layer.0…11".
  readonly scope: string;
  readonly type: string;
  readonly level: string;
  readonly cls: NodeClass;
  readonly role: string;
  readonly count: number;       // Of its siblings it stands for so many,
  readonly times: number;       // and of the whole model for so many.
  readonly hidden: number;      // Children that the answer left out.
  readonly energy: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly own: number | null;
  readonly time: number | null;
  readonly share: number;
  readonly measured: number | null;
  readonly alone: number | null;
  readonly measuredOnce: Measured | null;
  readonly aloneOnce: Measured | null;
  readonly params: number;
  readonly flops: number | null;
  readonly bytes: number | null;
  readonly shape: readonly number[];
  readonly standIn: number;
  readonly basis: Basis | null;
  readonly features: readonly Feature[];
}

export interface EnergyTree { readonly nodes: readonly EnergyNode[]; readonly byKey: ReadonlyMap<string, number> }

export function nodeAt(tree: EnergyTree, id: number): EnergyNode {
  const node = tree.nodes[id];
  if (node === undefined) throw new RangeError(`no node ${String(id)}`);
  return node;
}

/** From the root to the node itself. */
export function pathTo(tree: EnergyTree, id: number): EnergyNode[] {
  const path: EnergyNode[] = [];
  for (let at = id; at >= 0; at = nodeAt(tree, at).parent) path.unshift(nodeAt(tree, at));
  return path;
}

/** "intermediate.dense": the name with the parent's, as the list of operations shows it. */
export function longName(tree: EnergyTree, node: EnergyNode): { before: string; name: string } {
  const path = pathTo(tree, node.id).slice(1);
  const layer = path.findLastIndex((n) => n.count > 1);
  const before = path.slice(layer + 1, -1).map((n) => n.name);
  return { before: before.length > 0 ? `${before.join('.')}${node.cls === 'math' ? ':' : '.'}` : '', name: node.name };
}

export const CLASS_WORDS: Record<NodeClass, string> = {
  module: 'module', parametric: 'op with parameters', plain: 'op without parameters', math: 'math op',
};

/** One of seven kinds of ops, for the colours by type. */
export function kindOf(node: EnergyNode): string {
  if (node.cls === 'module') return 'module';
  const t = node.type.toLowerCase();
  if (/norm/.test(t)) return 'norm';
  if (/sdpa|attention|softmax|rotary/.test(t)) return 'att';
  if (/linear|conv|matmul|mm\b|bmm|addmm|einsum|expert/.test(t)) return 'lin';
  if (/embed/.test(t)) return 'emb';
  if (/gelu|relu|silu|act|tanh|sigmoid|swish/.test(t)) return 'act';
  if (/add|mul|sub|div|cat|copy|transpose|pow|sqrt|mean|where|mask/.test(t)) return 'el';
  return 'oth';
}
