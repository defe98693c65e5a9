/** The view of shortest paths: a tree that opens where it is pressed. */
export const pathsScript = `
  function paths(pages) {
    var rows = pages.rows;
    var tree = document.getElementById('tree');
    var children = rows.map(function () { return []; });
    var roots = [];
    var loose = [];
    rows.forEach(function (row, i) {
      if (row[2] >= 0) children[row[2]].push(i);
      else if (row[2] === -1) roots.push(i);
      else loose.push(i);
    });
    var open = {};
    var shown = {};
    var chosen = -1;
    var firstRows = 40;
    function url(i) { return pages.origins[rows[i][0]] + rows[i][1]; }
    function name(i) {
      var parent = rows[i][2];
      if (parent < 0 || rows[parent][0] !== rows[i][0]) return pages.origins[rows[i][0]].replace(/^https?:\\/\\//, '') + (rows[i][1] === '/' ? '' : rows[i][1]);
      return rows[i][1];
    }
    function way(i) {
      var found = [];
      for (var at = i; at >= 0; at = rows[at][2]) found.unshift(at);
      return found;
    }
    var spots = {};
    function draw() {
      tree.textContent = '';
      spots = {};
      var lines = svg('path', { 'class': 'branch' }, tree);
      var strong = svg('path', { 'class': 'way' }, tree);
      var d = '';
      var y = 26;
      var widest = 400;
      function list(items, key, level, parent) {
        var limit = shown[key] || firstRows;
        items.slice(0, limit).forEach(function (i) { place(i, level, parent); });
        if (items.length > limit) more(items.length - limit, key, level, parent);
      }
      function line(parent, x, at) {
        if (parent) d += 'M' + (parent.x + 6) + ' ' + parent.y + 'C' + (parent.x + 60) + ' ' + parent.y + ' ' + (x - 60) + ' ' + at + ' ' + (x - 6) + ' ' + at;
      }
      function place(i, level, parent) {
        var spot = { x: 24 + level * 210, y: y };
        spots[i] = spot;
        line(parent, spot.x, y);
        node(i, spot);
        widest = Math.max(widest, spot.x + 330);
        var inner = children[i];
        if (open[i] && inner.length) list(inner, i, level + 1, spot);
        else y += 24;
      }
      function more(n, key, level, parent) {
        var x = 24 + level * 210;
        line(parent, x, y);
        var group = svg('g', { 'class': 'node', role: 'button', tabindex: '0', transform: 'translate(' + x + ' ' + y + ')' }, tree);
        svg('text', { x: 0, y: 4, 'class': 'more' }, group).textContent = '… ' + count(n) + ' more';
        press(group, function () { shown[key] = (shown[key] || firstRows) + 200; draw(); });
        y += 24;
      }
      list(roots, 'roots', 0, null);
      lines.setAttribute('d', d);
      if (chosen >= 0) strong.setAttribute('d', way(chosen).map(function (i, n, all) {
        var a = spots[all[n - 1]], b = spots[i];
        return a && b ? 'M' + (a.x + 6) + ' ' + a.y + 'C' + (a.x + 60) + ' ' + a.y + ' ' + (b.x - 60) + ' ' + b.y + ' ' + (b.x - 6) + ' ' + b.y : '';
      }).join(''));
      tree.setAttribute('width', widest);
      tree.setAttribute('height', y + 20);
    }
    function node(i, spot) {
      var inner = children[i].length;
      var group = svg('g', { 'class': 'node' + (i === chosen ? ' on' : ''), role: 'button', tabindex: '0', transform: 'translate(' + spot.x + ' ' + spot.y + ')', 'data-page': i }, tree);
      if (inner) group.setAttribute('aria-expanded', String(!!open[i]));
      svg('circle', { r: inner ? 6 : 4, 'class': outcomes[rows[i][3]].tone }, group);
      var text = name(i);
      var label = svg('text', { x: 11, y: 4 }, group);
      label.textContent = (text.length > 24 && open[i] ? text.slice(0, 22) + '…' : text.length > 46 ? text.slice(0, 45) + '…' : text) + (inner && !open[i] ? '  +' + count(inner) : '');
      press(group, function () {
        open[i] = i === chosen ? !open[i] : inner > 0;
        choose(i, true);
        var again = tree.querySelector('[data-page="' + i + '"]');
        if (again) again.focus();
      });
    }
    function choose(i, stay) {
      chosen = i;
      way(i).slice(0, -1).forEach(function (at, n, all) {
        open[at] = true;
        var next = n + 1 < all.length ? all[n + 1] : i;
        shown[at] = Math.max(shown[at] || firstRows, children[at].indexOf(next) + 1);
      });
      var root = way(i)[0];
      shown.roots = Math.max(shown.roots || firstRows, roots.indexOf(root) + 1);
      draw();
      tell(i);
      var spot = spots[i];
      var panel = document.getElementById('paths');
      if (spot && !stay) panel.scrollTo(Math.max(0, spot.x - panel.clientWidth / 2), Math.max(0, spot.y - panel.clientHeight / 2));
    }
    function tell(i) {
      details.textContent = '';
      var address = url(i);
      var heading = element('h2', undefined, details);
      var link = element('a', address, heading);
      if (/^https?:\\/\\//.test(address)) link.href = address;
      link.rel = 'noreferrer';
      link.target = '_blank';
      var steps = way(i);
      facts([['Answer', outcomes[rows[i][3]].name], ['Clicks from a seed', rows[i][2] === -2 ? 'no links lead here' : String(steps.length - 1)],
        ['Linked from', count(rows[i][4]) + (rows[i][4] === 1 ? ' page' : ' pages')], ['First on the way to', count(children[i].length) + (children[i].length === 1 ? ' page' : ' pages')]]);
      if (steps.length > 1) choices('Shortest way', steps, url, choose, 'ol');
      choices('Reached through it', children[i], url, choose);
    }
    roots.slice(0, 3).forEach(function (i) { open[i] = true; });
    var alone = roots.length === 1 && children[roots[0]].length === 1 ? children[roots[0]][0] : -1;
    if (alone >= 0) open[alone] = true;
    draw();
    return {
      all: function () { return rows.map(function (_, i) { return i; }); },
      label: url,
      choose: choose,
      intro: function () {
        if (chosen >= 0) { tell(chosen); return; }
        element('h2', count(pages.total) + ' pages', details);
        element('p', 'Each page stands behind the one through which it is reached over the fewest links. Press a page to open it and to see its way.', details).className = 'soft';
        if (rows.length < pages.total) element('p', 'The ' + count(rows.length) + ' nearest to a seed are here.', details).className = 'soft';
        choices('No links lead here (' + count(pages.unreached) + ')', loose, url, choose);
      },
    };
  }
`;
