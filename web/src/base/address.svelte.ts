// The address is the state: a link shows what its sender saw. Choices push a history entry, typing replaces it.

export const PAGES = ['predict', 'compare', 'leaderboard', 'track', 'runs'] as const;
export type Page = (typeof PAGES)[number];
export type Query = Readonly<Record<string, string>>;

/** The last part of a path names the page; everything before it is where the server was mounted. */
export function pageOf(path: string): Page {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return PAGES.find((page) => page === last) ?? 'predict';
}

export function readQuery(search: string): Query {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Sorted as the caller wrote them; what is empty or at its default is left out. */
export function writeQuery(query: Query, defaults: Query = {}): string {
  const kept = Object.entries(query).filter(([key, value]) => value !== '' && value !== defaults[key]);
  const text = new URLSearchParams(kept).toString().replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/');
  return text === '' ? '' : `?${text}`;
}

export const pathOf = (page: Page): string => (page === 'predict' ? './' : `./${page}`);

class Address {
  page = $state<Page>('predict');
  query = $state.raw<Query>({});

  listen(): void {
    const read = (): void => {
      this.page = pageOf(location.pathname);
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

  go(page: Page, query: Query = {}, how: 'push' | 'replace' = 'push'): void {
    const target = pathOf(page) + writeQuery(query);
    const isSame = new URL(target, location.href).href === location.href;
    if (how === 'replace' || isSame) history.replaceState(null, '', target);
    else history.pushState(null, '', target);
    if (page !== this.page) scrollTo(0, 0);
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
