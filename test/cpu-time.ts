/** Time that this process has spent computing. Unlike a clock it tells nothing of what else the machine does. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
