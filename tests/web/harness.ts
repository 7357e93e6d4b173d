// A real Chromium against the real server, for the tests of the web UI.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';

const ROOT = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..', '..');
const need = createRequire(join(ROOT, 'web', 'package.json'));
const { chromium } = need('playwright-core') as typeof import('playwright-core');
const AXE = readFileSync(need.resolve('axe-core/axe.min.js'), 'utf8');

export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path)) ?? '';

export class Wattree {
  url = '';
  readonly folder = mkdtempSync(join(tmpdir(), 'wattree-web-'));
  #process: ChildProcess | undefined;

  readonly models = join(this.folder, 'models');
  readonly hub = new Between(() => 'http://127.0.0.1:9');  // What stands in for the Hugging Face Hub.

  readonly #tracked: Tracked[] = [];

  /** Starts the program with the same folders as the server's: all that it keeps is in the test's. */
  spawn(...args: string[]): ChildProcessByStdio<null, Readable, Readable> {
    return this.#spawn(args, {});
  }
  #spawn(args: readonly string[], more: Record<string, string>): ChildProcessByStdio<null, Readable, Readable> {
    const bin = process.env['WATTREE_BIN'] ?? join(ROOT, 'build', 'release', 'bin', 'wattree');
    const at = (name: string): string => join(this.folder, name);
    const env = { ...process.env, HOME: this.folder, XDG_CACHE_HOME: at('cache'), XDG_CONFIG_HOME: at('config'), XDG_DATA_HOME: at('data'), XDG_STATE_HOME: at('state'), HF_ENDPOINT: this.hub.url, HF_HOME: at('hf'), ...more };
    return spawn(bin, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Runs the program to its end, and gives what it printed. */
  async run(...args: string[]): Promise<string> {
    const child = this.spawn(...args);
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => { text += chunk.toString(); });
    child.stderr.on('data', (chunk: Buffer) => { text += chunk.toString(); });
    const [code] = (await once(child, 'close')) as [number];
    if (code !== 0) throw new Error(`wattree ${args.join(' ')} ended with ${String(code)}: ${text}`);
    return text;
  }

  /** A real run that this server finds by itself: the tracker's options, and a shell script that it tracks. */
  track(options: readonly string[], script: string, env: Record<string, string> = {}): Tracked {
    const run = new Tracked(this.#spawn(['track', '--assume', 'cpu=65W', ...options, '--', 'sh', '-c', script], env));
    this.#tracked.push(run);
    return run;
  }

  /** Starts the program, or takes the server that WATTREE_URL names (for work on the pages). */
  async start(port = 0): Promise<void> {
    const given = process.env['WATTREE_URL'];
    if (given !== undefined && port === 0) {
      this.url = given;
      return;
    }
    mkdirSync(this.models, { recursive: true });
    if (this.hub.url === '') await this.hub.start();
    const child = this.spawn('serve', '--port', String(port), '--models', this.models);
    this.#process = child;
    this.url = await new Promise<string>((resolve, reject) => {
      let text = '';
      const read = (chunk: Buffer): void => {
        text += chunk.toString();
        const found = /https?:\/\/[\w.:[\]-]+/.exec(text)?.[0];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.on('exit', (code) => reject(new Error(`wattree serve ended with ${String(code)}: ${text}`)));
    });
  }

  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  async end(): Promise<void> {
    for (const run of this.#tracked) await run.stop();
    await this.stop();
    if (this.hub.url !== '') await this.hub.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async get(path: string): Promise<Answer> {
    const response = await fetch(`${this.url}/api/v1/${path}`);
    return (await response.json()) as Answer;
  }
}

/** A tracker and its command. */
export class Tracked {
  output = '';
  readonly ended: Promise<number | null>;
  constructor(readonly child: ChildProcess) {
    const read = (chunk: Buffer): void => { this.output += chunk.toString(); };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    this.ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  }
  /** The address that a tracker with --serve prints. */
  async address(): Promise<string> {
    await expect.poll(() => this.output).toMatch(/https?:\/\/\S+/);
    return /https?:\/\/\S+/.exec(this.output)?.[0] ?? '';
  }
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGTERM');
    await this.ended;
  }
}

/** Tests look into answers by name; a wrong name is undefined, and no test expects that. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Answer = any;

/** What a page must not do: break the content security policy, throw, or ask anybody but its server. */
export interface Watched { page: Page; problems: string[]; requests: string[] }

export function setUp(): { server: Wattree; open: (path: string, options?: BrowserContextOptions) => Promise<Watched>; browser: () => Browser } {
  const server = new Wattree();
  let browser: Browser | undefined;
  beforeAll(async () => {
    await server.start();
    // Chromium writes crash reports and settings into a home folder: one that goes with the server's.
    const home = join(server.folder, 'home');
    const folders = { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), XDG_CACHE_HOME: join(home, '.cache'), XDG_DATA_HOME: join(home, '.local', 'share') };
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'], env: { ...process.env, ...folders } as Record<string, string> });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await server.end();
  }, 60_000);
  const open = async (path: string, options: BrowserContextOptions = {}): Promise<Watched> => {
    if (browser === undefined) throw new Error('no browser');
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const watched: Watched = { page, problems: [], requests: [] };
    await page.exposeFunction('wattreeProblem', (text: string) => { watched.problems.push(text); });
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', (e) => { void (window as unknown as { wattreeProblem: (t: string) => void }).wattreeProblem(`CSP: ${e.violatedDirective} ${e.blockedURI}`); });
    });
    page.on('pageerror', (error) => watched.problems.push(`thrown: ${error.message}`));
    page.on('request', (each) => watched.requests.push(each.url()));
    await page.goto(path.startsWith('http') ? path : server.url + path);
    return watched;
  };
  return { server, open, browser: () => browser as Browser };
}

/** Ends a page after checking that it did nothing that it must not. */
export async function done(watched: Watched): Promise<void> {
  await watched.page.context().close();
  expect(watched.problems).toEqual([]);
}

/** Waits until the tree of a prediction is there. */
export async function treeIsThere(page: Page): Promise<void> {
  await page.locator('[role="tree"] [role="treeitem"], [role="treegrid"] tbody tr').first().waitFor();
}

export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const axe = (window as unknown as { axe: { run: (options: unknown) => Promise<{ violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[] }> } }).axe;
    const result = await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
    return result.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target.join(' ')} (${n.failureSummary.split('\n').slice(1, 3).join(' ')})`).join('; ')}`);
  });
  return found;
}

/** Something between the page and the server: a prefix, a delay, an error, nonsense. */
export class Between {
  readonly #server: Server;
  url = '';
  answer: ((call: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  constructor(private readonly target: () => string, private readonly prefix = '') {
    this.#server = createServer((call, response) => {
      if (this.answer?.(call, response) === true) return;
      const path = (call.url ?? '/').startsWith(this.prefix) ? (call.url ?? '/').slice(this.prefix.length) || '/' : '/none';
      const to = new URL(path, this.target());
      const headers = { ...call.headers, host: to.host };
      delete headers.origin;
      const forward = request(to, { method: call.method ?? 'GET', headers }, (from) => {
        response.writeHead(from.statusCode ?? 502, from.headers);
        from.pipe(response);
      });
      forward.on('error', () => { response.writeHead(502).end('bad gateway'); });
      call.pipe(forward);
    });
  }
  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}${this.prefix}`;
  }
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
