import type { Clock } from '@webfarer/protocol';
import { browserPlace, type PlaceSettings } from './browser-place.ts';
import { createRenderer } from './renderer.ts';
import type { Renderer } from './rendering.ts';

/** The browser that the owner of this machine chose, or the one in the usual place. */
export interface MachineBrowser {
  /** Undefined: there is none, or its settings cannot be used. */
  renderer: Renderer | undefined;
  /** What shows pages here, in words that may be printed; undefined: nothing. Throws where it cannot be used. */
  check(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** In the browser at once: each takes some hundred megabytes. */
const PAGES_SHOWN = 4;
const PAGES_PER_BROWSER = 200;
/** One page with everything on it takes some hundred megabytes at most. */
const BROWSER_MEMORY = { process: 1_073_741_824, tree: 3_221_225_472 };

/** Settings that cannot be used hurt only crawls that want a browser. */
export function openMachineBrowser(settings: PlaceSettings, clock: Clock): MachineBrowser {
  let renderer: Renderer | undefined;
  try {
    const place = browserPlace(settings);
    renderer = place && create(place);
  } catch (error) {
    return { renderer: undefined, check: () => Promise.reject(error), close: () => Promise.resolve() };
  }
  return {
    renderer,
    check: async () => await renderer?.ready(),
    close: async () => await renderer?.close(),
  };

  function create(place: NonNullable<ReturnType<typeof browserPlace>>): Renderer {
    return createRenderer({
      clock,
      place,
      mostPages: PAGES_SHOWN,
      pagesPerBrowser: PAGES_PER_BROWSER,
      memory: BROWSER_MEMORY,
    });
  }
}
