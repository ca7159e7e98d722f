// DirectML's RandomGenerator operator (Philox4x32-10) as a module of JavaScript.
//
$NOTICE

const M0 = $M0, M1 = $M1;  // multipliers of counter words 0 and 2
const W0 = $W0, W1 = $W1;  // added to the key between two rounds
const ROUNDS = $ROUNDS;

// The upper 32 bits of the 64-bit product a * b. A number holds integers below 2^53 only, so this multiplies 16-bit
// halves. No sum below exceeds 2^32 - 1. Math.imul gives the lower 32 bits.
function multiplyHigh(a, b) {
  const aLow = a & 0xffff, aHigh = a >>> 16, bLow = b & 0xffff, bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const otherMiddle = aLow * bHigh + (middle & 0xffff);
  return aHigh * bHigh + (middle >>> 16) + (otherMiddle >>> 16);
}

// The four words of the block at a counter of four words.
export function block(counter, key) {
  let [c0, c1, c2, c3] = counter, [k0, k1] = key;
  for (let i = 0; i < ROUNDS; i++) {
    const high0 = multiplyHigh(c0, M0), low0 = Math.imul(c0, M0);
    const high1 = multiplyHigh(c2, M1), low1 = Math.imul(c2, M1);
    [c0, c1, c2, c3] = [high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0];
    k0 = (k0 + W0) | 0;
    k1 = (k1 + W1) | 0;
  }
  return [c0 >>> 0, c1 >>> 0, c2 >>> 0, c3 >>> 0];  // unsigned
}

// Advance the first four words of a Uint32Array, modulo 2^128, by fewer than 2^52 blocks.
export function advance(state, blocks) {
  let carry = blocks;
  for (let i = 0; i < 4; i++) {
    const sum = state[i] + carry;
    state[i] = sum;  // modulo 2^32
    carry = Math.floor(sum / 2 ** 32);
  }
}

// The next `count` words of the stream, as a Uint32Array. `state`, a Uint32Array, becomes the new state.
export function randomGenerator(state, count) {
  const words = new Uint32Array(count), key = [state[4], state[5]];
  for (let first = 0; first < count; first += 4) {
    const made = block(state, key);
    for (let lane = 0; lane < 4 && first + lane < count; lane++) words[first + lane] = made[lane];
    advance(state, 1);
  }
  return words;
}

// The next `count` numbers of [low, high), as a Float32Array. `state` becomes the new state.
export function uniform(state, count, low = 0, high = 1) {
  const bottom = Math.fround(low), width = Math.fround(Math.fround(high) - bottom);
  // An element of a Float32Array rounds the sum. The product of the fraction and the step is exact.
  const number = (word) => Math.fround((word & $FRACTION) * $STEP * width) + bottom;
  return Float32Array.from(randomGenerator(state, count), number);
}
