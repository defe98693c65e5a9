/** What may follow `?` in the address of a store: files, names and maps, never a secret. */
export const storeUrlOptions = [
  'password-file',
  'ca',
  'cert',
  'key',
  'server-name',
  'nat',
  'sentinel-auth',
] as const;
export type StoreUrlOption = (typeof storeUrlOptions)[number];
export type StoreUrlOptions = Partial<Record<StoreUrlOption, string>>;

/** The address and what follows `?`, which may hold names that mean nothing. */
export function splitStoreUrl(url: string): { address: string; options: Record<string, string> } {
  const mark = url.indexOf('?');
  if (mark < 0) return { address: url, options: {} };
  const options = Object.fromEntries(new URLSearchParams(url.slice(mark + 1)));
  return { address: url.slice(0, mark), options };
}

/** The address with these options besides or instead of its own. */
export function withStoreOptions(url: string, added: StoreUrlOptions): string {
  const { address, options } = splitStoreUrl(url);
  const all = { ...options, ...added };
  return Object.keys(all).length === 0 ? address : `${address}?${new URLSearchParams(all).toString()}`;
}
