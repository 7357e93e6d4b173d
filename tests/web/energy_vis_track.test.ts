// The Track page, requirement by requirement of EnergyVis: each test is named by the id that docs/ui.md lists.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, Between, done, setUp, violations, type Watched, Wattree } from './harness';

const { server, open } = setUp();
const SAMPLE = join(import.meta.dirname ?? '.', '..', 'data', 'profiles', 'energyvis_sample.json');
const GEORGIA = '0.6484905lb/kWh';  // EnergyVis's own figures, as energyvis-format.md has them.
const WYOMING = '1.516599lb/kWh';

async function keep(name: string, profile: unknown): Promise<void> {
  const file = join(server.folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(profile));
  await server.run('profiles', 'import', file);
}
beforeAll(async () => {
  await server.run('profiles', 'import', SAMPLE);
  const epochs = [10, 10.1, 9.9, 10, 10.05, 16, 9.95, 10];
  await keep('uneven', {
    format: 'wattree-profile', version: 1, name: 'Uneven', region: 'US-GA', pue: { value: 1.5, basis: { kind: 'assumed', by: 'typed in' } }, planned_epochs: 12, hardware: [{ kind: 'gpu', name: 'NVIDIA T4', count: 2 }],
    epochs: epochs.map((w) => ({ duration_s: 60, energy: [{ component: 'gpu0', kind: 'gpu', energy_j: w * 3600, idle_j: 3600, basis: { kind: 'measured', by: 'NVML', boundary: 'gpu' } }, { component: 'cpu', kind: 'cpu', energy_j: 3600, basis: { kind: 'assumed', by: 'declared', boundary: 'host' } }] })),
    outside_epochs: { duration_s: 30, energy: [{ component: 'gpu0', kind: 'gpu', energy_j: 7200, basis: { kind: 'measured', by: 'NVML', boundary: 'gpu' } }] },
  });
}, 60_000);

