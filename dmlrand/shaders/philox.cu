// DirectML's RandomGenerator operator (Philox4x32-10) in CUDA C++, for nvcc and NVRTC.
//
$NOTICE
//
// Any grid of one dimension draws the right words.

#define PHILOX_M0 ${M0}u  // multipliers of counter words 0 and 2
#define PHILOX_M1 ${M1}u
#define PHILOX_W0 ${W0}u  // added to the key between two rounds
#define PHILOX_W1 ${W1}u
#define PHILOX_ROUNDS $ROUNDS

typedef unsigned int Word;
typedef unsigned long long Count;

__device__ inline uint4 block(uint4 c, Word k0, Word k1) {
    for (int i = 0; i < PHILOX_ROUNDS; i++) {
        Word high0 = __umulhi(c.x, PHILOX_M0), high1 = __umulhi(c.z, PHILOX_M1);
        c = make_uint4(high1 ^ c.y ^ k0, c.z * PHILOX_M1, high0 ^ c.w ^ k1, c.x * PHILOX_M0);
        k0 += PHILOX_W0;
        k1 += PHILOX_W1;
    }
    return c;
}

// The counter plus a number of blocks. A sum that wrapped is less than either summand.
__device__ inline uint4 add_blocks(uint4 c, Count blocks) {
    Count low = (c.x | (Count)c.y << 32) + blocks;
    Count high = (c.z | (Count)c.w << 32) + (low < blocks);
    return make_uint4((Word)low, (Word)(low >> 32), (Word)high, (Word)(high >> 32));
}

// Each thread makes some of the blocks, and the first one stores the new state. `range` is null for words.
__device__ inline void draw(const Word *state, Word *values, Count count, Word *new_state, const float *range) {
    const uint4 counter = make_uint4(state[0], state[1], state[2], state[3]);
    const Count thread = blockIdx.x * (Count)blockDim.x + threadIdx.x, threads = gridDim.x * (Count)blockDim.x;
    for (Count i = thread; 4 * i < count; i += threads) {
        const uint4 made = block(add_blocks(counter, i), state[4], state[5]);
        const Word words[4] = {made.x, made.y, made.z, made.w};
        for (int lane = 0; lane < 4 && 4 * i + lane < count; lane++) {
            float fraction = (float)(words[lane] & ${FRACTION}u) * ${STEP}f;
            values[4 * i + lane] = range == nullptr  // these functions are never fused, as * and + may be
                ? words[lane] : __float_as_uint(__fadd_rn(__fmul_rn(fraction, range[1]), range[0]));
        }
    }
    const uint4 after = add_blocks(counter, count / 4 + (count % 4 != 0));
    const Word words[6] = {after.x, after.y, after.z, after.w, state[4], state[5]};
    for (int word = 0; word < 6 && thread == 0; word++)
        new_state[word] = words[word];
}

// `count` words. `new_state` is not the memory of `state`, which other threads still read.
extern "C" __global__ void random_generator(const Word *state, Word *values, Count count, Word *new_state) {
    draw(state, values, count, new_state, nullptr);
}

// `count` numbers of [low, high). `width` is high - low.
extern "C" __global__ void uniform_float32(
    const Word *state, float low, float width, float *values, Count count, Word *new_state) {
    const float range[2] = {low, width};
    draw(state, (Word *)values, count, new_state, range);
}
