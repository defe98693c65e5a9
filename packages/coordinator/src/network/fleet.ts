import type { ResourceMonitor } from '../resources/resource-monitor.ts';
import type { CpuProfiler } from '../resources/cpu-profile.ts';
import type { Cordons } from './cordons.ts';
import type { PeerStatus } from './neighbours.ts';
import type { WorkerStatus } from './network-status.ts';

/** The coordinators of a network and the workers of this one, as operators see them. */
export interface Fleet {
  readonly monitor: ResourceMonitor;
  readonly profiler: CpuProfiler;
  readonly cordons: Cordons;
  workers(): WorkerStatus[];
  coordinators(): PeerStatus[];
}
