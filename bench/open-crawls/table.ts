import type { FrontierRow, StepCost } from './frontier.ts';
import type { Found, Row } from './measure.ts';

/** Commands, and milliseconds of the client and of the store. */
export function frontierTable(rows: readonly FrontierRow[]): string {
  const text = ({ commands, clientMs, storeMs }: StepCost) =>
    `${commands} (${Math.round(clientMs)} + ${Math.round(storeMs)} ms)`;
  return rows
    .map(({ crawls, storeBytes, ...steps }) => {
      const costs = Object.entries(steps).map(([name, cost]) => `${name} ${text(cost)}`);
      return `  ${crawls} open: ${costs.join(', ')}; store ${(storeBytes / 2 ** 20).toFixed(1)} MiB`;
    })
    .join('\n');
}

/** The figures as people read them, rounded. */
export function networkTable({ rows, operations, restart, firstFetchMs }: Found): string {
  const lines = rows.map((row) => {
    const { state, crawls, commandsPerSecond, coordinatorCpuPercent, storeCpuPercent } = row;
    return [
      `${crawls} ${state}`.padStart(14),
      `${Math.round(commandsPerSecond)} commands/s`,
      `coordinators ${coordinatorCpuPercent.toFixed(1)} %, store ${storeCpuPercent.toFixed(1)} %`,
      heldText(row),
    ].join('  ');
  });
  const costs = Object.entries(operations).map(([name, cost]) =>
    [
      name.padStart(14),
      `${Math.round(cost.commands)} commands`,
      `coordinators ${cost.coordinatorCpuMs.toFixed(0)} ms, store ${cost.storeCpuMs.toFixed(0)} ms`,
      `${Math.round(cost.ms)} ms`,
    ].join('  '),
  );
  const last = `  ready ${Math.round(restart.readyMs)} ms after a restart, ${Math.round(restart.cpuMs)} ms of CPU; first fetch ${firstFetchMs.map(Math.round).join(', ')} ms after the call`;
  return [...lines, ...costs, last].join('\n');
}

function heldText({ storeBytes, heapBytes, outsideBytes, residentMiB, fileHandles, timers }: Row): string {
  const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  return `store ${mib(storeBytes)} MiB, heap ${mib(heapBytes)} + ${mib(outsideBytes)} MiB, resident ${Math.round(residentMiB)} MiB, ${fileHandles} handles, ${timers} timers`;
}
