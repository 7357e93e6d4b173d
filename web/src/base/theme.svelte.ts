// Light or dark: the system's setting, unless the user chose. Kept on this machine only.

type Choice = 'light' | 'dark' | 'system';
const KEY = 'wattree.theme';

function stored(): Choice {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';  // Storage may be forbidden; then the choice lasts as long as the page.
  }
}

class Theme {
  choice = $state<Choice>(stored());
  #system = matchMedia('(prefers-color-scheme: dark)');
  #systemIsDark = $state(this.#system.matches);

  constructor() {
    this.#system.addEventListener('change', (event) => (this.#systemIsDark = event.matches));
    this.#apply();
  }

  get isDark(): boolean {
    return this.choice === 'system' ? this.#systemIsDark : this.choice === 'dark';
  }

  toggle(): void {
    this.choice = this.isDark ? 'light' : 'dark';
    this.#apply();
    try {
      localStorage.setItem(KEY, this.choice);
    } catch {
      // See stored().
    }
  }

  #apply(): void {
    if (this.choice === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = this.choice;
  }
}

export const theme = new Theme();
