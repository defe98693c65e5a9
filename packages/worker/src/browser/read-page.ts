import type { Frame, Page } from 'playwright-core';
import type { Clock } from '@webfarer/protocol';

/** A page as it stands. */
export interface ReadPage {
  /** Its own document. */
  own: string;
  /** The same with what stands in its frames, at the end of the body. */
  html: string;
}

/** Of the text of a page, and of all its frames: more is cut off. In UTF-8 it may take three times as many bytes. */
const mostCharacters = 4_194_304;
/** What does not answer by then is left out: a frame may compute without end while its page is well. */
const framesMs = 1_000;
const mostFrames = 50;

/** Runs in the page: the document with its type, and what stands in the open shadow trees of its elements. */
const readScript = `((most) => {
  const { documentElement: root, doctype } = document;
  if (!(root instanceof HTMLHtmlElement)) return new XMLSerializer().serializeToString(document).slice(0, most);
  const shadowRoots = [];
  const gather = (under) => {
    for (const { shadowRoot } of under.querySelectorAll('*')) {
      if (!shadowRoot) continue;
      shadowRoots.push(shadowRoot);
      gather(shadowRoot);
    }
  };
  gather(document);
  const start = root.cloneNode(false).outerHTML.split('</html>')[0];
  const type = doctype ? '<!DOCTYPE ' + doctype.name + '>' : '';
  return (type + start + root.getHTML({ shadowRoots }) + '</html>').slice(0, most);
})(${mostCharacters})`;

/**
 * Runs in a frame: what its body shows, with addresses that are right in any other document. Copied into a document that loads
 * nothing.
 */
const frameScript = `((most) => {
  const inert = document.implementation.createHTMLDocument('');
  const unseen = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'LINK', 'META', 'BASE']);
  const absolute = (value) => { try { return new URL(value, document.baseURI).href; } catch { return value; } };
  const copy = (from, to) => {
    for (const node of from.childNodes) {
      if (node instanceof Text) to.append(inert.createTextNode(node.data));
      if (!(node instanceof Element) || unseen.has(node.tagName)) continue;
      const mine = inert.importNode(node, false);
      for (const name of ['href', 'src', 'action', 'poster'])
        if (mine.hasAttribute(name)) mine.setAttribute(name, absolute(mine.getAttribute(name)));
      if (node.shadowRoot) copy(node.shadowRoot, mine);
      copy(node, mine);
      to.append(mine);
    }
  };
  const all = inert.createElement('section');
  all.setAttribute('data-frame', document.URL);
  if (document.body && !(document.body instanceof HTMLFrameSetElement)) copy(document.body, all);
  return all.childNodes.length === 0 ? '' : all.outerHTML.slice(0, most);
})(${mostCharacters})`;

/** Reads a page and its frames. */
export async function readPage(page: Page, clock: Clock): Promise<ReadPage> {
  const own = String(await page.evaluate<unknown>(readScript));
  const frames = page.frames().filter((frame) => frame !== page.mainFrame());
  if (frames.length === 0) return { own, html: own };
  const inside = await readFrames(frames.slice(0, mostFrames), clock);
  return { own, html: withFrames(own, inside) };
}

async function readFrames(frames: Frame[], clock: Clock): Promise<string> {
  const texts: string[] = frames.map(() => '');
  const reading = frames.map(async (frame, i) => {
    // It is gone, or another document by now.
    texts[i] = await frame.evaluate<unknown>(frameScript).then(String, () => '');
  });
  const over = new AbortController();
  const late = clock.sleep(framesMs, over.signal).catch(() => undefined);
  await Promise.race([Promise.all(reading), late]);
  over.abort();
  return texts.join('').slice(0, mostCharacters);
}

const end = /(?:<\/body>)?<\/html>$/;

/** A frame is no part of the text of a page in HTML, so what is in it follows the page. */
function withFrames(own: string, inside: string): string {
  return inside === '' ? own : own.replace(end, (tags) => `${inside}${tags}`);
}
