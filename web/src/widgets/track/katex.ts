// KaTeX with its style sheet, as a part of its own that is loaded when a formula is shown.
import katex from 'katex';
import 'katex/dist/katex.min.css';

export function render(tex: string, place: HTMLElement): void {
  katex.render(tex, place, { throwOnError: false, strict: false });
}
