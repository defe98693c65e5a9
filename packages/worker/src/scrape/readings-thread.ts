import { serveAside } from '../aside/serve-aside.ts';
import { unpackTree } from '../tree/packed-tree.ts';
import { type ReadingTask } from './readings-aside.ts';
import { readings } from './readings.ts';

serveAside(({ reading, parts, base, isPage }: ReadingTask) =>
  readings[reading]({ tree: unpackTree(parts), base, isPage }),
);
