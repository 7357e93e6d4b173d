// An answer that a view shows: the last good one stays until the next is there.
import { untrack } from 'svelte';
import { Failure } from './client';
import { server } from './server.svelte';

const UNSEEN_MS = 200;  // A wait that is shorter is not shown.
const KEPT = 60;

/** Answers that hold for as long as the program runs: of models and look-up tables. */
const lasting = new Map<string, unknown>();

function keep(kept: Map<string, unknown>, key: string, answer: unknown): void {
  kept.delete(key);
  kept.set(key, answer);
  const oldest = kept.keys().next().value;
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
}

type Fetcher<T> = (signal: AbortSignal) => Promise<T>;

export class Resource<T> {
  data = $state.raw<T | undefined>();
  failure = $state.raw<Failure | undefined>();
  isSlow = $state(false);     // Waiting for long enough to say so.
  isLoading = $state(false);
  #key = $state('');
  #shownKey = $state('');
  /** What is shown is of another question than the last one. */
  readonly isStale = $derived(this.data !== undefined && (this.failure !== undefined || this.#shownKey !== this.#key));
  /** So much so that it is to be seen: what is there now is not yet, or not at all, what was asked for. */
  readonly isDimmed = $derived(
    this.data !== undefined && this.#shownKey !== this.#key && (this.failure !== undefined || this.isSlow),
  );
  readonly #kept: Map<string, unknown>;
  readonly #changes: boolean;
  #about = '';
  #shownAbout = '';
  #isWantedAgain = false;
  #abort: AbortController | undefined;
  #again: (() => void) | undefined;
  #forget: (() => void) | undefined;

  /** `changes`: of runs and what is kept. What was heard is shown at once, and asked for again. */
  constructor({ changes = false }: { changes?: boolean } = {}) {
    this.#changes = changes;
    this.#kept = changes ? new Map() : lasting;
  }

  /**
   * `key` says what is asked, usually the address. The same key again does nothing, unless `force`. `about` names
   * the thing that the answer is of: after a failure, nothing of another thing stays.
   */
  load(key: string, fetcher: Fetcher<T>, force = false, about = ''): void {
    // An effect that asks must not run again because the answer came.
    untrack(() => this.#load(key, fetcher, force, about));
  }
  #load(key: string, fetcher: Fetcher<T>, force: boolean, about: string): void {
    if (key === this.#key && !force) return;
    if (key === this.#key && this.isLoading) {
      this.#isWantedAgain = true;  // What is on its way may be older than what was heard of meanwhile.
      return;
    }
    this.#key = key;
    this.#about = about;
    this.#abort?.abort();
    this.#isWantedAgain = false;
    const before = force ? undefined : (this.#kept.get(key) as T | undefined);
    if (before !== undefined) this.#settle(key, before);
    if (before === undefined || this.#changes) this.#ask(key, fetcher);
  }

  #ask(key: string, fetcher: Fetcher<T>): void {
    const abort = new AbortController();
    this.#abort = abort;
    this.isLoading = true;
    const timer = setTimeout(() => (this.isSlow = true), UNSEEN_MS);
    this.#again = () => this.load(key, fetcher, true, this.#about);
    fetcher(abort.signal).then(
      (answer) => {
        clearTimeout(timer);
        if (this.#abort !== abort) return;
        server.answered();
        keep(this.#kept, key, answer);
        this.#settle(key, answer);
        this.#followUp();
      },
      (error: unknown) => {
        clearTimeout(timer);
        if (this.#abort !== abort) return;
        this.#fail(error);
        this.#followUp();
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

  /** What the answer that is shown is of: `about`, when it was asked for. */
  get shownAbout(): string {
    return this.#shownAbout;
  }
  get key(): string {
    return this.#key;
  }
  get shownKey(): string {
    return this.#shownKey;
  }

  #settle(key: string, answer: T): void {
    this.#abort = undefined;
    this.#shownKey = key;
    this.#shownAbout = this.#about;
    this.data = answer;
    this.failure = undefined;
    this.isLoading = false;
    this.isSlow = false;
  }

  #fail(error: unknown): void {
    this.isLoading = false;
    this.isSlow = false;
    this.failure = error instanceof Failure ? error
      : new Failure('nonsense', 'The page could not use the answer.', 'Reload the page.', '', '', 0, String(error));
    if (this.#shownAbout !== this.#about) this.data = undefined;
    if (this.failure.kind === 'gone') this.#waitForServer();
    else server.answered();
  }

  #followUp(): void {
    if (!this.#isWantedAgain) return;
    this.#isWantedAgain = false;
    this.retry();
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
