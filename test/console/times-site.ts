import type { Reply } from './reply.ts';

/** Tries that fail before the page comes. */
export const failures = 2;
let asked = 0;

/** A page that answers 500 at first. */
export function timesSite(at: string): Reply {
  if (at === '/')
    return {
      status: 200,
      body: '<!doctype html><title>Times</title><a href="/flaky">a page that fails at first</a>',
    };
  if (at !== '/flaky') return { status: 404, body: 'not here' };
  return asked++ < failures
    ? { status: 500, body: 'not now' }
    : { status: 200, body: '<!doctype html><title>Here now</title><p>At last.' };
}
