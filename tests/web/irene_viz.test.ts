// One test for each requirement of IrEne-viz that a browser can see, named by its id. docs/ui.md says where the others are.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Between, done, setUp, treeIsThere } from './harness';

const { server, open } = setUp();
const BERT = 'model=bert-base-uncased&batch=16&seq=128&dtype=bf16';
const FEATURES = ['batch_size', 'seq_len', 'flops', 'mem_bytes', 'cpu_util', 'mem_usg', 'gpu_util', 'gm_usg', 'g_clk', 'gm_clk', 'latency', 'gpu_energy'];
const joules = (text: string): number => {
  const [, value, prefix] = /([\d.]+)\s*([nµmk]?)J/.exec(text.replaceAll('\u202f', ' ')) ?? [];
  return Number(value) * ({ n: 1e-9, µ: 1e-6, m: 1e-3, k: 1e3 }[prefix ?? ''] ?? 1);
};

describe('IrEne-viz', () => {
  it('IV-01 shows the energy of the whole model for a model, a batch and a length', async () => {
    const w = await open('/');
    const answer = await server.get(`predict?${BERT}`);
    const figure = w.page.locator('.figure', { hasText: 'Energy of the pass' });
    expect(joules(await figure.innerText())).toBeCloseTo(answer.tree.energy_j, 2);
    expect(await figure.innerText()).toMatch(/±.*%/);
    expect(await figure.innerText()).toContain('predicted by');
    await done(w);
  });

  it('IV-02 shows an energy at every node, not only the root', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    await w.page.getByRole('button', { name: 'Expand all' }).click();
    const names = await w.page.getByRole('treeitem').evaluateAll((items) => items.map((i) => i.getAttribute('aria-label') ?? ''));
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) expect(name).toMatch(/\d\s?[nµmk]?J · /);
    await done(w);
  });

  it('IV-03 needs nothing but an address: no other host is asked', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    expect(w.requests.length).toBeGreaterThan(3);
    for (const each of w.requests) expect(each.startsWith(server.url) || each.startsWith('data:')).toBe(true);
    await done(w);
  });

  it('IV-04 gives the GET that answers with the same tree, features and energies', async () => {
    const w = await open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
    await treeIsThere(w.page);
    await w.page.getByRole('button', { name: 'Copy as' }).click();
    await w.page.getByRole('menuitem', { name: 'curl' }).click();
    await w.page.getByText('Copied a curl line').waitFor();
    const line = await w.page.evaluate(() => navigator.clipboard.readText());
    const address = /^curl -s '(.*)'$/.exec(line)?.[1] ?? '';
    const answer = await (await fetch(address)).json() as { tree: { energy_j: number; features: Record<string, number | null> } };
    expect(answer.tree.energy_j).toBeGreaterThan(0);
    expect(Object.keys(answer.tree.features)).toEqual(FEATURES);
    await done(w);
  });

  it.skipIf(process.env['WATTREE_URL'] !== undefined)('IV-05 takes a new model as a config in a folder: it is in the list and in the API', async () => {
    await writeFile(join(server.models, 'my-own-bert.json'), JSON.stringify({ model_type: 'bert', num_hidden_layers: 2, architectures: ['BertModel'] }));
    const answer = await server.get('predict?model=my-own-bert&batch=2&seq=16');
    expect(answer.tree.energy_j).toBeGreaterThan(0);
    // The server looks into the folder once a second.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    const w = await open('/');
    await treeIsThere(w.page);
    await w.page.getByRole('combobox', { name: 'Model' }).click();
    await w.page.keyboard.type('my-own');
    await w.page.getByRole('option', { name: 'my-own-bert BertModel' }).click();
    await w.page.getByRole('treeitem', { name: '×2' }).first().waitFor();
    await done(w);
  });

  it('IV-06 nests math in ML ops in modules, and a parent has all the energy of its children', async () => {
    const w = await open('/?open=all');
    await treeIsThere(w.page);
    const items = await w.page.getByRole('treeitem').evaluateAll((all) => all.map((i) => ({ level: Number(i.getAttribute('aria-level')), cls: i.getAttribute('class') ?? '' })));
    const depth = Math.max(...items.map((i) => i.level));
    expect(depth).toBeGreaterThanOrEqual(5);
    for (const cls of ['module', 'parametric', 'plain', 'math']) expect(items.some((i) => i.cls.includes(cls))).toBe(true);
    const answer = await server.get(`predict?${BERT}`);
    interface N { energy_j: number; own_energy_j: number; children: N[] }
    const check = (n: N): void => {
      expect(n.children.reduce((sum, c) => sum + c.energy_j, 0) + n.own_energy_j).toBeCloseTo(n.energy_j, 9);
      n.children.forEach(check);
    };
    check(answer.tree as N);
    await done(w);
  });

  it('IV-07 tells classes apart by shape and border, and switches to the colours of Figure 1', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    const shape = (key: string): Promise<string> => w.page.locator(`[data-key="${key}"] .box`).getAttribute('d').then((d) => (d ?? '').replace(/[\d. -]+/g, ' '));
    const border = (key: string): Promise<string> => w.page.locator(`[data-key="${key}"] .box`).evaluate((e) => getComputedStyle(e).strokeWidth);
    const [module, linear, sdpa] = ['encoder.layer.0.attention', 'encoder.layer.0.attention.self.query', 'encoder.layer.0.attention.self:sdpa'];
    expect(await shape(module)).toContain('A');
    expect(await shape(linear)).not.toContain('A');
    expect(await shape(sdpa)).toContain('L');
    expect(await border(linear)).toBe('2px');
    expect(await border(sdpa)).toBe('1px');
    const fill = (key: string): Promise<string> => w.page.locator(`[data-key="${key}"] .box`).evaluate((e) => getComputedStyle(e).fill);
    await w.page.getByText('Class', { exact: true }).click();
    expect(await fill(module)).toBe('rgb(207, 227, 244)');
    expect(await fill(linear)).toBe('rgb(244, 227, 161)');
    expect(await fill(sdpa)).toBe('rgb(213, 184, 148)');
    await w.page.keyboard.press('c');
    await w.page.keyboard.press('c');
    expect(await fill(linear)).not.toBe('rgb(244, 227, 161)');
    await done(w);
  });

  it('IV-08 draws a BERT of one layer with its modules', async () => {
    const w = await open('/?set=num_hidden_layers=1&open=all');
    await treeIsThere(w.page);
    for (const key of ['embeddings', 'encoder.layer.0.attention', 'encoder.layer.0.intermediate', 'encoder.layer.0.output', 'pooler', 'encoder.layer.0.attention.self.query']) {
      expect(await w.page.locator(`[role="treeitem"][data-key="${key}"]`).count(), key).toBe(1);
    }
    expect(await w.page.getByRole('treeitem', { name: '×12' }).count()).toBe(0);
    await done(w);
  });

  it('IV-10 changes the energy with batch and length, as typed', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    const figure = w.page.locator('.figure', { hasText: 'Energy of the pass' }).locator('dd').first();
    const first = joules(await figure.innerText());
    await w.page.getByLabel('Batch', { exact: true }).fill('32');
    await expect.poll(async () => joules(await figure.innerText())).toBeGreaterThan(first * 1.5);
    const second = joules(await figure.innerText());
    await w.page.getByLabel('Sequence', { exact: true }).fill('256');
    await expect.poll(async () => joules(await figure.innerText())).toBeGreaterThan(second * 1.5);
    expect(w.page.url()).toContain('batch=32');
    expect(w.page.url()).toContain('seq=256');
    await done(w);
  });

  it('IV-11 shows all twelve features of a node with units, and why one is not known', async () => {
    const w = await open('/?node=encoder.layer.0.intermediate.dense');
    await treeIsThere(w.page);
    const facts = w.page.locator('.facts .features');
    expect(await facts.locator('dt').allInnerTexts()).toEqual(FEATURES);
    const text = (await facts.innerText()).replaceAll('\u202f', ' ');
    for (const unit of ['MiB', 'J']) expect(text).toContain(unit);
    for (const value of await facts.locator('dd').allInnerTexts()) expect(value).toMatch(/\d|–/);
    for (const dash of await facts.locator('div', { hasText: '–' }).all()) expect(await dash.getAttribute('title')).toMatch(/\w{3}/);
    await done(w);
  });

  it('IV-12 shows measured beside predicted energy where there is a measurement', async () => {
    const answer = await server.get(`predict?${BERT}`);
    interface N { scope: string; measured_j?: number; alone_j?: number; children: N[] }
    const find = (n: N): N | undefined => (n.measured_j !== undefined || n.alone_j !== undefined ? n : n.children.map(find).find((x) => x !== undefined));
    const node = find(answer.tree as N);
    expect(node, 'a node with a measurement').toBeDefined();
    const w = await open(`/?node=${node?.scope ?? ''}`);
    await treeIsThere(w.page);
    await w.page.locator('.explain tfoot', { hasText: 'measured' }).waitFor();
    expect(await w.page.locator('.explain tfoot').innerText()).toMatch(/predicted[\s\S]*measured[\s\S]*±/);
    await w.page.getByText('Table', { exact: true }).click();
    expect(await w.page.locator('thead').first().innerText()).toContain('Measured');
    await done(w);
  });

  it('IV-13 names the regressor of a leaf and the measurements behind it', async () => {
    const w = await open('/?node=encoder.layer.0.intermediate.dense');
    await w.page.locator('.explain tbody tr').first().waitFor();
    const answer = await server.get(`explain?${BERT}&node=encoder.layer.0.intermediate.dense`);
    const text = await w.page.locator('.explain').innerText();
    expect(text).toContain(`“${String(answer.priced_as)}”`);
    expect(text).toContain(`${String(answer.samples)} measurements`);
    await done(w);
  });

  it('IV-14 shows a module as the sum of its children and its own', async () => {
    const w = await open('/?node=encoder.layer.0.attention.self');
    await w.page.locator('.explain tbody tr').first().waitFor();
    const parts = (await w.page.locator('.explain tbody td.strong').allInnerTexts()).map(joules);
    const total = joules(await w.page.locator('.explain tfoot td.num').first().innerText());
    expect(parts.length).toBeGreaterThan(3);
    expect(Math.abs(parts.reduce((a, b) => a + b, 0) / total - 1)).toBeLessThan(0.01);
    await done(w);
  });

  it('IV-16 says how far predictions are off on models that were not seen', async () => {
    const w = await open('/leaderboard');
    const figure = w.page.locator('.figure', { hasText: 'unseen models' });
    await figure.waitFor();
    expect(await figure.innerText()).toMatch(/[\d.]+ %[\s\S]*mean error/);
    await done(w);
  });

  it('IV-17 lists saved predictors as hardware and predicts with one at once', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    await w.page.getByRole('combobox', { name: 'Hardware' }).click();
    await w.page.getByRole('option', { name: /h200/ }).click();
    await expect.poll(() => w.page.url()).toContain('on=h200');
    await done(w);
  });

  it('finds any accelerator of the catalogue, with its memory, whether the pass fits, and how far it is off', async () => {
    for (const [path, ready] of [['/?model=mistral-7b-v0.1&dtype=fp32', '[role="tree"]'], ['/compare', '.parts'], ['/leaderboard', 'tbody tr']] as const) {
      const w = await open(path);
      await w.page.locator(ready).first().waitFor();
      await w.page.getByRole('combobox', { name: 'Hardware' }).click();
      expect(await w.page.getByRole('listbox', { name: 'Hardware' }).getByRole('option').first().innerText()).toMatch(/H200[\s\S]*% mean error[\s\S]*141\s?GiB/);
      expect(await w.page.getByRole('listbox', { name: 'Hardware' }).innerText()).toContain('From datasheets');
      await w.page.keyboard.type('nvidia l4');
      const l4 = w.page.getByRole('listbox', { name: 'Hardware' }).getByRole('option', { name: /\bL4\b/ });
      await l4.waitFor();
      expect(await l4.innerText()).toMatch(/±60\s?%[\s\S]*24\.0\s?GiB/);
      // 7.2 G parameters of four bytes do not fit into 24 GiB.
      if (path.startsWith('/?')) expect(await l4.innerText()).toMatch(/needs \d+\.\d\s?GiB/);
      await l4.click();
      await expect.poll(() => w.page.url()).toContain('on=L4');
      expect(await w.page.getByLabel('Precision', { exact: true }).locator('option').allInnerTexts()).toEqual(['fp32', 'tf32', 'bf16', 'fp16']);
      await done(w);
    }
  });

  it('offers what is near to a model that is not bundled', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    await w.page.getByRole('combobox', { name: 'Model' }).click();
    await w.page.keyboard.type('llama-3.1-8b');
    await w.page.getByText('Not bundled; near it are').waitFor();
    await w.page.getByRole('listbox', { name: 'Models' }).getByRole('option', { name: /^llama-3-8b/ }).click();
    await expect.poll(() => w.page.url()).toContain('model=llama-3-8b');
    await done(w);
  });

  it('IV-18 has a list of models, fields for batch and length, and a button Visualize', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    await w.page.getByRole('combobox', { name: 'Model' }).click();
    expect(await w.page.getByRole('option').count()).toBeGreaterThan(50);
    await w.page.keyboard.type('distilbert');
    expect(await w.page.getByRole('option').first().innerText()).toContain('distilbert');
    await w.page.keyboard.press('Enter');
    await expect.poll(() => w.page.url()).toContain('model=distilbert');
    expect(await w.page.getByLabel('Batch', { exact: true }).inputValue()).toBe('16');
    expect(await w.page.getByLabel('Sequence', { exact: true }).inputValue()).toBe('128');
    expect(await w.page.getByRole('button', { name: 'Visualize' }).isEnabled()).toBe(true);
    await done(w);
  });

  it('IV-19 asks the server once more on Visualize and stays on the page', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    const before = w.requests.filter((r) => r.includes('/api/v1/predict?')).length;
    const answered = w.page.waitForResponse((r) => r.url().includes('/api/v1/predict?'));
    await w.page.getByRole('button', { name: 'Visualize' }).click();
    expect((await answered).status()).toBeLessThan(400);
    expect(w.requests.filter((r) => r.includes('/api/v1/predict?')).length).toBe(before + 1);
    await treeIsThere(w.page);
    await done(w);
  });

  it('IV-20 reads the energy of the model and of any block from the tree', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    const answer = await server.get(`predict?${BERT}`);
    const root = w.page.getByRole('treeitem', { name: 'BertModel' }).first();
    expect(joules(await root.getAttribute('aria-label') ?? '')).toBeCloseTo(answer.tree.energy_j, 2);
    await w.page.locator('[data-key="encoder.layer.0.intermediate"]').click();
    expect(await w.page.getByRole('navigation', { name: 'Path' }).innerText()).toMatch(/BertModel[\s\S]*encoder[\s\S]*intermediate/);
    expect(await w.page.locator('#chosen').innerText()).toContain('intermediate');
    await done(w);
  });

  it('IV-21 opens and closes a node by a click on its knob, a double click or the arrows', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    const embeddings = w.page.locator('[data-key="embeddings"]');
    expect(await embeddings.getAttribute('aria-expanded')).toBe('false');
    await embeddings.locator('.knob').click();
    expect(await embeddings.getAttribute('aria-expanded')).toBe('true');
    await embeddings.dblclick({ position: { x: 20, y: 10 } });
    expect(await embeddings.getAttribute('aria-expanded')).toBe('false');
    await w.page.keyboard.press('ArrowRight');
    expect(await embeddings.getAttribute('aria-expanded')).toBe('true');
    await w.page.keyboard.press('ArrowLeft');
    expect(await embeddings.getAttribute('aria-expanded')).toBe('false');
    await done(w);
  });

  it('IV-22 shows the entire tree by one control and only the root by another', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    const before = await w.page.getByRole('treeitem').count();
    await w.page.getByRole('button', { name: 'Expand all' }).click();
    expect(await w.page.getByRole('treeitem').count()).toBeGreaterThan(before);
    expect(await w.page.locator('[role="treeitem"][aria-expanded="false"]').count()).toBe(0);
    await w.page.getByRole('button', { name: 'Collapse to root' }).click();
    expect(await w.page.getByRole('treeitem').count()).toBe(1);
    await done(w);
  });

  it('IV-23 shows a node’s resources on hover and on focus', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    const node = w.page.locator('[data-key="encoder.layer.0.attention.self.key"]');
    await node.hover();
    const card = w.page.getByRole('tooltip');
    for (const name of FEATURES) expect(await card.innerText()).toContain(name);
    expect(await card.innerText()).toContain('GPU only');
    const [box, at] = [await card.boundingBox(), await node.boundingBox()];
    if (box === null || at === null) throw new Error('not there');
    expect(box.x >= at.x + at.width || box.x + box.width <= at.x || box.y >= at.y + at.height || box.y + box.height <= at.y).toBe(true);
    await w.page.mouse.move(5, 5);
    await expect.poll(() => card.count()).toBe(0);
    await node.focus();
    expect(await card.innerText()).toContain('key');
    await done(w);
  });

  it('IV-24 colours nodes by their share of the energy at every level', async () => {
    const w = await open('/?open=all');
    await treeIsThere(w.page);
    const seen = await w.page.getByRole('treeitem').evaluateAll((all) => all.filter((i) => !/math|rest/.test(i.getAttribute('class') ?? '')).map((i) => ({
      share: Number(/([\d.]+)\s?%/.exec(i.getAttribute('aria-label') ?? '')?.[1] ?? 0) / 100, step: Number(/\be(\d+)\b/.exec(i.getAttribute('class') ?? '')?.[1] ?? -1) })));
    for (const { share, step } of seen) expect(Math.abs(step - 11 * Math.sqrt(share))).toBeLessThanOrEqual(0.65);
    expect(new Set(seen.map((s) => s.step)).size).toBeGreaterThan(4);
    await done(w);
  });

  it('IV-25 lists all operations by energy to the right of the tree, linked both ways', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    const ops = w.page.locator('.ops .op');
    const energies = (await ops.locator('.value').allInnerTexts()).map(joules);
    expect(energies).toEqual([...energies].sort((a, b) => b - a));
    const [tree, list] = [await w.page.getByRole('tree').boundingBox(), await ops.first().boundingBox()];
    expect((list?.x ?? 0)).toBeGreaterThanOrEqual((tree?.x ?? 0) + (tree?.width ?? 0));
    await ops.filter({ hasText: 'query' }).first().click();
    expect(await w.page.locator('[role="treeitem"][aria-selected="true"]').getAttribute('aria-label')).toContain('query');
    await w.page.locator('[data-key="encoder.layer.0.output.dense"]').click();
    expect(await w.page.locator('.op[aria-pressed="true"]').innerText()).toContain('output.dense');
    await w.page.getByRole('radiogroup', { name: 'Group by' }).getByText('type').click();
    await expect.poll(async () => (await ops.allInnerTexts()).join(' ')).toContain('Linear');
    await done(w);
  });

  it('IV-26 compares operations of a level: siblings sorted in the table, bands within a parent', async () => {
    const w = await open('/?view=table&sort=energy');
    await treeIsThere(w.page);
    const rows = await w.page.locator('[role="treegrid"] tbody tr').evaluateAll((all) => all.map((r) => ({ level: Number(r.getAttribute('aria-level')), text: r.textContent ?? '' })));
    const layers = rows.filter((r) => r.level === 3).map((r) => joules(r.text.replaceAll('\u202f', ' ')));
    expect(layers.length).toBeGreaterThan(2);
    expect(layers).toEqual([...layers].sort((a, b) => b - a));
    await done(w);
  });

  it('IV-27 gets every number from the API alone', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    const paths = new Set(w.requests.map((r) => new URL(r).pathname).filter((p) => p.startsWith('/api/')));
    expect([...paths]).toContain('/api/v1/predict');
    for (const path of paths) expect(path).toMatch(/^\/api\/v1\/(predict|explain|suggest|models|predictors)$/);
    await done(w);
  });

  it.skipIf(process.env['WATTREE_URL'] !== undefined)('IV-28 fetches a config from the Hub by name, and says what went wrong where it cannot', async () => {
    server.hub.answer = (call, response) => {
      const isThere = call.url === '/some-lab/small-bert/resolve/main/config.json';
      response.writeHead(isThere ? 200 : 404, { 'Content-Type': 'application/json' });
      response.end(isThere ? JSON.stringify({ model_type: 'bert', num_hidden_layers: 4, architectures: ['BertModel'] }) : 'no');
      return true;
    };
    const w = await open('/');
    await treeIsThere(w.page);
    const ask = async (name: string): Promise<void> => {
      await w.page.getByRole('combobox', { name: 'Model' }).click();
      await w.page.keyboard.type(name);
      await w.page.getByRole('option', { name: 'Fetch' }).click();
    };
    await ask('some-lab/small-bert');
    await w.page.getByRole('treeitem', { name: '×4' }).first().waitFor();
    await ask('some-lab/nothing-there');
    await w.page.getByRole('alert').waitFor();
    expect(await w.page.getByRole('alert').innerText()).toContain('nothing-there');
    await done(w);
  });

  it('IV-33 answers again at once: going back asks nobody', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    await w.page.getByRole('button', { name: 'Double batch' }).click();
    await expect.poll(() => w.page.url()).toContain('batch=32');
    await w.page.waitForLoadState('networkidle');
    const asked = w.requests.filter((r) => r.includes('/api/v1/predict?')).length;
    await w.page.goBack();
    await expect.poll(() => w.page.getByLabel('Batch', { exact: true }).inputValue()).toBe('16');
    expect(w.requests.filter((r) => r.includes('/api/v1/predict?')).length).toBe(asked);
    await done(w);
  });

  it('IV-34 fills the whole page from one GET that carries model, length and batch', async () => {
    const w = await open('/?model=gpt2&batch=4&seq=64');
    await treeIsThere(w.page);
    const asked = w.requests.filter((r) => r.includes('/api/v1/predict?'));
    expect(asked).toHaveLength(1);
    const query = new URL(asked[0] ?? '').searchParams;
    expect([query.get('model'), query.get('batch'), query.get('seq')]).toEqual(['gpt2', '4', '64']);
    await done(w);
  });

  it('IV-35 works behind a reverse proxy, under a prefix', async () => {
    const proxy = new Between(() => server.url, '/energy/tools');
    await proxy.start();
    try {
      const w = await open(`${proxy.url}/?model=distilbert-base-uncased`);
      await treeIsThere(w.page);
      await w.page.getByRole('link', { name: 'Leaderboard' }).click();
      expect(new URL(w.page.url()).pathname).toBe('/energy/tools/leaderboard');
      await w.page.reload();
      await w.page.getByRole('heading', { level: 1 }).waitFor();
      await done(w);
    } finally {
      await proxy.stop();
    }
  });

  it('shows the numbers of the mock-ups’ model in pictures that can be kept', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    for (const [name, begin] of [['PNG', '\x89PNG'], ['SVG', '<svg'], ['CSV', 'scope,type'], ['JSON', '{']] as const) {
      await w.page.getByRole('button', { name: 'Copy as' }).click();
      const [download] = await Promise.all([w.page.waitForEvent('download'), w.page.getByRole('menuitem', { name, exact: false }).first().click()]);
      const bytes = await readFile(await download.path());
      expect(bytes.toString('latin1').startsWith(begin), name).toBe(true);
      expect(bytes.length).toBeGreaterThan(1000);
      if (name !== 'SVG') continue;
      // It says by itself what it shows, in the page's font, and has none of the page's controls.
      expect(bytes.toString()).toMatch(/>bert-base-uncased: 7\d\d\u202fmJ ±\d/);
      expect(bytes.toString()).toContain('@font-face{font-family:Inter');
      expect(bytes.toString()).not.toContain('data-control');
    }
    await done(w);
  });
});
