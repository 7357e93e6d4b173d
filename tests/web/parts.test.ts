// The page of parts and states, which only development builds have.
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { done, setUp, treeIsThere, violations } from './harness';

const { open } = setUp();
const WEB = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..', '..', 'web');

it('shows every part to those who work on the pages, and axe agrees', async () => {
  const { createServer } = (await import(pathToFileURL(createRequire(join(WEB, 'package.json')).resolve('vite')).href)) as typeof import('vite');
  const vite = await createServer({ root: WEB, configFile: join(WEB, 'vite.config.ts'), logLevel: 'silent', server: { port: 0, host: '127.0.0.1', hmr: false } });
  await vite.listen();
  try {
    const url = `http://127.0.0.1:${String((vite.httpServer?.address() as AddressInfo).port)}`;
    for (const colorScheme of ['light', 'dark'] as const) {
      const w = await open(`${url}/parts`, { colorScheme });
      await treeIsThere(w.page);
      expect(await w.page.getByRole('tree').count()).toBe(2);
      expect((await violations(w.page)).join('\n')).toBe('');
      await done(w);
    }
  } finally {
    await vite.close();
  }
});

it('is not in what users get', async () => {
  const w = await open('/parts');
  await w.page.getByRole('heading', { name: 'There is no page here' }).waitFor();
  expect(await w.page.getByRole('heading', { name: 'Parts and states' }).count()).toBe(0);
  await done(w);
});
