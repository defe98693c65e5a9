interface Point {
  x: number;
  y: number;
}

/** Which part of a map is in view. */
export interface MapCamera {
  /** As long as a pixel at the first look: sizes in it do not depend on how far the points are apart. */
  unit: number;
  moveTo(center: Point): void;
}

/** Dragging moves the map, the wheel and the keys + and - zoom. */
export function createMapCamera(map: SVGSVGElement, panel: HTMLElement, points: Point[]): MapCamera {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const low = { x: Math.min(...xs, 0), y: Math.min(...ys, 0) };
  const high = { x: Math.max(...xs, 1), y: Math.max(...ys, 1) };
  const unit = Math.max(high.x - low.x, high.y - low.y, 1) / 900;
  const view = {
    x: low.x - 60 * unit,
    y: low.y - 60 * unit,
    width: high.x - low.x + 120 * unit,
    height: high.y - low.y + 120 * unit,
  };
  let drag: Point | undefined;

  function look(): void {
    map.setAttribute('viewBox', [view.x, view.y, view.width, view.height].join(' '));
  }

  /** The place under these shares of width and height stays where it is. */
  function zoom(by: number, shareX: number, shareY: number): void {
    view.x += view.width * shareX * (1 - by);
    view.y += view.height * shareY * (1 - by);
    view.width *= by;
    view.height *= by;
    look();
  }

  map.addEventListener('pointerdown', ({ clientX, clientY }) => {
    drag = { x: clientX, y: clientY };
  });
  addEventListener('pointerup', () => {
    drag = undefined;
  });
  map.addEventListener('pointermove', ({ clientX, clientY }) => {
    if (!drag) return;
    const factor = Math.max(view.width / map.clientWidth, view.height / map.clientHeight);
    view.x -= (clientX - drag.x) * factor;
    view.y -= (clientY - drag.y) * factor;
    drag = { x: clientX, y: clientY };
    look();
  });
  map.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const box = map.getBoundingClientRect();
      const by = event.deltaY > 0 ? 1.15 : 1 / 1.15;
      zoom(by, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    },
    { passive: false },
  );
  panel.addEventListener('keydown', ({ key }) => {
    if (key === '+') zoom(1 / 1.3, 0.5, 0.5);
    if (key === '-') zoom(1.3, 0.5, 0.5);
  });
  look();
  return {
    unit,
    moveTo({ x, y }) {
      view.x = x - view.width / 2;
      view.y = y - view.height / 2;
      look();
    },
  };
}
