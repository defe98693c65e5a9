import { parentPort } from 'node:worker_threads';
import type { Order } from './crew.ts';
import { kernels } from './kernels.ts';

/** A thread of a crew: takes blocks as long as there are any. */
let own: object = {};
let turn: Int32Array = new Int32Array(1);
parentPort?.on('message', (order: Order) => {
  if (order.kind === 'hand') ({ numbers: own, turn } = order);
  else {
    const { kernel, blocks, args } = order;
    for (let block = Atomics.add(turn, 0, 1); block < blocks; block = Atomics.add(turn, 0, 1))
      kernels[kernel](own as never, block, args);
  }
  parentPort?.postMessage('done');
});
