// What stands on the pages is true at this moment: of runs that go on, of those that are no longer heard, and of the settings beside it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Answer, done, setUp, Wattree } from './harness';

const { server, open } = setUp();
/** So long are live pages watched; WATTREE_SOAK makes it a minute. */
const SECONDS = process.env['WATTREE_SOAK'] === undefined ? 8 : 60;
const PLACE = ['--region', 'US-GA', '--pue', '1.58'];
const WORK = 'while :; do sleep 0.2; done';

const headline = (page: Page): Promise<string> => page.getByRole('heading', { level: 1 }).innerText();
const figure = (page: Page, name: string | RegExp): Promise<string> => page.locator('.figure', { hasText: name }).first().innerText();
const row = (page: Page, name: string) => page.locator('tbody tr', { has: page.locator('.name', { hasText: name }) }).last();
const UNITS: Readonly<Record<string, number>> = { m: 1e-3, '': 1, k: 1e3, M: 1e6 };
/** The first amount in a text, of whatever prefix: "1.23 mg" and "4.5 Wh". */
function amount(text: string, unit: string): number {
  const found = new RegExp(`(\\d[\\d\\u202f.]*)\\s?([mkM]?)${unit}(?![a-z])`).exec(text);
  return found === null ? NaN : Number((found[1] ?? '').replaceAll('\u202f', '')) * (UNITS[found[2] ?? ''] ?? NaN);
}
async function idOf(name: string, where = server): Promise<string> {
  let id = '';
  await expect.poll(async () => {
    const run = (await where.get('runs')).runs.find((r: Answer) => r.name === name);
    id = (run?.id as string | undefined) ?? '';
    return (run?.device_energy_j as number | undefined) ?? 0;
  }).toBeGreaterThan(0);
  return id;
}
/** Reads something once a second, as somebody does who watches. */
async function watched(page: Page, seconds: number, read: () => Promise<number>): Promise<number[]> {
  const out: number[] = [];
  for (let i = 0; i < seconds; i += 1) {
    out.push(await read());
    await page.waitForTimeout(1000);
  }
  return out;
}
/** How many seconds saw no new value: on a machine that is busy with other things, a reading may come a little late. */
const standstills = (values: readonly number[]): number => values.filter((x, i) => i > 0 && !(x > (values[i - 1] ?? Infinity))).length;

