import './without-eval.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { takeLinkCode } from './log-in/link-code.ts';
import './style/mantine.css';
import './style/theme.css';
import './style/shell.css';
import './style/home.css';

const code = takeLinkCode(location, history);
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <App code={code} />
    </StrictMode>,
  );
