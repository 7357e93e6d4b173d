// "Copy as": the same answer as a link, a picture, a table, JSON, or a line to paste into a terminal.
import { address, writeQuery } from '../../base/address.svelte';
import { type Caption, copyText, csv, fileName, type Picture, save, saveText } from '../../base/files';
import { energy, integer, interval } from '../../base/numbers';
import type { Action } from '../../widgets/actions';
import { toasts } from '../../widgets/toasts.svelte';
import { commandLine, curlLine } from './query';
import type { PredictState } from './state.svelte';

async function copied(text: string, what: string): Promise<void> {
  const done = await copyText(text);
  toasts.show(done ? `Copied ${what}` : `The browser does not allow copying here. Select it yourself: ${text}`);
}

export function nodesCsv(s: PredictState): string {
  const head = ['scope', 'type', 'level', 'class', 'role', 'count', 'energy_j', 'energy_low_j', 'energy_high_j', 'own_energy_j', 'share', 'measured_j', 'alone_j', 'time_s', 'params', 'flops', 'bytes', 'basis', 'boundary'];
  return csv([head, ...s.tree.tree.nodes.map((n) => [n.scope, n.type, n.level, n.cls, n.role, n.times, n.energy, n.low, n.high, n.own, n.share, n.measured, n.alone, n.time, n.params, n.flops, n.bytes, n.basis?.kind, n.basis?.boundary])]);
}

function drawn(picture: () => Picture | undefined, use: (picture: Picture) => void): void {
  const it = picture();
  if (it === undefined) toasts.show('The table is no picture. Switch to the tree or the icicle.');
  else use(it);
}

/** What a picture of the tree says by itself: of what it is, how much that is, and how it is known. */
function captionOf(s: PredictState): Caption {
  const a = s.prediction.data;
  const root = s.tree.tree.nodes[0];
  if (a === undefined || root === undefined) return { title: s.query.model, text: '' };
  const size = a.past === undefined ? `one pass of ${integer(a.batch_size)} × ${integer(a.seq_len)}` : `one decode step of ${integer(a.batch_size)} over ${integer(a.past)} cached tokens`;
  return {
    title: `${a.model}: ${energy(root.energy)} ${interval(root.energy, root.low, root.high, 'J')}`.trim(),
    text: `${a.class}, ${size}, ${a.dtype}, on one ${a.hardware}; ${root.basis?.kind ?? 'predicted'} by ${a.predictor}; share of the energy by colour. Wattree`,
  };
}

export function copyActions(s: PredictState, picture: () => Picture | undefined): Action[] {
  const name = fileName(`${s.local?.name ?? s.query.model}-${String(s.query.batch)}x${String(s.query.seq)}`);
  const fail = (error: unknown): void => toasts.show(error instanceof Error ? error.message : 'That did not work.');
  return [
    { name: 'Link', note: 'what you see', run: () => {
      if (s.local !== undefined) toasts.show(`${s.local.name} is only in this browser, so that a link cannot show it. Add it to the server’s models, or send the file along.`);
      else void copied(location.href, 'the link');
    } },
    { name: 'PNG', note: 'picture', run: () => drawn(picture, (it) => void it.png(captionOf(s)).then((blob) => save(`${name}.png`, blob)).catch(fail)) },
    { name: 'SVG', note: 'drawing', run: () => drawn(picture, (it) => void it.svg(captionOf(s)).then((text) => saveText(`${name}.svg`, text, 'image/svg+xml')).catch(fail)) },
    { name: 'CSV', note: 'every node', run: () => saveText(`${name}.csv`, nodesCsv(s), 'text/csv') },
    { name: 'JSON', note: 'the answer', run: () => saveText(`${name}.json`, JSON.stringify(s.prediction.data, null, 2), 'application/json') },
    { name: 'curl', note: 'the same GET', run: () => void copied(curlLine(s.link('predict')), 'a curl line') },
    { name: 'Command line', note: 'wattree predict', run: () => void copied(commandLine(s.query), 'a command line') },
  ];
}

export function nodeActions(s: PredictState, id: number, zoom: (id: number) => void): Action[] {
  const node = s.tree.tree.nodes[id];
  if (node === undefined) return [];
  const actions: Action[] = [
    { name: 'Copy scope', run: () => void copied(node.scope === '' ? '.' : node.scope, 'the scope') },
    { name: 'Explain', keys: 'Enter', run: () => { s.tree.choose(id); document.getElementById('explain')?.focus(); } },
    { name: 'Zoom here', run: () => { if (!s.tree.open.has(id)) s.tree.toggle(id); s.tree.choose(id); requestAnimationFrame(() => zoom(id)); } },
    { name: 'Compare this model', run: () => address.go('compare', { a: s.query.model, ...shared(s) }) },
  ];
  if (node.children.length > 0) actions.splice(1, 0, { name: s.tree.open.has(id) ? 'Close' : 'Open', run: () => s.tree.toggle(id) });
  if (node.times > 1) actions.push({ name: `See each of the ${String(node.times)}`, run: () => s.unfold(id) });
  return actions;
}

function shared(s: PredictState): Record<string, string> {
  const kept = ['batch', 'seq', 'dtype', 'attention', 'on', 'execution'];
  return Object.fromEntries(Object.entries(address.query).filter(([key]) => kept.includes(key) && s.local === undefined));
}

export const linkTo = (query: Record<string, string>): string => writeQuery(query);
