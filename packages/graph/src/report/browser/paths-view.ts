import {
  byId,
  choices,
  count,
  counted,
  details,
  element,
  facts,
  note,
  onPress,
  svg,
  type View,
} from './details.ts';
import type { ExplorerData, ExplorerPages } from './explorer-data.ts';

/** Children of a page that are drawn before the reader asks for more. */
const firstChildren = 40;
const moreChildren = 200;
const levelWidth = 210;
const lineHeight = 24;
const labelWidth = 330;
/** How many seeds are open at first. */
const openSeeds = 3;

interface Spot {
  x: number;
  y: number;
}

/** The view of shortest paths: a tree that opens where it is pressed. */
export function pathsView(pages: ExplorerPages, outcomes: ExplorerData['outcomes']): View {
  const { rows, origins } = pages;
  const tree = byId('tree') as Element as SVGSVGElement;
  const panel = byId('paths');
  const { children, seeds, unreached } = family(rows);
  const open = new Set<number>();
  /** How many children of a page are drawn; of the seeds under -1. */
  const shown = new Map<number, number>();
  const limitOf = (key: number) => shown.get(key) ?? firstChildren;
  const childrenOf = (i: number) => children[i] ?? [];
  const parentOf = (i: number) => rows[i]?.[2] ?? -1;
  const originOf = (i: number) => origins[rows[i]?.[0] ?? 0] ?? '';
  const url = (i: number) => originOf(i) + (rows[i]?.[1] ?? '');
  let chosen = -1;
  let spots = new Map<number, Spot>();

  /** The path alone where the parent is on the same origin. */
  function name(i: number): string {
    const path = rows[i]?.[1] ?? '';
    const parent = parentOf(i);
    if (parent >= 0 && rows[parent]?.[0] === rows[i]?.[0]) return path;
    return originOf(i).replace(/^https?:\/\//, '') + (path === '/' ? '' : path);
  }

  /** From the seed to the page. */
  function pathTo(i: number): number[] {
    const found: number[] = [];
    for (let at = i; at >= 0; at = parentOf(at)) found.unshift(at);
    return found;
  }

  function draw(): void {
    tree.textContent = '';
    spots = new Map();
    const branches = svg('path', { class: 'branch' }, tree);
    const highlighted = svg('path', { class: 'way' }, tree);
    let branchLines = '';
    let y = 26;
    let widest = 400;

    function list(items: number[], key: number, level: number, parent: Spot | undefined): void {
      const limit = limitOf(key);
      for (const i of items.slice(0, limit)) place(i, level, parent);
      if (items.length > limit) drawMore(items.length - limit, key, level, parent);
    }

    function place(i: number, level: number, parent: Spot | undefined): void {
      const spot = { x: 24 + level * levelWidth, y };
      spots.set(i, spot);
      if (parent) branchLines += curve(parent, spot);
      drawNode(i, spot);
      widest = Math.max(widest, spot.x + labelWidth);
      if (open.has(i) && childrenOf(i).length > 0) list(childrenOf(i), i, level + 1, spot);
      else y += lineHeight;
    }

    function drawMore(n: number, key: number, level: number, parent: Spot | undefined): void {
      const spot = { x: 24 + level * levelWidth, y };
      if (parent) branchLines += curve(parent, spot);
      const group = svg('g', { class: 'node', role: 'button', tabindex: 0, transform: shift(spot) }, tree);
      svg('text', { x: 0, y: 4, class: 'more' }, group).textContent = `… ${count(n)} more`;
      onPress(group, () => {
        shown.set(key, limitOf(key) + moreChildren);
        draw();
      });
      y += lineHeight;
    }

    list(seeds, -1, 0, undefined);
    branches.setAttribute('d', branchLines);
    if (chosen >= 0) highlighted.setAttribute('d', curvesAlong(pathTo(chosen), spots));
    tree.setAttribute('width', String(widest));
    tree.setAttribute('height', String(y + 20));
  }

  function drawNode(i: number, spot: Spot): void {
    const inner = childrenOf(i).length;
    const attributes = { role: 'button', tabindex: 0, transform: shift(spot), 'data-page': i };
    const group = svg('g', { class: i === chosen ? 'node on' : 'node', ...attributes }, tree);
    if (inner > 0) group.setAttribute('aria-expanded', String(open.has(i)));
    svg('circle', { r: inner > 0 ? 6 : 4, class: outcomes[rows[i]?.[3] ?? 0]?.tone ?? '' }, group);
    const label = cut(name(i), open.has(i) ? 24 : 46);
    const closed = inner > 0 && !open.has(i) ? `  +${count(inner)}` : '';
    svg('text', { x: 11, y: 4 }, group).textContent = label + closed;
    onPress(group, () => {
      if (i === chosen ? open.has(i) : inner === 0) open.delete(i);
      else open.add(i);
      reveal(i);
      tree.querySelector<SVGElement>(`[data-page="${i}"]`)?.focus();
    });
  }

  /** Opens every page on the way, far enough that the next one is drawn. */
  function reveal(i: number): void {
    chosen = i;
    const steps = pathTo(i);
    for (const [n, at] of steps.slice(0, -1).entries()) {
      open.add(at);
      shown.set(at, Math.max(limitOf(at), childrenOf(at).indexOf(steps[n + 1] ?? i) + 1));
    }
    shown.set(-1, Math.max(limitOf(-1), seeds.indexOf(steps[0] ?? i) + 1));
    draw();
    describe(i);
  }

  function choose(i: number): void {
    reveal(i);
    const spot = spots.get(i);
    if (!spot) return;
    panel.scrollTo(Math.max(0, spot.x - panel.clientWidth / 2), Math.max(0, spot.y - panel.clientHeight / 2));
  }

  function describe(i: number): void {
    details.textContent = '';
    const link = element('a', url(i), element('h2', '', details));
    if (/^https?:\/\//.test(url(i))) link.href = url(i);
    link.rel = 'noreferrer';
    link.target = '_blank';
    const steps = pathTo(i);
    facts([
      ['Answer', outcomes[rows[i]?.[3] ?? 0]?.name ?? ''],
      ['Clicks from a seed', parentOf(i) === -2 ? 'no links lead here' : String(steps.length - 1)],
      ['Linked from', counted(rows[i]?.[4] ?? 0, 'page')],
      ['First on the way to', counted(childrenOf(i).length, 'page')],
    ]);
    if (steps.length > 1) choices({ title: 'Shortest way', items: steps, label: url, choose, ordered: true });
    choices({ title: 'Reached through it', items: childrenOf(i), label: url, choose });
  }

  for (const seed of seeds.slice(0, openSeeds)) open.add(seed);
  const onlyChildren = seeds.length === 1 ? childrenOf(seeds[0] ?? 0) : [];
  if (onlyChildren.length === 1) open.add(onlyChildren[0] ?? 0);
  draw();

  return {
    all: () => [...rows.keys()],
    label: url,
    choose,
    intro() {
      if (chosen >= 0) return describe(chosen);
      element('h2', `${count(pages.total)} pages`, details);
      note(
        'Each page is placed behind the one through which it is reached over the fewest links. Select a page to open it and see its path.',
      );
      if (rows.length < pages.total) note(`The tree holds the ${count(rows.length)} nearest to a seed.`);
      choices({
        title: `No links lead here (${count(pages.unreached)})`,
        items: unreached,
        label: url,
        choose,
      });
    },
  };
}

function family(rows: ExplorerPages['rows']) {
  const children: number[][] = rows.map(() => []);
  const seeds: number[] = [];
  const unreached: number[] = [];
  for (const [i, [, , parent]] of rows.entries()) {
    if (parent >= 0) children[parent]?.push(i);
    else if (parent === -1) seeds.push(i);
    else unreached.push(i);
  }
  return { children, seeds, unreached };
}

function curve(from: Spot, to: Spot): string {
  return `M${from.x + 6} ${from.y}C${from.x + 60} ${from.y} ${to.x - 60} ${to.y} ${to.x - 6} ${to.y}`;
}

function curvesAlong(steps: number[], spots: ReadonlyMap<number, Spot>): string {
  return steps
    .map((i, n) => {
      const [from, to] = [spots.get(steps[n - 1] ?? -1), spots.get(i)];
      return from && to ? curve(from, to) : '';
    })
    .join('');
}

function shift({ x, y }: Spot): string {
  return `translate(${x} ${y})`;
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
