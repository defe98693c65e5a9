#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// Before anything else is loaded: the second start of the same version takes half the time. Node keeps the
// compiled code in the system's folder for temporary files; NODE_DISABLE_COMPILE_CACHE=1 switches it off.
enableCompileCache();
const [first, ...others] = process.argv.slice(2);
if ((first === '--version' || first === '-V') && others.length === 0) {
  console.log((await import('./machine/version.ts')).version);
} else {
  (await import('./machine/young-generation.ts')).growYoungGeneration();
  await import('./main.ts');
}
