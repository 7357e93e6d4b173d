import { describe, expect, it } from 'vitest';
import { longName, nodeAt, pathTo } from '../base/tree/energy_tree';
import { find } from '../base/tree/find';
import { blocks } from '../base/tree/icicle';
import { bandPath, layOut } from '../base/tree/layout';
import { drawn, everything, firstChoice, firstView, readOpened, revealed, shown, toggled, writeOpened } from '../base/tree/opening';
import { inRows, rowAt } from '../base/tree/rows';
import type { RawNode } from './answers';
import { readTree } from './tree';

const op = (scope: string, energy_j: number, more: Partial<RawNode> = {}): RawNode => ({ scope, type: 'Linear', level: 'ml', params: 4, energy_j, children: [], ...more });
const mod = (scope: string, energy_j: number, children: RawNode[], more: Partial<RawNode> = {}): RawNode => ({ scope, type: 'Module', level: 'module', energy_j, children, ...more });

/** Twelve layers folded to one, an embedding that takes little, and a head. */
function model(): RawNode {
  const layer = mod('enc.layer.0', 90, [op('enc.layer.0.up', 50), op('enc.layer.0.down', 39.7), op('enc.layer.0:add', 0.2, { level: 'math', params: 0, type: 'add' }), op('enc.layer.0:mul', 0.1, { level: 'math', params: 0, type: 'mul' })],
    { count: 12, times: 12, last_scope: 'enc.layer.11' });
  return mod('', 100, [mod('emb', 2, [op('emb.word', 2, { type: 'Embedding' })]), mod('enc', 90, [layer]), op('head', 8)], { level: 'model', type: 'Bert' });
}

describe('the tree of an answer', () => {
  const tree = readTree(model());
  it('lists parents before children, with names below their parent', () => {
    expect(tree.nodes.map((n) => n.name)).toEqual(['Bert', 'emb', 'word', 'enc', 'layer.0…11', 'up', 'down', 'add', 'mul', 'head']);
    for (const n of tree.nodes) if (n.parent >= 0) expect(n.parent).toBeLessThan(n.id);
    expect(nodeAt(tree, 4).end).toBe(9);
  });
  it('tells classes apart', () => {
    expect(tree.nodes.map((n) => n.cls).join()).toBe('module,module,parametric,module,module,parametric,parametric,math,math,parametric');
    expect(readTree(op('x', 1, { params: 0 })).nodes[0]?.cls).toBe('plain');
    expect(readTree(op('x', 1, { class: 'nonparametric' })).nodes[0]?.cls).toBe('plain');
  });
  it('passes the number that a fold stands for on to what is inside', () => {
    expect(tree.nodes.filter((n) => n.times === 12).map((n) => n.name)).toEqual(['layer.0…11', 'up', 'down', 'add', 'mul']);
  });
  it('has keys that are unique, even where scopes repeat', () => {
    const twice = readTree(mod('', 2, [op('a', 1), op('a', 1)]));
    expect(twice.byKey.size).toBe(3);
  });
  it('joins features of a node with their units, and says why one is missing', () => {
    const raw = op('x', 1, { features: { flops: 9670, cpu_util: null } });
    const table = [{ name: 'flops', unit: '10^6', meaning: '', basis: 'derived', by: '' }, { name: 'cpu_util', unit: '%', meaning: '', basis: 'measured', by: '', null_means: 'no window' }];
    expect(readTree(raw, table).nodes[0]?.features.map((f) => [f.name, f.value, f.reason])).toEqual([['flops', 9670, 'not known'], ['cpu_util', null, 'no window']]);
  });
  it('gives the path and a name with what is inside a layer', () => {
    expect(pathTo(tree, 5).map((n) => n.id)).toEqual([0, 3, 4, 5]);
    expect(longName(tree, nodeAt(tree, 7))).toEqual({ before: '', name: 'add' });
  });
});

