import './without-eval.ts';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { takeLinkCode } from './log-in/link-code.ts';
import './style/mantine.css';
import './style/theme.css';
import './style/shell.css';
import './style/home.css';

const code = takeLinkCode(location, history);

/** The page for the owners of sites is public: it loads nothing of the console behind the log-in. */
async function chosenApp(): Promise<ReactNode> {
  if (location.pathname === '/owners') {
    const { OwnersApp } = await import('./owners/owners-app.tsx');
    return <OwnersApp />;
  }
  const { App } = await import('./app/app.tsx');
  return <App code={code} />;
}

const root = document.getElementById('root');
if (root) void chosenApp().then((app) => createRoot(root).render(<StrictMode>{app}</StrictMode>));
