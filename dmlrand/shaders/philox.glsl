#version 430
// DirectML's RandomGenerator operator (Philox4x32-10) as a GLSL compute shader, for OpenGL 4.3 and Vulkan.
//
$NOTICE
//
// With UNIFORM_FLOAT32 defined, the shader makes uniform numbers instead of words.
// Any number of groups draws the right words. A larger draw is several dispatches of 2^30 words or fewer, all but the
// last of a multiple of 4 words. Each begins with the new state of the one before.

layout(local_size_x = 64) in;
layout(std140, binding = 0) uniform Draw {
    uint count;    // how many words to write: at most 2^30
    uint threads;  // 64 times the number of groups of the dispatch
    float low;     // of uniform numbers, which are in [low, low + width)
    float width;
};
layout(std430, binding = 1) readonly buffer State { uint state[6]; };
layout(std430, binding = 2) writeonly buffer Values { uint values[]; };         // words, or the bits of numbers
layout(std430, binding = 3) writeonly buffer NewState { uint new_state[6]; };  // not the memory of `state`

const uint M0 = ${M0}u;  // multipliers of counter words 0 and 2
const uint M1 = ${M1}u;
const uvec2 W = uvec2(${W0}u, ${W1}u);  // added to the key between two rounds
const int ROUNDS = $ROUNDS;

uvec4 block(uvec4 c, uvec2 key) {
    for (int i = 0; i < ROUNDS; i++) {
        uint high0, low0, high1, low1;  // the halves of the 64-bit products
        umulExtended(c.x, M0, high0, low0);
        umulExtended(c.z, M1, high1, low1);
        c = uvec4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
        key += W;
    }
    return c;
}

// The counter plus a number of blocks. A sum that wrapped is less than either summand.
uvec4 add_blocks(uvec4 c, uint blocks) {
    uint x = c.x + blocks;
    uint y = c.y + uint(x < blocks);
    uint z = c.z + uint(x < blocks && y == 0u);
    uint w = c.w + uint(x < blocks && y == 0u && z == 0u);
    return uvec4(x, y, z, w);
}

void main() {
    uvec4 counter = uvec4(state[0], state[1], state[2], state[3]);
    uvec2 key = uvec2(state[4], state[5]);
    uint blocks = (count + 3u) / 4u;
    for (uint i = gl_GlobalInvocationID.x; i < blocks; i += threads) {
        uvec4 words = block(add_blocks(counter, i), key);
#ifdef UNIFORM_FLOAT32
        precise vec4 product = vec4(words & ${FRACTION}u) * $STEP * width;  // `precise`: not fused
        precise vec4 numbers = product + low;
        words = floatBitsToUint(numbers);
#endif
        for (uint lane = 0u; lane < 4u && 4u * i + lane < count; lane++)
            values[4u * i + lane] = words[lane];
    }
    uvec4 after = add_blocks(counter, blocks);
    for (uint word = 0u; word < 6u && gl_GlobalInvocationID.x == 0u; word++)
        new_state[word] = word < 4u ? after[word] : state[word];
}
