// timings.mjs [ADDRESS] [ROUNDS]: how quick the pages are, in a real Chromium, against the server at ADDRESS. Prints the median of
// some rounds, each in a new profile, beside the limit, first with Chromium's own choice of renderer and then with
// --disable-gpu. The numbers depend on the machine and on what else it does, which is why no test has them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const need = createRequire(join(root, 'web', 'package.json'));
const { chromium } = need('playwright-core');
const address = process.argv[2] ?? 'http://127.0.0.1:8080';
const rounds = Number(process.argv[3] ?? 5);
const LARGE = '/?model=gpt2&set=n_layer%3D435&fold=no';  // 10,014 nodes.

const LIMITS = [
  ['first view: tree on the page', 'ms', '<= 1000 ms'], ['script of all pages, compressed', 'kB', '<= 350 kB'], ['hover read-out', 'ms', '<= 16 ms'],
  ['a change of batch shows new numbers', 'ms', '<= 100 ms'], ['a tree of 10,000 nodes expands', 'ms', '<= 300 ms'], ['hover read-out there', 'ms', '<= 16 ms'],
  ['panning it', 'frames/s', '>= 50 frames/s'], ['panning it, all in view', 'frames/s', '>= 50 frames/s'], ['panning 500 elements', 'frames/s', '>= 50 frames/s'],
  ['a run of 100,000 epochs is on the page', 'ms', ''], ['reading its chart', 'frames/s', '>= 50 frames/s'],
];

/** Frames in a second while the pointer drags by `step` pixels a frame; a frame counts once it has been drawn. */
async function framesPerSecond(page, step) {
  const box = await page.locator('[role="tree"]').boundingBox();
  return page.evaluate(async ({ x, y, step }) => {
    const tree = document.querySelector('[role="tree"]');
    const send = (type, i) => tree.dispatchEvent(new PointerEvent(type, { clientX: x - i, clientY: y + step * i, button: 0, bubbles: true, pointerId: 1 }));
    tree.setPointerCapture = () => undefined;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    send('pointerdown', 0);
    await frame();
    const from = performance.now();
    for (let i = 1; i <= 90; i += 1) {
      send('pointermove', i);
      await frame();
    }
    const seconds = (performance.now() - from) / 1000;
    send('pointerup', 90);
    return 90 / seconds;
  }, { x: box.x + box.width / 2, y: box.y + box.height / 2, step });
}

/** A run of 100,000 epochs on the Track page, which is imported for this and removed again. */
async function longRun(page) {
  const energyOf = (i) => [{ component: 'gpu', kind: 'gpu', energy_j: 3000 + 200 * Math.sin(i / 50), basis: { kind: 'measured', by: 'NVML', boundary: 'gpu' } }];
  const profile = { format: 'wattree-profile', version: 1, name: 'bench of epochs', region: 'US-GA', hardware: [{ kind: 'gpu', name: 'Tesla V100 SXM2 32GB', count: 1 }], epochs: Array.from({ length: 100_000 }, (_, i) => ({ duration_s: 10, energy: energyOf(i) })) };
  const imported = await (await fetch(`${address}/api/v1/profiles`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(profile) })).json();
  const { id } = imported.profiles[0];
  const opened = performance.now();
  await page.goto(`${address}/track?run=${id}`);
  const chart = page.getByRole('slider', { name: 'Epoch to read' });
  await chart.waitFor();
  const shown = performance.now() - opened;
  const frames = await chart.evaluate(async (element) => {
    const box = element.getBoundingClientRect();
    const from = performance.now();
    for (let i = 0; i < 120; i += 1) {
      element.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + 60 + ((box.width - 120) * i) / 120, clientY: box.top + box.height / 2, bubbles: true }));
      await new Promise((r) => requestAnimationFrame(r));
    }
    return 120 / ((performance.now() - from) / 1000);
  });
  await fetch(`${address}/api/v1/profiles/${id}`, { method: 'DELETE' });
  return [shown, frames];
}

