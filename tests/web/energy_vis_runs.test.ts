// What EnergyVis does with profiles and runs, by the requirements' ids, and what the list of runs adds to it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Download, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { done, setUp, violations, Wattree } from './harness';

const { server, open } = setUp();
const files = mkdtempSync(join(tmpdir(), 'wattree-profiles-'));
afterAll(() => rmSync(files, { recursive: true, force: true }));

/** EnergyVis's own format: six epochs of 0.05 + 0.05 kWh, without durations. */
const energyVis = (name: string, more: object = {}): object => ({
  name, author: 'Vaswani et al. 2017', location: 'California', PUE: 1.59, components: { cpu: { 'Intel i7 2600K': 1 }, gpu: { 'geforce-gtx-1080-ti': 4 } },
  serverData: { cpu: { epoch: Array<number>(6).fill(0.05) }, gpu: { epoch: Array<number>(6).fill(0.05) } }, ...more,
});
/** Wattree's: epochs of so many joules and seconds each. */
const wattree = (name: string, epochs: number, joules: number, more: object = {}): object => ({
  format: 'wattree-profile', version: 1, name, region: 'US-GA', hardware: [{ kind: 'gpu', name: 'Tesla V100 SXM2 32GB', count: 1 }],
  epochs: Array.from({ length: epochs }, () => ({ duration_s: 60, energy: [{ component: 'gpu', kind: 'gpu', energy_j: joules, basis: { kind: 'measured', by: 'NVML', boundary: 'gpu' } }] })), ...more,
});
function file(name: string, content: object | string): string {
  const path = join(files, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
const EPOCHS = (n: number, seconds: number): string => `for i in $(seq 1 ${String(n)}); do sleep ${String(seconds)}; echo epoch $i; done`;
const OPTIONS = ['--region', 'US-GA', '--pue', '1.58', '--epoch-regex', 'epoch +(\\d+)'];

const bar = (page: Page) => page.getByRole('group', { name: 'Profiles' });
const button = (page: Page, name: string) => bar(page).locator('button.profile', { hasText: name });
/** Shows those that find no room in the bar at first. */
async function showAll(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: /^\d+ more$/ });
  await more.or(button(page, 'BERT (base)')).first().waitFor();  // The list may still be on its way.
  if (await more.isVisible()) await more.click();
}
const pick = (page: Page, ...paths: string[]): Promise<void> => page.getByLabel('Profile to import').first().setInputFiles(paths);
async function importOn(page: Page, name: string, content: object | string): Promise<void> {
  await pick(page, file(name, content));
  await page.getByText(/^Imported /).last().waitFor();
}
async function trackPage(query = ''): ReturnType<typeof open> {
  const w = await open(`/track${query}`);
  await w.page.getByRole('heading', { level: 1 }).waitFor();
  return w;
}
async function saved(page: Page, run: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download') as Promise<Download>, run()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}
const row = (page: Page, name: string) => page.locator('tbody tr', { has: page.locator('.name', { hasText: name }) }).last();

describe('profiles', () => {
  it('EV-01: a profile with hardware, place, energy and duration of epochs becomes a button', async () => {
    const w = await trackPage();
    await importOn(w.page, 'one.json', wattree('Profile one', 3, 36_000));
    await button(w.page, 'Profile one').waitFor();
    expect(await button(w.page, 'Profile one').innerText()).toMatch(/180\s?s|3\.00\s?min/);
    expect(await button(w.page, 'Profile one').innerText()).toContain('1 × V100');
    await done(w);
  });

  it('EV-02: exactly one profile is primary, and every view follows it', async () => {
    const w = await trackPage('?run=transformer-big-p100');
    const pressed = () => bar(w.page).locator('button.profile[aria-pressed="true"]');
    await expect.poll(() => pressed().innerText()).toContain('Transformer');
    const before = await w.page.getByRole('heading', { level: 1 }).innerText();
    await button(w.page, 'BERT (base)').click();
    await expect.poll(() => pressed().count()).toBe(1);
    await expect.poll(() => pressed().innerText()).toContain('BERT');
    await expect.poll(() => w.page.getByRole('heading', { level: 1 }).innerText()).not.toBe(before);
    expect(w.page.url()).toContain('run=bert-base-v100');
    await done(w);
  });

  it('EV-03: the import button, and a file dropped anywhere, add a button', async () => {
    const w = await trackPage();
    const [chooser] = await Promise.all([w.page.waitForEvent('filechooser'), w.page.getByRole('button', { name: 'Import a profile' }).click()]);
    await chooser.setFiles(file('vis.json', energyVis('Sample Profile')));
    await button(w.page, 'Sample Profile').waitFor();
    const data = await w.page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], 'dropped.json', { type: 'application/json' }));
      return transfer;
    }, JSON.stringify(wattree('Dropped here', 2, 7200)));
    await w.page.dispatchEvent('body', 'dragenter', { dataTransfer: data });
    await w.page.getByText('Drop a profile to import it').waitFor();
    await w.page.dispatchEvent('body', 'drop', { dataTransfer: data });
    await button(w.page, 'Dropped here').waitFor();
    await done(w);
  });

  it('EV-04: a right click makes an unselected profile the alternative, dashed and orange; keys and a long press do too', async () => {
    const w = await trackPage('?run=bert-base-v100');
    await button(w.page, 'Transformer (big)').click({ button: 'right' });
    await w.page.getByRole('menuitem', { name: 'Compare as the alternative' }).click();
    const style = await button(w.page, 'Transformer (big)').evaluate((e) => { const s = getComputedStyle(e); return [s.borderStyle, s.borderColor]; });
    expect(style).toEqual(['dashed', 'rgb(217, 102, 15)']);
    expect(w.page.url()).toContain('alt=transformer-big-p100');
    await button(w.page, 'Transformer (big)').focus();
    await w.page.keyboard.press('a');
    await expect.poll(() => w.page.url()).not.toContain('alt=');
    await w.page.keyboard.press('Shift+F10');
    await w.page.getByRole('menuitem', { name: 'Make it primary' }).waitFor();
    await w.page.keyboard.press('ArrowDown');
    await w.page.keyboard.press('Enter');
    await expect.poll(() => w.page.url()).toContain('alt=transformer-big-p100');
    await done(w);

    const touch = await open('/track?run=bert-base-v100', { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    await button(touch.page, 'Transformer (big)').scrollIntoViewIfNeeded();
    const box = await button(touch.page, 'Transformer (big)').boundingBox();
    const session = await touch.page.context().newCDPSession(touch.page);
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: (box?.x ?? 0) + 30, y: (box?.y ?? 0) + 20 }] });
    await touch.page.getByRole('menuitem', { name: 'Compare as the alternative' }).waitFor();
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await touch.page.getByRole('menuitem', { name: 'Compare as the alternative' }).tap();
    await expect.poll(() => touch.page.url()).toContain('alt=transformer-big-p100');
    await done(touch);
  });

  it('EV-08: a Transformer and a BERT are there from the start, published and with their source', async () => {
    const fresh = new Wattree();
    await fresh.start();
    const w = await open(`${fresh.url}/track`);
    await button(w.page, 'Transformer (big)').waitFor();
    expect(await bar(w.page).locator('button.profile').count()).toBe(2);
    expect(await button(w.page, 'BERT (base)').locator('.sr').innerText()).toBe('published');
    await w.page.goto(`${fresh.url}/runs`);
    await row(w.page, 'BERT (base)').waitFor();
    expect(await row(w.page, 'BERT (base)').innerText()).toContain('Strubell et al. 2019');
    expect(await row(w.page, 'BERT (base)').innerText()).toMatch(/951\s?kWh/);  // 12,042 W × 79 h
    await w.page.getByText('No run of yours yet').waitFor();
    await done(w);
    await fresh.end();
  });

  it('EV-27: files alone are enough: import two, compare them, export one, with no tracker anywhere', async () => {
    const w = await trackPage();
    await importOn(w.page, 'a.json', energyVis('From a file'));
    await importOn(w.page, 'b.json', wattree('Beside it', 6, 180_000));
    await button(w.page, 'From a file').click();
    await button(w.page, 'Beside it').click({ button: 'right' });
    await w.page.getByRole('menuitem', { name: 'Compare as the alternative' }).click();
    await expect.poll(() => w.page.url()).toMatch(/run=from-a-file.*alt=beside-it/);
    await w.page.getByText('0.600\u202fkWh').or(w.page.getByText('600\u202fWh')).first().waitFor();  // 6 × (0.05 + 0.05) kWh
    await done(w);
  });

  it('EnergyVis’s format comes back as it went in', async () => {
    const given = energyVis('Round and round');
    const w = await trackPage();
    await importOn(w.page, 'round.json', given);
    await button(w.page, 'Round and round').click({ button: 'right' });
    const out = await saved(w.page, () => w.page.getByRole('menuitem', { name: 'Export as EnergyVis profile' }).click());
    const back = JSON.parse(out.text) as { name: string; PUE: number; location: string; serverData: { cpu: { epoch: number[] }; gpu: { epoch: number[] } }; components: { gpu: Record<string, number> } };
    expect(out.name).toBe('Round-and-round.energyvis.json');
    expect(back.name).toBe('Round and round');
    expect(back.location).toBe('California');
    expect(back.PUE).toBe(1.59);
    expect(back.components.gpu).toEqual({ 'geforce-gtx-1080-ti': 4 });
    for (const part of [back.serverData.cpu.epoch, back.serverData.gpu.epoch]) {
      expect(part).toHaveLength(6);
      for (const kwh of part) expect(kwh).toBeCloseTo(0.05, 9);
    }
    await done(w);
  });

  it('EV-30: somebody’s figures need no file: hardware, hours and region', async () => {
    const w = await trackPage();
    await w.page.getByRole('button', { name: 'Enter someone’s figures' }).click();
    await w.page.getByRole('button', { name: 'Keep and show' }).click();
    await w.page.getByText('Give it a name.').waitFor();
    await w.page.getByLabel('Name', { exact: true }).fill('Their BERT');
    await w.page.getByLabel('Count of device 1').fill('64');
    await w.page.getByLabel('Device 1', { exact: true }).fill('no such card');
    await w.page.getByLabel('Hours', { exact: true }).fill('79');
    await w.page.getByRole('dialog').getByLabel('Region').fill('Virginia');
    await w.page.getByRole('button', { name: 'Keep and show' }).click();
    await w.page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await w.page.getByRole('dialog').getByRole('alert').innerText()).toContain('no such card');
    await w.page.getByLabel('Device 1', { exact: true }).fill('Tesla V100 SXM2 32GB');
    await w.page.getByRole('button', { name: 'Keep and show' }).click();
    await button(w.page, 'Their BERT').waitFor();
    expect(await button(w.page, 'Their BERT').locator('.sr').innerText()).toBe('assumed');
    // 64 × 300 W × 79 h
    const kept = (await server.get('profiles?q=their')).profiles[0];
    expect(kept.device_energy_j).toBeCloseTo(64 * 300 * 79 * 3600, 0);
    expect(kept.region).toBe('US-VA');
    await done(w);
  });

  it('EV-31: a report that was exported can be imported, and is the same profile', async () => {
    const w = await trackPage();
    await importOn(w.page, 'report.json', wattree('In a report', 4, 90_000));
    await button(w.page, 'In a report').click({ button: 'right' });
    const report = await saved(w.page, () => w.page.getByRole('menuitem', { name: 'Export as Report' }).click());
    expect(report.name).toBe('In-a-report.html');
    await importOn(w.page, 'again.html', report.text);
    const both = (await server.get('profiles?q=in-a-report')).profiles;
    expect(both).toHaveLength(2);
    expect(both[0].device_energy_j).toBe(360_000);
    expect(both[1].device_energy_j).toBe(360_000);
    await done(w);
  });

  it('removes a profile, and brings it back', async () => {
    const w = await trackPage('?run=bert-base-v100');
    await importOn(w.page, 'gone.json', wattree('Soon gone', 1, 1000));
    await button(w.page, 'Soon gone').click({ button: 'right' });
    await w.page.getByRole('menuitem', { name: 'Remove' }).click();
    await button(w.page, 'Soon gone').waitFor({ state: 'detached' });
    await w.page.getByRole('button', { name: 'Undo' }).click();
    await button(w.page, 'Soon gone').waitFor();
    await showAll(w.page);
    await button(w.page, 'BERT (base)').click({ button: 'right' });
    expect(await w.page.getByRole('menuitem', { name: 'Remove' }).count()).toBe(0);  // What comes with the program stays.
    await done(w);
  });

  it('says what is wrong with a file, executes nothing, and shows no NaN', async () => {
    const w = await open('/runs');
    await row(w.page, 'BERT (base)').waitFor();
    const said = async (): Promise<string> => (await w.page.locator('.toast').allInnerTexts()).join('\n');
    for (const [name, content, words] of [
      ['text.json', 'no json at all', /text\.json: /], ['empty.json', '', /empty\.json: /], ['list.json', '[1,2]', /list\.json: /],
      ['nan.json', '{"name":"NaN","serverData":{"cpu":{"epoch":[NaN]},"gpu":{"epoch":[1]}}}', /nan\.json: /],
      ['minus.json', JSON.stringify(wattree('Negative', 1, -5)), /minus\.json: /],
      ['huge.json', JSON.stringify(wattree('Huge', 1, 1e308)).replace('1e+308', '1e999'), /huge\.json: /],
    ] as const) {
      await pick(w.page, file(name, content));
      await expect.poll(said).toMatch(words);
    }
    const hostile = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
    await importOn(w.page, 'hostile.json', energyVis(hostile, { author: hostile, location: hostile, components: { cpu: { [hostile]: 1 }, gpu: { [hostile]: 0 } } }));
    await importOn(w.page, 'bidi.json', wattree(`\u202e${'long '.repeat(60)}`, 1, 10));
    await importOn(w.page, 'unknown.json', energyVis('Unknown cards', { components: { gpu: { 'card-of-tomorrow': 3 } }, location: 'Atlantis' }));
    await row(w.page, 'Unknown cards').waitFor();
    await w.page.locator('.name', { hasText: '<img src=x' }).first().waitFor();
    expect(await w.page.title()).toBe('Runs · Wattree');
    expect(await w.page.locator('main').innerText()).not.toMatch(/NaN|undefined|Infinity/);
    expect(await w.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1440);
    await w.page.goto(`${server.url}/track?run=unknown-cards`);
    await button(w.page, 'Unknown cards').waitFor();
    expect(await w.page.locator('main').innerText()).not.toMatch(/NaN|undefined|Infinity/);
    await done(w);
  });
});

