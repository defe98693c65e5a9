import { build } from './package/build.ts';
import { published } from './package/workspace.ts';

/** `npm run build`: JavaScript and types of every published package, in its `dist`. */
await build();
console.log(`built ${published.join(', ')}`);
