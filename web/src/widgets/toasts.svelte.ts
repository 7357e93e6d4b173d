// Short messages that go away by themselves, with an undo where there is something to undo.

export interface Toast { readonly id: number; readonly text: string; readonly action?: { readonly name: string; readonly run: () => void } }

class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  #next = 1;

  show(text: string, action?: Toast['action']): void {
    const toast: Toast = { id: this.#next, text, ...(action === undefined ? {} : { action }) };
    this.#next += 1;
    this.list = [...this.list.slice(-2), toast];
    this.#expire(toast.id);
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }

  #expire(id: number): void {
    setTimeout(() => {
      // As long as it has the focus, it stays.
      if (document.activeElement?.closest(`[data-toast="${String(id)}"]`) !== null && document.activeElement !== null) this.#expire(id);
      else this.dismiss(id);
    }, 6000);
  }
}

export const toasts = new Toasts();
