// Server-sent events, read by fetch: a token can go along, and the reader decides when to come back.
import { apiPath, authorization } from './client';

export interface ServerEvent { readonly name: string; readonly id: string; readonly data: unknown }

/** Takes a stream apart as it comes, in pieces of any size. */
export class EventParser {
  #rest = '';
  feed(text: string): ServerEvent[] {
    const blocks = (this.#rest + text.replaceAll('\r\n', '\n')).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.map(eventOf).filter((event) => event !== undefined);
  }
}

function eventOf(block: string): ServerEvent | undefined {
  let name = 'message';
  let id = '';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, field = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
    if (field === 'event') name = value;
    else if (field === 'id') id = value;
    else if (field === 'data') data.push(value);
  }
  if (data.length === 0) return undefined;  // A comment that keeps the connection open.
  try {
    return { name, id, data: JSON.parse(data.join('\n')) as unknown };
  } catch {
    return undefined;
  }
}

export interface Followed {
  readonly onevent: (event: ServerEvent) => void;
  /** Whether the stream is there; `seconds` until the next try where it is not. */
  readonly onstate: (isThere: boolean, seconds: number) => void;
}

/** Follows a run, after an event's id, until the function that is returned is called or the run has ended. Comes back after 1, 2, 4, 8 s. */
export function followRun(id: string, since: string, followed: Followed): () => void {
  const abort = new AbortController();
  let last = since;
  let wait = 1;
  const read = async (): Promise<boolean> => {
    const path = apiPath(`runs/${encodeURIComponent(id)}/events`);
    const headers = { Accept: 'text/event-stream', ...authorization(), ...(last === '' ? {} : { 'Last-Event-ID': last }) };
    const response = await fetch(path, { signal: abort.signal, headers, cache: 'no-store' });
    if (response.status === 404) return true;
    if (!response.ok || response.body === null) throw new Error(String(response.status));
    followed.onstate(true, 0);
    wait = 1;
    const parser = new EventParser();
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return false;
      for (const event of parser.feed(decoder.decode(value, { stream: true }))) {
        if (event.id !== '') last = event.id;
        followed.onevent(event);
        if (event.name === 'ended') return true;
      }
    }
  };
  const loop = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      try {
        if (await read()) return;
      } catch {
        // The server is gone, or something between cut the stream: it is tried again below.
      }
      if (abort.signal.aborted) return;
      followed.onstate(false, wait);
      await new Promise((resolve) => setTimeout(resolve, wait * 1000));
      wait = Math.min(8, wait * 2);
    }
  };
  void loop();
  return () => abort.abort();
}
