import { afterAll, describe, expect, it } from 'vitest';
import { openBrowser, type Site } from './steps-web.fixture.ts';

const browser = openBrowser();
afterAll(() => browser?.close());

const json = (value: unknown) => ({ type: 'application/json', body: JSON.stringify(value) });

/** A list that loads a batch whenever its end is in sight; the batch after the last is empty. */
const batches = 5;
const endless = (more = '') => `<!doctype html><title>List</title>
  <style>li { height: 300px }</style><ul></ul><i id=end>.</i>${more}
  <script>
    let next = 1;
    let busy = false;
    new IntersectionObserver(async ([seen]) => {
      if (!seen.isIntersecting || busy) return;
      busy = true;
      const names = await (await fetch('/batch/' + next++)).json();
      document.querySelector('ul').insertAdjacentHTML('beforeend',
        names.map((name) => '<li><a href="/p/' + name + '">' + name + '</a>').join(''));
      busy = false;
    }).observe(document.getElementById('end'));
  </script>`;
const batchSite = Object.fromEntries(
  Array.from({ length: 12 }, (_, i) => [
    `GET /batch/${i + 1}`,
    json(i < batches ? Array.from({ length: 6 }, (_, j) => `thing-${i * 6 + j}`) : []),
  ]),
);

const site: Site = {
  ...batchSite,
  'GET /endless': endless(),
  'GET /inner': `<!doctype html><style>#box { height: 200px; overflow: auto } #box p { height: 150px }</style>
    <div id=box><p>1<p>2</div><script>
      let next = 1;
      box.onscroll = async () => {
        if (box.scrollTop + box.clientHeight < box.scrollHeight - 5 || next > 3) return;
        const n = next++;
        await fetch('/batch/' + n);
        box.insertAdjacentHTML('beforeend', '<p>more ' + n + '<p>and ' + n);
      };
    </script>`,
  'GET /places': `<!doctype html><style>html { scroll-behavior: smooth }
      #wide { width: 3000px; height: 3000px } #box { height: 90px; overflow: auto } #box div { height: 900px }</style>
    <p>0</p><div id=box><div></div></div><div id=wide></div><script>
      onscroll = box.onscroll = () => {
        document.querySelector('p').textContent = [scrollY, scrollX, box.scrollTop].join(' ');
      };
    </script>`,
  'GET /more': `<!doctype html><ul><li>one</ul><button id=more>Load more</button><script>
      let next = 1;
      more.onclick = async () => {
        const names = await (await fetch('/batch/' + next++)).json();
        document.querySelector('ul').insertAdjacentHTML('beforeend', names.map((n) => '<li>' + n).join(''));
        if (next > 3) more.remove();
      };
    </script>`,
  'GET /folded': `<!doctype html><div id=all></div><script>
      const fold = (n) => {
        const part = document.createElement('p');
        part.innerHTML = '<button class=toggle>more</button><span></span>';
        part.firstChild.onclick = async () => {
          const shown = part.lastChild;
          if (shown.innerHTML !== '') { shown.innerHTML = ''; return; }
          const text = await (await fetch('/text/' + n)).text();
          shown.innerHTML = '<b>' + text + '</b>';
          if (n === 2) fold(4);
        };
        all.append(part);
      };
      for (const n of [1, 2, 3]) fold(n);
    </script>`,
  ...Object.fromEntries([1, 2, 3, 4].map((n) => [`GET /text/${n}`, `text of ${n}`])),
  'GET /banner': `<!doctype html><p>Behind</p>
    <div id=banner style="position:fixed;inset:0;background:#fff"><button id=ok>Accept</button></div>
    <button id=show>Show</button><script>
      ok.onclick = () => banner.remove();
      show.onclick = async () => document.querySelector('p').append(await (await fetch('/text/1')).text());
    </script>`,
  'GET /choose': `<!doctype html><select id=country><option value=at>Austria<option value=de>Germany</select><ul></ul>
    <script>
      country.onchange = async () => {
        const names = await (await fetch('/cities', { method: 'POST', body: country.value })).json();
        document.querySelector('ul').innerHTML = names.map((name) => '<li>' + name).join('');
      };
    </script>`,
  'POST /cities de': json(['Berlin', 'Hamburg']),
  'GET /search': `<!doctype html><input id=q><input id=day type=date><p></p><script>
      let keys = '';
      q.onkeypress = (event) => { if (event.key.length === 1) keys += event.key + '.'; };
      q.onkeydown = async (event) => {
        if (event.key !== 'Enter') return;
        const found = await (await fetch('/find?q=' + q.value)).text();
        document.querySelector('p').textContent = found + ' after ' + keys + ' on ' + day.value;
      };
    </script>`,
  'GET /find?q=saw': 'two saws',
  'GET /late': `<!doctype html><script>
      setTimeout(async () => {
        document.body.innerHTML = '<p>Now it is there</p><em>' + await (await fetch('/text/2')).text() + '</em>';
        window.ready = true;
      }, 1200);
    </script>`,
  'GET /links':
    '<!doctype html><a id=go href="/there">go</a> <form method=post action="/posted"><button>send</button></form>',
  'GET /there': '<!doctype html><p>arrived</p><button>stay</button>',
  'POST /posted': '<!doctype html><p>posted</p>',
  'GET /again': '<!doctype html><p>first</p><form method=post action="/again"><button>send</button></form>',
  'POST /again': '<!doctype html><p>second</p>',
  'GET /named': `<!doctype html><button aria-label="Open it">x</button><p></p><x-box></x-box><script>
      const note = (text) => document.querySelector('p').append(text + ' ');
      document.querySelector('button').onclick = () => note('aria');
      const root = document.querySelector('x-box').attachShadow({ mode: 'open' });
      root.innerHTML = '<a class=in>inside</a><i>By text</i>';
      root.querySelector('a').onclick = () => note('shadow');
      root.querySelector('i').onclick = () => note('text');
    </script><u>path</u><script>document.querySelector('u').onclick = () => note('xpath');</script>`,
};

