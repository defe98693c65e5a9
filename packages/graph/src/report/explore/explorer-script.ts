import { outcomeTones } from '../parts.ts';
import { themeScript } from '../theme-script.ts';
import { hostsScript } from './hosts-script.ts';
import { pathsScript } from './paths-script.ts';

/** The explorer's script: tabs, search and details; each view has its own part. Never parses text as HTML. */
export const explorerScript = `
'use strict';
(function () {
  var data = JSON.parse(document.getElementById('data').textContent);
  var outcomes = ${JSON.stringify(outcomeTones)};
  var details = document.getElementById('details');
  var search = document.getElementById('search');
  function svg(name, attributes, parent) {
    var made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (var key in attributes) made.setAttribute(key, attributes[key]);
    if (parent) parent.appendChild(made);
    return made;
  }
  function element(name, text, parent) {
    var made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  }
  function count(n) { return n.toLocaleString('en-US'); }
  function facts(rows) {
    var list = element('dl', undefined, details);
    rows.forEach(function (row) { element('dt', row[0], list); element('dd', row[1], list); });
  }
  function choices(title, items, label, choose, kind) {
    if (items.length === 0) return;
    element('h3', title, details);
    var list = element(kind || 'ul', undefined, details);
    items.slice(0, 100).forEach(function (item) {
      var button = element('button', label(item), element('li', undefined, list));
      button.type = 'button';
      button.addEventListener('click', function () { choose(item); });
    });
    if (items.length > 100) element('li', '… and ' + count(items.length - 100) + ' more', list).className = 'soft';
  }
  function press(node, act) {
    node.addEventListener('click', act);
    node.addEventListener('keydown', function (event) {
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); act(); }
    });
  }
${pathsScript}
${hostsScript}
  var views = { paths: paths(data.pages), hosts: hosts(data.hosts) };
  var current = 'paths';
  function show(name) {
    current = name;
    Object.keys(views).forEach(function (key) {
      var tab = document.getElementById('tab-' + key);
      tab.setAttribute('aria-selected', String(key === name));
      tab.tabIndex = key === name ? 0 : -1;
      document.getElementById(key).hidden = key !== name;
    });
    details.textContent = '';
    views[name].intro();
    if (search.value.trim()) find();
  }
  Object.keys(views).forEach(function (key, i, all) {
    var tab = document.getElementById('tab-' + key);
    tab.addEventListener('click', function () { show(key); });
    tab.addEventListener('keydown', function (event) {
      if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
      var other = all[(i + 1) % all.length];
      show(other);
      document.getElementById('tab-' + other).focus();
    });
  });
  function find() {
    var words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    details.textContent = '';
    if (words.length === 0) { views[current].intro(); return; }
    var view = views[current];
    var found = view.all().filter(function (item) {
      var text = view.label(item).toLowerCase();
      return words.every(function (word) { return text.indexOf(word) >= 0; });
    });
    element('h2', count(found.length) + ' found', details);
    choices('', found, view.label, view.choose);
  }
  search.addEventListener('input', find);
  show('paths');
${themeScript}
})();
`;
