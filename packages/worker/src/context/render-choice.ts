import type { RenderWhy } from '@webfarer/protocol';
import type { renderChooser } from '@webfarer/protocol/job';

/** Which pages of a crawl are shown in a browser, by what that brought on pages like them. */
export interface RenderChoice {
  /** What the job wants for a page. */
  wish: ReturnType<typeof renderChooser>;
  /** What was seen of pages of this kind so far decides; a few of each kind are tried. */
  decide(kind: PageKind): RenderDecision;
  /** What a page that was shown had more in the browser. */
  learn(kind: PageKind, gain: PageGain): void;
}

/** What a page is like as it came. */
export interface PageKind {
  hasScripts: boolean;
  /** Pages of one template are alike wherever they lie. */
  template: string;
  folder: string;
}

/** What only a browser shows of a page. */
export interface PageGain {
  /** It sent its reader to another page. */
  moved: boolean;
  links: readonly string[];
  /** Lines of text, without their numbers: a clock says the same all day. */
  lines: readonly string[];
  /** Characters of text that the page has without a browser. */
  ownText: number;
}

export interface RenderDecision {
  show: boolean;
  why: RenderWhy;
}

/** Pages that were met, and the gains of the latest that were shown. */
interface Pages {
  met: number;
  shown: number;
  /** How many must have been met when the next one is tried for news. */
  nextAt: number;
  /** Of a template: one in each folder. */
  latest: (PageGain & Pick<PageKind, 'folder'>)[];
  /** Of a template: its pages gain in some folders and not in others. */
  isMixed: boolean;
}

/** So many pages of a kind are tried before the others are read as they come. */
const tries = 2;
/** So many folders with pages of a template speak for folders that were not tried. */
const alike = 2;
/** A page is tried for news after so many, then after twice as many, and so on: sites change. */
const again = { first: 50, most: 1_000 };
/** Later gains count, earlier ones do not. */
const mostLatest = 4;
/** Of the links and lines that a page gains; with more there is no doubt. */
const mostGains = 64;
/** Kinds that are remembered; those not seen for the longest are tried anew. */
const mostKinds = 4_000;
/** Less than this is the name of a page, and everything else is drawn. */
const leastOwnText = 20;

export function createRenderChoice(wish: RenderChoice['wish']): RenderChoice {
  const kinds = new Map<string, Pages>();

  function pagesOf(name: string): Pages {
    const pages = kinds.get(name) ?? { met: 0, shown: 0, nextAt: again.first, latest: [], isMixed: false };
    kinds.delete(name);
    kinds.set(name, pages);
    if (kinds.size > mostKinds) kinds.delete(kinds.keys().next().value as string);
    return pages;
  }
  const both = ({ template, folder }: PageKind) =>
    [pagesOf(template), pagesOf(`${template} ${folder}`)] as const;

  return {
    wish,
    decide(kind) {
      if (!kind.hasScripts) return { show: false, why: 'no-scripts' };
      const [template, here] = both(kind);
      template.met += 1;
      here.met += 1;
      const known = here.shown >= tries ? here : speaksForAll(template) ? template : undefined;
      const gained = (known ?? here).latest.length > 0 && gains((known ?? here).latest);
      if (gained) return { show: true, why: 'gains' };
      if (known && known.met < known.nextAt) return { show: false, why: 'gains-nothing' };
      if (known) known.nextAt = known.met + Math.min(known.nextAt, again.most);
      return { show: true, why: 'sample' };
    },
    learn(kind, { links, lines, ...gain }) {
      const { folder } = kind;
      const kept = { ...gain, folder, links: links.slice(0, mostGains), lines: lines.slice(0, mostGains) };
      const [template, here] = both(kind);
      for (const pages of [template, here]) {
        pages.shown += 1;
        const others = pages === here ? pages.latest : pages.latest.filter((one) => one.folder !== folder);
        pages.latest = [...others, kept].slice(-mostLatest);
        pages.isMixed ||= pages.latest.length >= alike && !isUnanimous(pages.latest);
      }
    },
  };
}

/** Where pages of a template all gained or all did not, those in another folder do the same. */
function speaksForAll({ latest, isMixed }: Pages): boolean {
  return latest.length >= alike && !isMixed;
}

function isUnanimous(latest: readonly PageGain[]): boolean {
  const common = commonOf(latest);
  const outcomes = latest.map((gain) => isGain(gain, common));
  return outcomes.every((one) => one === outcomes[0]);
}

function gains(latest: readonly PageGain[]): boolean {
  const common = commonOf(latest);
  return latest.some((gain) => isGain(gain, common));
}

/** What all of several pages gained belongs to none of them: a menu, a banner that asks for consent. */
function commonOf(latest: readonly PageGain[]): ReadonlySet<string> {
  const [first, ...others] = latest;
  if (!first || others.length === 0) return new Set();
  const all = others.map(({ links, lines }) => new Set([...links, ...lines]));
  return new Set([...first.links, ...first.lines].filter((one) => all.every((set) => set.has(one))));
}

function isGain({ moved, links, lines, ownText }: PageGain, common: ReadonlySet<string>): boolean {
  if (moved) return true;
  const isOwn = (one: string): boolean => ownText < leastOwnText || !common.has(one);
  if (links.some(isOwn)) return true;
  const gained = lines.filter(isOwn).reduce((sum, line) => sum + line.length, 0);
  return gained >= leastText(ownText);
}

/** Words of a greeting are no gain, unless they are much of what the page says, or all of it. */
function leastText(ownText: number): number {
  if (ownText < leastOwnText) return 1;
  return Math.min(100, Math.max(30, ownText / 10));
}
