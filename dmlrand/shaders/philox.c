// DirectML's RandomGenerator operator (Philox4x32-10) in C99 and C++.
//
$NOTICE
//
// With -O3, gcc and clang compile `philox_block` to vector code. With -O3 -march=native it is faster.

#include <stdint.h>

#define PHILOX_M0 ${M0}u // multipliers of counter words 0 and 2
#define PHILOX_M1 ${M1}u
#define PHILOX_W0 ${W0}u // added to the key between two rounds
#define PHILOX_W1 ${W1}u
#define PHILOX_ROUNDS $ROUNDS
#define PHILOX_GROUP 64 // blocks that are computed side by side: any number gives the same words

// The words of the next PHILOX_GROUP blocks, from the counter of `state` on.
static void philox_block(const uint32_t state[6], uint32_t words[4 * PHILOX_GROUP]) {
    uint32_t c0[PHILOX_GROUP], c1[PHILOX_GROUP], c2[PHILOX_GROUP], c3[PHILOX_GROUP], k0 = state[4], k1 = state[5];
    for (uint32_t i = 0; i < PHILOX_GROUP; i++) {
        c0[i] = state[0] + i;
        uint32_t carry = c0[i] < i; // a sum that wraps is less than what was added
        c1[i] = state[1] + carry;
        carry = c1[i] < carry;
        c2[i] = state[2] + carry;
        carry = c2[i] < carry;
        c3[i] = state[3] + carry;
    }
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        for (int i = 0; i < PHILOX_GROUP; i++) {
            uint32_t high0 = (uint32_t)((uint64_t)c0[i] * PHILOX_M0 >> 32), low0 = c0[i] * PHILOX_M0;
            uint32_t high1 = (uint32_t)((uint64_t)c2[i] * PHILOX_M1 >> 32), low1 = c2[i] * PHILOX_M1;
            c0[i] = high1 ^ c1[i] ^ k0;
            c1[i] = low1;
            c2[i] = high0 ^ c3[i] ^ k1;
            c3[i] = low0;
        }
        k0 += PHILOX_W0;
        k1 += PHILOX_W1;
    }
    for (int i = 0; i < PHILOX_GROUP; i++) {
        words[4 * i] = c0[i];
        words[4 * i + 1] = c1[i];
        words[4 * i + 2] = c2[i];
        words[4 * i + 3] = c3[i];
    }
}

// Advance the counter of a state, modulo 2^128.
void philox_advance(uint32_t state[6], uint64_t blocks) {
    uint64_t carry = blocks;
    for (int i = 0; i < 4; i++) {
        uint64_t sum = (carry & 0xFFFFFFFFu) + state[i];
        state[i] = (uint32_t)sum;
        carry = (carry >> 32) + (sum >> 32);
    }
}

// The next `count` words of the stream. `state` becomes the new state.
void philox_words(uint32_t state[6], uint32_t *words, uint64_t count) {
    for (; count >= 4 * PHILOX_GROUP; count -= 4 * PHILOX_GROUP, words += 4 * PHILOX_GROUP) {
        philox_block(state, words);
        philox_advance(state, PHILOX_GROUP);
    }
    uint32_t last[4 * PHILOX_GROUP];
    philox_block(state, last);
    philox_advance(state, (count + 3) / 4);
    for (uint64_t i = 0; i < count; i++)
        words[i] = last[i];
}

// A compiler must not fuse the product and the sum of `philox_uniform`. Compilers have different words for that.
#if defined(_MSC_VER)
#pragma fp_contract(off)
#elif defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
__attribute__((optimize("fp-contract=off")))
#endif
// The next `count` numbers of [low, high), by the low 23 bits of each word. `state` becomes the new state.
void philox_uniform(uint32_t state[6], float low, float high, float *numbers, uint64_t count) {
    float width = high - low;
    for (uint64_t first = 0; first < count; first += 4 * PHILOX_GROUP) {
        uint32_t words[4 * PHILOX_GROUP];
        uint64_t some = count - first < 4 * PHILOX_GROUP ? count - first : 4 * PHILOX_GROUP;
        philox_words(state, words, some);
        for (uint64_t i = 0; i < some; i++)
            numbers[first + i] = (float)(words[i] & ${FRACTION}u) * ${STEP}f * width + low;
    }
}
