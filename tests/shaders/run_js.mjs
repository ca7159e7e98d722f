// Runs philox.mjs on the cases of stdin, as run_c.c does: node run_js.mjs FUNCTION < cases > results

import { readFileSync, writeSync } from "node:fs";
import { randomGenerator, uniform } from "./philox.mjs";

function write(array) {
  const bytes = new Uint8Array(array.buffer);
  for (let done = 0; done < bytes.length; ) done += writeSync(1, bytes, done, Math.min(1 << 16, bytes.length - done));
}

for (const line of readFileSync(0, "utf-8").trim().split("\n")) {
  const [count, ...words] = line.split(" ").map(Number);
  const range = new Float32Array(Uint32Array.from(words.slice(0, 2)).buffer), state = Uint32Array.from(words.slice(2));
  const isUniform = process.argv[2] === "uniform_float32";
  write(isUniform ? uniform(state, count, ...range) : randomGenerator(state, count));
  write(state);
}
