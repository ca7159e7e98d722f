// Runs philox.cu on the host: one thread after another. The arguments and the cases are those of run_c.c.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#define __device__
#define __global__
struct uint4 { unsigned int x, y, z, w; };
struct Dimension { unsigned int x; };
static Dimension threadIdx, blockIdx, blockDim = {64}, gridDim = {5};
static inline uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) { return {x, y, z, w}; }
static inline unsigned int __umulhi(unsigned int a, unsigned int b) { return (uint64_t)a * b >> 32; }
static inline float __fmul_rn(float a, float b) { volatile float product = a * b; return product; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline unsigned int __float_as_uint(float number) { unsigned int bits; memcpy(&bits, &number, 4); return bits; }

#include "philox.cu"

int main(int, char **arguments) {
    unsigned int count, bits[2], state[6], new_state[6];
    while (scanf("%u %u %u %u %u %u %u %u %u", &count, &bits[0], &bits[1], &state[0], &state[1], &state[2], &state[3],
                 &state[4], &state[5]) == 9) {
        std::vector<unsigned int> values(count);
        float range[2];
        memcpy(range, bits, sizeof range);
        for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
            for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++) {
                if (strcmp(arguments[1], "uniform_float32"))
                    random_generator(state, values.data(), count, new_state);
                else
                    uniform_float32(state, range[0], range[1] - range[0], (float *)values.data(), count, new_state);
            }
        fwrite(values.data(), 4, count, stdout);
        fwrite(new_state, 4, 6, stdout);
    }
}
