import type { ResourceFrame } from '@webfarer/protocol/resources';
import { useFormats, useText } from '../text/use-text.tsx';

const full = 0.9;

/** A share as a bar and a figure: color only where it is nearly full. */
export function Share({ of, label }: { of: number | undefined; label: string }) {
  const { percent } = useFormats();
  if (of === undefined) return <span className="share soft">–</span>;
  const shown = Math.min(1, Math.max(0, of));
  return (
    <span className="share">
      <svg
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label} ${percent(shown)}`}
      >
        <rect width="100" height="6" rx="3" className="rest" />
        <rect width={shown * 100} height="6" rx="3" className={shown >= full ? 'full' : 'used'} />
      </svg>
      <span className="num">{percent(Math.round(shown * 100) / 100)}</span>
    </span>
  );
}

export const cpuOf = (frame: ResourceFrame | undefined): number | undefined =>
  frame === undefined || frame.cpu.cores.length === 0
    ? undefined
    : frame.cpu.cores.reduce((sum, core) => sum + core, 0) / frame.cpu.cores.length;

export const memoryOf = (frame: ResourceFrame | undefined): number | undefined =>
  frame === undefined ? undefined : 1 - frame.memory.availableBytes / frame.memory.totalBytes;

/** Of the disk that is fullest. */
export const diskOf = (frame: ResourceFrame | undefined): number | undefined =>
  frame === undefined || frame.disks.length === 0
    ? undefined
    : Math.max(...frame.disks.map(({ freeBytes, totalBytes }) => 1 - freeBytes / totalBytes));

export function Received({ frame }: { frame: ResourceFrame | undefined }) {
  const { bytes } = useFormats();
  const { fleet } = useText();
  return frame?.network === undefined ? (
    <span className="soft">–</span>
  ) : (
    <span title={fleet.sent(bytes(frame.network.sentBytesPerSecond))}>
      {fleet.perSecond(bytes(frame.network.receivedBytesPerSecond))}
    </span>
  );
}