describe('live', () => {
  it('EV-05, EV-06, EV-26: a tracker prints its address; typed into the link box, its run is followed', async () => {
    const other = new Wattree();
    const run = other.track([...OPTIONS, '--serve', '--name', 'Far away', '--epochs', '40'], EPOCHS(40, 0.6));
    const address = await run.address();
    expect((await (await fetch(address.replace('/current', ''))).json() as { runs: unknown[] }).runs).toHaveLength(1);
    const w = await trackPage('?run=bert-base-v100');
    const tie = w.page.getByRole('button', { name: 'Link to a tracker' });
    expect(await tie.getAttribute('aria-expanded')).toBe('false');
    await tie.click();
    await w.page.getByLabel('Address that the tracker prints').fill('http://127.0.0.1:9/nobody');
    await w.page.getByRole('button', { name: 'Link', exact: true }).click();
    await w.page.getByRole('form', { name: 'Live mode' }).getByRole('alert').waitFor();
    await w.page.getByLabel('Address that the tracker prints').fill(address);
    await w.page.keyboard.press('Enter');
    await button(w.page, 'Far away').waitFor();
    await w.page.getByText(/^following/).waitFor();
    const epoch = async (): Promise<number> => Number(/epoch (\d+) of 40/.exec(await button(w.page, 'Far away').innerText())?.[1] ?? 0);
    const before = await epoch();
    await expect.poll(epoch).toBeGreaterThan(before);
    // The tracker goes away: what was heard stays and can be exported.
    run.child.kill('SIGKILL');
    await expect.poll(() => w.page.locator('.state').innerText(), { timeout: 25_000 }).not.toMatch(/^following, [0-3]/m);
    await w.page.goto(`${server.url}/runs?q=Far`);
    await row(w.page, 'Far away').waitFor();
    expect(await row(w.page, 'Far away').innerText()).toContain('127.0.0.1');
    await done(w);
    await other.end();
  });

  it('EV-07, EV-25, EV-28: a run of this machine comes by itself, is paused, resumed, exported and imported', async () => {
    const run = server.track([...OPTIONS, '--name', 'On this machine', '--epochs', '60'], EPOCHS(60, 0.5));
    const w = await open('/runs');
    await w.page.getByRole('heading', { name: /^On this machine/ }).waitFor();
    await expect.poll(() => w.page.getByRole('heading', { level: 1 }).innerText()).toMatch(/\d\sW/);
    await expect.poll(() => row(w.page, 'On this machine').innerText()).toContain('assumed');
    await w.page.getByRole('button', { name: 'Pause at next epoch' }).click();
    await row(w.page, 'On this machine').getByText('paused', { exact: true }).waitFor();
    await w.page.getByRole('link', { name: 'Open in Track' }).click();
    await expect.poll(() => w.page.url()).toContain('/track?run=');
    await w.page.getByText(/^paused/).first().waitFor();
    await showAll(w.page);
    await button(w.page, 'BERT (base)').click({ button: 'right' });  // Alternatives meanwhile.
    await w.page.getByRole('menuitem', { name: 'Compare as the alternative' }).click();
    await expect.poll(() => w.page.url()).toContain('alt=bert-base-v100');
    await w.page.getByRole('button', { name: 'Resume' }).first().click();
    await w.page.getByText(/^following/).waitFor();
    await w.page.getByRole('button', { name: 'Export On this machine' }).click();
    const out = await saved(w.page, () => w.page.getByRole('menuitem', { name: 'Wattree profile' }).click());
    const profile = JSON.parse(out.text) as { format: string; name: string; epochs: { energy: { basis: { kind: string; by: string } }[] }[] };
    expect(profile).toMatchObject({ format: 'wattree-profile', name: 'On this machine' });
    expect(profile.epochs[0]?.energy[0]?.basis).toMatchObject({ kind: 'assumed', by: 'declared' });
    await importOn(w.page, 'exported.json', out.text);
    await expect.poll(async () => (await server.get('profiles?q=on-this-machine')).profiles.length).toBe(1);
    await run.stop();
    await done(w);
  });

  it('EV-32: two models tracked for ten epochs, exported, reloaded, extrapolated and compared', async () => {
    for (const [name, seconds] of [['Susan large', 0.12], ['Susan small', 0.06]] as const) {
      expect(await server.track([...OPTIONS, '--name', name], EPOCHS(10, seconds)).ended).toBe(0);
    }
    const w = await open('/runs?q=Susan');
    const exported: string[] = [];
    for (const name of ['Susan large', 'Susan small']) {
      await row(w.page, name).waitFor();
      await expect.poll(() => row(w.page, name).innerText()).toContain('10 epochs');
      await row(w.page, name).click({ button: 'right' });
      exported.push((await saved(w.page, () => w.page.getByRole('menuitem', { name: 'Export as Wattree profile' }).click())).text);
    }
    const elsewhere = new Wattree();  // Another machine, with nothing but the two files.
    await elsewhere.start();
    const other = await open(`${elsewhere.url}/runs`);
    await row(other.page, 'BERT (base)').waitFor();
    await pick(other.page, file('large.json', exported[0] ?? ''), file('small.json', exported[1] ?? ''));
    await other.page.getByLabel('Choose Susan large').check();
    await other.page.getByLabel('Choose Susan small').check();
    await other.page.getByText(/Susan small used \d+\.\d\s?% less energy than Susan large/).waitFor();
    await other.page.getByRole('button', { name: 'Compare in Track' }).click();
    await expect.poll(() => other.page.url()).toMatch(/\/track\?run=susan-large&alt=susan-small/);
    await button(other.page, 'Susan small').waitFor();
    const more = other.page.getByRole('button', { name: /One epoch more|More epochs/ }).first();
    for (let i = 0; i < 3; i += 1) await more.click();
    await expect.poll(() => other.page.url()).toMatch(/epochs=1[0-9]/);
    await done(other);
    await elsewhere.end();
    await done(w);
  });

  it('keeps what it shows when the server goes, and goes on when it comes back', async () => {
    const own = new Wattree();
    await own.start();
    const { port } = new URL(own.url);
    const run = own.track([...OPTIONS, '--name', 'Survivor', '--epochs', '200'], EPOCHS(200, 0.3));
    const w = await open(`${own.url}/runs`);
    await row(w.page, 'Survivor').waitFor();
    await own.stop();
    await w.page.getByText('The server does not answer', { exact: true }).waitFor();
    expect(await row(w.page, 'Survivor').isVisible()).toBe(true);
    await w.page.getByLabel('Find a run').fill('Survivor');
    expect(await row(w.page, 'Survivor').isVisible()).toBe(true);
    await own.start(Number(port));
    await w.page.getByText('The server does not answer', { exact: true }).waitFor({ state: 'detached', timeout: 20_000 });
    const epoch = async (): Promise<number> => Number(/epoch (\d+) of/.exec(await row(w.page, 'Survivor').innerText())?.[1] ?? 0);
    const before = await epoch();
    await expect.poll(epoch).toBeGreaterThan(before);
    await run.stop();
    await expect.poll(() => row(w.page, 'Survivor').innerText()).not.toContain('live');
    await done(w);
    await own.end();
  });
});

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
    expect(await w.page.locator('.sums').innerText()).toMatch(/^1 run found, here and on linked machines/);
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

