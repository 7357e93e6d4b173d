// What a tree can be drawn on: a canvas, or the text of an SVG file.
import { canvasFont } from '../../base/text_width';
import type { Ink, Pen, Type } from './drawing';

export class CanvasPen implements Pen {
  constructor(private readonly on: CanvasRenderingContext2D) {
    on.textBaseline = 'alphabetic';
  }

  path(d: string, ink: Ink): void {
    const shape = new Path2D(d);
    this.on.globalAlpha = ink.alpha ?? 1;
    if (ink.fill !== undefined) {
      this.on.fillStyle = ink.fill;
      this.on.fill(shape);
    }
    if (ink.stroke !== undefined) {
      this.on.strokeStyle = ink.stroke;
      this.on.lineWidth = ink.width ?? 1;
      this.on.stroke(shape);
    }
  }

  words(text: string, x: number, y: number, type: Type): void {
    this.on.globalAlpha = type.alpha;
    this.on.fillStyle = type.fill;
    this.on.font = canvasFont(type.weight, type.size);
    this.on.textAlign = type.isCentred === true ? 'center' : 'left';
    this.on.fillText(text, x, y);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (each) => ESCAPES[each] ?? each);

/** Names come from files, so that they are escaped; everything else is the program's own. */
export class SvgPen implements Pen {
  readonly #parts: string[] = [];

  path(d: string, ink: Ink): void {
    const alpha = ink.alpha === undefined || ink.alpha === 1 ? '' : ` opacity="${String(ink.alpha)}"`;
    const stroke = ink.stroke === undefined ? '' : ` stroke="${ink.stroke}" stroke-width="${String(ink.width ?? 1)}"`;
    this.#parts.push(`<path d="${d}" fill="${ink.fill ?? 'none'}"${stroke}${alpha}/>`);
  }

  words(text: string, x: number, y: number, type: Type): void {
    const alpha = type.alpha === 1 ? '' : ` opacity="${String(type.alpha)}"`;
    const anchor = type.isCentred === true ? ' text-anchor="middle"' : '';
    this.#parts.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${String(type.size)}" font-weight="${String(type.weight)}" fill="${type.fill}"${anchor}${alpha}>${escaped(text)}</text>`);
  }

  file(width: number, height: number, paper: string, family: string): string {
    const size = `width="${String(Math.ceil(width))}" height="${String(Math.ceil(height))}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${escaped(family)}"><rect ${size} fill="${paper}"/>${this.#parts.join('')}</svg>\n`;
  }
}
