/** Tips that follow the pointer over a plot; plots wider than the screen can be scrolled by keyboard. */
export function startPlots(): void {
  makeReachable();
  addEventListener('resize', makeReachable);
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  document.body.append(tip);
  document.addEventListener('pointermove', (event) => {
    const { target, clientX, clientY } = event;
    const words = target instanceof Element && target.closest('.plot svg') ? tipOf(target) : '';
    tip.hidden = words === '';
    if (words === '') return;
    tip.textContent = words;
    const box = tip.getBoundingClientRect();
    const below = clientY + 18;
    tip.style.left = `${Math.max(8, Math.min(clientX + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${below + box.height > innerHeight ? clientY - box.height - 10 : below}px`;
  });
}

function makeReachable(): void {
  for (const plot of document.querySelectorAll<HTMLElement>('.plot')) {
    if (plot.scrollWidth > plot.clientWidth) plot.tabIndex = 0;
    else plot.removeAttribute('tabindex');
  }
}

/** The title of the innermost shape that has one, moved aside so that the browser does not show it as well. */
function tipOf(target: Element): string {
  for (let at: Element | null = target; at && at.nodeName !== 'svg'; at = at.parentElement) {
    if (!(at instanceof SVGElement)) return '';
    if (at.dataset.tip) return at.dataset.tip;
    const title = [...at.children].find(({ nodeName }) => nodeName === 'title');
    if (!title) continue;
    at.dataset.tip = title.textContent ?? '';
    title.remove();
    return at.dataset.tip;
  }
  return '';
}
