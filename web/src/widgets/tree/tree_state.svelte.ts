// What tree, icicle, table and list of operations share: one opening, one selection, one hover.
import type { EnergyNode, EnergyTree } from '../../base/tree/energy_tree';
import { kindOf, nodeAt } from '../../base/tree/energy_tree';
import { find } from '../../base/tree/find';
import { drawn, everything, type Opened, revealed, type Shown, shown, toggled } from '../../base/tree/opening';
import { shareStep } from '../../base/numbers';

export type Colour = 'share' | 'class' | 'type';
export interface Spot { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

export class TreeState {
  tree = $state.raw<EnergyTree>({ nodes: [], byKey: new Map() });
  open = $state.raw<Opened>(new Set());
  chosen = $state(0);
  hovered = $state<number | undefined>();
  spot = $state.raw<Spot | undefined>();   // Where the hovered node is, in the window.
  marked = $state.raw<ReadonlySet<number>>(new Set());  // By a role or a group of operations.
  search = $state('');
  colour = $state<Colour>('share');
  menu = $state.raw<{ x: number; y: number; id: number } | undefined>();

  root = $derived(this.tree.nodes.length > 0 ? shown(this.tree, this.open) : undefined);
  drawn = $derived(this.root === undefined ? [] : drawn(this.root));
  hits = $derived(find(this.tree, this.search));
  /** By node: 2 of what is marked or found, 1 of what holds such, 0 of the rest. Undefined while nothing is. */
  emphasis = $derived.by((): Uint8Array | undefined => {
    if (this.marked.size === 0 && this.search === '') return undefined;
    const out = new Uint8Array(this.tree.nodes.length);
    const ids = [...this.marked, ...this.hits];
    for (const id of ids) out[id] = 2;
    for (const id of ids) {
      for (let up = this.tree.nodes[id]?.parent ?? -1; up >= 0 && out[up] !== 1; up = nodeAt(this.tree, up).parent) if (out[up] === 0) out[up] = 1;
    }
    return out;
  });

  onopen: (open: Opened) => void = () => undefined;
  onchoose: (id: number) => void = () => undefined;
  onexplain: (id: number) => void = () => undefined;

  get node(): EnergyNode | undefined {
    return this.tree.nodes[this.chosen];
  }

  choose(id: number): void {
    if (this.tree.nodes[id] === undefined) return;
    const open = revealed(this.tree, this.open, id);
    if (open !== this.open) this.setOpen(open);
    this.chosen = id;
    this.onchoose(id);
  }

  toggle(id: number): void {
    if (nodeAt(this.tree, id).children.length === 0) return;
    this.setOpen(toggled(this.tree, this.open, id));
    // Never choose what is no longer seen.
    for (let up = nodeAt(this.tree, this.chosen).parent; up >= 0; up = nodeAt(this.tree, up).parent) {
      if (up === id && !this.open.has(id)) this.choose(id);
    }
  }

  openRest(parent: number): void {
    this.setOpen(new Set([...this.open, -1 - parent]));
  }

  expandAll(): void {
    this.setOpen(everything(this.tree));
  }

  collapse(): void {
    this.setOpen(new Set());
    this.choose(0);
  }

  setOpen(open: Opened): void {
    this.open = open;
    this.onopen(open);
  }

  hover(id: number | undefined, spot?: Spot): void {
    this.hovered = id;
    this.spot = spot;
  }

  nextHit(back = false): void {
    if (this.hits.length === 0) return;
    const at = this.hits.indexOf(this.chosen);
    const next = at < 0 ? 0 : (at + (back ? -1 : 1) + this.hits.length) % this.hits.length;
    this.choose(this.hits[next] ?? 0);
  }

  /** Arrows as in a tree view; says whether the key was one of them. */
  key(key: string): boolean {
    const list = this.drawn;
    const at = list.findIndex((each) => this.isChosen(each));
    const here = list[at];
    if (here === undefined) return false;
    const go = (to: Shown | undefined): void => {
      if (to !== undefined && to.gathered.length === 0) this.choose(to.node.id);
      else if (to !== undefined) this.openRest(to.node.id);
    };
    if (key === 'ArrowDown') go(list[at + 1]);
    else if (key === 'ArrowUp') go(list.slice(0, at).findLast((each) => each.gathered.length === 0));
    else if (key === 'ArrowRight') {
      if (here.isOpen) go(list[at + 1]);
      else if (here.inside > 0) this.toggle(here.node.id);
    } else if (key === 'ArrowLeft') {
      if (here.isOpen) this.toggle(here.node.id);
      else go(list.slice(0, at).findLast((each) => each.depth === here.depth - 1));
    } else if (key === 'Home') go(list[0]);
    else if (key === 'End') go(list.findLast((each) => each.gathered.length === 0));
    else if (key === 'Enter') this.onexplain(this.chosen);
    else return false;
    return true;
  }

  isMarked(shown: Shown): boolean {
    return this.#emphasisOf(shown) === 2;
  }

  isFaded(shown: Shown): boolean {
    return this.#emphasisOf(shown) === 0;
  }

  #emphasisOf(shown: Shown): number {
    const by = this.emphasis;
    return by === undefined ? 1 : Math.max(...(shown.gathered.length > 0 ? shown.gathered : shown.chain).map((node) => by[node.id] ?? 0));
  }

  isChosen(shown: Shown): boolean {
    return shown.gathered.length === 0 && shown.chain.some((node) => node.id === this.chosen);
  }

  /** What a click on a drawn node does: chooses it, or shows what was gathered. */
  pick(shown: Shown): void {
    if (shown.gathered.length > 0) this.openRest(shown.node.id);
    else this.choose(shown.node.id);
  }

  openOrClose(shown: Shown): void {
    if (shown.gathered.length > 0) this.openRest(shown.node.id);
    else this.toggle(shown.node.id);
  }

  openMenu(event: MouseEvent, shown: Shown): void {
    event.preventDefault();
    if (shown.gathered.length === 0) this.menu = { x: event.clientX, y: event.clientY, id: shown.node.id };
  }

  /** The classes that colour a node. */
  paint(node: EnergyNode, share = node.share): string {
    if (this.colour === 'class') return `paint-class c-${node.cls}`;
    if (this.colour === 'type') return `paint-type k-${kindOf(node)}`;
    return `e${String(shareStep(share))}`;
  }
}
