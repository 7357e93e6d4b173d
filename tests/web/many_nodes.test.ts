// Trees with more nodes than a page has elements for, and layers that are folded into one.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { done, setUp, treeIsThere } from './harness';

const { open } = setUp();
const MANY = '/?model=gpt2&set=n_layer%3D40&fold=no&open=all';

async function saved(page: Page, as: string): Promise<Buffer> {
  await page.getByRole('button', { name: 'Copy as' }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: as }).click()]);
  return readFileSync(await download.path());
}

describe('a tree of many nodes', () => {
  it('is drawn on a canvas, goes by keys and pointer, and leaves the page as a picture and a drawing', async () => {
    const w = await open(MANY, { acceptDownloads: true });
    await w.page.locator('canvas').waitFor();
    const item = w.page.getByRole('treeitem');
    expect(await item.count()).toBe(1);
    await item.focus();
    await w.page.keyboard.press('Home');
    await expect.poll(() => item.innerText()).toContain('GPT2LMHeadModel');
    await w.page.keyboard.press('ArrowDown');
    await expect.poll(() => item.innerText()).toContain('transformer');

    const tree = await w.page.getByRole('tree').boundingBox();
    if (tree === null) throw new Error('no tree');
    const find = async (): Promise<boolean> => {
      for (let y = 20; y < 400; y += 12) {
        await w.page.mouse.move(tree.x + tree.width * 0.55, tree.y + y);
        if (await w.page.getByRole('tooltip').count() > 0) return true;
      }
      return false;
    };
    expect(await find()).toBe(true);
    const name = (await w.page.getByRole('tooltip').locator('.name').innerText()).split('.').at(-1) ?? '';
    await w.page.mouse.down();
    await w.page.mouse.up();
    await expect.poll(() => w.page.locator('#chosen').innerText()).toContain(name);

    const moved = (): Promise<string> => w.page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => canvas.style.transform);
    const before = await moved();
    await w.page.mouse.move(tree.x + 300, tree.y + 200);
    await w.page.mouse.down();
    await w.page.mouse.move(tree.x + 280, tree.y + 150, { steps: 4 });
    expect(await moved()).not.toBe(before);
    await w.page.mouse.up();
    // In the next pause it is drawn anew, and stands where it was.
    await expect.poll(moved).toBe(before);

    const svg = (await saved(w.page, 'SVG')).toString();
    expect(svg.startsWith('<svg xmlns')).toBe(true);
    expect(svg.match(/J · /g)?.length).toBeGreaterThan(900);
    const png = await saved(w.page, 'PNG');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.readUInt32BE(16)).toBe(2 * (Math.round(tree.width) + 2 * 20));  // With a margin on both sides.
    await done(w);
  });

  it('zooms by buttons', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    const scale = async (): Promise<number> => Number(/scale\(([\d.]+)/.exec(await w.page.locator('[role="tree"] svg > g').getAttribute('transform') ?? '')?.[1]);
    const first = await scale();
    await w.page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await scale()).toBeCloseTo(first * 1.25);
    await w.page.getByRole('button', { name: 'Zoom out' }).click();
    await w.page.getByRole('button', { name: 'Zoom out' }).click();
    expect(await scale()).toBeCloseTo(first * 0.8);
    await w.page.getByRole('button', { name: 'Fit', exact: true }).click();
    expect(await scale()).toBeCloseTo(first);
    await done(w);
  });
});

describe('folded layers', () => {
  it('unfold, with the same node of the first one chosen', async () => {
    const w = await open('/?node=encoder.layer.0.intermediate.dense');
    await treeIsThere(w.page);
    expect(await w.page.getByRole('treeitem', { name: '×12' }).count()).toBeGreaterThan(0);
    await w.page.getByRole('button', { name: 'Unfold them' }).click();
    await w.page.locator('[data-key="encoder.layer.11"]').waitFor();
    expect(w.page.url()).toContain('fold=no');
    expect(await w.page.locator('[role="treeitem"][aria-selected="true"]').getAttribute('data-key')).toBe('encoder.layer.0.intermediate.dense');
    expect(await w.page.locator('#chosen').innerText()).not.toContain('×12');
    await done(w);
  });
});
