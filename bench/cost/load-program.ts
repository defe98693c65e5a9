/** Keeps a processor and its caches busy, for as many seconds as it is told. */
const end = performance.now() + 1_000 * Number(process.argv[2] ?? 0);
const memory = new Float64Array(1 << 20);
for (let n = 0; performance.now() < end; n++)
  for (let at = 0; at < memory.length; at += 8) memory[at] = n + at;
