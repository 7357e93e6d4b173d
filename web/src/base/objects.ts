/** A copy without some keys. */
export function without<T>(object: Readonly<Record<string, T>>, ...keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}
