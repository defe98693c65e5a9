import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { useText } from '../text/use-text.tsx';
import { Globe } from '../parts/icons.tsx';
import { useTakesCrawls } from '../api/takes-crawls.ts';
import { ConnectionMark } from './connection-mark.tsx';
import { focusField, focusOwnField } from './focus-field.ts';
import { KeysHelp } from './keys-help.tsx';
import { useKeys } from '../parts/keys.ts';
import { useArrival } from './use-arrival.ts';
import { SettingsMenu } from './settings-menu.tsx';

export function Shell() {
  const text = useText();
  const mayOperate = useMayOperate();
  const isAdmin = useConnected().who.scope === 'admin';
  const navigate = useNavigate();
  const takesCrawls = useTakesCrawls();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const keys = useMemo(() => {
    const goHome = () => navigate({ to: '/' });
    return {
      // A screen with a field of its own to search in is searched there.
      '/': () => {
        if (!focusOwnField()) void goHome().then(() => focusField('search'));
      },
      'g c': () => void goHome(),
      'g s': () => void navigate({ to: '/schedules', search: {} }),
      ...(isAdmin
        ? {
            'g l': () => void navigate({ to: '/logins' }),
            'g n': () => void navigate({ to: '/network' }),
          }
        : {}),
      ...(mayOperate ? { 'g a': () => void navigate({ to: '/admin' }) } : {}),
      n: () => void goHome().then(() => focusField('new-crawl')),
      '?': () => setHelpOpen(true),
    };
  }, [navigate, isAdmin, mayOperate]);
  useKeys(keys);
  const main = useRef<HTMLElement>(null);
  useArrival(main, text.product);
  return (
    <>
      <a className="skip" href="#main">
        {text.skip}
      </a>
      <header className="bar">
        <div className="wrap bar-row">
          <Link to="/" className="brand" aria-label={text.product}>
            <Globe />
            <span>{text.product}</span>
          </Link>
          <nav aria-label={text.sections}>
            <Link to="/" activeOptions={{ exact: false, includeSearch: false }}>
              {text.crawls}
            </Link>
            {takesCrawls ? (
              <Link to="/schedules" activeOptions={{ includeSearch: false }}>
                {text.schedules}
              </Link>
            ) : null}
            {isAdmin ? (
              <>
                <Link to="/logins">{text.logins}</Link>
                <Link to="/network">{text.fleet.title}</Link>
              </>
            ) : null}
            {mayOperate ? (
              <Link to="/admin" activeOptions={{ includeSearch: false }}>
                {text.admin}
              </Link>
            ) : null}
          </nav>
          <ConnectionMark />
          <SettingsMenu showKeys={() => setHelpOpen(true)} />
        </div>
      </header>
      <main ref={main} id="main" className="wrap" tabIndex={-1}>
        <Outlet />
      </main>
      <KeysHelp isOpen={isHelpOpen} close={() => setHelpOpen(false)} />
    </>
  );
}
