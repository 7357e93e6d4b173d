// One way to ask the server, and every way in which that can fail, each with what the user can do.
import { sentence } from '../base/sentence';

export type FailureKind = 'refused' | 'gone' | 'slow' | 'nonsense';

export class Failure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly hint = '',
    readonly field = '',
    readonly code = '',
    readonly retryAfter = 0,
    readonly details = '',
    readonly reason = '',  // A word to decide by, where the code does not say enough.
  ) {
    super(message);
  }
}

export type Parameters = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

const SLOW_AFTER_MS = 60_000;

/** The address of an operation, relative to wherever the pages are served. */
export function apiPath(operation: string, parameters: Parameters = {}): string {
  const pairs: [string, string][] = [];
  for (const [key, value] of Object.entries(parameters)) {
    if (typeof value === 'object') for (const each of value) pairs.push([key, each]);
    else if (value !== undefined && value !== '') pairs.push([key, String(value)]);
  }
  const query = new URLSearchParams(pairs).toString()
    .replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/');
  return `./api/v1/${operation}${query === '' ? '' : `?${query}`}`;
}

export const absolute = (path: string): string => new URL(path, document.baseURI).href;

// A token that the server no longer knows, such as that of its last start. Without it more may be allowed than with it.
let forgotten = '';

/** A token for a server that asks for one, from the fragment of the address: it never reaches a server's log. */
export function authorization(): Record<string, string> {
  try {
    const found = /[#&]token=([^&]+)/.exec(location.hash);
    if (found?.[1] !== undefined) sessionStorage.setItem('wattree.token', decodeURIComponent(found[1]));
    const token = sessionStorage.getItem('wattree.token');
    return token === null || token === forgotten ? {} : { Authorization: `Bearer ${token}` };
  } catch {
    return {};
  }
}

/** `body` goes as JSON, `text` as it is. With either, the method is POST where none is named. */
export interface Call {
  readonly path: string;
  readonly method?: 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly text?: string | Blob;
  readonly type?: string;
  readonly signal?: AbortSignal;
}

async function exchange(call: Call, accept: string): Promise<{ response: Response; text: string }> {
  const bearer = authorization()['Authorization'];
  const first = await attempt(call, accept);
  if (first.response.status !== 401 || bearer === undefined) return first;
  forgotten = bearer.slice('Bearer '.length);
  return attempt(call, accept);
}

async function attempt(call: Call, accept: string): Promise<{ response: Response; text: string }> {
  const timeout = AbortSignal.timeout(SLOW_AFTER_MS);
  const signal = call.signal === undefined ? timeout : AbortSignal.any([call.signal, timeout]);
  const content = call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const method = call.method ?? (content === undefined ? undefined : 'POST');
  try {
    const response = await fetch(call.path, {
      signal,
      headers: { Accept: accept, ...(content === undefined ? {} : { 'Content-Type': call.type ?? 'application/json' }), ...authorization() },
      ...(method === undefined ? {} : { method }), ...(content === undefined ? {} : { body: content }),
    });
    return { response, text: await response.text() };
  } catch (error) {
    if (call.signal?.aborted === true) throw error;
    if (timeout.aborted) throw new Failure('slow', 'The server took longer than a minute to answer.', 'Ask for a smaller model or size, or try again.');
    throw new Failure('gone', 'The server does not answer.');
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export async function ask<T>(call: Call, isWhole: (answer: unknown) => answer is T): Promise<T> {
  const { response, text } = await exchange(call, 'application/json');
  const answer = parsed(text);
  if (!response.ok) throw refusal(response, answer, text);
  if (!isWhole(answer)) {
    throw new Failure('nonsense', 'The server’s answer could not be read.',
      'Something between this page and Wattree may have changed it, or they are of different versions. Reload the page.', '', '', 0, text.slice(0, 400));
  }
  return answer;
}

/** An answer that is a file. */
export async function askFile(call: Call): Promise<string> {
  const { response, text } = await exchange(call, '*/*');
  if (!response.ok) throw refusal(response, parsed(text), text);
  return text;
}

/** What went wrong and what helps, as sentences for a message that goes away. */
export function inWords(error: unknown): string {
  if (!(error instanceof Failure)) return 'The page could not do that.';
  return [error.message, error.hint].filter((text) => text !== '').map(sentence).join(' ');
}

function refusal(response: Response, answer: unknown, text: string): Failure {
  const retryAfter = Number(response.headers.get('Retry-After') ?? 0) || 0;
  const error = isObject(answer) && isObject(answer['error']) ? answer['error'] : undefined;
  if (error === undefined) {
    // A proxy answers for a server that is not there.
    if (response.status >= 502 && response.status <= 504) return new Failure('gone', 'The server does not answer.');
    return new Failure('nonsense', `The server answered with status ${String(response.status)} and no explanation.`, 'Try again, or look at the server’s log.', '', '', retryAfter, text.slice(0, 400));
  }
  const word = (key: string): string => (typeof error[key] === 'string' ? error[key] : '');
  return new Failure('refused', sentence(word('message') || 'the server refused'), sentence(word('hint')), word('field'), word('code'), retryAfter, text.slice(0, 2000), word('reason'));
}

export function isObject(x: unknown): x is Record<string, unknown> {
  return typeof x === 'object' && x !== null && !Array.isArray(x);
}