/** Opens the page, and waits until the chart is there. */
async function track(query: string, options: Parameters<typeof open>[1] = {}): Promise<Watched> {
  const w = await open(`/track?${query}`, options);
  await chart(w.page).waitFor();
  return w;
}
const chart = (page: Page): Locator => page.getByRole('slider', { name: /^(Epoch|Moment) to read$/ });
const headline = (page: Page): Promise<string> => page.getByRole('heading', { level: 1 }).innerText();
const profile = (page: Page, name: string | RegExp): Locator => page.getByRole('group', { name: 'Profiles' }).getByRole('button', { name });
const equations = (page: Page): Locator => page.getByRole('region', { name: 'Equations' });
const hardware = (page: Page): Locator => page.getByRole('region', { name: 'Hardware' });
const chips = (page: Page): Locator => page.getByRole('group', { name: 'The alternative' });
const number = (text: string): number => Number(/\d[\d\u202f]*(?:\.\d+)?/.exec(text)?.[0].replaceAll('\u202f', '') ?? NaN);
/** The chart as a table: epoch by epoch, the baseline and the alternative. */
async function table(page: Page): Promise<number[][]> {
  if (await page.getByRole('region', { name: 'Points of the chart' }).count() === 0) await page.keyboard.press('t');
  const rows = await page.getByRole('region', { name: 'Points of the chart' }).locator('tbody tr').all();
  return Promise.all(rows.map(async (row) => (await row.locator('td').allInnerTexts()).map(number)));
}
const asked = (query: string): Promise<Answer> => server.get(`whatif?${query}`);
async function eventually(check: () => Promise<void>, ms = 15_000): Promise<void> {
  const end = Date.now() + ms;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

describe('profiles', () => {
  it('EV-02: exactly one profile is primary, and every view follows it', async () => {
    const w = await track('run=bert-base-v100');
    expect(await profile(w.page, /BERT/).getAttribute('aria-pressed')).toBe('true');
    await profile(w.page, /Transformer/).click();
    await eventually(async () => expect(await w.page.title()).toContain('Transformer'));
    expect(await w.page.getByRole('group', { name: 'Profiles' }).locator('[aria-pressed="true"]').count()).toBe(1);
    const a = await asked('profile=transformer-big-p100');
    expect(await headline(w.page)).toContain((a.baseline.curve.points[0].carbon_gco2e / 1000).toPrecision(3));
    expect(await hardware(w.page).innerText()).toContain('P100');
    expect(await equations(w.page).innerText()).toContain('1.51');
    await done(w);
  });

  it('EV-04: a right-click takes a profile as the alternative, dashed and orange', async () => {
    const w = await track('run=bert-base-v100');
    await profile(w.page, /Transformer/).click({ button: 'right' });
    await w.page.getByRole('menuitem', { name: 'Compare as the alternative' }).click();
    await w.page.locator('svg g.alt path.line').waitFor();
    const style = await profile(w.page, /Transformer/).evaluate((e) => ({ style: getComputedStyle(e).borderTopStyle, colour: getComputedStyle(e).borderTopColor }));
    expect(style).toEqual({ style: 'dashed', colour: 'rgb(217, 102, 15)' });
    expect(await w.page.locator('svg g.alt path.line').evaluate((e) => getComputedStyle(e).strokeDasharray)).not.toBe('none');
    // As it was recorded: 1515 W for 84 h with a PUE of 1.58, at 383.55 g/kWh.
    expect(await headline(w.page)).toContain((1515 * 84 * 1.58 * 383.55 / 1e6).toFixed(1));
    expect(w.page.url()).toContain('alt=transformer-big-p100');
    await done(w);
  });

  it('EV-30: somebody’s work by hardware, hours and region is overlaid without a file', async () => {
    await server.run('profiles', 'estimate', 'Their model', '--hardware', '8xT4', '--hours', '10', '--region', 'US-WY');
    const w = await track('run=sample-profile&alt=their-model&q=kwh&with=devices');
    // 8 cards of 70 W for 10 hours.
    expect(await headline(w.page)).toContain('5.60\u202fkWh');
    expect(await w.page.locator('svg .label.alt').innerHTML()).toContain('Their model');
    await done(w);
  });
});

describe('the map', () => {
  it('EV-09: regions are shaded, lighter is lower, and the run’s is marked', async () => {
    const w = await track('run=sample-profile');
    const map = w.page.getByRole('region', { name: 'Region', exact: true });
    const fill = (name: string): Promise<number> => map.locator('svg').getByRole('button', { name: new RegExp(`^${name}`) }).or(map.locator(`[aria-label^="${name}"]`)).first().evaluate((e) => {
      const shape = e.matches('path, rect, circle') ? e : (e.querySelector('path, rect, circle') ?? e);
      return Number(/\d+/.exec(getComputedStyle(shape).fill)?.[0] ?? NaN);
    });
    await map.getByText('Georgia').first().waitFor();
    expect(await fill('Vermont')).toBeGreaterThan(await fill('Georgia'));
    expect(await fill('Georgia')).toBeGreaterThan(await fill('Wyoming'));
    expect(await map.innerText()).toContain('the run');
    await done(w);
  });

  it('EV-10: pointing at a region previews it everywhere, and leaving ends it', async () => {
    const w = await track('run=sample-profile');
    await w.page.getByRole('button', { name: 'List', exact: true }).click();
    await w.page.getByRole('searchbox', { name: 'Find a region' }).fill('Wyoming');
    const before = await headline(w.page);
    await w.page.getByRole('region', { name: 'Regions' }).getByRole('row', { name: /Wyoming/ }).hover();
    await w.page.locator('svg g.alt path.line').waitFor();
    const a = await asked('profile=sample-profile&region=US-WY');
    expect(await headline(w.page)).toContain(a.alternative.curve.points[5].carbon_gco2e.toFixed(0));
    expect(await equations(w.page).innerText()).toContain(a.alternative.setting.gco2e_per_kwh.toFixed(0));
    expect(await chips(w.page).innerText()).toContain('Wyoming');
    expect(w.page.url()).not.toContain('region=');
    await w.page.mouse.move(5, 5);
    await eventually(async () => expect(await headline(w.page)).toBe(before));
    await done(w);
  });

  it('EV-11: a click keeps a region, a second profile keeps it too, and Reset removes it alone', async () => {
    const w = await track('run=sample-profile&q=kwh');
    await w.page.getByRole('button', { name: 'List', exact: true }).click();
    await w.page.getByRole('region', { name: 'Regions' }).getByRole('button', { name: /Washington/ }).click();
    await w.page.mouse.move(5, 5);
    await eventually(async () => expect(w.page.url()).toContain('region=US-WA'));
    await profile(w.page, /Transformer/).click();
    await eventually(async () => expect(await chips(w.page).innerText()).toContain('Washington'));
    await w.page.getByRole('button', { name: 'Reset', exact: true }).click();
    await eventually(async () => expect(w.page.url()).not.toContain('region='));
    expect(await profile(w.page, /Transformer/).getAttribute('aria-pressed')).toBe('true');
    expect(w.page.url()).toContain('q=kwh');
    await done(w);
  });

  it('EV-12: a region changes the intensity, and no energy', async () => {
    const w = await track('run=sample-profile&region=US-WY&unit=g');
    const rows = await table(w.page);
    const [base = NaN, other = NaN] = rows[6] ?? [];
    expect(other / base).toBeCloseTo((await asked('profile=sample-profile&region=US-WY')).alternative.setting.gco2e_per_kwh / 325.43, 4);
    await w.page.goto(w.page.url().replace('unit=g', 'q=kwh'));
    await chart(w.page).waitFor();
    const kwh = await table(w.page);
    expect(kwh[6]?.[0]).toBeCloseTo(kwh[6]?.[1] ?? NaN, 6);
    await done(w);
  });
});

describe('hardware', () => {
  it('EV-13: counts go up and down; same work and same hours differ', async () => {
    const w = await track('run=sample-profile&q=kwh&with=devices');
    await hardware(w.page).getByRole('button', { name: 'One less GeForce GTX 1080 Ti' }).click();
    await eventually(async () => expect(new URL(w.page.url()).searchParams.get('hardware')).toBe('3xGeForce GTX 1080 Ti'));
    // The same work takes the same energy on three cards, in 4/3 of the time.
    await eventually(async () => expect(await hardware(w.page).innerText()).toMatch(/1\.00 of the energy.*1\.33 of the time/s));
    await hardware(w.page).getByText('same hours').click();
    // In the same hours three cards of four take three quarters of 0.3 kWh; the CPU keeps its 0.3 kWh.
    await eventually(async () => expect((await table(w.page))[6]?.[1]).toBeCloseTo(300 + 225, 2));
    await hardware(w.page).getByRole('button', { name: 'One less GeForce GTX 1080 Ti' }).click();
    await hardware(w.page).getByRole('button', { name: 'One less GeForce GTX 1080 Ti' }).click();
    await eventually(async () => expect(await hardware(w.page).getByRole('button', { name: 'One less GeForce GTX 1080 Ti' }).isDisabled()).toBe(true));
    expect(await w.page.locator('main').innerText()).not.toContain('NaN');
    await done(w);
  });

  it('EV-14: hardware is found in the catalogue, replaces or is added, by pointer and by keys', async () => {
    const w = await track('run=sample-profile');
    const search = hardware(w.page).getByRole('combobox');
    await search.fill('a100 pcie 80');
    await hardware(w.page).getByRole('option', { name: /A100 PCIe 80GB/ }).click();
    await eventually(async () => expect(new URL(w.page.url()).searchParams.get('hardware')).toBe('4xA100 PCIe 80GB'));
    await search.fill('t4');
    await hardware(w.page).getByRole('option', { name: /^T4/ }).waitFor();
    await search.press('Shift+Enter');
    await eventually(async () => expect(new URL(w.page.url()).searchParams.get('hardware')).toBe('4xA100 PCIe 80GB,1xT4'));
    await search.fill('nothing like it');
    await hardware(w.page).getByText(/own entry needs/).waitFor();
    await hardware(w.page).getByRole('button', { name: 'without T4' }).click();
    await eventually(async () => expect(w.page.url()).not.toContain('T4'));
    await done(w);
  });

  it('EV-14: a device of one’s own needs a name, a power and a speed, and is marked as assumed', async () => {
    const w = await track('run=sample-profile&q=kwh&with=devices');
    await hardware(w.page).getByRole('button', { name: 'Own entry' }).click();
    const form = w.page.getByRole('form', { name: 'A device of your own' });
    await form.getByRole('button', { name: 'Use it' }).click();
    expect(await form.getByRole('alert').innerText()).toContain('above zero');
    await form.getByLabel('Name').fill('Half <b>card</b>');
    await form.getByLabel('Power').fill('125');
    await form.getByLabel('Speed').fill('11.34');
    await form.getByRole('button', { name: 'Use it' }).click();
    // Half the power of a 1080 Ti (250 W, 11.34 TFLOPS) at the same speed: half of the GPUs’ 0.3 kWh.
    await eventually(async () => expect((await table(w.page))[6]?.[1]).toBeCloseTo(300 + 150, 1));
    expect(await chips(w.page).innerText()).toContain('4 × Half <b>card</b>');
    await done(w);
  });

  it('EV-15: the alternative’s energy is r times the original, and r is written out', async () => {
    const w = await track('run=sample-profile&hardware=4xT4&formula=energyvis&q=kwh&with=devices');
    // (70 W ÷ 8.1 TFLOPS) ÷ (250 W ÷ 11.34 TFLOPS) of our catalogue.
    const r = (70 / 8.1) / (250 / 11.34);
    await eventually(async () => expect(await hardware(w.page).innerText()).toContain(r.toPrecision(3)));
    expect(await hardware(w.page).innerText()).toContain('(70.0 ÷ 8.10) ÷ (250 ÷ 11.3)');
    expect((await table(w.page))[6]?.[1]).toBeCloseTo(300 + 300 * r, 1);
    // By the precision that the run computes in there is an interval instead.
    await hardware(w.page).getByText('by precision').click();
    await eventually(async () => expect(await hardware(w.page).innerText()).toMatch(/of the energy \(0\.\d+ to 0\.\d+\)/));
    expect(await hardware(w.page).innerText()).toContain('fp32 peaks and memory bandwidth');
    expect(new URL(w.page.url()).searchParams.get('formula')).toBe(null);
    await done(w);
  });
});

describe('the chart', () => {
  it('EV-16: every epoch is a point, and the alternative lies over it', async () => {
    const w = await track('run=sample-profile&region=US-WY');
    expect(await w.page.locator('svg g.base circle.point').count()).toBe(6);
    await w.page.locator('svg g.alt path.line').waitFor();
    await chart(w.page).hover({ position: { x: 300, y: 150 } });
    expect(await w.page.locator('.card').innerText()).toMatch(/Epoch \d[\s\S]*Sample Profile[\s\S]*g[\s\S]*Alternative[\s\S]*g/);
    await w.page.getByText('each epoch', { exact: true }).click();
    const rows = await table(w.page);
    expect(rows.length).toBe(6);
    for (const row of rows) expect(row[0]).toBeCloseTo(rows[0]?.[0] ?? NaN, 6);
    await done(w);
  });

  it('EV-17: emissions or electricity, in g, kg, lb, Wh, kWh and MJ', async () => {
    const w = await track('run=sample-profile');
    const end = (): Promise<string> => w.page.locator('svg .label.base .big').innerHTML();
    expect(await end()).toBe(`${(0.6 * 1.59 * 325.43).toFixed(0)}\u202fg`);
    await w.page.getByLabel('Unit').selectOption('lb');
    await eventually(async () => expect(await end()).toBe(`${(0.6 * 1.59 * 325.43 / 453.59237).toPrecision(3)}\u202flb`));
    await w.page.getByText('Electricity', { exact: true }).click();
    await eventually(async () => expect(await end()).toBe('954\u202fWh'));
    await w.page.getByLabel('Unit').selectOption('MJ');
    await eventually(async () => expect(await end()).toBe(`${(0.954 * 3.6).toPrecision(3)}\u202fMJ`));
    await w.page.getByLabel('Boundary').selectOption('devices');
    await eventually(async () => expect(await end()).toBe('2.16\u202fMJ'));
    await done(w);
  });

  it('EV-18: a stepper at the axis extrapolates by buttons, keys and typing', async () => {
    const w = await track('run=sample-profile');
    const field = w.page.getByRole('spinbutton', { name: 'extrapolate to epoch' });
    await w.page.getByRole('button', { name: 'One epoch more' }).click();
    await eventually(async () => expect(w.page.url()).toContain('epochs=7'));
    await field.press('ArrowUp');
    await field.press('PageUp');
    await eventually(async () => expect(w.page.url()).toContain('epochs=18'));
    await field.fill('1e9');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(w.page.url()).toContain('epochs=18');
    await field.fill('6');
    await eventually(async () => expect(w.page.url()).not.toContain('epochs='));
    await done(w);
  });

  it('EV-19: golden values of EnergyVis: the fit of the cumulative line, anchored at the last point', async () => {
    const w = await track(`run=sample-profile&base.intensity=${GEORGIA}&intensity=${WYOMING}&unit=lb&epochs=16`);
    const rows = await table(w.page);
    expect(rows.length).toBe(17);
    expect(rows[1]?.[0]).toBeCloseTo(0.10311, 5);
    expect(rows[6]?.[0]).toBeCloseTo(0.61866, 5);
    expect(rows[6]?.[1]).toBeCloseTo(1.446835, 4);
    expect(rows[16]?.[0]).toBeCloseTo(1.64976, 4);
    for (let i = 7; i <= 16; i += 1) expect((rows[i]?.[0] ?? NaN) - (rows[i - 1]?.[0] ?? NaN)).toBeCloseTo(0.10311, 4);
    await done(w);
  });

  it('EV-42: an epoch that took too much is flagged with its reason, and energy outside epochs is told', async () => {
    const w = await track('run=uneven');
    const drawn = await w.page.locator('svg g.flag').allInnerTexts();
    expect(drawn.length).toBe(1);
    const found = (await asked('profile=uneven')).baseline.flags[0];
    expect(found.epoch).toBe(6);
    expect(await w.page.locator('svg g.flag').innerHTML()).toContain(`${(found.device_energy_j / found.median_j * 100 - 100).toFixed(0)}\u202f%`);
    expect(await w.page.locator('svg g.bar.flagged').count()).toBe(1);
    await w.page.getByText('Electricity', { exact: true }).click();
    await w.page.getByText('3.00\u202fWh of it before, between and after the epochs').waitFor();
    expect(await w.page.getByRole('region', { name: 'Consumption' }).innerText()).toContain('with the building (PUE), gross, idle power included');
    // Planned epochs are extrapolated by themselves.
    expect(await headline(w.page)).toContain('12 epochs would come to');
    await done(w);
  });

  it('looks at some epochs: the ends of the strip are dragged or moved by keys', async () => {
    const w = await track('run=uneven');
    await w.page.getByRole('slider', { name: 'First epoch shown' }).press('ArrowRight');
    await w.page.getByRole('slider', { name: 'First epoch shown' }).press('ArrowRight');
    await w.page.getByRole('slider', { name: 'Last epoch shown' }).press('PageDown');
    await eventually(async () => expect(w.page.url()).toMatch(/from=2&to=11/));
    const handle = w.page.getByRole('slider', { name: 'Last epoch shown' });
    const box = await handle.boundingBox();
    await w.page.mouse.move((box?.x ?? 0) + 12, (box?.y ?? 0) + 20);
    await w.page.mouse.down();
    await w.page.mouse.move((box?.x ?? 0) - 150, (box?.y ?? 0) + 20, { steps: 5 });
    await w.page.mouse.up();
    await eventually(async () => expect(Number(new URL(w.page.url()).searchParams.get('to'))).toBeLessThan(11));
    await w.page.getByRole('button', { name: 'show all' }).click();
    await eventually(async () => expect(w.page.url()).not.toMatch(/from=|to=/));
    await done(w);
  });
});

describe('equations', () => {
  it('EV-20: three equations, variables and words in matching colours, set by KaTeX within the policy', async () => {
    const w = await track('run=uneven');
    await w.page.locator('.katex').first().waitFor();
    expect(await equations(w.page).locator('details').count()).toBe(3);
    const colours = await equations(w.page).locator('.term').evaluateAll((all) => all.map((e) => [e.className.replace(/^.*term /, '').split(' ')[0] ?? '', getComputedStyle(e).color]));
    const known = new Map<string, string>();
    for (const [tone = '', colour = ''] of colours) {
      expect(known.get(tone) ?? colour, tone).toBe(colour);
      known.set(tone, colour);
    }
    expect(new Set(known.values()).size).toBe(known.size);
    const word = await equations(w.page).locator('.why .gpu').first().evaluate((e) => getComputedStyle(e).color);
    expect(word).toBe(known.get('gpu'));
    await done(w);
  });

  it('EV-21: each equation opens and closes', async () => {
    const w = await track('run=uneven');
    for (const details of await equations(w.page).locator('details').all()) {
      const was = await details.evaluate((e) => (e as HTMLDetailsElement).open);
      await details.locator('summary').click();
      expect(await details.evaluate((e) => (e as HTMLDetailsElement).open)).toBe(!was);
      await details.locator('summary').press('Enter');
      expect(await details.evaluate((e) => (e as HTMLDetailsElement).open)).toBe(was);
    }
    await done(w);
  });

  it('EV-22: PUE is edited in place by typing and steps; below 1 it is refused; every view follows', async () => {
    const w = await track('run=sample-profile');
    const pue = equations(w.page).getByRole('spinbutton', { name: 'PUE of the alternative' });
    await pue.fill('0.9');
    expect(await pue.getAttribute('aria-invalid')).toBe('true');
    expect(await equations(w.page).getByRole('alert').innerText()).toContain('at least 1');
    expect(w.page.url()).not.toContain('pue=');
    await pue.fill('1.2');
    await eventually(async () => expect(await headline(w.page)).toContain(`${(0.6 * 1.2 * 325.43).toFixed(0)}\u202fg`));
    expect(await chips(w.page).innerText()).toContain('PUE 1.2');
    await equations(w.page).getByRole('button', { name: 'Less PUE of the alternative' }).click();
    await eventually(async () => expect(w.page.url()).toContain('pue=1.19'));
    await eventually(async () => expect(await equations(w.page).locator('.term.pue em').innerText()).toBe('1.19'));
    await w.page.goBack();
    await eventually(async () => expect(w.page.url()).toContain('pue=1.2'));
    await done(w);
  });

  it('EV-23: a region changes the intensity in the equation, and an intensity can be typed in lb/kWh', async () => {
    const w = await track('run=sample-profile&region=US-WY');
    const wyoming = (await asked('profile=sample-profile&region=US-WY')).alternative.setting.gco2e_per_kwh;
    expect(await equations(w.page).locator('.term.int em').innerText()).toContain(wyoming.toFixed(0));
    await equations(w.page).locator('details').first().locator('summary').click();
    const field = equations(w.page).getByRole('spinbutton', { name: 'Intensity of the alternative' });
    await field.fill('0.6484905 lb/kWh');
    await eventually(async () => expect(await equations(w.page).locator('.term.int em').innerText()).toContain('294'));
    expect(w.page.url()).not.toContain('region=');
    await field.fill('lots');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await done(w);
  });

  it('EV-24: the values of an epoch satisfy all three equations', async () => {
    const w = await track('run=uneven&epoch=6');
    await w.page.getByRole('heading', { name: 'How it is worked out, for epoch 6' }).waitFor();
    const values = async (i: number): Promise<number[]> => (await equations(w.page).locator('details').nth(i).locator('.term b').allInnerTexts()).map(number);
    const [c = NaN, e = NaN, intensity = NaN] = await values(0);
    expect(c / (e / 1000 * intensity)).toBeCloseTo(1, 2);
    const [e2 = NaN, p = NaN, seconds = NaN] = await values(1);
    expect(e2 / (p * 1000 * seconds / 3600)).toBeCloseTo(1, 2);
    const [p3 = NaN, chipset = NaN, gpus = NaN, pue = NaN] = await values(2);
    // 17 Wh in a minute are 1020 W, of which the CPU has 60; with PUE 1.5 they are 1.53 kW.
    expect([p3, chipset, gpus, pue]).toEqual([1.53, 60, 960, 1.5]);
    await done(w);
  });
});

describe('the alternative', () => {
  it('shows where the difference comes from, step by step', async () => {
    const w = await track('run=bert-base-v100&alt=transformer-big-p100&region=US-WA&hardware=8xT4&pue=1.1');
    const steps = (await asked('profile=bert-base-v100&other=transformer-big-p100&region=US-WA&hardware=8xT4&pue=1.1')).steps;
    const rows = w.page.locator('.steps li');
    await eventually(async () => expect(await rows.count()).toBe(5));
    const last = await rows.last().locator('b').innerText();
    expect(number(last)).toBeCloseTo(Number((steps[3].carbon_after_gco2e / 1000).toPrecision(3)), 5);
    expect(await rows.allInnerTexts().then((t) => t.join(' '))).toMatch(/Transformer.*instead[\s\S]*in Washington[\s\S]*on 8 × T4[\s\S]*PUE 1\.1/);
    await done(w);
  });

  it('is taken apart chip by chip, pinned up to three times, and comes back by its address', async () => {
    const w = await track('run=sample-profile&region=US-WA&pue=1.2');
    await w.page.getByRole('button', { name: 'Without PUE 1.2' }).click();
    await eventually(async () => expect(w.page.url()).not.toContain('pue='));
    for (const region of ['US-VT', 'US-ID', 'US-ME']) {
      await w.page.getByRole('button', { name: 'Pin', exact: true }).click();
      const address = new URL(w.page.url());
      address.searchParams.set('region', region);
      await w.page.goto(address.href);
      await chart(w.page).waitFor();
    }
    await eventually(async () => expect(await w.page.locator('svg g.pin path.line').count()).toBe(3));
    expect(await w.page.getByRole('button', { name: 'Pin', exact: true }).count()).toBe(0);
    const other = await open(w.page.url());
    await eventually(async () => expect(await other.page.locator('svg g.pin path.line').count()).toBe(3));
    expect(await headline(other.page)).toBe(await headline(w.page));
    await other.page.getByRole('button', { name: 'Unpin Vermont' }).click();
    await eventually(async () => expect(await other.page.locator('svg g.pin path.line').count()).toBe(2));
    await done(w);
    await done(other);
  });

  it('EV-35: familiar equivalents stand beside the run in US short tons', async () => {
    const w = await track('run=bert-base-v100');
    const ruler = w.page.getByRole('region', { name: 'Beside things you know' });
    for (const text of ['0.99 tons', '5.52 tons', '18.08 tons', '63 tons']) expect(await ruler.innerHTML()).toContain(text);
    await done(w);
  });
});

describe('from a prediction', () => {
  it('EV-36: a predicted model is the alternative, by passes; training is a factor, and assumed', async () => {
    const w = await track('run=uneven&q=kwh&with=devices');
    await w.page.getByRole('region', { name: 'A predicted model as the alternative' }).getByRole('button', { name: 'Open' }).click();
    const form = w.page.getByRole('region', { name: 'A predicted model as the alternative' });
    await form.getByRole('combobox', { name: 'Model' }).click();
    await form.getByRole('combobox', { name: 'Model' }).fill('gpt2');
    await form.getByRole('option', { name: /^gpt2/ }).first().click();
    await eventually(async () => expect(await chips(w.page).innerText()).toContain('◐ gpt2, 1\u202f000 passes'));
    const passes = form.getByRole('spinbutton', { name: 'Passes' });
    await passes.fill('5000');
    const a = await asked('profile=uneven&epochs=12&other_model=gpt2&other_batch=16&other_seq=128&other_passes=5000');
    // Twelve epochs are planned, and all passes lie in them: 5000 of what one pass is predicted to take.
    const one = (await server.get('predict?model=gpt2&batch=16&seq=128&depth=0')).tree.energy_j as number;
    const end = a.alternative.curve.points.at(-1).device_energy_j as number;
    expect(end / (5000 * one)).toBeCloseTo(1, 6);
    await eventually(async () => expect(number((await headline(w.page)).split(';')[1] ?? '')).toBeCloseTo(Number((end / 3600).toPrecision(3)), 5));
    expect(await w.page.locator('svg .label.alt').innerHTML()).toContain('◐');
    expect((await w.page.locator('svg g.alt path.band').first().getAttribute('d'))?.length).toBeGreaterThan(10);
    await form.getByLabel('Training, × forward').fill('3');
    await form.getByLabel('Training, × forward').press('Enter');
    await eventually(async () => expect(await chips(w.page).innerText()).toContain('◌ gpt2, 5\u202f000 passes × 3, training'));
    await eventually(async () => expect(number((await headline(w.page)).split(';')[1] ?? '')).toBeCloseTo(Number((3 * end / 3600).toPrecision(3)), 5));
    await done(w);
  });
});

describe('stories', () => {
  it('EV-33: James picks BERT, right-clicks Transformer, switches to electricity and reads which uses less', async () => {
    const w = await track('run=transformer-big-p100');
    await profile(w.page, /BERT/).click();
    await profile(w.page, /Transformer/).click({ button: 'right' });
    await w.page.getByRole('menuitem', { name: 'Compare as the alternative' }).click();
    await w.page.getByText('Electricity', { exact: true }).click();
    // 12,042 W for 79 h against 1515 W for 84 h, both with a PUE of 1.58.
    await eventually(async () => expect(await headline(w.page)).toMatch(/1\s500\skWh.*201\skWh/));
    await done(w);
  });

  it('EV-34: Sarah loads her profile, finds a lower state, then other hardware, and the alternative falls twice', async () => {
    const w = await track('run=sample-profile');
    const total = async (): Promise<number> => number((await headline(w.page)).split(';')[1] ?? '');
    const as = number((await headline(w.page)).split(';')[0] ?? '');
    await w.page.getByRole('button', { name: 'List', exact: true }).click();
    await w.page.getByRole('region', { name: 'Regions' }).getByRole('button').first().click();
    await w.page.mouse.move(5, 5);
    await eventually(async () => expect(await total()).toBeLessThan(as));
    const moved = await total();
    await hardware(w.page).getByRole('combobox').fill('L4');
    await hardware(w.page).getByRole('option', { name: /^L4 / }).click();
    await eventually(async () => expect(await total()).toBeLessThan(moved));
    expect(await w.page.locator('.steps li').count()).toBe(3);
    await done(w);
  });

  it('EV-29: while a run is live, its recorded and projected figures grow, also under an alternative; it pauses and resumes', async () => {
    const child = server.spawn('track', '--name', 'Live one', '--assume', 'cpu=65W', '--region', 'US-GA', '--pue', '1.5', '--epochs', '30', '--epoch-regex', 'epoch ([0-9]+)', '--live', 'off', '--', 'bash', '-c', 'for i in $(seq 30); do sleep 0.5; echo epoch $i; done');
    try {
      let id = '';
      await eventually(async () => {
        const run = (await server.get('runs')).runs.find((r: Answer) => r.name === 'Live one');
        expect(run.epochs_ended).toBeGreaterThan(1);
        id = run.id as string;
      });
      const w = await track(`run=${id}&region=US-WA`);
      const points = (): Promise<number> => w.page.locator('svg g.base circle.point').count();
      expect(await headline(w.page)).toMatch(/Heading for .*; the alternative would come to/);
      const before = await points();
      await eventually(async () => expect(await points()).toBeGreaterThan(before + 1));
      await w.page.getByText(/following/).waitFor();
      await w.page.getByRole('button', { name: 'Pause' }).click();
      await w.page.locator('[data-status="paused"]').waitFor();
      expect(await w.page.locator('[data-status="paused"]').innerText()).toContain('Paused at epoch');
      await w.page.getByRole('button', { name: 'Resume' }).click();
      await eventually(async () => expect(await w.page.locator('[data-status="paused"]').count()).toBe(0));
      const paused = await points();
      await eventually(async () => expect(await points()).toBeGreaterThan(paused));
      child.kill('SIGTERM');
      await eventually(async () => expect(await headline(w.page)).not.toContain('Heading'));
      expect(await points()).toBeGreaterThanOrEqual(paused);
      await done(w);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('follows again after the server was lost, and keeps what it has meanwhile', async () => {
    const between = new Between(() => server.url);
    await between.start();
    const w = await open(`${between.url}/track?run=sample-profile`);
    await chart(w.page).waitFor();
    between.answer = (call) => { call.socket.destroy(); return true; };
    await w.page.getByRole('button', { name: 'One epoch more' }).click();
    await w.page.getByText('The server does not answer').first().waitFor();
    expect(await w.page.locator('svg g.base circle.point').count()).toBe(6);
    between.answer = undefined;
    await w.page.getByRole('button', { name: 'Try now' }).click();
    await eventually(async () => expect(await headline(w.page)).toContain('7 epochs'));
    await w.page.context().close();
    await between.stop();
  });
});

describe('profiles that are hard', () => {
  const energy = (j: number): unknown => ({ energy: [{ component: 'gpu', kind: 'gpu', energy_j: j, basis: { kind: 'measured', by: 'NVML', boundary: 'gpu' } }] });
  const HARD: Readonly<Record<string, Record<string, unknown>>> = {
    'no-region': { name: 'No region', epochs: [energy(3600), energy(3600)] },
    foreign: { name: 'Foreign', location: 'Atlantis', epochs: [energy(3600)] },
    'unknown-card': { name: 'Unknown card', region: 'US-GA', hardware: [{ kind: 'gpu', name: 'Frobnicator 9000', count: 1 }], epochs: [energy(3600)] },
    'no-energy': { name: 'No energy', region: 'US-GA', epochs: [{ duration_s: 5 }] },
    zero: { name: 'Zero', region: 'US-GA', epochs: [energy(0), energy(0)] },
    script: { name: '<script>window.hacked = 1</script><img src=x onerror="window.hacked=1">\u202e', region: 'US-GA', hardware: [{ kind: 'gpu', name: '"><svg onload=alert(1)>', count: 1 }], notes: '<b>x</b>', epochs: [energy(3600)] },
    twice: { name: 'Twice', region: 'US-GA', hardware: [{ kind: 'gpu', name: 'T4', count: 1 }, { kind: 'gpu', name: 'T4', count: 2 }], epochs: [energy(3600)] },
    huge: { name: 'Huge', region: 'US-GA', epochs: Array.from({ length: 3 }, () => energy(1e17)) },
  };

  it('say what they lack, show what they have, execute nothing, and no number is NaN', async () => {
    for (const [id, content] of Object.entries(HARD)) {
      await keep(id, { format: 'wattree-profile', version: 1, ...content });
      const known = (await server.get('profiles')).profiles.find((p: Answer) => p.name === content['name']);
      const w = await open(`/track?run=${encodeURIComponent(known.id as string)}&region=US-WA&hardware=4xT4,4xT4`);
      await w.page.getByRole('heading', { level: 1 }).waitFor();
      await w.page.waitForLoadState('networkidle');
      const text = await w.page.locator('main').innerText();
      expect(text, id).not.toMatch(/NaN|undefined|Infinity|\[object/);
      if (id === 'foreign') expect(text).toContain('“Atlantis”, which is no region with a known intensity');
      if (id === 'no-region') expect(text).toContain('no region, so that its emissions are unknown');
      if (id === 'unknown-card') expect(text).toContain('Frobnicator 9000');
      if (id === 'no-energy') expect(text).toContain('has no epoch with an energy');
      expect(await w.page.evaluate(() => (window as unknown as { hacked?: number }).hacked), id).toBeUndefined();
      await done(w);
    }
  });

  it('a missing region and PUE are given in place', async () => {
    const w = await track('run=no-region');
    await w.page.getByLabel('Region of the run').fill('US-GA');
    await w.page.getByLabel('Region of the run').press('Enter');
    await eventually(async () => expect(await headline(w.page)).toContain(`${(2 * 0.32543).toFixed(3)}\u202fg`));
    await done(w);
  });

  it('without a region, elsewhere says what it would emit there, and not that it takes as much', async () => {
    const w = await track('run=no-region&region=US-WA');
    await eventually(async () => expect(await headline(w.page)).toMatch(/^This run took 2\.00\s?Wh; in Washington that would be \d+\s?mg CO₂e$/));
    await done(w);
  });

  it('the map opens where the run is, and a profile that was imported is shown', async () => {
    const w = await track('run=sample-profile');
    const file = join(server.folder, 'paris.json');
    writeFileSync(file, JSON.stringify({ format: 'wattree-profile', version: 1, name: 'In Paris', region: 'FRA', epochs: [energy(3600), energy(3600)] }));
    await w.page.getByLabel('Profile to import').first().setInputFiles(file);
    await eventually(async () => expect(w.page.url()).toContain('run=in-paris'));
    await w.page.getByRole('listbox', { name: /^Countries .*the run is in France/ }).waitFor();
    expect(await profile(w.page, /In Paris/).getAttribute('aria-pressed')).toBe('true');
    await done(w);
  });

  it('a hundred thousand epochs, and a million with those to come, are thinned to what can be seen', async () => {
    const own = new Wattree();  // It would be the newest run of the others' server.
    await own.start();
    const count = 100_000;
    const file = join(own.folder, 'many.json');
    const list = `[${Array.from({ length: count }, (_, i) => (i === 54_320 ? '9e-5' : '1e-5')).join(',')}]`;
    writeFileSync(file, `{"name": "Many", "components": {"cpu": {}, "gpu": {"geforce-gtx-1080-ti": 1}}, "serverData": {"cpu": {"epoch": ${list}}, "gpu": {"epoch": ${list}}}, "location": "Georgia", "PUE": 1}`);
    await own.run('profiles', 'import', file);
    const w = await open(`${own.url}/track?run=many&epochs=1000000`);
    await chart(w.page).waitFor();
    for (const part of ['line', 'ahead']) {
      expect(await w.page.locator(`svg g.base path.${part}`).evaluate((e) => (e.getAttribute('d') ?? '').split('L').length), part).toBeLessThanOrEqual(2000);
    }
    // 2e-5 kWh in each epoch at 325.43 g/kWh.
    expect(number((await headline(w.page)).split('come to')[1] ?? '')).toBeCloseTo(Number((2e-5 * 1e6 * 0.32543).toPrecision(3)), 1);
    expect(await w.page.locator('svg g.flag').innerHTML()).toContain('Epoch 54321');
    await done(w);
    await own.end();
  }, 120_000);

  it('of an alternative that is refused say why, and show the run alone', async () => {
    const w = await open('/track?run=sample-profile&hardware=0xT4');
    await w.page.getByRole('alert').first().waitFor();
    await chart(w.page).waitFor();
    expect(await w.page.locator('main').innerText()).not.toContain('NaN');
    await w.page.getByRole('button', { name: 'Reset the alternative' }).click();
    await eventually(async () => expect(await w.page.getByRole('alert').count()).toBe(0));
    await done(w);
    const none = await open('/track?run=xyzzy');
    await none.page.getByText('there is no profile').first().waitFor();
    await none.page.getByRole('button', { name: 'Choose another run' }).click();
    await chart(none.page).waitFor();
    await done(none);
  });
});

describe('for everybody', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`axe finds nothing, ${colorScheme}`, async () => {
      const w = await track('run=uneven&region=US-WA&hardware=2xL4&pue=1.2&pin1=region%3DUS-VT', { colorScheme });
      await w.page.locator('.katex').first().waitFor();
      await w.page.waitForLoadState('networkidle');
      expect((await violations(w.page)).join('\n')).toBe('');
      await done(w);
    });
  }

  it('the keyboard reads the chart, moves epochs and shows the table', async () => {
    const w = await track('run=uneven');
    await chart(w.page).focus();
    await w.page.keyboard.press('Home');
    await w.page.keyboard.press('ArrowRight');
    await eventually(async () => expect(await chart(w.page).getAttribute('aria-valuetext')).toContain('Epoch 2: Uneven'));
    await w.page.keyboard.press(']');
    await w.page.getByRole('heading', { name: 'How it is worked out, for epoch 3' }).waitFor();
    await w.page.keyboard.press('t');
    expect(await w.page.getByRole('region', { name: 'Points of the chart' }).isVisible()).toBe(true);
    await done(w);
  });

  it('a phone has no sideways scrolling, and a tap reads the chart', async () => {
    const w = await track('run=uneven&region=US-WA', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    await w.page.waitForLoadState('networkidle');
    expect(await w.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await chart(w.page).tap({ position: { x: 150, y: 120 } });
    await eventually(async () => expect(w.page.url()).toContain('epoch='));
    expect((await violations(w.page)).join('\n')).toBe('');
    await done(w);
  });

  it('copies and saves what is shown', async () => {
    const w = await track('run=sample-profile&region=US-WA');
    await w.page.getByRole('button', { name: 'Copy as' }).click();
    const [file] = await Promise.all([w.page.waitForEvent('download'), w.page.getByRole('menuitem', { name: /CSV/ }).click()]);
    const text = readFileSync(await file.path(), 'utf8');
    expect(text.split('\r\n').length).toBe(1 + 6 + 6 + 1);
    expect(text).toContain('alternative,6,false');
    await done(w);
  });
});
