// What leaves the page: the clipboard and files. Nothing goes to another server.

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;  // Not allowed, or the page came by plain HTTP from another machine.
  }
}

export function save(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const saveText = (name: string, text: string, type: string): void => save(name, new Blob([text], { type }));

/** Letters, digits, dots and dashes: what every file system takes. */
export const fileName = (text: string): string =>
  text.replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 80) || 'wattree';

/** A field of a CSV file. A leading =, +, - or @ would be a formula to a spreadsheet. */
export function csvField(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csv = (rows: readonly (readonly (string | number | null | undefined)[])[]): string =>
  rows.map((row) => row.map(csvField).join(',')).join('\r\n') + '\r\n';

const DRAWN = [
  'fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity', 'font-size', 'font-weight', 'text-anchor',
  'letter-spacing',
];
const SVG = 'http://www.w3.org/2000/svg';
const MARGIN = 20;
const TITLE = 60;  // Room above the drawing.

/** What stands above a picture that leaves the page, so that it says by itself what it shows. */
export interface Caption { readonly title: string; readonly text: string }

let font: Promise<string> | undefined;

/** The page's own font, to go along with a drawing; a picture is drawn without access to the page. */
async function fontRule(): Promise<string> {
  font ??= (async () => {
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
    const faces = rules.filter((each) => each instanceof CSSFontFaceRule);
    const rule = faces.find((each) => each.style.getPropertyValue('font-family').includes('Inter'));
    const source = /url\("?([^")]+)"?\)/.exec(rule?.style.getPropertyValue('src') ?? '')?.[1];
    if (source === undefined) return '';
    const base = rule?.parentStyleSheet?.href ?? document.baseURI;
    const bytes = new Uint8Array(await (await fetch(new URL(source, base))).arrayBuffer());
    let text = '';
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    const data = `data:font/woff2;base64,${btoa(text)}`;
    return `@font-face{font-family:Inter;font-weight:100 900;src:url(${data}) format("woff2")}`;
  })().catch(() => '');
  return font;
}

function made(name: string, attributes: Readonly<Record<string, string | number>>, text = ''): SVGElement {
  const out = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) out.setAttribute(key, String(value));
  if (text !== '') out.textContent = text;
  return out;
}

/**
 * A copy of a drawing that needs no style sheet: every computed style that shows is written into it, the font is in
 * it, and what it shows stands above it. Controls (`data-control`) stay behind.
 */
export async function standaloneSvg(svg: SVGSVGElement, caption: Caption): Promise<string> {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = [svg, ...svg.querySelectorAll<SVGElement>('*')];
  const to = [copy, ...copy.querySelectorAll<SVGElement>('*')];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of DRAWN) to[i]?.setAttribute(name, style.getPropertyValue(name));
    if (style.display === 'none') to[i]?.setAttribute('display', 'none');
    to[i]?.removeAttribute('class');
  });
  for (const control of copy.querySelectorAll('[data-control]')) control.remove();
  const box = svg.getBoundingClientRect();
  return captionedSvg(copy, Math.round(box.width), Math.round(box.height), caption);
}

async function captionedSvg(copy: SVGElement, inner: number, tall: number, caption: Caption): Promise<string> {
  const page = getComputedStyle(document.body);
  const ink = getComputedStyle(document.documentElement);
  const [width, height] = [inner + 2 * MARGIN, tall + TITLE + MARGIN];
  const place = { x: MARGIN, y: TITLE, width: inner, height: tall, overflow: 'visible' };
  for (const [key, value] of Object.entries(place)) copy.setAttribute(key, String(value));
  const viewBox = `0 0 ${String(width)} ${String(height)}`;
  const out = made('svg', { width, height, viewBox, 'font-family': page.fontFamily }) as SVGSVGElement;
  out.append(
    made('style', {}, await fontRule()), made('rect', { width, height, fill: page.backgroundColor }),
    made('text', { x: MARGIN, y: 28, 'font-size': 17, 'font-weight': 620, fill: page.color }, caption.title),
    made('text', { x: MARGIN, y: 47, 'font-size': 12, fill: ink.getPropertyValue('--ink2').trim() }, caption.text),
    copy,
  );
  return new XMLSerializer().serializeToString(out);
}

/** The same for a drawing that is text already. */
export async function captionedText(text: string, caption: Caption): Promise<string> {
  const drawing = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement as unknown as SVGElement;
  const size = (name: string): number => Number(drawing.getAttribute(name) ?? 0);
  return captionedSvg(drawing, size('width'), size('height'), caption);
}

/** A drawing that can leave the page. */
export interface Picture { png(caption: Caption): Promise<Blob>; svg(caption: Caption): Promise<string> }

export const pictureOf = (svg: SVGSVGElement): Picture => ({
  png: (caption) => svgToPng(svg, caption), svg: (caption) => standaloneSvg(svg, caption),
});

/** The drawing as a picture, at twice its size for sharp text. */
export async function svgToPng(svg: SVGSVGElement, caption: Caption): Promise<Blob> {
  const text = await standaloneSvg(svg, caption);
  const image = new Image();
  // A data: address, because the content security policy allows no other way to make a picture here.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(image.width * 2);
  canvas.height = Math.round(image.height * 2);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvasToPng(canvas);
}

/** A canvas as a picture, with what it shows above it. `scale`: pixels of the canvas for one of the page. */
export function captionedPng(canvas: HTMLCanvasElement, scale: number, caption: Caption): Promise<Blob> {
  const out = document.createElement('canvas');
  out.width = canvas.width + 2 * MARGIN * scale;
  out.height = canvas.height + (TITLE + MARGIN) * scale;
  const pen = out.getContext('2d');
  const page = getComputedStyle(document.body);
  if (pen !== null) {
    pen.fillStyle = page.backgroundColor;
    pen.fillRect(0, 0, out.width, out.height);
    pen.fillStyle = page.color;
    pen.font = `620 ${String(17 * scale)}px ${page.fontFamily}`;
    pen.fillText(caption.title, MARGIN * scale, 28 * scale);
    pen.font = `400 ${String(12 * scale)}px ${page.fontFamily}`;
    pen.fillText(caption.text, MARGIN * scale, 47 * scale);
    pen.drawImage(canvas, MARGIN * scale, TITLE * scale);
  }
  return canvasToPng(out);
}

function canvasToPng(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The picture is too large for this browser.'));
      else resolve(blob);
    });
  });
}
