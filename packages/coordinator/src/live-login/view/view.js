'use strict';
(() => {
  const byId = (id) => document.getElementById(id);
  const [stage, picture, keys, cover, status] = ['stage', 'picture', 'keys', 'cover', 'status'].map(byId);
  const buttons = ['back', 'reload', 'cancel', 'done'].map(byId);
  const kept = 'webfarer-live-view';
  const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

  // The ticket opens the view once. It leaves the address before anything else is done.
  const given = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  const ticket = given || sessionStorage.getItem(kept) || '';
  sessionStorage.removeItem(kept);

  let size = { width: 1024, height: 720 };
  let isOver = false;
  let endsAt = 0;
  let isToldLate = false;
  const socketUrl = new URL('socket', location.href);
  socketUrl.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(socketUrl);
  const send = (frame) => {
    if (socket.readyState === WebSocket.OPEN && !isOver) socket.send(JSON.stringify(frame));
  };

  function say(text) {
    status.textContent = text;
  }

  function end(text) {
    if (isOver) return;
    isOver = true;
    say(text);
    cover.textContent = text;
    cover.hidden = false;
    for (const button of buttons) button.disabled = true;
    keys.disabled = true;
  }

  const endings = {
    kept: (text) => `Done. Kept: ${text}. You can close this page.`,
    cancelled: () => 'Cancelled. Nothing was kept. You can close this page.',
    expired: (text) => `${text} Nothing was kept. Begin the login again where you began it.`,
    failed: (text) => `${text} Nothing was kept. Begin the login again where you began it.`,
    elsewhere: () => 'This view was opened in another window. Continue there.',
  };

  socket.addEventListener('open', () => {
    socket.send(JSON.stringify({ type: 'hello', ticket }));
    sendSize();
  });
  socket.addEventListener('close', ({ code }) => {
    if (code === 4401)
      end('This address was used before, or the login is over. Begin the login again for a new one.');
    else end('The connection was lost. Reload this page to continue.');
  });
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(data);
    if (frame.type === 'welcome') {
      sessionStorage.setItem(kept, frame.ticket);
      byId('heading').textContent = `Log in to ${frame.site} as ${frame.as}`;
      document.title = `Log in to ${frame.site} · Webfarer`;
      endsAt = performance.now() + frame.leftMs;
      say(`Log in to the site, then press Done. ${minutesLeft()}`);
    } else if (frame.type === 'picture') void draw(frame);
    else if (frame.type === 'page') {
      byId('address').textContent = frame.url;
      byId('address').title = frame.url;
      byId('lock').hidden = !frame.url.startsWith('http:');
      picture.alt = frame.title === '' ? 'The page of the site' : `The page: ${frame.title}`;
    } else if (frame.type === 'note') say(frame.text);
    else if (frame.type === 'ended') {
      if (frame.how !== 'elsewhere') sessionStorage.removeItem(kept);
      end(endings[frame.how](frame.text));
    }
  });

  function minutesLeft() {
    const minutes = Math.max(1, Math.round((endsAt - performance.now()) / 60_000));
    return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} left.`;
  }
  setInterval(() => {
    if (endsAt === 0 || isToldLate || isOver || endsAt - performance.now() > 120_000) return;
    isToldLate = true;
    say(`${minutesLeft()} Then the browser is closed and nothing is kept.`);
  }, 5_000);

  async function draw({ jpeg, width, height }) {
    size = { width, height };
    picture.src = `data:image/jpeg;base64,${jpeg}`;
    await picture.decode().catch(() => undefined);
    cover.hidden = true;
    send({ type: 'shown' });
  }

  function sendSize() {
    const bound = (value, least, most) => Math.min(Math.max(Math.round(value), least), most);
    const { clientWidth, clientHeight } = stage;
    send({
      type: 'size',
      width: bound(clientWidth, 320, 1920),
      height: bound(clientHeight, 240, 1440),
    });
  }
  let resized;
  addEventListener('resize', () => {
    clearTimeout(resized);
    resized = setTimeout(sendSize, 300);
  });

  const modifiersOf = ({ altKey, ctrlKey, metaKey, shiftKey }) =>
    (altKey ? 1 : 0) + (ctrlKey || (isApple && metaKey) ? 2 : 0) + (metaKey && !isApple ? 4 : 0) + (shiftKey ? 8 : 0);

  /** The picture is shown as large as it fits, from the upper left corner. */
  function placeOf({ clientX, clientY }) {
    const box = stage.getBoundingClientRect();
    const scale = Math.min(stage.clientWidth / size.width, stage.clientHeight / size.height) || 1;
    const bound = (value) => Math.min(Math.max(value, -10_000), 10_000);
    return {
      x: bound((clientX - box.left - stage.clientLeft) / scale),
      y: bound((clientY - box.top - stage.clientTop) / scale),
    };
  }

  const buttonNames = ['left', 'middle', 'right'];
  let clicks = { atMs: 0, x: 0, y: 0, count: 0 };
  let pressed = 'none';
  let moved;
  let isMoving = false;
  function mouse(action, event, button, count) {
    send({ type: 'mouse', action, ...placeOf(event), button, clicks: count, modifiers: modifiersOf(event) });
  }
  keys.addEventListener('pointerdown', (event) => {
    keys.focus();
    if (event.pointerType !== 'touch') event.preventDefault();
    keys.setPointerCapture(event.pointerId);
    const { clientX: x, clientY: y } = event;
    const isAgain = event.timeStamp - clicks.atMs < 400 && Math.hypot(x - clicks.x, y - clicks.y) < 5;
    clicks = { atMs: event.timeStamp, x, y, count: isAgain ? Math.min(clicks.count + 1, 3) : 1 };
    pressed = buttonNames[event.button] ?? 'left';
    mouse('move', event, 'none', 0);
    mouse('down', event, pressed, clicks.count);
  });
  keys.addEventListener('pointerup', (event) => {
    mouse('up', event, buttonNames[event.button] ?? 'left', clicks.count);
    pressed = 'none';
  });
  keys.addEventListener('pointermove', (event) => {
    moved = event;
    if (isMoving) return;
    isMoving = true;
    setTimeout(() => {
      isMoving = false;
      mouse('move', moved, pressed, 0);
    }, 50);
  });
  keys.addEventListener('contextmenu', (event) => event.preventDefault());
  let wheel;
  keys.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 0 ? 1 : 30;
      const bound = (value) => Math.min(Math.max(value, -5_000), 5_000);
      const before = wheel ?? { dx: 0, dy: 0 };
      const isFirst = wheel === undefined;
      wheel = {
        type: 'wheel',
        ...placeOf(event),
        dx: bound(before.dx + event.deltaX * lines),
        dy: bound(before.dy + event.deltaY * lines),
        modifiers: modifiersOf(event),
      };
      if (isFirst)
        setTimeout(() => {
          send(wheel);
          wheel = undefined;
        }, 50);
    },
    { passive: false },
  );

  function textOf(event) {
    if (event.ctrlKey || event.metaKey) return '';
    if (event.key === 'Enter') return '\r';
    return [...event.key].length === 1 ? event.key : '';
  }
  function key(action, event) {
    // Text that is still being composed, and what is pasted, arrives as text.
    if (event.isComposing || event.key === 'Process' || event.key === 'Unidentified' || event.key === 'Dead') return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'v') return;
    event.preventDefault();
    if (event.key === 'F6') {
      if (action === 'down') byId('done').focus();
      return;
    }
    send({
      type: 'key',
      action,
      key: event.key.slice(0, 40),
      code: event.code.slice(0, 40),
      keyCode: Math.min(event.keyCode, 255),
      text: action === 'down' ? textOf(event) : '',
      repeat: event.repeat,
      modifiers: modifiersOf(event),
    });
  }
  keys.addEventListener('keydown', (event) => key('down', event));
  keys.addEventListener('keyup', (event) => key('up', event));
  function typed(text) {
    for (let at = 0; at < text.length; at += 10_000)
      send({ type: 'text', text: text.slice(at, at + 10_000) });
  }
  keys.addEventListener('input', (event) => {
    if (event.isComposing) return;
    typed(keys.value);
    keys.value = '';
  });
  keys.addEventListener('compositionend', () => {
    typed(keys.value);
    keys.value = '';
  });
  keys.addEventListener('paste', (event) => {
    event.preventDefault();
    typed(event.clipboardData?.getData('text/plain') ?? '');
  });

  byId('back').addEventListener('click', () => send({ type: 'go', to: 'back' }));
  byId('reload').addEventListener('click', () => send({ type: 'go', to: 'reload' }));
  byId('cancel').addEventListener('click', () => send({ type: 'cancel' }));
  byId('done').addEventListener('click', () => {
    say('Keeping the login…');
    send({ type: 'done' });
  });
})();
