// DirectML's RandomGenerator operator (Philox4x32-10) as a WebGPU compute shader.
//
$NOTICE

// What one dispatch draws. The host writes this, and splits large draws into several dispatches.
struct Draw {
    counter: vec4<u32>,  // of the first block, lowest word first
    key: vec2<u32>,      // lowest word first
    lane: u32,           // where the draw begins in its first block: 0 to 3
    count: u32,          // how many words to write
    first: u32,          // the index in `values` of the first word
    columns: u32,        // invocations in one row of the dispatch, which has two dimensions
    low: f32,            // of uniform_range, whose numbers are in [low, low + width)
    width: f32,
}

@group(0) @binding(0) var<uniform> draw: Draw;
@group(0) @binding(1) var<storage, read_write> values: array<u32>;

const M0 = ${M0}u;  // multipliers of counter words 0 and 2
const M1 = ${M1}u;
const W = vec2<u32>(${W0}u, ${W1}u);  // added to the key between two rounds
const ROUNDS = $ROUNDS;

// The upper 32 bits of the 64-bit product a * b. WGSL has no 64-bit integers, so this multiplies 16-bit halves.
// No sum below exceeds 2^32 - 1.
fn multiply_high(a: u32, b: u32) -> u32 {
    let a_low = a & 0xFFFFu;
    let a_high = a >> 16u;
    let b_low = b & 0xFFFFu;
    let b_high = b >> 16u;
    let middle = a_high * b_low + ((a_low * b_low) >> 16u);
    let other_middle = a_low * b_high + (middle & 0xFFFFu);
    return a_high * b_high + (middle >> 16u) + (other_middle >> 16u);
}

// The four words of a block.
fn block(counter: vec4<u32>, first_key: vec2<u32>) -> vec4<u32> {
    var c = counter;
    var key = first_key;
    for (var round = 0; round < ROUNDS; round++) {
        c = vec4<u32>(
            multiply_high(c.z, M1) ^ c.y ^ key.x,
            c.z * M1,
            multiply_high(c.x, M0) ^ c.w ^ key.y,
            c.x * M0,
        );
        key += W;
    }
    return c;
}

// The counter plus a number of blocks, modulo 2^128. A sum that wrapped is less than either summand.
fn add_blocks(counter: vec4<u32>, blocks: u32) -> vec4<u32> {
    let x = counter.x + blocks;
    let y = counter.y + u32(x < blocks);
    let z = counter.z + u32(x < blocks && y == 0u);
    let w = counter.w + u32(x < blocks && y == 0u && z == 0u);
    return vec4<u32>(x, y, z, w);
}

// The words of block `i` of the draw.
fn words_of(i: u32) -> vec4<u32> {
    return block(add_blocks(draw.counter, i), draw.key);
}

// Store those words of block `i` that are within the draw, whose word 0 goes to index `first`. The first and the last
// block may be only partly within.
fn store(first: u32, i: u32, words: vec4<u32>) {
    for (var lane = 0u; lane < 4u; lane++) {
        // The number of the word in the draw. For a lane before the first word it wraps to more than any count.
        let word = 4u * i + lane - draw.lane;
        if (word < draw.count) {
            values[first + word] = words[lane];
        }
    }
}

// Entry point: the words themselves.
@compute @workgroup_size(64)
fn random_generator(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * draw.columns + id.x;
    store(draw.first, i, words_of(i));
}

// Entry point: the low 23 bits of each word, times 2^-23, as float32 in [0, 1). Both steps are exact.
@compute @workgroup_size(64)
fn uniform_float32(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * draw.columns + id.x;
    store(draw.first, i, bitcast<vec4<u32>>(fractions(words_of(i))));
}

fn fractions(words: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(words & vec4<u32>(${FRACTION}u)) * $STEP;
}

// Entry point: the same numbers, times `width`, plus `low`.
@compute @workgroup_size(64)
fn uniform_range(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.y * draw.columns + id.x;
    // A compiler may fuse a product and a sum, but not across the bits of a number. `zero` is always 0, but the
    // compiler does not know that.
    let zero = draw.lane >> 2u;
    let product = bitcast<vec4<u32>>(fractions(words_of(i)) * draw.width) ^ vec4<u32>(zero);
    store(draw.first, i, bitcast<vec4<u32>>(bitcast<vec4<f32>>(product) + draw.low));
}

// Entry point, for one workgroup: the six words of the state after the draw, from index `first` of `values` on.
@compute @workgroup_size(64)
fn new_state(@builtin(local_invocation_index) i: u32) {
    let counter = add_blocks(draw.counter, (draw.lane + draw.count + 3u) / 4u);
    if (i < 6u) {
        var state = array<u32, 6>(counter.x, counter.y, counter.z, counter.w, draw.key.x, draw.key.y);
        values[draw.first + i] = state[i];
    }
}
