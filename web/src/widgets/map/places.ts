// Places on a map: which there are, and how keys and labels find their way among them.
import type { Region, RegionChange } from '../../api/regions';

export const MAPS = ['us', 'world', 'canada', 'cloud'] as const;
export type MapName = (typeof MAPS)[number];
type Point = readonly [number, number];

/** What shapes.json has: outlines in units of the map's width, and the middle of each. */
export interface Shape { readonly d?: string; readonly at: Point }
export interface Shapes {
  readonly us: { readonly width: number; readonly height: number; readonly places: Readonly<Record<string, Shape>> };
  readonly world: { readonly width: number; readonly height: number; readonly places: Readonly<Record<string, Shape>>; readonly bare: readonly { readonly name: string; readonly d: string }[] };
  readonly cloud: Readonly<Record<string, { readonly at: Point; readonly in: string }>>;
}

export interface Place extends Shape {
  readonly region: Region;
  readonly change?: RegionChange;
}
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly places: readonly Place[];
  readonly bare: readonly string[];  // Land without a figure of its own.
}

const KINDS: Readonly<Record<MapName, Region['kind']>> = { us: 'us_state', world: 'country', canada: 'ca_province', cloud: 'cloud_region' };

/** The map that shows a region. */
export const mapOf = (region: Region | undefined): MapName => MAPS.find((map) => KINDS[map] === region?.kind) ?? 'us';

/** By code, name or alias, in any case: profiles of others write names. */
export function findRegion(regions: readonly Region[], wanted: string): Region | undefined {
  const low = wanted.trim().toLowerCase();
  if (low === '') return undefined;
  return regions.find((r) => r.code.toLowerCase() === low) ?? regions.find((r) => r.name.toLowerCase() === low || r.aliases.some((a) => a.toLowerCase() === low));
}

/** What people call it first: "Montreal, AWS ca-central-1". */
export function placeName(region: Region): string {
  const parts = region.kind === 'cloud_region' ? /^(.*) \((.*)\)$/.exec(region.name) : null;
  return parts === null ? region.name : `${parts[2] ?? ''}, ${(parts[1] ?? '').replace('Google Cloud', 'Google')}`;
}

/** Of this kind, the lowest intensity first. */
export function regionsOf(map: MapName, regions: readonly Region[]): Region[] {
  return regions.filter((r) => r.kind === KINDS[map]).sort((a, b) => a.gco2e_per_kwh - b.gco2e_per_kwh);
}

const TILE = 68;
const GAP = 4;
const TILES: Readonly<Record<string, Point>> = {
  'CA-YT': [0, 0], 'CA-NT': [1, 0], 'CA-NU': [2, 0],
  'CA-BC': [0, 1], 'CA-AB': [1, 1], 'CA-SK': [2, 1], 'CA-MB': [3, 1], 'CA-ON': [4, 1], 'CA-QC': [5, 1], 'CA-NL': [6, 1],
  'CA-NB': [6, 2], 'CA-PE': [7, 2], 'CA-NS': [7, 3],
};

function tile(column: number, row: number): Shape {
  const x = column * (TILE + GAP);
  const y = row * (TILE + GAP);
  return { d: `M${String(x)} ${String(y)}l${String(TILE)} 0 0 ${String(TILE)}-${String(TILE)} 0z`, at: [x + TILE / 2, y + TILE / 2] };
}

export function drawing(map: MapName, shapes: Shapes, regions: readonly Region[], changes: readonly RegionChange[]): Drawing {
  const changeOf = new Map(changes.map((change) => [change.code, change]));
  const shapeOf = (code: string): Shape | undefined => {
    const at = TILES[code];
    return map === 'canada' ? (at === undefined ? undefined : tile(...at)) : map === 'cloud' ? shapes.cloud[code] : shapes[map].places[code];
  };
  const places = regionsOf(map, regions).flatMap((region): Place[] => {
    const shape = shapeOf(region.code);
    const change = changeOf.get(region.code);
    return shape === undefined ? [] : [{ region, at: shape.at, ...(shape.d === undefined ? {} : { d: shape.d }), ...(change === undefined ? {} : { change }) }];
  });
  const { width, height, bare } = shapes.world;
  if (map === 'us') return { width: shapes.us.width, height: shapes.us.height, places, bare: [] };
  if (map === 'canada') return { width: 8 * (TILE + GAP) - GAP, height: 4 * (TILE + GAP) - GAP, places, bare: [] };
  const land = bare.map((each) => each.d);
  return { width, height, places, bare: map === 'world' ? land : [...land, ...Object.values(shapes.world.places).flatMap((p) => (p.d === undefined ? [] : [p.d]))] };
}

