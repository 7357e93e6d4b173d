// What EnergyVis does with profiles and runs, by the requirements' ids, and what the list of runs adds to it.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { done, setUp, violations, Wattree } from './harness';

const { server, open } = setUp();
const EPOCHS = (n: number, seconds: number): string => `for i in $(seq 1 ${String(n)}); do sleep ${String(seconds)}; echo epoch $i; done`;
const OPTIONS = ['--region', 'US-GA', '--pue', '1.58', '--epoch-regex', 'epoch +(\\d+)'];

const row = (page: Page, name: string) => page.locator('tbody tr', { has: page.locator('.name', { hasText: name }) }).last();

describe('the list of runs', () => {
  it('shows statuses, jobs, tags and sums, and its address is its state', async () => {
    const own = new Wattree();
    await own.start();
    const [code, stopped] = await Promise.all([own.track([...OPTIONS, '--name', 'It fails'], 'sleep 0.3; exit 3').ended, own.track([...OPTIONS, '--name', 'Too much', '--stop-above', '30J'], 'sleep 20').ended]);
    expect([code, stopped]).toEqual([3, 124]);
    await Promise.all(['a', 'b'].map((part) => own.track([...OPTIONS, '--name', `part ${part}`], EPOCHS(2, 0.3), { WATTREE_JOB: '4711' }).ended));
    const w = await open(`${own.url}/runs`);
    await row(w.page, 'It fails').waitFor();
    expect(await row(w.page, 'It fails').innerText()).toContain('failed');
    expect(await row(w.page, 'Too much').innerText()).toContain('stopped');
    const job = w.page.locator('tr.job');
    expect(await job.innerText()).toContain('job 4711 on one machine · 2 of 2 ended');
    expect(await w.page.locator('tr.part').count()).toBe(2);
    await job.getByRole('button', { name: /^Parts of/ }).click();
    expect(await w.page.locator('tr.part').count()).toBe(0);

    await row(w.page, 'It fails').click({ button: 'right' });
    await w.page.getByRole('menuitem', { name: 'Name and tags' }).click();
    await w.page.getByLabel('Tags, separated by commas').fill('mine, paper');
    await w.page.getByRole('button', { name: 'Keep', exact: true }).click();
    await row(w.page, 'It fails').getByRole('button', { name: 'paper' }).click();
    await expect.poll(() => w.page.url()).toContain('tag=paper');
    await expect.poll(() => w.page.locator('tbody tr').count()).toBe(1);
    await w.page.getByRole('button', { name: 'Show all' }).click();

    await w.page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: /^stopped/ }).click();
    await expect.poll(() => w.page.locator('tbody tr').count()).toBe(1);
    expect(await w.page.locator('.sums').innerText()).toMatch(/^Runs found of this machine and by links: 1/);
    await w.page.getByRole('button', { name: 'Show all' }).click();
    await w.page.getByRole('button', { name: /^energy/ }).click();
    await w.page.getByLabel('Find a run').fill('base');
    await expect.poll(() => w.page.url()).toMatch(/sort=-energy&q=base|q=base&sort=-energy/);
    const again = await open(w.page.url());
    await row(again.page, 'BERT (base)').waitFor();
    expect(await again.page.locator('tbody tr').count()).toBe(1);
    expect(await again.page.locator('th[aria-sort="descending"]').innerText()).toContain('energy');
    await done(again);
    await done(w);
    await own.end();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has nothing that axe objects to, with a live run and a menu: ${colorScheme}`, async () => {
      const run = server.track([...OPTIONS, '--name', `Axe ${colorScheme}`, '--epochs', '50'], EPOCHS(50, 0.4));
      const w = await open('/runs', { colorScheme });
      await w.page.getByRole('heading', { name: new RegExp(`^Axe ${colorScheme}`) }).waitFor();
      await w.page.getByLabel('Choose BERT (base)').check();
      expect((await violations(w.page)).join('\n')).toBe('');
      await row(w.page, 'BERT (base)').click({ button: 'right' });
      expect((await violations(w.page)).join('\n')).toBe('');
      await w.page.keyboard.press('Escape');
      await w.page.getByRole('button', { name: 'Enter figures' }).click();
      expect((await violations(w.page)).join('\n')).toBe('');
      await done(w);
      await run.stop();
    });
  }

  it('fits a phone, and its menu opens by a long press', async () => {
    const w = await open('/runs', { hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } });
    await row(w.page, 'BERT (base)').waitFor();
    expect(await w.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await row(w.page, 'BERT (base)').scrollIntoViewIfNeeded();
    const box = await row(w.page, 'BERT (base)').boundingBox();
    const session = await w.page.context().newCDPSession(w.page);
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: (box?.x ?? 0) + 120, y: (box?.y ?? 0) + 20 }] });
    await w.page.getByRole('menuitem', { name: 'Open in Track' }).waitFor();
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    expect((await violations(w.page)).join('\n')).toBe('');
    await done(w);
  });
});
