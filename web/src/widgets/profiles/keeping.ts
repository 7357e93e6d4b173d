// What can be done with profiles, on every page alike: import, export, remove with undo. Each says what it did.
import { inWords } from '../../api/client';
import { deleteProfile, exportProfile, FORMATS, importProfile, pauseRun, restoreProfile } from '../../api/runs';
import { fileName, saveText } from '../../base/files';
import type { Action } from '../actions';
import { toasts } from '../toasts.svelte';
import type { Entry } from './entries';

const LARGEST = 64 * 2 ** 20;  // What the server takes.
export const IMPORTED_TYPES = '.json,.html,.htm,.csv,application/json,text/html,text/csv';
export const DROP_TEXT = 'Drop a profile to import it: Wattree’s or EnergyVis’s JSON, a report, or CodeCarbon’s emissions.csv';

/** Returns the ids of what was imported; what could not be is said. */
export async function importFiles(files: readonly File[], onopen: (id: string) => void): Promise<string[]> {
  const ids: string[] = [];
  for (const file of files) {
    if (file.size > LARGEST) {
      toasts.show(`${file.name} is larger than 64 MiB: import it on the machine of the server with “wattree profiles import”.`);
      continue;
    }
    try {
      const answer = await importProfile(file.name, file);
      ids.push(...answer.profiles.map((profile) => profile.id));
      const [first] = answer.profiles;
      const what = answer.profiles.length === 1 && first !== undefined && 'name' in first ? first.name : `${String(answer.profiles.length)} profiles`;
      const note = answer.notes.length === 0 ? '' : ` ${answer.notes.join(' ')}`;
      toasts.show(`Imported ${what}.${note}`, first === undefined ? undefined : { name: 'Open', run: () => onopen(first.id) });
    } catch (error) {
      toasts.show(`${file.name}: ${inWords(error)}`);
    }
  }
  return ids;
}

export async function removeEntry(entry: Entry, onchange: () => void): Promise<void> {
  try {
    await deleteProfile(entry.id);
    onchange();
    toasts.show(`Removed ${entry.name}.`, { name: 'Undo', run: () => void restoreProfile(entry.id).then(onchange, (error: unknown) => toasts.show(inWords(error))) });
  } catch (error) {
    toasts.show(inWords(error));
  }
}

export async function exportEntry(entry: Entry, format: (typeof FORMATS)[number]): Promise<void> {
  try {
    saveText(`${fileName(entry.name)}.${format.ending}`, await exportProfile(entry.id, format.format), format.type);
  } catch (error) {
    toasts.show(inWords(error));
  }
}

export const exportActions = (entry: Entry, prefix = ''): Action[] =>
  FORMATS.map((format) => ({ name: `${prefix}${format.name}`, note: `.${format.ending}`, run: () => void exportEntry(entry, format) }));

/** Pauses at the next epoch, or lets go on; says where the tracker refuses. */
export async function setPaused(id: string, isPause: boolean, onchange: () => void): Promise<void> {
  try {
    const { status } = await pauseRun(id, isPause);
    if (status === 'waiting') toasts.show('The run pauses where its next epoch would begin.');
    onchange();
  } catch (error) {
    toasts.show(inWords(error));
  }
}
