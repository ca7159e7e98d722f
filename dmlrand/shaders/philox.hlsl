// DirectML's RandomGenerator operator (Philox4x32-10) as an HLSL compute shader.
//
$NOTICE
//
// Compile one of the entry points: dxc -T cs_6_0 -E random_generator, or fxc /T cs_5_0 /E random_generator.
// Any number of groups draws the right words. A larger draw is several dispatches of 2^30 words or fewer, all but the
// last of a multiple of 4 words. Each begins with the new state of the one before.

cbuffer Draw : register(b0) {
    uint count;    // how many words to write: at most 2^30
    uint threads;  // 64 times the number of groups of the dispatch
    float low;     // of uniform_float32, whose numbers are in [low, low + width)
    float width;
};
// The numbers of the registers differ, so that they can be Vulkan's bindings too.
StructuredBuffer<uint> state : register(t1);
RWStructuredBuffer<uint> values : register(u2);     // words, or the bits of numbers
RWStructuredBuffer<uint> new_state : register(u3);  // not the buffer of `state`, which other groups still read

static const uint M0 = ${M0}u;  // multipliers of counter words 0 and 2
static const uint M1 = ${M1}u;
static const uint2 W = uint2(${W0}u, ${W1}u);  // added to the key between two rounds
static const uint ROUNDS = $ROUNDS;

// The upper 32 bits of the 64-bit product a * b. HLSL has no function for it, so this multiplies 16-bit halves.
// No sum below exceeds 2^32 - 1.
uint multiply_high(uint a, uint b) {
    uint a_low = a & 0xFFFFu;
    uint a_high = a >> 16u;
    uint b_low = b & 0xFFFFu;
    uint b_high = b >> 16u;
    uint middle = a_high * b_low + ((a_low * b_low) >> 16u);
    uint other_middle = a_low * b_high + (middle & 0xFFFFu);
    return a_high * b_high + (middle >> 16u) + (other_middle >> 16u);
}

uint4 block(uint4 c, uint2 key) {
    for (uint i = 0; i < ROUNDS; i++) {
        c = uint4(multiply_high(c.z, M1) ^ c.y ^ key.x, c.z * M1, multiply_high(c.x, M0) ^ c.w ^ key.y, c.x * M0);
        key += W;
    }
    return c;
}

// The counter plus a number of blocks. A sum that wrapped is less than either summand.
uint4 add_blocks(uint4 c, uint blocks) {
    uint x = c.x + blocks;
    uint y = c.y + uint(x < blocks);
    uint z = c.z + uint(x < blocks && y == 0u);
    uint w = c.w + uint(x < blocks && y == 0u && z == 0u);
    return uint4(x, y, z, w);
}

void draw(uint thread, bool is_uniform) {
    uint4 counter = uint4(state[0], state[1], state[2], state[3]);
    uint blocks = (count + 3) / 4;
    for (uint i = thread; i < blocks; i += threads) {
        uint4 words = block(add_blocks(counter, i), uint2(state[4], state[5]));
        precise float4 product = float4(words & ${FRACTION}u) * $STEP * width;  // `precise`: not fused
        precise float4 numbers = product + low;
        for (uint lane = 0; lane < 4 && 4 * i + lane < count; lane++)
            values[4 * i + lane] = is_uniform ? asuint(numbers[lane]) : words[lane];
    }
    uint4 after = add_blocks(counter, blocks);
    for (uint word = 0; word < 6 && thread == 0; word++)
        new_state[word] = word < 4 ? after[word] : state[word];
}

[numthreads(64, 1, 1)]
void random_generator(uint3 id : SV_DispatchThreadID) {
    draw(id.x, false);
}

[numthreads(64, 1, 1)]
void uniform_float32(uint3 id : SV_DispatchThreadID) {
    draw(id.x, true);
}
