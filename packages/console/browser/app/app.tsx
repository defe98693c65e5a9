import { QueryClient } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { LogInGate } from '../log-in/log-in-gate.tsx';
import { Providers } from './providers.tsx';
import { createConsoleRouter } from './router.tsx';

export function App({ code }: { code: string | undefined }) {
  const [queries] = useState(
    () =>
      new QueryClient({
        defaultOptions: { queries: { retry: 1, staleTime: 2_000, refetchOnWindowFocus: true } },
      }),
  );
  const [router] = useState(createConsoleRouter);
  return (
    <Providers queries={queries}>
      <LogInGate code={code} forget={() => queries.clear()}>
        <RouterProvider router={router} />
      </LogInGate>
    </Providers>
  );
}
