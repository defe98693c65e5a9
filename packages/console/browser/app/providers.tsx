import { createTheme, MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { TextProvider } from '../text/use-text.tsx';

/** Its variables are in style/theme.css: the content security policy allows no style that a script writes. */
const theme = createTheme({
  fontFamily: 'inherit',
  defaultRadius: 8,
  cursorType: 'pointer',
  respectReducedMotion: true,
});

/** Looks, language and requests: what every page needs, logged in or not. */
export function Providers({ queries, children }: { queries: QueryClient; children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      <TextProvider>
        <QueryClientProvider client={queries}>{children}</QueryClientProvider>
      </TextProvider>
    </MantineProvider>
  );
}
