// Shortcuts: what a key does, in words, so that the palette and the list behind "?" show the same.

export interface Shortcut {
  readonly keys: string;  // "Ctrl K", "E", "Shift E", "G P"
  readonly name: string;
  readonly run: () => void;
  readonly alsoInFields?: boolean;
}

const LETTERS_KEY = 'wattree.letters';

export function lettersAreOn(): boolean {
  try {
    return localStorage.getItem(LETTERS_KEY) !== 'off';
  } catch {
    return true;
  }
}

export function switchLetters(on: boolean): void {
  try {
    localStorage.setItem(LETTERS_KEY, on ? 'on' : 'off');
  } catch {
    // Storage may be forbidden; then they stay on.
  }
}

/** "Ctrl K", "Shift E", "?": as written in Shortcut.keys. Meta counts as Ctrl, for keyboards that have it there. */
export function nameOf(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>): string {
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const isLetter = /^[A-Z]$/.test(key);
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push('Ctrl');
  if (event.altKey) parts.push('Alt');
  if (event.shiftKey && (isLetter || event.key.length > 1)) parts.push('Shift');
  return [...parts, key].join(' ');
}

function isField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !/^(radio|checkbox|button|file)$/.test(target.type);
  return target instanceof HTMLElement && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName));
}

class Keys {
  readonly #groups = new Set<readonly Shortcut[]>();
  #pending = '';

  listen(): void {
    addEventListener('keydown', (event) => this.#handle(event));
  }

  /** Returns the function that takes them back. */
  add(shortcuts: readonly Shortcut[]): () => void {
    this.#groups.add(shortcuts);
    return () => this.#groups.delete(shortcuts);
  }

  all(): Shortcut[] {
    return [...this.#groups].flat();
  }

  #handle(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing) return;
    const name = nameOf(event);
    const sequence = this.#pending === '' ? name : `${this.#pending} ${name}`;
    this.#pending = '';
    if (document.querySelector('dialog[open]') !== null && name !== 'Ctrl K') return;
    const found = this.all().find((s) => s.keys === sequence) ?? this.all().find((s) => s.keys === name);
    if (found !== undefined) {
      const isPlain = !name.startsWith('Ctrl') && name !== 'Escape';
      if (isField(event.target) && !(found.alsoInFields ?? false) && isPlain) return;
      if (isPlain && !lettersAreOn()) return;
      event.preventDefault();
      found.run();
    } else if (name === 'G' && !isField(event.target) && lettersAreOn()) {
      this.#pending = 'G';
    }
  }
}

export const keys = new Keys();
