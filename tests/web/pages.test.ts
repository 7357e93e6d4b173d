// What holds for every page: accessible in both themes, reachable by keyboard, helpful when things go wrong.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Answer, Between, done, setUp, treeIsThere, violations } from './harness';

const { server, open } = setUp();
const PAGES = ['/', '/?view=icicle', '/?view=table', '/?open=all&colour=class', '/compare', '/leaderboard?max_j=0.5'];

describe('every page', () => {
  for (const path of PAGES) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`has nothing that axe objects to: ${path} ${colorScheme}`, async () => {
        const w = await open(path, { colorScheme });
        await w.page.getByRole('heading', { level: 1 }).waitFor();
        await w.page.waitForLoadState('networkidle');
        expect((await violations(w.page)).join('\n')).toBe('');
        await done(w);
      });
    }
  }

  it('has no sideways scrolling at 360 px', async () => {
    for (const path of ['/', '/compare', '/leaderboard']) {
      const w = await open(path, { viewport: { width: 360, height: 740 } });
      await w.page.getByRole('heading', { level: 1 }).waitFor();
      await w.page.waitForLoadState('networkidle');
      expect(await w.page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(360);
      await done(w);
    }
  });

  it('shows the outline instead of the tree on a phone, and axe agrees', async () => {
    const w = await open('/', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await treeIsThere(w.page);
    expect(await w.page.getByRole('treegrid').isVisible()).toBe(true);
    expect((await violations(w.page)).join('\n')).toBe('');
    await w.page.getByText('Icicle', { exact: true }).click();
    await w.page.getByRole('tree', { name: 'Icicle' }).waitFor();
    expect(await w.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await done(w);
  });

  it('is the same after its address is opened anew', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    await w.page.getByRole('button', { name: 'Expand all' }).click();
    await w.page.locator('[data-key="encoder.layer.0.attention.self.value"]').click();
    await w.page.getByText('Icicle', { exact: true }).click();
    const other = await open(w.page.url());
    await treeIsThere(other.page);
    expect(await other.page.locator('[role="treeitem"][aria-selected="true"]').getAttribute('data-key')).toBe('encoder.layer.0.attention.self.value');
    expect(await other.page.getByRole('treeitem').count()).toBe(await w.page.getByRole('treeitem').count());
    await done(w);
    await done(other);
  });

  it('fetches the other pages after the first view, so that they open without a server', async () => {
    const between = new Between(() => server.url);
    await between.start();
    try {
      const w = await open(`${between.url}/`);
      await treeIsThere(w.page);
      expect(w.requests.filter((url) => url.includes('CompareView'))).toEqual([]);
      await expect.poll(() => w.requests.some((url) => /CompareView.*[.]js/.test(url))).toBe(true);
      await w.page.waitForLoadState('networkidle');
      between.answer = (call) => { call.socket.destroy(); return true; };
      await w.page.getByRole('link', { name: 'Compare' }).click();
      await w.page.getByText('Nothing to compare yet').waitFor();
      await done(w);
    } finally {
      await between.stop();
    }
  });

  it('says so when the script of a page cannot be fetched', async () => {
    const between = new Between(() => server.url);
    await between.start();
    try {
      between.answer = (call) => { if (!(call.url ?? '').includes('CompareView')) return false; call.socket.destroy(); return true; };
      const w = await open(`${between.url}/compare`);
      await w.page.getByText('This page could not be fetched').waitFor();
      between.answer = undefined;
      await w.page.getByRole('button', { name: 'Reload' }).click();
      await w.page.getByRole('heading', { level: 1 }).waitFor();
      await done(w);
    } finally {
      await between.stop();
    }
  });

  it('keeps the theme that was chosen', async () => {
    const w = await open('/', { colorScheme: 'light' });
    await w.page.getByRole('button', { name: 'Switch between light and dark' }).click();
    expect(await w.page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(18, 21, 23)');
    await w.page.reload();
    expect(await w.page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(18, 21, 23)');
    await done(w);
  });
});

describe('the keyboard', () => {
  it('reaches every control, and the focus is always seen', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    await w.page.waitForLoadState('networkidle');
    const wanted = ['Visualize', 'Expand all', 'Collapse to root', 'Find a node', 'Copy as', 'Batch', 'Precision', 'Model'];
    const seen = new Set<string>();
    for (let i = 0; i < 90 && seen.size < wanted.length; i += 1) {
      await w.page.keyboard.press('Tab');
      const at = await w.page.evaluate(() => {
        const e = document.activeElement;
        if (e === null || e === document.body) return { name: '', outline: 'none' };
        const label = e.getAttribute('aria-label') ?? (e.id !== '' ? document.querySelector(`label[for="${e.id}"]`)?.textContent : '') ?? '';
        return { name: label || (e.textContent ?? '').trim() };
      });
      for (const each of wanted) if (at.name.includes(each)) seen.add(each);
    }
    expect([...seen].sort()).toEqual([...wanted].sort());
    await done(w);
  });

  it('goes through the tree by arrows, explains, zooms, switches views and colours', async () => {
    const w = await open('/?node=.');
    await treeIsThere(w.page);
    const chosen = (): Promise<string | null> => w.page.locator('[role="treeitem"][aria-selected="true"]').getAttribute('data-key');
    await w.page.locator('[role="treeitem"][tabindex="0"]').focus();
    expect(await chosen()).toBe('');
    await w.page.keyboard.press('ArrowDown');
    expect(await chosen()).toBe('embeddings');
    await w.page.keyboard.press('End');
    expect(await chosen()).toBe('pooler');
    await w.page.keyboard.press('ArrowLeft');
    expect(await chosen()).toBe('');
    await w.page.keyboard.press('Shift+E');
    expect(await w.page.getByRole('treeitem').count()).toBe(1);
    await w.page.keyboard.press('e');
    expect(await w.page.getByRole('treeitem').count()).toBeGreaterThan(30);
    await w.page.keyboard.press('2');
    expect(await w.page.getByRole('tree', { name: 'Icicle' }).isVisible()).toBe(true);
    await w.page.keyboard.press('3');
    expect(await w.page.getByRole('treegrid').isVisible()).toBe(true);
    await w.page.keyboard.press('1');
    const scale = (): Promise<string | null> => w.page.locator('[role="tree"] svg > g').getAttribute('transform');
    const before = await scale();
    await w.page.keyboard.press('+');
    expect(await scale()).not.toBe(before);
    await w.page.keyboard.press('0');
    await w.page.locator('[role="treeitem"][tabindex="0"]').focus();
    await w.page.keyboard.press('Enter');
    expect(await w.page.evaluate(() => document.activeElement?.id)).toBe('explain');
    await done(w);
  });

  it('finds nodes, models and actions', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    await w.page.keyboard.press('/');
    await w.page.keyboard.type('layernorm');
    await w.page.keyboard.press('Enter');
    await expect.poll(() => w.page.locator('#chosen').innerText()).toContain('LayerNorm');
    await w.page.keyboard.press('Escape');
    await w.page.keyboard.press('Control+k');
    await w.page.keyboard.type('distilgpt2');
    await w.page.keyboard.press('Enter');
    await expect.poll(() => w.page.url()).toContain('model=distilgpt2');
    await w.page.keyboard.press('?');
    expect(await w.page.getByRole('dialog').innerText()).toContain('expand all');
    await w.page.keyboard.press('Escape');
    await w.page.keyboard.press('g');
    await w.page.keyboard.press('l');
    await expect.poll(() => w.page.url()).toContain('/leaderboard');
    await done(w);
  });

  it('has a menu for a node', async () => {
    const w = await open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
    await treeIsThere(w.page);
    await w.page.locator('[role="treeitem"][tabindex="0"]').focus();
    await w.page.keyboard.press('Shift+F10');
    await w.page.getByRole('menuitem', { name: 'Copy scope' }).waitFor();
    await w.page.keyboard.press('Enter');
    await w.page.getByText('Copied the scope').waitFor();
    expect(await w.page.evaluate(() => navigator.clipboard.readText())).toContain('encoder.layer.0');
    await done(w);
  });
});