describe('opening', () => {
  const tree = readTree(model());
  it('joins a single child to its parent and gathers what takes next to nothing', () => {
    const root = shown(tree, new Set([0, 3, 4]));
    const enc = root.children[1];
    expect(enc?.chain.map((n) => n.name)).toEqual(['enc', 'layer.0…11']);
    expect(enc?.children.map((c) => c.gathered.length)).toEqual([0, 0, 2]);
    expect(enc?.children[2]?.energy).toBeCloseTo(0.3);
  });
  it('shows every node when everything is open, and one when nothing is', () => {
    const all = drawn(shown(tree, everything(tree)));
    expect(all.reduce((n, s) => n + s.chain.length, 0)).toBe(tree.nodes.length);
    expect(all.map((s) => s.index)).toEqual(all.map((_, i) => i));
    expect(drawn(shown(tree, new Set()))).toHaveLength(1);
  });
  it('begins with what takes the most', () => {
    expect(firstView(tree).has(3)).toBe(true);
    expect(firstView(tree).has(1)).toBe(false);
    expect(firstChoice(tree)).toBe(5);
  });
  it('survives the address', () => {
    for (const open of [firstView(tree), everything(tree), new Set<number>(), new Set([0, 1])]) {
      const back = readOpened(tree, writeOpened(tree, open));
      expect([...back].filter((id) => id >= 0).sort()).toEqual([...open].filter((id) => id >= 0).sort());
    }
    expect(writeOpened(tree, firstView(tree))).toBe('');
    expect(readOpened(tree, 'no.such~emb').has(1)).toBe(true);
  });
  it('opens what hides a node, and toggles', () => {
    const open = revealed(tree, new Set(), 7);
    expect([...open].sort()).toEqual([-5, 0, 3, 4]);
    expect(revealed(tree, open, 7)).toBe(open);
    expect(toggled(tree, toggled(tree, open, 4), 4).has(4)).toBe(true);
  });
  it('finds by every word, most energy first', () => {
    expect(find(tree, 'LINEAR layer').map((id) => nodeAt(tree, id).name)).toEqual(['up', 'down']);
    expect(find(tree, '  ')).toEqual([]);
  });
});

describe('drawings', () => {
  const tree = readTree(model());
  const measures = { river: 168, box: 38, line: 22, gap: 13, between: 44, widthOf: () => 100 };
  it('never let boxes of a column touch', () => {
    const { placed, height } = layOut(shown(tree, everything(tree)), measures);
    for (const a of placed) {
      expect(a.y - a.height / 2).toBeGreaterThanOrEqual(0);
      expect(a.y + a.height / 2).toBeLessThanOrEqual(height);
      for (const b of placed) if (a !== b && a.x === b.x) expect(Math.abs(a.y - b.y)).toBeGreaterThanOrEqual((a.height + b.height) / 2);
    }
  });
  it('split the band of a node among its children', () => {
    const { placed } = layOut(shown(tree, everything(tree)), measures);
    const root = placed[0];
    const children = placed.filter((p) => p.parent === root);
    expect(children.reduce((sum, p) => sum + p.band, 0)).toBeCloseTo(168, 5);
    expect(children.map((p) => p.slot)).toEqual([0, expect.closeTo(3.36), expect.closeTo(154.56)]);
    for (const p of placed) expect(bandPath(p)).not.toContain('NaN');
  });
  it('do not fail on a model that takes nothing', () => {
    const none = readTree(mod('', 0, [op('a', 0), op('b', 0)]));
    for (const p of layOut(shown(none, everything(none)), measures).placed) expect(bandPath(p)).not.toMatch(/NaN|Infinity/);
  });
  it('find the box under a point', () => {
    const layout = layOut(shown(tree, everything(tree)), measures);
    const rows = inRows(layout);
    for (const p of layout.placed) expect(rowAt(rows, p.x + 3, p.y)).toBe(p);
    expect(rowAt(rows, -50, 0)).toBeUndefined();
  });
  it('fill the width of an icicle with the node that it is zoomed to', () => {
    const root = shown(tree, everything(tree));
    const zoom = root.children[1];
    if (zoom === undefined) throw new Error('no child');
    const all = blocks(root, zoom, 1000, 50);
    expect(all.find((b) => b.shown === zoom)?.width).toBeCloseTo(1000);
    expect(all.find((b) => b.shown === root)?.width).toBe(1000);
    expect(all.some((b) => b.shown === root.children[0])).toBe(false);
  });
});