async function round(browser) {
  const out = [];
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const sizes = [];
  page.on('response', (response) => { if (response.url().endsWith('.js')) sizes.push(response.request().sizes().then((s) => s.responseBodySize, () => 0)); });
  const started = performance.now();
  await page.goto(address);
  await page.locator('[role="treeitem"]').first().waitFor();
  out.push(performance.now() - started);
  await page.waitForTimeout(3500);  // The scripts of the other pages come two seconds later.
  out.push((await Promise.all(sizes)).reduce((a, b) => a + b, 0) / 1000);

  out.push(await page.evaluate(async () => {
    const nodes = [...document.querySelectorAll('[role="treeitem"]')];
    const times = [];
    for (const node of nodes.slice(0, 15)) {
      const from = performance.now();
      node.dispatchEvent(new PointerEvent('pointerenter'));
      while (document.querySelector('[role="tooltip"]') === null) await Promise.resolve();
      document.querySelector('[role="tooltip"]').getBoundingClientRect();
      times.push(performance.now() - from);
      node.dispatchEvent(new PointerEvent('pointerleave'));
      await new Promise((r) => requestAnimationFrame(r));
    }
    return times.sort((a, b) => a - b)[times.length >> 1];
  }));
  // Every round asks for sizes that the server has not answered yet.
  await page.getByLabel('Sequence', { exact: true }).fill(String(100 + Math.floor(Math.random() * 300)));
  await page.waitForTimeout(1000);
  out.push(await page.evaluate(async () => {
    const figure = () => document.querySelector('.figure dd').textContent;
    const times = [];
    for (let i = 0; i < 3; i += 1) {
      const before = figure();
      const from = performance.now();
      document.querySelector('[aria-label="Double batch"]').click();
      while (figure() === before) await new Promise((r) => setTimeout(r));
      times.push(performance.now() - from);
      await new Promise((r) => setTimeout(r, 700));
    }
    return times.sort((a, b) => a - b)[1];
  }));

  await page.goto(`${address}${LARGE}&open=none`);
  await page.locator('[role="treeitem"]').first().waitFor();
  await page.waitForTimeout(1500);
  out.push(await page.evaluate(async () => {
    const from = performance.now();
    [...document.querySelectorAll('button')].find((b) => b.textContent === 'Expand all').click();
    while (document.querySelector('canvas') === null) await new Promise((r) => setTimeout(r));
    await new Promise((r) => requestAnimationFrame(() => setTimeout(r)));
    return performance.now() - from;
  }));
  await page.waitForTimeout(500);
  out.push(await page.evaluate(async () => {
    const canvas = document.querySelector('canvas');
    const box = canvas.parentElement.getBoundingClientRect();
    const times = [];
    for (let i = 0; i < 60 && times.length < 15; i += 1) {
      const from = performance.now();
      canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + box.width * 0.6, clientY: box.top + 40 + i * 9, bubbles: true }));
      await Promise.resolve();
      if (document.querySelector('[role="tooltip"]')?.getBoundingClientRect() !== undefined) times.push(performance.now() - from);
      canvas.dispatchEvent(new PointerEvent('pointerleave'));
      await new Promise((r) => requestAnimationFrame(r));
    }
    return times.sort((a, b) => a - b)[times.length >> 1] ?? NaN;
  }));
  out.push(await framesPerSecond(page, 8));
  for (let i = 0; i < 18; i += 1) await page.getByRole('button', { name: 'Zoom out' }).click();
  await page.waitForTimeout(500);
  out.push(await framesPerSecond(page, 4));
  await page.goto(`${address}/?model=gpt2-large&fold=no&open=${Array.from({ length: 18 }, (_, i) => `h.${i}`).join('~')}~.`);
  await page.locator('[role="treeitem"]').first().waitFor();
  await page.waitForTimeout(1500);
  out.push(await framesPerSecond(page, -4));
  out.push(...await longRun(page));
  await context.close();
  return out;
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const model = /model name\s*: (.*)/.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? 'unknown';
process.stdout.write(`${cpus().length} cores of ${model}, load ${loadavg()[0].toFixed(1)}, medians of ${rounds} rounds (lowest to highest)\n`);
for (const args of [[], ['--disable-gpu']]) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', ...args] });
  process.stdout.write(`Chromium ${browser.version()}${args.length > 0 ? ` ${args.join(' ')}` : ''}\n`);
  const all = [];
  for (let i = 0; i < rounds; i += 1) all.push(await round(browser));
  await browser.close();
  LIMITS.forEach(([what, unit, limit], i) => {
    const values = all.map((each) => each[i]);
    const text = (x) => x.toFixed(unit === 'ms' && x < 20 ? 1 : 0);
    process.stdout.write(`  ${what.padEnd(38)}${text(median(values)).padStart(6)} ${unit.padEnd(9)} ${limit.padEnd(15)} (${text(Math.min(...values))} to ${text(Math.max(...values))})\n`);
  });
}
process.stdout.write(`load afterwards ${loadavg()[0].toFixed(1)}\n`);
