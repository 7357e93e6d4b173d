// Devices with their counts, as the address and the server write them: "4xT4,1xEPYC 7742".

export interface FleetEntry { readonly name: string; readonly count: number }
export type Fleet = readonly FleetEntry[];

export function readFleet(text: string | undefined): FleetEntry[] {
  return (text ?? '').split(',').map((part) => part.trim()).filter(Boolean).map((part) => {
    const found = /^(\d+)\s*[x×]\s*(.+)$/.exec(part);
    return { name: found?.[2] ?? part, count: Number(found?.[1] ?? 1) };
  });
}
export const writeFleet = (fleet: Fleet): string => fleet.map((entry) => `${String(entry.count)}x${entry.name}`).join(',');
export const fleetText = (fleet: Fleet): string => fleet.map((entry) => `${String(entry.count)} × ${entry.name}`).join(', ');

/** With so many of one; at least one. */
export function withCount(fleet: Fleet, name: string, count: number): Fleet {
  const next = Math.min(1_000_000, Math.max(1, count));
  return fleet.some((entry) => entry.name === name) ? fleet.map((entry) => (entry.name === name ? { name, count: next } : entry)) : [...fleet, { name, count: next }];
}
export const without = (fleet: Fleet, name: string): Fleet => fleet.filter((entry) => entry.name !== name);
