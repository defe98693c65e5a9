const key = 'webfarer-theme';

/** The switch between light and dark. The choice is kept where the browser lets a local file keep things. */
export function startTheme(): void {
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme:dark)');
  const button = document.querySelector('.theme');
  const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : system.matches);

  function paint(name?: string | null): void {
    if (name === 'dark' || name === 'light') root.dataset.theme = name;
    if (button) button.textContent = isDark() ? 'Light' : 'Dark';
  }

  paint(stored());
  system.addEventListener('change', () => paint());
  button?.addEventListener('click', () => {
    const name = isDark() ? 'light' : 'dark';
    store(name);
    paint(name);
  });
}

function stored(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function store(name: string): void {
  try {
    localStorage.setItem(key, name);
  } catch {
    // The page works without a memory.
  }
}