describe('a run that goes on', () => {
  it('without epochs rises every second in the headline, the chart and the equations, and again on a second visit', async () => {
    const run = server.track([...PLACE, '--name', 'Endless'], WORK);
    const id = await idOf('Endless');
    const w = await open(`/track?run=${id}&q=kwh`);
    await w.page.getByText(/^following/).waitFor();
    const chart = (): Promise<number> => w.page.getByRole('slider', { name: 'Moment to read' }).getAttribute('aria-valuenow').then(Number);
    const equation = async (): Promise<number> => amount(await w.page.getByRole('region', { name: 'Equations' }).locator('.term.energy b').first().innerText(), 'Wh');
    const all: number[][] = [];
    await watched(w.page, SECONDS, async () => {
      const now = [amount(await headline(w.page), 'Wh'), await chart(), await equation(), amount(await figure(w.page, 'So far'), 'Wh')];
      all.push(now);
      return now[0] ?? NaN;
    });
    for (const [i, what] of ['headline', 'chart', 'equations', 'figure'].entries()) {
      const values = all.map((now) => now[i] ?? NaN);
      // 65 W with PUE are 28.5 mWh in a second.
      expect(standstills(values), `${what}: ${values.join(' ')}`).toBeLessThanOrEqual(Math.ceil(SECONDS / 8));
      expect((values.at(-1) ?? 0) - (values[0] ?? 0), what).toBeGreaterThan(0);
    }
    for (const part of ['Consumption', 'Equations']) expect(await w.page.getByRole('region', { name: part }).innerText()).not.toMatch(/\bepoch/i);
    // Away and back again: what is shown is what is true then, at once.
    const before = amount(await headline(w.page), 'Wh');
    await w.page.getByRole('link', { name: 'Predict' }).click();
    await w.page.locator('[role="tree"]').waitFor();
    await w.page.waitForTimeout(2000);
    await w.page.goBack();
    await expect.poll(async () => amount(await headline(w.page), 'Wh')).toBeGreaterThan(before + 0.05);
    await run.stop();
    await expect.poll(() => headline(w.page)).toMatch(/^This run took/);
    await done(w);
  }, 60_000 + SECONDS * 3000);

  it('with epochs rises within each of them, and every visit shows the epoch that it is in', async () => {
    const run = server.track([...PLACE, '--name', 'Long epochs', '--epochs', '20', '--epoch-regex', 'epoch (\\d+)'], 'for i in $(seq 20); do sleep 4; echo epoch $i; done');
    const id = await idOf('Long epochs');
    const w = await open(`/track?run=${id}&q=kwh`);
    await w.page.getByText(/^following/).waitFor();
    await expect.poll(() => figure(w.page, 'So far'), { timeout: 30_000 }).toMatch(/So far, [1-9]\d* of 20 epochs/);
    const values = await watched(w.page, Math.min(SECONDS, 20), async () => amount(await figure(w.page, 'So far'), 'Wh'));
    expect(standstills(values), values.join(' ')).toBeLessThanOrEqual(Math.ceil(values.length / 8));
    await w.page.getByRole('link', { name: 'Runs', exact: true }).click();
    await row(w.page, 'Long epochs').waitFor();
    await w.page.waitForTimeout(4500);
    await w.page.goBack();
    await expect.poll(async () => Number(/So far, (\d+) of 20/.exec(await figure(w.page, 'So far'))?.[1]))
      .toBe((await server.get(`runs/${id}`)).epochs_ended as number);
    expect(await w.page.locator('svg path.tick').count()).toBeGreaterThan(0);  // Epochs on the axis of time.
    await run.stop();
    await done(w);
  }, 120_000);

  it('rises every second in the list of runs, too', async () => {
    const run = server.track([...PLACE, '--name', 'In the list'], WORK);
    await idOf('In the list');
    const w = await open('/runs');
    await w.page.getByRole('heading', { name: /^In the list/ }).waitFor();
    const box = w.page.getByRole('complementary', { name: 'The live run' });
    const all: number[][] = [];
    await watched(w.page, SECONDS, async () => {
      all.push([amount(await box.innerText(), 'Wh'), amount(await row(w.page, 'In the list').locator('td.num b').first().innerText().catch(() => ''), 'Wh')]);
      return 0;
    });
    for (const i of [0]) {
      const values = all.map((now) => now[i] ?? NaN);
      expect(standstills(values), values.join(' ')).toBeLessThanOrEqual(Math.ceil(SECONDS / 8));
    }
    expect(await headline(w.page)).toMatch(/draws?/);
    await run.stop();
    await done(w);
  }, 60_000 + SECONDS * 3000);

  it('without epochs is paused at once, and goes on', async () => {
    const run = server.track([...PLACE, '--name', 'To be paused'], `n=0; while :; do n=$((n+1)); echo $n > ${join(server.folder, 'steps')}; sleep 0.1; done`);
    const id = await idOf('To be paused');
    const w = await open('/runs');
    await w.page.getByRole('heading', { name: /^To be paused/ }).waitFor();
    await w.page.getByRole('button', { name: 'Pause', exact: true }).click();
    await row(w.page, 'To be paused').getByText('paused', { exact: true }).waitFor();
    await w.page.getByText('While paused').waitFor();
    expect((await server.get(`runs/${id}`)).status).toBe('paused');
    await w.page.getByRole('button', { name: 'Resume' }).click();
    await row(w.page, 'To be paused').getByText('live', { exact: true }).waitFor();
    await run.stop();
    await done(w);
  });
});

