import type { Forecast, ResourceFrame } from '@webfarer/protocol/resources';
import { useMemo } from 'react';
import { useLive } from '../api/connected.tsx';

export type Cordon = 'active' | 'cordoned' | 'draining';

export interface Coordinator {
  id: string;
  url: string;
  cordon: Cordon;
  capacity: number;
  workers: number;
  hosts: number;
  wants: number;
  leaving: boolean;
}

export interface Worker {
  worker: string;
  address: string;
  version: string;
  cordon: Cordon;
  connections: number;
  held: number;
  pages: number;
  pagesPerSecond: number;
  connectedAtMs: number;
  pause?: { text: string };
}

interface MachineFrame {
  kind: 'coordinator' | 'worker';
  id: string;
  frame: ResourceFrame;
  outlook?: Outlook;
}

/** When memory would be full, as its coordinator found out. */
export interface Outlook {
  seen: boolean;
  full?: Forecast;
}

/** Coordinators of the network, and the workers of the one that this tab is connected to, with what each machine uses. */
export interface Fleet {
  isWhole: boolean;
  problem: string | undefined;
  coordinators: Coordinator[];
  workers: Worker[];
  frameOf(kind: MachineFrame['kind'], id: string): ResourceFrame | undefined;
  outlookOf(coordinator: string): Outlook | undefined;
}

/** A thousand machines change every second: more often than this nobody reads them. */
const minIntervalMs = 3_000;

export function useFleet(): Fleet {
  const coordinators = useLive({ topic: 'list', list: 'coordinators', minIntervalMs });
  const workers = useLive({ topic: 'list', list: 'workers', minIntervalMs });
  const frames = useLive({ topic: 'resources', minIntervalMs });
  const sorted = useMemo(
    () =>
      ([...workers.documents.values()] as Worker[]).toSorted((a, b) =>
        a.worker.localeCompare(b.worker, undefined, { numeric: true }),
      ),
    [workers.documents],
  );
  const machine = (name: string) => frames.documents.get(name) as MachineFrame | undefined;
  return {
    isWhole: coordinators.isWhole && workers.isWhole,
    problem: coordinators.problem ?? workers.problem,
    coordinators: [...coordinators.documents.values()] as Coordinator[],
    workers: sorted,
    frameOf: (kind, id) => machine(`${kind} ${id}`)?.frame,
    outlookOf: (id) => machine(`coordinator ${id}`)?.outlook,
  };
}
