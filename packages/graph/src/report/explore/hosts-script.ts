/** The view of hosts: a map whose places were computed before; drag to move, wheel to come closer. */
export const hostsScript = `
  function hosts(graph) {
    var rows = graph.rows;
    var map = document.getElementById('map');
    var most = Math.max.apply(null, rows.map(function (row) { return row[3]; }).concat([1e-9]));
    var scale = 1000;
    var xs = rows.map(function (row) { return row[1] * scale; });
    var ys = rows.map(function (row) { return row[2] * scale; });
    var low = { x: Math.min.apply(null, xs.concat([0])), y: Math.min.apply(null, ys.concat([0])) };
    var high = { x: Math.max.apply(null, xs.concat([1])), y: Math.max.apply(null, ys.concat([1])) };
    var unit = Math.max(high.x - low.x, high.y - low.y, 1) / 900;
    var view = { x: low.x - 60 * unit, y: low.y - 60 * unit, w: high.x - low.x + 120 * unit, h: high.y - low.y + 120 * unit };
    function radius(i) { return (4 + 13 * Math.pow(rows[i][3] / most, 2.5)) * unit; }
    function look() { map.setAttribute('viewBox', [view.x, view.y, view.w, view.h].join(' ')); }
    var to = rows.map(function () { return []; });
    var from = rows.map(function () { return []; });
    svg('path', { 'class': 'tie', d: graph.links.map(function (link) {
      to[link[0]].push(link[1]);
      from[link[1]].push(link[0]);
      return 'M' + xs[link[0]] + ' ' + ys[link[0]] + 'L' + xs[link[1]] + ' ' + ys[link[1]];
    }).join('') }, map);
    var own = svg('path', { 'class': 'own' }, map);
    var circles = rows.map(function (row, i) {
      var circle = svg('circle', { 'class': 'host c' + row[6] + (row[7] ? '' : ' outside'), cx: xs[i], cy: ys[i], r: radius(i), 'stroke-width': 1.5 * unit, role: 'button', tabindex: i < 60 ? '0' : '-1', 'aria-label': row[0] }, map);
      press(circle, function () { choose(i, true); });
      return circle;
    });
    var texts = rows.map(function (row, i) {
      if (i >= 60) return null;
      var text = svg('text', { x: xs[i], y: ys[i] - radius(i) - 3 * unit, 'font-size': 13 * unit, 'stroke-width': 3 * unit }, map);
      text.textContent = row[0].length > 30 ? row[0].slice(0, 29) + '…' : row[0];
      return text;
    });
    look();
    var chosen = -1;
    function name(i) { return rows[i][0]; }
    function choose(i, stay) {
      chosen = i;
      var near = {};
      near[i] = true;
      to[i].concat(from[i]).forEach(function (other) { near[other] = true; });
      map.classList.add('dim');
      circles.forEach(function (circle, n) {
        circle.classList.toggle('near', !!near[n]);
        circle.classList.toggle('on', n === i);
        if (texts[n]) texts[n].classList.toggle('near', !!near[n]);
      });
      own.setAttribute('d', to[i].concat(from[i]).map(function (other) { return 'M' + xs[i] + ' ' + ys[i] + 'L' + xs[other] + ' ' + ys[other]; }).join(''));
      if (!stay) { view.x = xs[i] - view.w / 2; view.y = ys[i] - view.h / 2; look(); }
      tell(i);
    }
    function tell(i) {
      details.textContent = '';
      element('h2', rows[i][0], details);
      facts([['Harmonic centrality', rows[i][3].toFixed(1)], ['Linked from', count(rows[i][4]) + ' hosts'], ['Links to', count(rows[i][5]) + ' hosts'], ['Crawled', rows[i][7] ? 'yes' : 'no, only linked to']]);
      choices('Linked from, on this map', from[i], name, choose);
      choices('Links to, on this map', to[i], name, choose);
    }
    var drag = null;
    map.addEventListener('pointerdown', function (event) { drag = { x: event.clientX, y: event.clientY }; });
    window.addEventListener('pointerup', function () { drag = null; });
    map.addEventListener('pointermove', function (event) {
      if (!drag) return;
      var factor = Math.max(view.w / map.clientWidth, view.h / map.clientHeight);
      view.x -= (event.clientX - drag.x) * factor;
      view.y -= (event.clientY - drag.y) * factor;
      drag = { x: event.clientX, y: event.clientY };
      look();
    });
    function zoom(by, px, py) {
      view.x += view.w * px * (1 - by);
      view.y += view.h * py * (1 - by);
      view.w *= by;
      view.h *= by;
      look();
    }
    map.addEventListener('wheel', function (event) {
      event.preventDefault();
      var box = map.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    }, { passive: false });
    document.getElementById('hosts').addEventListener('keydown', function (event) {
      if (event.key === '+') zoom(1 / 1.3, 0.5, 0.5);
      if (event.key === '-') zoom(1.3, 0.5, 0.5);
    });
    return {
      all: function () { return rows.map(function (_, i) { return i; }); },
      label: name,
      choose: choose,
      intro: function () {
        if (chosen >= 0) { tell(chosen); return; }
        element('h2', count(graph.total) + ' hosts', details);
        element('p', 'As large as their harmonic centrality, of one colour where they link among themselves more than to others; pale ones were not crawled. Drag to move, wheel or + and − to come closer, press a host to see its links.', details).className = 'soft';
        if (rows.length < graph.total) element('p', 'The ' + count(rows.length) + ' most central are on the map.', details).className = 'soft';
        choices('Most central', rows.slice(0, 20).map(function (_, i) { return i; }), name, choose);
      },
    };
  }
`;
