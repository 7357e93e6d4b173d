// What a searched field offers.

export interface ComboOption {
  readonly group: string;
  readonly name: string;
  readonly note: string;
  readonly run: () => void;
}

/** Whether every word that was typed is in a text, in any order; case and punctuation do not matter. */
export function fits(text: string, typed: string): boolean {
  const plain = (s: string): string => s.toLowerCase().replace(/[^a-z0-9]+/g, ' ');
  const hay = plain(text);
  const joined = hay.replaceAll(' ', '');
  return plain(typed).split(' ').filter(Boolean).every((word) => hay.includes(word) || joined.includes(word));
}

/** How many letters differ: the fewest that are put in, taken out or exchanged. */
export function distance(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const now = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const exchanged = (before[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      now[j] = Math.min((before[j] ?? 0) + 1, (now[j - 1] ?? 0) + 1, exchanged);
    }
    before = now;
  }
  return before[b.length] ?? 0;
}

/** Names that are near to what was typed, the nearest first: for when none fits. */
export function near<T extends { readonly name: string }>(all: readonly T[], typed: string, most = 6): T[] {
  const plain = (s: string): string => s.toLowerCase().replace(/[^a-z0-9]/g, '');
  const wanted = plain(typed.slice(typed.lastIndexOf('/') + 1));
  if (wanted.length < 3) return [];
  const far = (name: string): number => distance(wanted, name) / Math.max(wanted.length, name.length);
  const ranked = all.map((each) => ({ each, far: far(plain(each.name)) }));
  return ranked.filter((x) => x.far <= 0.45).sort((x, y) => x.far - y.far).slice(0, most).map(({ each }) => each);
}