describe('the map of regions', () => {
  it('is gone through by arrows and letters; focus previews, Enter keeps', async () => {
    const w = await trackPage('?run=bert-base-v100');
    const map = w.page.getByRole('listbox', { name: /^US states/ });
    await map.locator('[role="option"]').first().waitFor();
    await map.locator('[tabindex="0"]').focus();
    await w.page.keyboard.type('orego');
    await expect.poll(() => w.page.evaluate(() => document.activeElement?.getAttribute('data-code'))).toBe('US-OR');
    await w.page.keyboard.press('ArrowUp');
    await expect.poll(() => w.page.evaluate(() => document.activeElement?.getAttribute('data-code'))).toBe('US-WA');
    expect(w.page.url()).not.toContain('region=');  // A preview is not in the address.
    await w.page.keyboard.press('Enter');
    await expect.poll(() => w.page.url()).toContain('region=US-WA');
    await w.page.getByRole('button', { name: 'List', exact: true }).click();
    await w.page.getByLabel('Find a region').fill('vermont');
    await w.page.getByRole('region', { name: 'Regions' }).getByRole('button', { name: 'Vermont' }).click();
    await expect.poll(() => w.page.url()).toContain('region=US-VT');
    await done(w);
  });

  it('takes a first tap as a preview and a second as a choice', async () => {
    const w = await open('/track?run=bert-base-v100&map=canada', { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    const quebec = w.page.locator('[data-code="CA-QC"]');
    await quebec.waitFor();
    await quebec.tap();
    await w.page.locator('span.label.alt').waitFor();
    expect(w.page.url()).not.toContain('region=');
    await quebec.tap();
    await expect.poll(() => w.page.url()).toContain('region=CA-QC');
    await done(w);
  });
});