describe('when things go wrong', () => {
  it('says what is wrong with a model, keeps the last result and offers a way out', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    await w.page.getByRole('combobox', { name: 'Model' }).click();
    await w.page.keyboard.type('no-such-model');
    await w.page.keyboard.press('ArrowDown');
    await w.page.keyboard.press('ArrowUp');
    await w.page.getByRole('option', { name: 'no-such-model' }).click();
    await w.page.getByRole('alert').waitFor();
    expect(await w.page.getByRole('alert').innerText()).toContain('no-such-model');
    expect(await w.page.getByRole('treeitem').count()).toBeGreaterThan(5);
    await w.page.getByRole('button', { name: 'Back to the last result' }).click();
    await expect.poll(() => w.page.getByRole('alert').count()).toBe(0);
    await done(w);
  });

  it('predicts shorter inputs beside a model\u2019s longest one, and asks for longer ones once', async () => {
    const w = await open('/?model=gpt2&batch=1&seq=512');  // Twice that is the longest of GPT-2.
    await treeIsThere(w.page);
    await w.page.getByText('Energy per item at other sizes').click();
    await w.page.locator('details.sweep section').waitFor();
    await w.page.waitForTimeout(1000);
    const lengths = w.requests.filter((r) => r.includes('/api/v1/sweep?')).map((r) => new URL(r).searchParams.get('seq'));
    expect(lengths).toEqual(['64,128,256,512,1024,2048', '64,128,256,512']);
    await done(w);
  });

  it('never runs what a name says', async () => {
    const evil = '<img src=x onerror=alert(1)><script>alert(1)</script>';
    const w = await open(`/?model=${encodeURIComponent(evil)}&set=${encodeURIComponent(evil)}&node=${encodeURIComponent(evil)}`);
    let dialogs = 0;
    w.page.on('dialog', (d) => { dialogs += 1; void d.dismiss(); });
    await w.page.getByRole('alert').waitFor();
    expect(await w.page.locator('img').count()).toBe(0);
    expect(dialogs).toBe(0);
    await done(w);
  });

  it('shows hostile and very long names of nodes as text', async () => {
    const between = new Between(() => server.url);
    const evil = `<script>alert(1)</script>\u202egnp.exe${'x'.repeat(300)}`;
    between.answer = (call, response) => {
      if (!(call.url ?? '').startsWith('/api/v1/predict?')) return false;
      void fetch(server.url + (call.url ?? '')).then(async (r) => {
        const answer = await r.json() as { model: string; tree: { children: { type: string; scope: string }[] } };
        const child = answer.tree.children[0];
        if (child !== undefined) { child.type = evil; child.scope = evil; }
        answer.model = evil;
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
      });
      return true;
    };
    await between.start();
    try {
      const w = await open(`${between.url}/`);
      await treeIsThere(w.page);
      expect(await w.page.locator('main script').count()).toBe(0);
      expect(await w.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1440);
      await done(w);
    } finally {
      await between.stop();
    }
  });

  it('waits for a slow server with the last result on the page, and shapes only after a while', async () => {
    const between = new Between(() => server.url);
    await between.start();
    try {
      const w = await open(`${between.url}/`);
      await treeIsThere(w.page);
      between.answer = (call, response) => {
        if (!(call.url ?? '').includes('batch=32')) return false;
        setTimeout(() => { void fetch(server.url + (call.url ?? '')).then(async (r) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(await r.text())); }, 1500);
        return true;
      };
      await w.page.getByRole('button', { name: 'Double batch' }).click();
      // What is there now is of other settings: dimmed, and it says so.
      await w.page.getByText('Showing batch 16; working on 32').waitFor();
      expect(await w.page.locator('.dimmed').evaluate((e) => getComputedStyle(e).opacity)).toBe('0.4');
      expect(await w.page.getByRole('treeitem').count()).toBeGreaterThan(5);
      await expect.poll(() => w.page.locator('.dimmed').count()).toBe(0);
      between.answer = (call, response) => {
        if (!(call.url ?? '').includes('batch=64')) return false;
        response.writeHead(500, { 'Content-Type': 'application/json' }).end('{"error":{"code":"internal","message":"it broke","hint":""}}');
        return true;
      };
      await w.page.getByRole('button', { name: 'Double batch' }).click();
      await w.page.getByText('Showing batch 32; no result for 64').waitFor();
      expect(await w.page.locator('.dimmed').count()).toBe(1);
      expect(await w.page.getByRole('alert').innerText()).toContain('It broke.');
      await done(w);
    } finally {
      await between.stop();
    }
  });

  it('explains nonsense and errors without an explanation', async () => {
    const between = new Between(() => server.url);
    await between.start();
    try {
      for (const [status, text] of [[200, '<html>hello'], [200, '{"tree": 7}'], [200, 'null'], [500, 'oops'], [429, '{"error":{"code":"busy","message":"too many calls","hint":"wait a moment"}}']] as const) {
        between.answer = (call, response) => {
          if (!(call.url ?? '').startsWith('/api/v1/predict')) return false;
          response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
          return true;
        };
        const w = await open(`${between.url}/`);
        await w.page.getByRole('alert').waitFor();
        expect((await w.page.getByRole('alert').innerText()).length).toBeGreaterThan(30);
        between.answer = undefined;
        await w.page.getByRole('button', { name: 'Try again' }).click();
        await treeIsThere(w.page);
        await done(w);
      }
    } finally {
      await between.stop();
    }
  });

  it('says that the server is gone, keeps what is there, and goes on when it is back', async () => {
    const between = new Between(() => server.url);
    await between.start();
    try {
      const w = await open(`${between.url}/`);
      await treeIsThere(w.page);
      between.answer = (call) => { call.socket.destroy(); return true; };
      await w.page.getByLabel('Batch', { exact: true }).fill('48');
      await w.page.getByText('The server does not answer').waitFor();
      expect(await w.page.getByRole('treeitem').count()).toBeGreaterThan(5);
      expect(await w.page.getByLabel('Batch', { exact: true }).inputValue()).toBe('48');
      await w.page.getByRole('button', { name: 'Collapse to root' }).click();
      expect(await w.page.getByRole('treeitem').count()).toBe(1);
      between.answer = undefined;
      await w.page.getByRole('button', { name: 'Try now' }).click();
      await expect.poll(() => w.page.getByText('The server does not answer').count()).toBe(0);
      await expect.poll(() => w.page.locator('.stand').innerText()).toContain('48 ×');
      await done(w);
    } finally {
      await between.stop();
    }
  });

  it('predicts a config that is dropped on the page, and says that a link cannot show it', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    const config = JSON.stringify({ model_type: 'bert', num_hidden_layers: 3, hidden_size: 768, architectures: ['BertModel'] });
    await w.page.locator('input[type="file"]').setInputFiles({ name: 'config.json', mimeType: 'application/json', buffer: Buffer.from(config) });
    await w.page.getByRole('treeitem', { name: '×3' }).first().waitFor();
    await w.page.getByRole('button', { name: 'Copy as' }).click();
    await w.page.getByRole('menuitem', { name: 'Link' }).click();
    await w.page.getByText('only in this browser').waitFor();
    await w.page.locator('input[type="file"]').setInputFiles({ name: 'broken.json', mimeType: 'application/json', buffer: Buffer.from('{') });
    await w.page.getByText('broken.json isn’t valid JSON').waitFor();
    expect(await w.page.getByRole('treeitem', { name: '×3' }).count()).toBeGreaterThan(0);
    await done(w);
  });
});