/** Steps 0 to 8 of the scale for carbon, 100 g/kWh each. */
export const carbonStep = (grams: number): number => Math.max(0, Math.min(8, Math.floor(grams / 100)));

const DIRECTIONS: Readonly<Record<string, Point>> = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

/** The nearest place in the direction of an arrow key: what lies ahead counts, what lies aside counts double. */
export function toward(places: readonly Place[], from: Place, key: string): Place | undefined {
  const direction = DIRECTIONS[key];
  if (direction === undefined) return undefined;
  let best: Place | undefined;
  let least = Infinity;
  for (const place of places) {
    const [dx, dy] = [place.at[0] - from.at[0], place.at[1] - from.at[1]];
    const ahead = dx * direction[0] + dy * direction[1];
    const aside = Math.abs(dx * direction[1] - dy * direction[0]);
    if (place === from || ahead <= 0 || aside > 2 * ahead) continue;
    const far = ahead + 2 * aside;
    if (far < least) [best, least] = [place, far];
  }
  return best;
}

/** The place whose name, code or city begins with what was typed; typing one letter again goes on to the next. */
export function typedPlace(places: readonly Place[], typed: string, from: Place | undefined): Place | undefined {
  const low = typed.toLowerCase();
  const isRepeated = new Set(low).size === 1;
  const wanted = isRepeated ? (low[0] ?? '') : low;
  const begins = (p: Place): boolean => [p.region.name, p.region.code, ...p.region.name.split(/[ ()]+/), ...p.region.aliases].some((word) => word.toLowerCase().startsWith(wanted));
  const found = places.filter(begins).sort((a, b) => Number(b.region.name.toLowerCase().startsWith(wanted)) - Number(a.region.name.toLowerCase().startsWith(wanted)) || a.region.name.localeCompare(b.region.name));
  const at = from === undefined ? -1 : found.indexOf(from);
  return isRepeated && low.length > 0 ? found[(at + 1) % found.length] : found[0];
}

export interface Box { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number }

/** Around the largest piece of an outline as shapes.json writes them: "M" and then steps from point to point. */
export function boxOf(shape: Shape): Box {
  let largest: Box = { left: shape.at[0] - 4, top: shape.at[1] - 4, right: shape.at[0] + 4, bottom: shape.at[1] + 4 };
  let most = 0;
  for (const piece of (shape.d ?? '').split('z')) {
    const numbers = (piece.match(/-?\d+/g) ?? []).map(Number);
    let [x, y] = [0, 0];
    let box: Box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    for (let i = 0; i + 1 < numbers.length; i += 2) {
      [x, y] = [x + (numbers[i] ?? 0), y + (numbers[i + 1] ?? 0)];
      box = { left: Math.min(box.left, x), top: Math.min(box.top, y), right: Math.max(box.right, x), bottom: Math.max(box.bottom, y) };
    }
    const size = numbers.length === 0 ? 0 : (box.right - box.left) * (box.bottom - box.top);
    if (size > most) [largest, most] = [box, size];
  }
  return largest;
}

/** Where a label of this size goes: beside the place, on the side that is nearest to the map's edge and has room. */
export function labelAt(shape: Shape, map: { readonly width: number; readonly height: number }, width: number, height: number, taken?: Box): Box {
  const box = boxOf(shape);
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const gap = 6;
  const put = (left: number, top: number): Box => {
    const l = Math.max(0, Math.min(map.width - width, left));
    const t = Math.max(0, Math.min(map.height - height, top));
    return { left: l, top: t, right: l + width, bottom: t + height };
  };
  const sides = [
    { far: map.width - box.right, at: put(box.right + gap, y - height / 2) }, { far: box.left, at: put(box.left - gap - width, y - height / 2) },
    { far: box.top, at: put(x - width / 2, box.top - gap - height) }, { far: map.height - box.bottom, at: put(x - width / 2, box.bottom + gap) },
  ].sort((a, b) => a.far - b.far).map((side) => side.at);
  const overlaps = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const free = sides.filter((side) => taken === undefined || !overlaps(side, taken));
  return free.find((side) => !overlaps(side, box)) ?? free[0] ?? put(box.right + gap, box.bottom);
}
