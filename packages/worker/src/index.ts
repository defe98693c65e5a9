export { base32, sha1Digest } from './save/digest.ts';
export { type OpenSaversOptions, openSavers, type SaverContext } from './save/open-savers.ts';
export type { Capture, Saver } from './save/saver.ts';