describe('measured trees', () => {
  /** A dataset of bert-tiny, measured by somebody: 10 mJ for the first pass, 30 mJ for the second. */
  const tree = (energy: number): object => ({ id: '0', scope: 'root', instance_type: 'BertModel', type: 'model', ground_truth_energy: energy, child_nodes_obj: [
    { id: '1', scope: 'root.pooler.dense', instance_type: 'Linear', type: 'ml', ground_truth_energy: energy / 10, child_nodes_obj: [] }] });
  const lines = [{ model_name: 'bert-tiny', batch_size: 2, seq_len: 16, frontend_tree: tree(0.01) }, { model_name: 'bert-tiny', batch_size: 4, seq_len: 16, frontend_tree: tree(0.03) }].map((each) => JSON.stringify(each));
  const drop = (page: Page, name: string, text: string): Promise<void> => page.locator('input[type="file"]').setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
  const shown = async (page: Page): Promise<string> => (await page.locator('main').innerText()).replaceAll('\u202f', ' ');

  it('open in the same tree, measured beside predicted, with the error of each node', async () => {
    const text = `${lines.join('\n')}\n`;
    const answer = await (await fetch(`${server.url}/api/v1/datasets`, { method: 'POST', headers: { 'Content-Type': 'application/jsonl' }, body: text })).json() as Answer;
    const w = await open('/?view=table');
    await treeIsThere(w.page);
    await drop(w.page, 'tiny.jsonl', text);
    await w.page.getByText('is the mean error on whole models').waitFor();
    expect(await shown(w.page)).toContain('10.0 mJ');
    expect(await shown(w.page)).toContain(`${(answer.errors.model.mean_error * 100).toFixed(1)} %`);
    const error = answer.trees[0].tree.error as number;
    const percent = Math.abs(error) < 0.1 ? Math.abs(error * 100).toFixed(1) : Math.abs(error * 100).toFixed(0);
    expect((await w.page.getByRole('treegrid').locator('tbody tr').first().innerText()).replaceAll('\u202f', ' ')).toContain(`${error < 0 ? '−' : '+'}${percent} %`);
    await w.page.getByRole('combobox', { name: 'Tree' }).selectOption({ index: 1 });
    await expect.poll(() => shown(w.page)).toContain('30.0 mJ');
    await w.page.getByRole('button', { name: 'Back to predictions' }).click();
    await w.page.getByRole('button', { name: 'Visualize' }).waitFor();
    await done(w);
  });

  it('open from IrEne\u2019s own JSON, without a prediction where there is none, and say what is wrong with others', async () => {
    const w = await open('/?view=table');
    await treeIsThere(w.page);
    await drop(w.page, 'irene.json', lines[0] ?? '');
    await w.page.getByText('is the mean error on whole models').waitFor();
    await w.page.getByRole('button', { name: 'Back to predictions' }).click();

    const toy = readFileSync(join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..', 'data', 'learn', 'toy.jsonl'), 'utf8');
    await drop(w.page, 'toy.jsonl', toy);
    await w.page.getByRole('heading', { name: 'toy-bert-a as it was measured' }).waitFor();
    expect(await shown(w.page)).toContain('52.8 mJ');  // The file's ground_truth_energy of the first model, 0.05279 J.
    expect(await shown(w.page)).toContain('There is no prediction for this one: ');
    expect(await w.page.getByRole('combobox', { name: 'Tree' }).locator('option').count()).toBe(toy.trim().split('\n').length);
    await w.page.getByRole('button', { name: 'Back to predictions' }).click();

    await drop(w.page, 'broken.jsonl', '{"frontend_tree": 7}\n');
    await w.page.getByRole('alert').waitFor();
    expect(await w.page.getByRole('alert').innerText()).toContain('frontend_tree');
    await w.page.getByRole('button', { name: 'Back to predictions' }).first().click();
    await treeIsThere(w.page);
    await done(w);
  });
});

describe('the other pages', () => {
  it('compare two models part by part, and swap them', async () => {
    const w = await open('/compare?a=bert-base-uncased&b=gpt2');
    await w.page.locator('table.parts tbody tr').first().waitFor();
    expect(await w.page.locator('table.parts tbody tr').count()).toBeGreaterThan(4);
    const differences = (await w.page.locator('table.parts tbody tr td.strong').allInnerTexts()).map((t) => t.replaceAll('\u202f', ' '));
    expect(differences[0]).toMatch(/[+−]\d/);
    const before = await w.page.getByRole('heading', { level: 1 }).innerText();
    await w.page.getByRole('button', { name: 'Swap A and B' }).click();
    await expect.poll(() => w.page.getByRole('heading', { level: 1 }).innerText()).not.toBe(before);
    await done(w);
  });

  it('rank models, filter them by kind and by budgets that keys can move', async () => {
    const w = await open('/leaderboard');
    await w.page.locator('tbody tr').first().waitFor();
    const within = w.page.locator('.figure', { hasText: /Within|Fit/ }).locator('dd').first();
    const all = parseInt(await within.innerText(), 10);
    const slider = w.page.getByRole('slider', { name: 'Most energy' });
    await slider.focus();
    for (let i = 0; i < 4; i += 1) await w.page.keyboard.press('PageDown');
    expect(w.page.url()).toContain('max_j=');
    await expect.poll(async () => parseInt(await within.innerText(), 10)).toBeLessThan(all);
    await w.page.getByRole('button', { name: /Encoders/ }).first().click();
    expect(w.page.url()).toContain('kind=encoder');
    await w.page.locator('input[type="file"]').setInputFiles({ name: 's.csv', mimeType: 'text/csv', buffer: Buffer.from('model,score\nbert-tiny,60\nbert-base-uncased,84.4\n') });
    await w.page.getByText('Took 2 scores').waitFor();
    await w.page.locator('tbody a', { hasText: 'bert-tiny' }).click();
    await treeIsThere(w.page);
    expect(w.page.url()).toContain('model=bert-tiny');
    await done(w);
  });
});

describe('from page to page', () => {
  it('the model and its settings travel, and every page is as it was left', async () => {
    const w = await open('/?model=gpt2&batch=4&view=table');
    await treeIsThere(w.page);
    await w.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Compare' }).click();
    await expect.poll(() => w.page.url()).toMatch(/\/compare\?a=gpt2&batch=4$/);
    await w.page.locator('.parts').waitFor();
    await w.page.getByLabel('Batch', { exact: true }).fill('8');
    await expect.poll(() => w.page.url()).toContain('batch=8');
    await w.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Predict' }).click();
    await expect.poll(() => w.page.url()).toMatch(/\?model=gpt2&batch=8&view=table$/);
    await treeIsThere(w.page);
    await w.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Track' }).click();
    await expect.poll(() => w.page.url()).toContain('run=');
    const run = new URL(w.page.url()).searchParams.get('run') ?? '';
    await w.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Runs' }).click();
    await w.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Track' }).click();
    await expect.poll(() => w.page.url()).toContain(`run=${run}`);
    await done(w);
  });

  it('an address without a page says so', async () => {
    const w = await open('/nonsense');
    await w.page.getByRole('heading', { level: 1, name: 'There is no page here' }).waitFor();
    expect(await w.page.locator('[aria-current="page"]').count()).toBe(0);
    await w.page.getByRole('button', { name: 'Open Predict' }).click();
    await treeIsThere(w.page);
    await done(w);
  });
});

describe('what cannot be', () => {
  it('is said first where a pass does not fit', async () => {
    const w = await open('/?model=mistral-7b-v0.1&dtype=fp32&on=L4');
    await treeIsThere(w.page);
    expect(await w.page.getByRole('heading', { level: 1 }).innerText()).toMatch(/^Does not fit on one L4: needs \d+\.\d\s?GiB of 24\.0\s?GiB$/);
    await w.page.getByText('Energy of the pass, if it fitted').waitFor();
    await w.page.goto(`${server.url}/compare?a=gpt2&b=mistral-7b-v0.1&dtype=fp32&on=L4`);
    await expect.poll(() => w.page.getByRole('heading', { level: 1 }).innerText()).toBe('mistral-7b-v0.1 does not fit on one L4');
    await done(w);
  });

  it('a model with a head is compared without it where the other has none', async () => {
    const w = await open('/compare');
    await w.page.getByText('Both are compared without a head, because bert-base-uncased has none.').waitFor();
    expect(w.requests.filter((url) => url.includes('/api/v1/compare')).every((url) => url.includes('b.as=GPT2Model'))).toBe(true);
    await w.page.getByRole('button', { name: 'With gpt2’s own head' }).click();
    await expect.poll(() => w.page.getByRole('heading', { level: 1 }).innerText()).toMatch(/^gpt2 uses \d\.\d+ times the energy of bert-base-uncased/);
    await done(w);
  });
});

describe('what only some have', () => {
  const config = (more: object): string => JSON.stringify({ model_type: 'bert', num_hidden_layers: 1, hidden_size: 64, num_attention_heads: 2, intermediate_size: 128, ...more });

  it('a config.json is named by what it says of itself', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    const path = join(server.folder, 'config.json');
    writeFileSync(path, config({ _name_or_path: 'someone/tiny-one' }));
    await w.page.locator('input[type="file"]').first().setInputFiles(path);
    await expect.poll(() => w.page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('tiny-one (config.json)');
    await done(w);
  });

  it('images have no tokens, and a ranking by accuracy begins with the highest', async () => {
    const w = await open('/?model=vit-base-patch16-224');
    await treeIsThere(w.page);
    expect(await w.page.locator('.stand').innerText()).toContain('One pass of 16 images');
    await w.page.goto(`${server.url}/leaderboard?x=score`);
    await w.page.getByRole('heading', { name: 'Highest score first' }).waitFor();
    const scores = async (): Promise<number[]> => (await w.page.locator('.list tbody tr td:nth-last-child(2)').allInnerTexts()).map(Number);
    await expect.poll(async () => (await scores())[0]).toBeGreaterThan(0);
    const known = (await scores()).filter((x) => !Number.isNaN(x));
    expect([...known].sort((a, b) => b - a)).toEqual(known);
    await done(w);
  });

  it('a part without room for its name is told below the strip', async () => {
    const w = await open('/');
    await treeIsThere(w.page);
    for (const cap of await w.page.locator('.strip .cap').all()) expect(await cap.evaluate((e) => e.scrollWidth <= e.clientWidth + 1)).toBe(true);
    expect(await w.page.locator('.rest').innerText()).toMatch(/Head 0\.1/);
    await done(w);
  });
});
