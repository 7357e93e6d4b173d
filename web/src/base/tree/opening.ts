// Which nodes are open, and what is drawn then. One answer for tree, icicle, table and outline alike.
import { type EnergyNode, type EnergyTree, nodeAt } from './energy_tree';

export type Opened = ReadonlySet<number>;

/** A node as drawn: a chain of single children is one, and children that take next to nothing are gathered. */
export interface Shown {
  readonly key: string;
  readonly chain: readonly EnergyNode[];  // Joined, from the top; the last is what a click chooses.
  readonly node: EnergyNode;              // The last of the chain.
  readonly children: readonly Shown[];
  readonly inside: number;                // Children that opening would show.
  readonly isOpen: boolean;
  readonly gathered: readonly EnergyNode[];  // Not empty: this stands for those children of `node`.
  readonly energy: number;
  readonly share: number;
  readonly depth: number;
  index: number;                          // In drawing order, all depths.
}

const GATHER_BELOW = 0.003;

/** A module whose only child is a module has nothing of its own to show. */
export function isJoined(tree: EnergyTree, node: EnergyNode): boolean {
  if (node.parent < 0 || node.cls !== 'module' || node.children.length !== 1 || node.hidden > 0) return false;
  const child = nodeAt(tree, node.children[0] ?? -1);
  return child.cls === 'module' && child.energy >= 0.98 * node.energy;
}

function chainFrom(tree: EnergyTree, node: EnergyNode): EnergyNode[] {
  const chain = [node];
  for (let at = node; isJoined(tree, at);) {
    at = nodeAt(tree, at.children[0] ?? -1);
    chain.push(at);
  }
  return chain;
}

export function shown(tree: EnergyTree, open: Opened, gathers = true): Shown {
  const build = (top: EnergyNode, depth: number): Shown => {
    const chain = chainFrom(tree, top);
    const node = chain[chain.length - 1] ?? top;
    const isOpen = open.has(node.id) && node.children.length > 0;
    const children: Shown[] = [];
    if (isOpen) {
      const all = node.children.map((id) => nodeAt(tree, id));
      const small = gathers ? all.filter((child) => child.share < GATHER_BELOW) : [];
      const gathered = small.length > 1 && !open.has(-1 - node.id) ? small : [];
      for (const child of all) if (!gathered.includes(child)) children.push(build(child, depth + 1));
      if (gathered.length > 0) children.push(rest(node, gathered, depth + 1));
    }
    return { key: node.key, chain, node, children, inside: node.children.length, isOpen, gathered: [],
             energy: node.energy, share: node.share, depth, index: 0 };
  };
  const root = build(nodeAt(tree, 0), 0);
  drawn(root).forEach((each, i) => (each.index = i));
  return root;
}

function rest(parent: EnergyNode, gathered: readonly EnergyNode[], depth: number): Shown {
  const total = (of: (node: EnergyNode) => number): number => gathered.reduce((sum, node) => sum + of(node), 0);
  return { key: `${parent.key}…`, chain: [], node: parent, children: [], inside: gathered.length, isOpen: false, gathered,
           energy: total((n) => n.energy), share: total((n) => n.share), depth, index: 0 };
}

/** All that is drawn, a parent before its children. */
export function drawn(root: Shown): Shown[] {
  const out: Shown[] = [];
  const stack = [root];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    out.push(at);
    for (let i = at.children.length - 1; i >= 0; i -= 1) {
      const child = at.children[i];
      if (child !== undefined) stack.push(child);
    }
  }
  return out;
}

/** What one sees first: the parts that take the most, as many as a screen holds. */
export function firstView(tree: EnergyTree, room = 22): Set<number> {
  const open = new Set<number>([0]);
  let rows = 1 + nodeAt(tree, 0).children.length;
  const queue = nodeAt(tree, 0).children.map((id) => nodeAt(tree, id));
  for (;;) {
    queue.sort((a, b) => b.energy - a.energy || a.id - b.id);
    const next = queue.findIndex((n) => n.cls === 'module' && n.children.length > 0 && n.share >= 0.03);
    const node = queue[next];
    if (node === undefined || rows + node.children.length > room) return open;
    queue.splice(next, 1, ...node.children.map((id) => nodeAt(tree, id)));
    open.add(node.id);
    rows += node.children.length;
  }
}

/** What is chosen first: the operation that takes the most. */
export function firstChoice(tree: EnergyTree): number {
  return tree.nodes.reduce((best, node) => (node.cls === 'module' || node.energy <= best.energy ? best : node), { id: 0, energy: 0 } as Pick<EnergyNode, 'id' | 'energy'>).id;
}

/** Everything, gathered children included (they have the negative numbers). */
export function everything(tree: EnergyTree): Set<number> {
  const open = new Set<number>();
  for (const node of tree.nodes) {
    if (node.children.length === 0) continue;
    open.add(node.id);
    open.add(-1 - node.id);
  }
  return open;
}

export function toggled(tree: EnergyTree, open: Opened, id: number): Set<number> {
  const next = new Set(open);
  if (next.has(id)) {
    next.delete(id);
    next.delete(-1 - id);
  } else {
    next.add(id);
    // A chain is drawn as one: its upper parts are open whenever anything is.
    for (let up = nodeAt(tree, id).parent; up >= 0 && isJoined(tree, nodeAt(tree, up)); up = nodeAt(tree, up).parent) next.add(up);
  }
  return next;
}

/** Opens what hides a node. */
export function revealed(tree: EnergyTree, open: Opened, id: number): Opened {
  const next = new Set(open);
  const node = nodeAt(tree, id);
  for (let up = node.parent; up >= 0; up = nodeAt(tree, up).parent) next.add(up);
  if (node.parent >= 0 && node.share < GATHER_BELOW) next.add(-1 - node.parent);
  return next.size === open.size ? open : next;
}

/** For the address: '' is what one sees first. */
export function writeOpened(tree: EnergyTree, open: Opened): string {
  const first = firstView(tree);
  const real = [...open].filter((id) => id >= 0);
  if (real.length === 0) return 'none';
  if (real.length === everything(tree).size / 2) return 'all';
  if (real.length === first.size && real.every((id) => first.has(id))) return '';
  // Only what a look at the tree cannot tell: those whose parents are open.
  return real.map((id) => nodeAt(tree, id).key || '.').join('~');
}

export function readOpened(tree: EnergyTree, text: string): Set<number> {
  if (text === '') return firstView(tree);
  if (text === 'all') return everything(tree);
  if (text === 'none') return new Set();
  const open = new Set<number>();
  for (const key of text.split('~')) {
    const id = tree.byKey.get(key === '.' ? '' : key);
    if (id !== undefined) open.add(id);
  }
  return open;
}
