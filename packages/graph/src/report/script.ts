import { firstRows } from './table.ts';
import { themeScript } from './theme-script.ts';

/** The report's script: sorting, filtering, copying, colours, tips. Without it every row is simply there. Never parses text as HTML. */
export const script = `
'use strict';
(function () {
  var first = ${firstRows};
  document.documentElement.classList.add('js');
  var collator = new Intl.Collator('en', { numeric: true });
  function cells(row) { return Array.prototype.slice.call(row.cells); }
  function value(cell) {
    if (cell.dataset.v !== undefined) return cell.dataset.v;
    var link = cell.classList.contains('url') && cell.querySelector('a');
    return link ? link.getAttribute('href') : cell.textContent.trim();
  }
  function csvCell(text) {
    var safe = /^\\s*[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20]|^[\\t\\r\\n]/.test(text) ? "'" + text : text;
    return /[",\\r\\n]/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
  }
  function copy(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text).catch(function () { oldCopy(text); });
    oldCopy(text);
    return Promise.resolve();
  }
  function oldCopy(text) {
    var area = document.createElement('textarea');
    area.value = text;
    document.body.appendChild(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  function copyTable(button, table, rows) {
    var name = button.textContent;
    var head = cells(table.tHead.rows[0]).map(function (th) { return csvCell(th.textContent.trim()); });
    var lines = rows.map(function (row) {
      return cells(row).map(function (td) { return csvCell(td.dataset.c !== undefined ? td.dataset.c : value(td)); }).join(',');
    });
    Promise.resolve(copy([head.join(',')].concat(lines).join('\\r\\n') + '\\r\\n')).then(function () {
      button.textContent = 'Copied ' + lines.length + (lines.length === 1 ? ' row' : ' rows');
      setTimeout(function () { button.textContent = name; }, 2000);
    });
  }
  document.querySelectorAll('figure[data-figure]').forEach(function (figure) {
    var button = figure.querySelector('.csv');
    var table = figure.querySelector('table');
    button.addEventListener('click', function () {
      copyTable(button, table, Array.prototype.slice.call(table.tBodies[0].rows));
    });
  });
  document.querySelectorAll('section[data-table]').forEach(function (section) {
    var table = section.querySelector('table');
    if (!table) return;
    var body = table.tBodies[0];
    var rows = Array.prototype.slice.call(body.rows);
    var texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
    var order = rows.map(function (_, i) { return i; });
    var input = section.querySelector('input');
    var shown = section.querySelector('.shown');
    var all = section.querySelector('.all');
    var open = false;
    function matching() {
      var words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
      return order.filter(function (i) { return words.every(function (w) { return texts[i].indexOf(w) >= 0; }); });
    }
    function show() {
      var match = matching();
      var visible = open ? match.length : Math.min(first, match.length);
      var set = new Set(match.slice(0, visible));
      rows.forEach(function (row, i) { row.hidden = !set.has(i); });
      shown.textContent = visible === rows.length ? rows.length + (rows.length === 1 ? ' row' : ' rows')
        : visible + ' of ' + match.length + (match.length === rows.length ? ' rows' : ' matching rows');
      if (!all) return;
      all.hidden = visible === match.length;
      all.textContent = 'Show all ' + match.length;
    }
    function sort(column, down) {
      var number = table.tHead.rows[0].cells[column].classList.contains('num');
      var keys = rows.map(function (row) { return value(row.cells[column]); });
      order.sort(function (a, b) {
        var c = number ? Number(keys[a]) - Number(keys[b]) : collator.compare(keys[a], keys[b]);
        return (down ? -c : c) || a - b;
      });
      order.forEach(function (i) { body.appendChild(rows[i]); });
      show();
    }
    cells(table.tHead.rows[0]).forEach(function (th, column) {
      var button = document.createElement('button');
      button.type = 'button';
      while (th.firstChild) button.appendChild(th.firstChild);
      th.appendChild(button);
      button.addEventListener('click', function () {
        var now = th.getAttribute('aria-sort');
        var down = now ? now === 'ascending' : th.classList.contains('num');
        cells(table.tHead.rows[0]).forEach(function (other) { other.removeAttribute('aria-sort'); });
        th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        sort(column, down);
      });
    });
    input.addEventListener('input', show);
    if (all) all.addEventListener('click', function () { open = true; show(); });
    var button = section.querySelector('.csv');
    button.addEventListener('click', function () { copyTable(button, table, matching().map(function (i) { return rows[i]; })); });
    show();
  });
${themeScript}
  function reach() {
    document.querySelectorAll('.plot').forEach(function (plot) {
      if (plot.scrollWidth > plot.clientWidth) plot.tabIndex = 0;
      else plot.removeAttribute('tabindex');
    });
  }
  reach();
  addEventListener('resize', reach);
  var tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  document.body.appendChild(tip);
  function tell(target) {
    for (var at = target; at && at.nodeName !== 'svg' && at.dataset; at = at.parentNode) {
      if (at.dataset.tip) return at.dataset.tip;
      var title = at.firstElementChild;
      while (title && title.nodeName !== 'title') title = title.nextElementSibling;
      if (title) { at.dataset.tip = title.textContent; title.remove(); return at.dataset.tip; }
    }
    return '';
  }
  document.addEventListener('pointermove', function (event) {
    var words = event.target.closest && event.target.closest('.plot svg') ? tell(event.target) : '';
    tip.hidden = !words;
    if (!words) return;
    tip.textContent = words;
    var box = tip.getBoundingClientRect();
    tip.style.left = Math.max(8, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + 'px';
    tip.style.top = (event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18) + 'px';
  });
})();
`;
