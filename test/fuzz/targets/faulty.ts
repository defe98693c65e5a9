import { must, type Target } from '../target.ts';

const faults = ['throws', 'hangs', 'late', 'slow', 'fine', 'fine'] as const;

/** Has every fault the watch must see: how a proof knows that its eyes are open. */
export async function open({ from }: { from: number }): Promise<Target> {
  // The thread may be the second or third of a run: faults go by the number of the input.
  let made = from;
  return {
    make(random) {
      const fault = faults[made % faults.length] as string;
      made += 1;
      return Buffer.from(`${random.below(1_000_000)} ${fault} ${random.below(1_000_000)}`);
    },
    async run(input) {
      const text = input.toString();
      must(!text.includes('throws'), 'it throws');
      if (text.includes('hangs')) for (;;);
      if (text.includes('slow')) for (const end = performance.now() + 250; performance.now() < end; );
      if (text.includes('late')) await thrownElsewhere();
    },
  };
}

/** As in the handler of an event: nobody waits for it. */
function thrownElsewhere(): Promise<void> {
  return new Promise(() => {
    setImmediate(() => {
      throw new Error('thrown elsewhere');
    });
  });
}
