// Pages that the first view does not need: each is a script of its own.
import type { Component } from 'svelte';
import type { Page } from '../base/address.svelte';

export type LaterName = Exclude<Page, 'predict'>;

export const PAGES_FOR_LATER: Readonly<Record<LaterName, () => Promise<{ default: Component }>>> = {
  compare: () => import('./compare/CompareView.svelte'),
  leaderboard: () => import('./leaderboard/LeaderboardView.svelte'),
  track: () => import('./track/TrackView.svelte'),
  runs: () => import('./runs/RunsView.svelte'),
};

/** Fetched once the first view stands, the other pages open at once, and without a server. */
export function fetchOtherPages(): void {
  const fetchAll = (): void => { for (const load of Object.values(PAGES_FOR_LATER)) load().catch(() => undefined); };
  setTimeout(fetchAll, 2000);
}
