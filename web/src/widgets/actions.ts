/** Something that can be done: in menus, in the palette, by keys. */
export interface Action {
  readonly name: string;
  readonly run: () => void;
  readonly keys?: string;
  readonly note?: string;
  readonly group?: string;
}
