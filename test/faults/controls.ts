import type { Change } from './changed-source.ts';

const lua = 'packages/coordinator/src/redis/lua';

/** Rules without which faults do harm. With one of them out, the judge must find it. */
export const controls = {
  /** Whoever says that it holds the host is believed, however long ago its lease ran out. */
  fencing: [
    {
      file: `${lua}/report.lua`,
      from: 'if not m or h.hc ~= m.c or h.ho or h.f ~= fence or now >= h.hd then',
      to: 'if not m or h.hc ~= m.c then',
    },
    {
      file: `${lua}/renew.lua`,
      from: 'if not m or h.hc ~= ARGV[4] or h.ho or h.f ~= num(ARGV[6]) or now >= h.hd then',
      to: 'if not m or h.hc ~= ARGV[4] then',
    },
  ],
  /** A host that is leased may be leased again after a moment. */
  heldUntil: [
    {
      file: `${lua}/base/leases.lua`,
      from: 'h.hu, h.ho = h.hd + m.fetch + m.gap, false',
      to: 'h.hu, h.ho = now + m.gap * 2, false',
    },
    { file: `${lua}/renew.lua`, from: 'h.hu = h.hd + m.fetch + m.gap', to: 'h.hu = now + m.gap * 2' },
  ],
} as const satisfies Record<string, Change[]>;
