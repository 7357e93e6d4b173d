// main_thread.mjs [ADDRESS]: processor time of the page's main thread, which other work on the machine hardly changes; timings.mjs
// has the times that a user waits. Both ask the server at ADDRESS.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { chromium } = createRequire(join(root, 'web', 'package.json'))('playwright-core');
const address = process.argv[2] ?? 'http://127.0.0.1:8080';
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
const devtools = await page.context().newCDPSession(page);
await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
const spent = async () => (await devtools.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value * 1000;
async function during(what, run, parts = 1) {
  const before = await spent();
  await run();
  process.stdout.write(`${what.padEnd(44)}${((await spent() - before) / parts).toFixed(parts > 1 ? 1 : 0).padStart(6)} ms\n`);
}

await during('first view', async () => {
  await page.goto(address);
  await page.locator('[role="treeitem"]').first().waitFor();
});
await page.waitForTimeout(3000);
await during('a change of batch', () => page.evaluate(async () => {
  const figure = () => document.querySelector('.figure dd').textContent;
  const before = figure();
  document.querySelector('[aria-label="Double batch"]').click();
  while (figure() === before) await new Promise((r) => setTimeout(r));
}));
await page.goto(`${address}/?model=gpt2&set=n_layer%3D435&fold=no&open=none`);
await page.locator('[role="treeitem"]').first().waitFor();
await page.waitForTimeout(2500);
await during('a tree of 10,000 nodes expands', () => page.evaluate(async () => {
  [...document.querySelectorAll('button')].find((b) => b.textContent === 'Expand all').click();
  while (document.querySelector('canvas') === null) await new Promise((r) => setTimeout(r));
  await new Promise((r) => requestAnimationFrame(() => setTimeout(r)));
}));
await page.waitForTimeout(1000);
await during('a frame of panning it', () => page.evaluate(async () => {
  const tree = document.querySelector('[role="tree"]');
  const box = tree.getBoundingClientRect();
  const send = (type, i) => tree.dispatchEvent(new PointerEvent(type, { clientX: box.x + 500 - i, clientY: box.y + 300 + 8 * i, button: 0, bubbles: true, pointerId: 1 }));
  tree.setPointerCapture = () => undefined;
  send('pointerdown', 0);
  for (let i = 1; i <= 90; i += 1) {
    send('pointermove', i);
    await new Promise((r) => requestAnimationFrame(r));
  }
  send('pointerup', 90);
}), 90);
await browser.close();