function opened() {
  if (!browser) throw new Error('there is no browser');
  return browser.open(site);
}

describe.skipIf(browser === undefined)('steps on a page', () => {
  it('scroll reaches what loads only at the end of the page, and stops when nothing new comes', async () => {
    const { show, log, close } = opened();
    const plain = await show('/endless', [{ waitFor: 'quiet' }]);
    const without = log.splice(0);
    expect(without.length).toBeLessThan(batches);
    expect(plain?.ok && plain.html).not.toContain('/p/thing-29');
    const shown = await show('/endless', [{ scroll: 'end' }]);
    expect(shown?.ok && shown.html.match(/href="\/p\/thing-/g)).toHaveLength(30);
    expect(log.filter((line) => line.startsWith('GET /batch/'))).toContain(`GET /batch/${batches}`);
    await close();
  });

  it('scroll ends at its limit, and scrolls an element', async () => {
    const { show, log, close } = opened();
    const short = await show('/endless', [{ scroll: { most: 1 } }]);
    expect(short?.ok && short.html).not.toContain('/p/thing-29');
    log.length = 0;
    const inner = await show('/inner', [{ scroll: { in: '#box' } }]);
    expect(inner?.ok && inner.html).toContain('and 3');
    expect(log).toEqual(['GET /batch/1', 'GET /batch/2', 'GET /batch/3']);
    await close();
  });

  it('scroll goes to a place of the page or of an element, once', async () => {
    const { show, close } = opened();
    const place = [{ scroll: { top: 700, left: 30 } }, { scroll: { in: '#box', top: 40 } }];
    const shown = await show('/places', place);
    expect(shown?.ok && shown.html).toContain('<p>700 30 40</p>');
    const failed = await show('/places', [{ scroll: { in: '#none', top: 40 }, timeout: '300ms' }]);
    expect(failed).toMatchObject({
      detail: 'steps[0].do[0] (scroll #none to 40): no such element can be seen within 300 ms',
    });
    await close();
  });

  it('click presses a button once, or as long as it is there', async () => {
    const { show, log, close } = opened();
    await show('/more', [{ click: '#more' }]);
    expect(log.splice(0)).toEqual(['GET /batch/1']);
    const shown = await show('/more', [{ click: { on: 'text/Load more', times: 20 } }]);
    expect(log).toEqual(['GET /batch/1', 'GET /batch/2', 'GET /batch/3']);
    expect(shown?.ok && shown.html.match(/<li>thing-/g)).toHaveLength(18);
    await close();
  });

  it('expand clicks all that fit, each once, also those that appear by it, up to its limit', async () => {
    const { show, log, close } = opened();
    const shown = await show('/folded', [{ expand: 'button.toggle' }]);
    expect(log.toSorted()).toEqual(['GET /text/1', 'GET /text/2', 'GET /text/3', 'GET /text/4']);
    expect(shown?.ok && shown.html.match(/<b>text of/g)).toHaveLength(4);
    log.length = 0;
    await show('/folded', [{ expand: { all: 'button.toggle', most: 2 } }]);
    expect(log.toSorted()).toEqual(['GET /text/1', 'GET /text/2']);
    await close();
  });

  it('dismiss removes a banner that covers the page, and is content where there is none', async () => {
    const { show, log, close } = opened();
    const covered = await show('/banner', [{ click: '#show', timeout: '1s' }]);
    expect(covered).toMatchObject({ ok: false, reason: 'step-failed' });
    expect(covered?.ok === false && covered.detail).toBe(
      'steps[0].do[0] (click #show): it could not be done within 1000 ms',
    );
    expect(log.splice(0)).toEqual([]);
    const steps = [{ dismiss: ['#no-such', '#ok'] }, { dismiss: '#no-such' }, { click: '#show' }];
    const shown = await show('/banner', steps);
    expect(shown?.ok && shown.html).toContain('Behindtext of 1');
    expect(log).toEqual(['GET /text/1']);
    await close();
  });

  it('select chooses by value or by what it shows, and what that loads by POST is read', async () => {
    const { show, log, close } = opened();
    for (const value of ['de', 'Germany']) {
      const shown = await show('/choose', [{ select: { in: '#country', value } }]);
      expect(shown?.ok && shown.html).toContain('<li>Hamburg');
    }
    expect(log).toEqual(['POST /cities de', 'POST /cities de']);
    await close();
  });

  it('type presses key by key, gives dates their value, and press sends it', async () => {
    const { show, log, close } = opened();
    const shown = await show('/search', [
      { type: { into: '#day', text: '2026-11-16' } },
      { type: { into: '#q', text: 'saw' } },
      { press: 'Enter' },
    ]);
    expect(log).toEqual(['GET /find?q=saw']);
    expect(shown?.ok && shown.html).toContain('two saws after s.a.w. on 2026-11-16');
    await close();
  });

  it('waitFor holds the reading back until the element, text or expression is there', async () => {
    const { show, close } = opened();
    const plain = await show('/late', [{ press: 'Shift' }], { quietMs: 50 });
    expect(plain?.ok && plain.html).not.toContain('text of 2');
    for (const what of ['em', { text: 'Now it is there' }, { expression: 'window.ready' }]) {
      const shown = await show('/late', [{ waitFor: what }], { quietMs: 50 });
      expect(shown?.ok && shown.html).toContain('<em>text of 2</em>');
    }
    await close();
  });

  it('finds elements by CSS, accessible name, text and XPath, also in shadow trees', async () => {
    const { show, close } = opened();
    const shown = await show('/named', [
      { click: ['.no-such', 'aria/Open it[role="button"]'] },
      { click: 'aria/Open it' },
      { click: 'x-box a.in' },
      { click: 'pierce/a.in' },
      { click: 'text/By text' },
      { click: 'xpath//html/body/u' },
    ]);
    expect(shown?.ok && shown.html).toContain('<p>aria aria shadow shadow text xpath </p>');
    await close();
  });

  it('that fail say which and why, and fail the page unless they are optional', async () => {
    const { show, close } = opened();
    const missing = { click: '.no-such', timeout: '500ms' };
    const failed = await show('/named', [{ click: 'aria/Open it' }, missing, { click: 'u' }]);
    expect(failed).toEqual({
      ok: false,
      reason: 'step-failed',
      detail: 'steps[0].do[1] (click .no-such): no such element can be seen within 500 ms',
    });
    const shown = await show('/named', [{ ...missing, optional: true }, { click: 'u' }]);
    expect(shown?.ok && shown.html).toContain('<p>xpath </p>');
    const late = await show('/named', [{ waitFor: '.no-such', timeout: '60s' }], { timeoutMs: 2_000 });
    expect(late?.ok === false && late.detail).toContain('steps[0].do[0] (waitFor .no-such)');
    await close();
  });

  it('that lead to another page make this one a redirect, unless more was to be done or it has no address', async () => {
    const { show, log, close } = opened();
    const gone = await show('/links', [{ click: '#go' }]);
    expect(gone).toMatchObject({ ok: true, movedTo: 'http://shop.test/there' });
    expect(log.splice(0)).toEqual(['GET /there']);
    const more = await show('/links', [{ click: '#go' }, { click: 'button' }]);
    expect(more?.ok === false && more.detail).toBe(
      'steps[0].do[0] (click #go) led to http://shop.test/there, and steps[0].do[1] (click button) was still to be done: put it into a rule for that page',
    );
    const posted = await show('/links', [{ click: 'button' }]);
    expect(posted?.ok === false && posted.detail).toBe(
      'steps[0].do[0] (click button) led to http://shop.test/posted by POST',
    );
    const again = await show('/again', [{ click: 'button' }, { waitFor: { text: 'second' } }]);
    expect(again).toMatchObject({ ok: true, movedTo: undefined });
    expect(again?.ok && again.html).toContain('second');
    await close();
  });
});
