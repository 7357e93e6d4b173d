// The address is the state: a link shows what its sender saw. Choices push a history entry, typing replaces it.

export const PAGES = ['predict', 'compare', 'leaderboard', 'track', 'runs'] as const;
export type Page = (typeof PAGES)[number];
export type Query = Readonly<Record<string, string>>;

/**
 * The last part of a path names the page; everything before it is where the server was mounted. Undefined: there is
 * no such page.
 */
export function pageOf(path: string): Page | undefined {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return last === '' || last === 'index.html' ? 'predict' : PAGES.find((page) => page === last);
}

/** What the pages about models share, and what each of them calls its model. */
const SETTINGS = ['batch', 'seq', 'dtype', 'attention', 'on', 'execution'] as const;
const MODEL: Readonly<Partial<Record<Page, string>>> = { predict: 'model', compare: 'a', leaderboard: 'ref' };

/** A page as it was left, with the model and the settings of the one that is left now. */
export function carried(from: Page, query: Query, to: Page, before: Query = {}): Query {
  const [mine, theirs] = [MODEL[from], MODEL[to]];
  if (mine === undefined || theirs === undefined) return before;
  const moved = new Set<string>([...SETTINGS, theirs]);
  const kept = Object.entries(before).filter(([key]) => !moved.has(key));
  const taken = SETTINGS.flatMap((key) => (query[key] === undefined ? [] : [[key, query[key]] as const]));
  const model = query[mine];
  return Object.fromEntries([...(model === undefined ? [] : [[theirs, model] as const]), ...taken, ...kept]);
}

export function readQuery(search: string): Query {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Sorted as the caller wrote them; what is empty or at its default is left out. */
export function writeQuery(query: Query, defaults: Query = {}): string {
  const kept = Object.entries(query).filter(([key, value]) => value !== '' && value !== defaults[key]);
  const escaped = new URLSearchParams(kept).toString();
  const text = escaped.replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/');
  return text === '' ? '' : `?${text}`;
}

export const pathOf = (page: Page): string => (page === 'predict' ? './' : `./${page}`);

class Address {
  page = $state<Page>('predict');
  query = $state.raw<Query>({});
  isUnknown = $state(false);  // There is no page at this address.
  readonly #left = new Map<Page, Query>();

  listen(): void {
    const read = (): void => {
      if (!this.isUnknown) this.#left.set(this.page, this.query);
      const page = pageOf(location.pathname);
      this.isUnknown = page === undefined;
      this.page = page ?? 'predict';
      this.query = readQuery(location.search);
    };
    addEventListener('popstate', read);
    read();
  }

  /** Changes some values on this page; undefined or '' removes one. */
  set(changes: Readonly<Record<string, string | undefined>>, how: 'push' | 'replace' = 'push'): void {
    const next: Record<string, string> = { ...this.query };
    for (const [key, value] of Object.entries(changes)) {
      if (value === undefined || value === '') Reflect.deleteProperty(next, key);
      else next[key] = value;
    }
    this.go(this.page, next, how);
  }

  /** What a link to another page takes along; to the page that is shown, nothing. */
  toPage(page: Page): Query {
    if (page === this.page && !this.isUnknown) return {};
    return carried(this.page, this.isUnknown ? {} : this.query, page, this.#left.get(page));
  }

  go(page: Page, query: Query = {}, how: 'push' | 'replace' = 'push'): void {
    const target = pathOf(page) + writeQuery(query);
    const isSame = new URL(target, location.href).href === location.href;
    if (how === 'replace' || isSame) history.replaceState(null, '', target);
    else history.pushState(null, '', target);
    if (page !== this.page) scrollTo(0, 0);
    if (!this.isUnknown) this.#left.set(this.page, this.query);
    this.isUnknown = false;
    this.page = page;
    this.query = query;
  }
}

export const address = new Address();

/** For links within the pages: a plain click stays here, anything else is the browser's. */
export function follow(event: MouseEvent, page: Page, query: Query = {}): void {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  address.go(page, query);
}
