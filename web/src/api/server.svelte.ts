// Whether the server is there. Gone, it is tried again: after 1 s, 2 s, 4 s and so on, at most every 30 s.
import { apiPath } from './client';

class Server {
  isGone = $state(false);
  secondsLeft = $state(0);
  version = $state('');
  #wait = 1;
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #onBack = new Set<() => void>();

  /** Called once the server answers again. Returns the function that takes it back. */
  onBack(run: () => void): () => void {
    this.#onBack.add(run);
    return () => this.#onBack.delete(run);
  }

  lost(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.#wait = 1;
    this.#count();
  }

  answered(): void {
    if (!this.isGone) return;
    this.isGone = false;
    clearInterval(this.#timer);
    for (const run of [...this.#onBack]) run();
  }

  async tryNow(): Promise<void> {
    clearInterval(this.#timer);
    this.secondsLeft = 0;
    try {
      const response = await fetch('./healthz', { cache: 'no-store', signal: AbortSignal.timeout(5000) });
      if (response.status >= 502 && response.status <= 504) throw new Error('a proxy answered');
      this.answered();
    } catch {
      if (!this.isGone) return;
      this.#wait = Math.min(30, this.#wait * 2);
      this.#count();
    }
  }

  #count(): void {
    this.secondsLeft = this.#wait;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      this.secondsLeft -= 1;
      if (this.secondsLeft <= 0) void this.tryNow();
    }, 1000);
  }
}

export const server = new Server();
export const OPENAPI = apiPath('openapi.json');
