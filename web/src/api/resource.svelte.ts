// An answer that a view shows: the last good one stays until the next is there.
import { Failure } from './client';
import { server } from './server.svelte';

const UNSEEN_MS = 200;  // A wait that is shorter is not shown.
const KEPT = 60;

const kept = new Map<string, unknown>();

function keep(key: string, answer: unknown): void {
  kept.delete(key);
  kept.set(key, answer);
  const oldest = kept.keys().next().value;
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
}

export class Resource<T> {
  data = $state.raw<T | undefined>();
  failure = $state.raw<Failure | undefined>();
  isSlow = $state(false);     // Waiting for long enough to say so.
  isLoading = $state(false);
  isStale = $derived(this.data !== undefined && (this.isLoading || this.failure !== undefined));
  #key = '';
  #shownKey = '';
  #abort: AbortController | undefined;
  #again: (() => void) | undefined;
  #forget: (() => void) | undefined;

  /** `key` says what is asked, usually the address. The same key again does nothing, unless `force`. */
  load(key: string, fetcher: (signal: AbortSignal) => Promise<T>, force = false): void {
    if (key === this.#key && !force) return;
    this.#key = key;
    this.#abort?.abort();
    const before = force ? undefined : (kept.get(key) as T | undefined);
    if (before !== undefined) {
      this.#settle(key, before);
      return;
    }
    const abort = new AbortController();
    this.#abort = abort;
    this.isLoading = true;
    const timer = setTimeout(() => (this.isSlow = true), UNSEEN_MS);
    this.#again = () => this.load(key, fetcher, true);
    fetcher(abort.signal).then(
      (answer) => {
        clearTimeout(timer);
        if (this.#abort !== abort) return;
        server.answered();
        keep(key, answer);
        this.#settle(key, answer);
      },
      (error: unknown) => {
        clearTimeout(timer);
        if (this.#abort !== abort) return;
        this.isLoading = false;
        this.isSlow = false;
        this.failure = error instanceof Failure ? error : new Failure('nonsense', 'The page could not use the answer.', 'Reload the page.', '', '', 0, String(error));
        if (this.failure.kind === 'gone') this.#waitForServer();
        else server.answered();
      },
    );
  }

  retry(): void {
    this.#again?.();
  }

  /** Forgets what is shown: for a place that shows something else now. */
  clear(): void {
    this.#abort?.abort();
    this.#abort = undefined;
    this.#key = '';
    this.data = undefined;
    this.failure = undefined;
    this.isLoading = false;
    this.isSlow = false;
  }

  get shownKey(): string {
    return this.#shownKey;
  }

  #settle(key: string, answer: T): void {
    this.#abort = undefined;
    this.#shownKey = key;
    this.data = answer;
    this.failure = undefined;
    this.isLoading = false;
    this.isSlow = false;
  }

  #waitForServer(): void {
    server.lost();
    this.#forget?.();
    this.#forget = server.onBack(() => {
      this.#forget?.();
      if (this.failure?.kind === 'gone') this.retry();
    });
  }
}
