// timings.mjs [ADDRESS]: how quick the pages are, in a real Chromium, against the server at ADDRESS. Prints a table with the
// limit of each line; the numbers depend on the machine, which is why no test has them.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const need = createRequire(join(root, 'web', 'package.json'));
const { chromium } = need('playwright-core');
const address = process.argv[2] ?? 'http://127.0.0.1:8080';
const rows = [];
const note = (what, value, unit, limit) => rows.push({ what, value: `${value.toFixed(unit === 'kB' || unit === 'ms' ? 0 : 1)} ${unit}`, limit });

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
const page = await context.newPage();
let script = 0;
page.on('response', async (response) => {
  if (!response.url().endsWith('.js')) return;
  const sizes = await response.request().sizes().catch(() => undefined);
  script += sizes?.responseBodySize ?? 0;
});
const started = performance.now();
await page.goto(address);
await page.locator('[role="treeitem"]').first().waitFor();
note('first view: tree on the page', performance.now() - started, 'ms', '<= 1000 ms');
note('script, compressed', script / 1000, 'kB', '<= 350 kB');

const measure = async (what, limit, fn) => note(what, await page.evaluate(fn), 'ms', limit);
await measure('hover read-out', '<= 16 ms', async () => {
  const node = document.querySelector('[data-key="encoder.layer.0.attention.self.key"]');
  const times = [];
  for (let i = 0; i < 20; i += 1) {
    const from = performance.now();
    node.dispatchEvent(new PointerEvent('pointerenter'));
    await Promise.resolve();
    while (document.querySelector('[role="tooltip"]') === null) await new Promise((r) => setTimeout(r));
    times.push(performance.now() - from);
    node.dispatchEvent(new PointerEvent('pointerleave'));
    await new Promise((r) => requestAnimationFrame(r));
  }
  return times.sort((a, b) => a - b)[10];
});
await measure('a change of batch shows new numbers', '<= 100 ms', async () => {
  const figure = () => document.querySelector('.figure dd').textContent;
  const before = figure();
  const from = performance.now();
  document.querySelector('[aria-label="Double batch"]').click();
  while (figure() === before) await new Promise((r) => setTimeout(r, 1));
  return performance.now() - from;
});
await page.goto(`${address}/?model=gpt2&set=n_layer%3D330&fold=no&open=none`);
await page.locator('[role="treeitem"]').first().waitFor();
const [spent, nodes] = await page.evaluate(async () => {
  const from = performance.now();
  [...document.querySelectorAll('button')].find((b) => b.textContent === 'Expand all').click();
  while (document.querySelector('canvas') === null) await new Promise((r) => setTimeout(r));
  await new Promise((r) => requestAnimationFrame(() => setTimeout(r)));
  return [performance.now() - from, document.querySelectorAll('canvas').length];
});
if (nodes !== 1) throw new Error('the tree is not on a canvas');
note('a tree of 10,000 nodes expands', spent, 'ms', '<= 300 ms');
const rate = await page.evaluate(async () => {
  const tree = document.querySelector('[role="tree"]');
  const at = (x, y, type) => tree.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, button: 0, bubbles: true, pointerId: 1 }));
  tree.setPointerCapture = () => undefined;
  at(300, 500, 'pointerdown');
  const from = performance.now();
  for (let i = 0; i < 60; i += 1) {
    at(300 - i, 500 - 8 * i, 'pointermove');
    await new Promise((r) => requestAnimationFrame(r));
  }
  const seconds = (performance.now() - from) / 1000;
  at(240, 20, 'pointerup');
  return 60 / seconds;
});
note('panning it', rate, 'frames/s', '>= 50 frames/s');
// A run of 100,000 epochs on the Track page, which is imported for this and removed again.
const epoch = { duration_s: 10, energy: [{ component: 'gpu', kind: 'gpu', energy_j: 3000, basis: { kind: 'measured', by: 'NVML', boundary: 'gpu' } }] };
const profile = { format: 'wattree-profile', version: 1, name: 'bench of epochs', region: 'US-GA', hardware: [{ kind: 'gpu', name: 'Tesla V100 SXM2 32GB', count: 1 }], epochs: Array.from({ length: 100_000 }, (_, i) => ({ ...epoch, energy: [{ ...epoch.energy[0], energy_j: 3000 + 200 * Math.sin(i / 50) }] })) };
const imported = await (await fetch(`${address}/api/v1/profiles`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(profile) })).json();
const { id } = imported.profiles[0];
const opened = performance.now();
await page.goto(`${address}/track?run=${id}`);
const chart = page.getByRole('slider', { name: 'Epoch to read' });
await chart.waitFor();
note('a run of 100,000 epochs is on the page', performance.now() - opened, 'ms', '');
const frames = await chart.evaluate(async (element) => {
  const box = element.getBoundingClientRect();
  const from = performance.now();
  for (let i = 0; i < 120; i += 1) {
    element.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + 60 + ((box.width - 120) * i) / 120, clientY: box.top + box.height / 2, bubbles: true }));
    await new Promise((r) => requestAnimationFrame(r));
  }
  return 120 / ((performance.now() - from) / 1000);
});
note('reading its chart', frames, 'frames/s', '>= 50 frames/s');
await fetch(`${address}/api/v1/profiles/${id}`, { method: 'DELETE' });
await browser.close();
for (const row of rows) process.stdout.write(`${row.what.padEnd(40)}${row.value.padStart(16)}   ${row.limit}\n`);
