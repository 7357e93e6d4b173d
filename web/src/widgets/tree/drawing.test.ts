import { describe, expect, it } from 'vitest';
import { readTree } from '../../api/tree';
import type { RawNode } from '../../api/answers';
import { layOut } from '../../base/tree/layout';
import { everything, shown } from '../../base/tree/opening';
import { detailAt, drawTree, type Ink, type Pen, TOKENS } from './drawing';
import { widthOf } from './labels';
import { SvgPen } from './pens';
import type { TreeState } from './tree_state.svelte';

const EVIL = '<script>alert("1")</script>';
const op = (scope: string, energy_j: number, more: Partial<RawNode> = {}): RawNode => ({ scope, type: 'Linear', level: 'ml', params: 4, energy_j, children: [], ...more });
const raw: RawNode = { scope: '', type: 'Toy', level: 'model', energy_j: 100, children: [
  { scope: 'layer.0', type: 'Layer', level: 'module', energy_j: 90, count: 12, times: 12, last_scope: 'layer.11', children: [op('layer.0.up', 60), op('layer.0.down', 29), op('layer.0:add', 1, { level: 'math', params: 0, type: 'add' })] },
  op(EVIL, 10),
] };

/** Counts what is drawn, and on which tokens' colours. */
class Counter implements Pen {
  paths: { d: string; ink: Ink }[] = [];
  texts: string[] = [];
  path(d: string, ink: Ink): void { this.paths.push({ d, ink }); }
  words(text: string): void { this.texts.push(text); }
}

const tree = readTree(raw);
const layout = layOut(shown(tree, everything(tree)), { river: 168, box: 38, line: 22, gap: 13, between: 44, widthOf });
const state = { colour: 'share', isFaded: () => false, isMarked: () => false } as unknown as TreeState;
const picture = { boxes: layout.placed, bands: layout.placed, chosen: layout.placed[2], state, colour: (token: string) => { expect(TOKENS).toContain(token); return token; } };

describe('a tree that is drawn', () => {
  it('has the words of every node, and only tokens that are known', () => {
    for (const colour of ['share', 'class', 'type'] as const) {
      const pen = new Counter();
      drawTree(pen, { ...picture, detail: 'words', state: { ...state, colour } as TreeState });
      expect(pen.texts.filter((text) => /J · /.test(text))).toHaveLength(6);
      expect(pen.texts).toContain('layer ×12');
      for (const { d } of pen.paths) expect(d).not.toMatch(/NaN|undefined/);
    }
  });
  it('has fewer and simpler shapes from afar', () => {
    expect([detailAt(1), detailAt(0.2), detailAt(0.05)]).toEqual(['words', 'boxes', 'blocks']);
    const near = new Counter();
    const boxes = new Counter();
    const far = new Counter();
    drawTree(near, { ...picture, detail: 'words' });
    drawTree(boxes, { ...picture, detail: 'boxes' });
    drawTree(far, { ...picture, detail: 'blocks' });
    expect(boxes.texts).toEqual([]);
    expect(far.texts).toEqual([]);
    expect(far.paths.length).toBeLessThan(boxes.paths.length);
    expect(boxes.paths.length).toBeLessThan(near.paths.length);
    const outlines = far.paths.slice(2).map((each) => each.d).join('').match(/M/g) ?? [];
    expect(outlines).toHaveLength(layout.placed.length);
  });
  it('is text in a file, whatever its nodes are called', () => {
    const pen = new SvgPen();
    drawTree(pen, { ...picture, detail: 'words' });
    const file = pen.file(layout.width, layout.height, '#fff', 'Inter, "Segoe UI"');
    expect(file).not.toContain('<script');
    expect(file).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/scrip…');
    expect(file).toContain('font-family="Inter, &quot;Segoe UI&quot;"');
    expect(file.match(/<text /g)?.length).toBe(11 + 2);
  });
});