describe('a tracker that died', () => {
  it('is said in one sentence, draws no power and is not counted as live', async () => {
    const elsewhere = new Wattree();
    const own = new Wattree();
    await own.start();
    // Nobody ends the command of a tracker that was killed: it ends by itself.
    const run = elsewhere.track([...PLACE, '--serve', '--name', 'Far one'], 'sleep 60');
    const address = await run.address();
    const made = await (await fetch(`${own.url}/api/v1/links`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ address }) })).json() as { run: string };
    const w = await open(`${own.url}/runs`);
    await w.page.getByRole('heading', { name: /^Far one/ }).waitFor();
    await expect.poll(() => headline(w.page)).toMatch(/1 run is live and draws/);
    run.child.kill('SIGKILL');
    await row(w.page, 'Far one').getByText('stale', { exact: true }).waitFor();
    await expect.poll(() => headline(w.page)).toMatch(/^No run is live/);
    const text = await w.page.locator('main').innerText();
    expect(text).toContain('Its tracker does not answer.');
    expect(text).not.toMatch(/curl|port \d|connect/i);
    await expect.poll(() => w.page.locator('dd.warn').innerText()).toMatch(/ago$/);
    await w.page.goto(`${own.url}/track?run=${made.run}`);
    await w.page.locator('[data-status="stale"]').waitFor();
    expect(await w.page.locator('[data-status="stale"]').innerText()).toMatch(/^Last heard .* ago\.\s+Its tracker does not answer\.$/);
    expect(await figure(w.page, 'Power now')).toMatch(/–\s*not heard/);
    await done(w);
    await own.end();
    await elsewhere.end();
  });
});

describe('what is asked of the server', () => {
  it('is little where nothing goes on: at most ten questions in ten seconds', async () => {
    const quiet = new Wattree();
    await quiet.start();
    const w = await open(`${quiet.url}/runs`);
    await row(w.page, 'BERT (base)').waitFor();
    await w.page.waitForLoadState('networkidle');
    const before = w.requests.length;
    await w.page.waitForTimeout(10_000);
    const asked = w.requests.slice(before).filter((url) => url.includes('/api/'));
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(10);
    expect(asked.length).toBeGreaterThan(0);
    await done(w);
    await quiet.end();
  });
});

describe('a number belongs to what stands beside it', () => {
  const energy = (j: number): unknown => ({ duration_s: 60, energy: [{ component: 'gpu', kind: 'gpu', energy_j: j, basis: { kind: 'measured', by: 'NVML', boundary: 'gpu' } }] });
  async function keep(id: string, profile: object): Promise<void> {
    const file = join(server.folder, `${id}.json`);
    writeFileSync(file, JSON.stringify({ format: 'wattree-profile', version: 1, ...profile }));
    await server.run('profiles', 'import', file);
  }

  it('runs of different lengths are compared after as many epochs as both have', async () => {
    await keep('efficient', { name: 'Efficient', region: 'US-GA', epochs: Array.from({ length: 37 }, () => energy(7200)) });
    await keep('residual', { name: 'Residual', region: 'US-GA', epochs: Array.from({ length: 13 }, () => energy(14_400)) });
    const w = await open('/track?run=efficient&alt=residual&q=kwh');
    await expect.poll(() => headline(w.page)).toContain('After 13 epochs, as many as both have');
    // 13 epochs of 2 Wh, and of 4: not 37 against 13, which would be 74 and 52.
    expect(await headline(w.page)).toMatch(/26\.0\s?Wh.*52\.0\s?Wh/);
    await w.page.goto(`${server.url}/runs`);
    await w.page.getByLabel('Choose Efficient').check();
    await w.page.getByLabel('Choose Residual').check();
    await w.page.getByText(/Residual used 100\.0\s?% more energy than Efficient, after 13 epochs each/).waitFor();
    await done(w);
  });

  it('a profile that cannot be shown never shows the figures of another one', async () => {
    await keep('whole', { name: 'Whole', region: 'US-GA', epochs: [energy(3600), energy(3600)] });
    await keep('nowhere', { name: 'Nowhere', region: 'ZZ-ZZ', epochs: [energy(7_200_000)] });
    const w = await open('/track?run=whole');
    await expect.poll(() => headline(w.page)).toContain('This run emitted');
    await w.page.getByRole('group', { name: 'Profiles' }).locator('button.profile', { hasText: 'Nowhere' }).click();
    await w.page.getByRole('alert').first().waitFor();
    await expect.poll(() => headline(w.page)).toMatch(/Nowhere took 2\.00\s?kWh/);
    expect(await w.page.locator('main').innerText()).not.toContain('This run emitted');
    expect(await w.page.getByRole('slider').count()).toBe(0);
    await done(w);
  });
});
