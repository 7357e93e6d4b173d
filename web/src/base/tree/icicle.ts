// The same nodes as blocks: as wide as their energy, children below their parent.
import type { Shown } from './opening';

const NARROWEST = 0.8;  // Pixels; thousands of slivers would only make the page slow.

export interface Block { readonly shown: Shown; readonly x: number; readonly y: number; readonly width: number }

/** Blocks in units of the width: `zoom` fills it, its ancestors stand above at full width, nothing else shows. */
export function blocks(root: Shown, zoom: Shown, width: number, rowHeight: number): Block[] {
  const out: Block[] = [];
  const scale = zoom.energy > 0 ? width / zoom.energy : 0;
  const place = (shown: Shown, x: number): void => {
    const w = shown.energy * scale;
    if (w < NARROWEST) return;
    out.push({ shown, x, y: shown.depth * rowHeight, width: w });
    let at = x;
    for (const child of shown.children) {
      place(child, at);
      at += child.energy * scale;
    }
  };
  const above = ancestors(root, zoom);
  for (const shown of above) out.push({ shown, x: 0, y: shown.depth * rowHeight, width });
  place(zoom, 0);
  return out;
}

function ancestors(root: Shown, to: Shown): Shown[] {
  const path: Shown[] = [];
  const find = (at: Shown): boolean => {
    if (at === to) return true;
    for (const child of at.children) {
      if (find(child)) {
        path.unshift(at);
        return true;
      }
    }
    return false;
  };
  find(root);
  return path;
}
