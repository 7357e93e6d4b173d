// How wide a text is, from the widths of its letters: exact but for kerning, and quick enough for thousands of labels.

const GUESS = 7;  // Pixels of a letter where nothing can be measured.
const tables = new Map<string, Map<string, number>>();
let family: string | undefined;
let context: CanvasRenderingContext2D | null | undefined;

function pen(): CanvasRenderingContext2D | null {
  if (context === undefined) {
    context = typeof document === 'undefined' ? null : document.createElement('canvas').getContext('2d');
    // A font that comes later has other widths.
    if (context !== null) document.fonts.addEventListener('loadingdone', () => tables.clear());
  }
  return context;
}

/** The page's font for a canvas: "600 12.5px Inter, …". */
export function canvasFont(weight: number, size: number): string {
  family ??= getComputedStyle(document.body).fontFamily;
  return `${String(weight)} ${String(size)}px ${family}`;
}

export function textWidth(text: string, weight: number, size: number): number {
  const on = pen();
  if (on === null) return text.length * GUESS;
  const font = canvasFont(weight, size);
  let table = tables.get(font);
  if (table === undefined) tables.set(font, (table = new Map()));
  let width = 0;
  for (const letter of text) {
    let of = table.get(letter);
    if (of === undefined) {
      on.font = font;
      table.set(letter, (of = on.measureText(letter).width));
    }
    width += of;
  }
  return width;
}

/** The text, or as much of its beginning as finds room, or '' where that is next to nothing. */
export function textWithin(text: string, width: number, weight: number, size: number): string {
  if (textWidth(text, weight, size) <= width) return text;
  for (let most = text.length - 1; most >= 3; most -= 1) {
    const part = `${text.slice(0, most)}…`;
    if (textWidth(part, weight, size) <= width) return part;
  }
  return '';
}
