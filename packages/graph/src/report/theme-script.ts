/** The switch between light and dark. What the reader chose is kept where the browser lets a file keep things. */
export const themeScript = `
  var root = document.documentElement;
  var system = matchMedia('(prefers-color-scheme:dark)');
  var change = document.querySelector('.theme');
  function keep(name) { try { if (name) localStorage.setItem('webfarer-theme', name); return localStorage.getItem('webfarer-theme'); } catch (_) { return null; } }
  function isDark() { return root.dataset.theme ? root.dataset.theme === 'dark' : system.matches; }
  function paint(name) {
    if (name === 'dark' || name === 'light') root.dataset.theme = name;
    if (change) change.textContent = isDark() ? 'Light' : 'Dark';
  }
  paint(keep());
  system.addEventListener('change', function () { paint(); });
  if (change) change.addEventListener('click', function () { var name = isDark() ? 'light' : 'dark'; keep(name); paint(name); });
`;
