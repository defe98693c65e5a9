import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { TextProvider } from '../text/use-text.tsx';
import { LogInGate } from '../log-in/log-in-gate.tsx';
import { createConsoleRouter } from './router.tsx';

/** Its variables are in style/theme.css: the content security policy allows no style that a script writes. */
const theme = createTheme({
  fontFamily: 'inherit',
  defaultRadius: 8,
  cursorType: 'pointer',
  respectReducedMotion: true,
});

export function App({ code }: { code: string | undefined }) {
  const [queries] = useState(
    () =>
      new QueryClient({
        defaultOptions: { queries: { retry: 1, staleTime: 2_000, refetchOnWindowFocus: true } },
      }),
  );
  const [router] = useState(createConsoleRouter);
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      <TextProvider>
        <QueryClientProvider client={queries}>
          <LogInGate code={code} forget={() => queries.clear()}>
            <RouterProvider router={router} />
          </LogInGate>
        </QueryClientProvider>
      </TextProvider>
    </MantineProvider>
  );
}
