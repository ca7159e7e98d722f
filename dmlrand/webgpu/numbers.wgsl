
// Numbers of many states at once. dmlrand appends this to shaders/philox.wgsl, and to this the function numbers_of, which
// makes the four numbers of a block by the rule of kernels/rules.py.

struct Fill {
    parameters: vec4<u32>,  // of the rule
    states: u32,            // how many states there are: each gives one row
    row_blocks: u32,        // how many blocks each row takes
    zero: u32,              // always 0, but the compiler does not know that
}

@group(0) @binding(2) var<uniform> fill: Fill;
@group(0) @binding(3) var<storage, read> states: array<u32>;  // six words for each state

// A sum or a product, rounded. A compiler may fuse or reorder operations on numbers, but not across the bits of one.
fn exact(number: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(number) ^ fill.zero);
}

// Integers of 64 bits: lower half first. The factors are below 2^32.
fn multiply_64(a: u32, b: u32) -> vec2<u32> {
    return vec2<u32>(a * b, multiply_high(a, b));
}

fn less_64(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

// The square root of a positive normal number, rounded to the nearest one. WGSL's sqrt may be off by several numbers.
fn root(number: f32) -> f32 {
    let bits = bitcast<u32>(number);
    let exponent = bits >> 23u;
    let mantissa = (bits & 0x7FFFFFu) | 0x800000u;
    // number = m * 2^(exponent - 150 - shift), an even power. So the root of m has 24 bits before its point.
    let shift = 24u - (exponent & 1u);
    let m = vec2<u32>(mantissa << shift, mantissa >> (32u - shift));
    var r = u32(sqrt(bitcast<f32>((bits & 0x7FFFFFu) | ((150u + shift) << 23u))));
    // The nearest integer r has (r - 1/2)^2 < m < (r + 1/2)^2.
    while (!less_64(multiply_64(r, r - 1u), m)) { r--; }
    while (less_64(multiply_64(r, r + 1u), m)) { r++; }
    let power = (i32(exponent) - 150 - i32(shift)) / 2;
    return bitcast<f32>(bitcast<u32>(f32(r)) + (bitcast<u32>(power) << 23u));
}

// fraction * 2^-23 * 2 pi for a fraction below 2^23, rounded to the nearest number.
fn angle(fraction: u32) -> f32 {
    if (fraction == 0u) { return 0.0; }
    let zeros = countLeadingZeros(fraction);
    let factor = fraction << zeros;
    // 2 pi = 0xC90FDAA2.2168C234... * 2^-29
    let low = factor * 0xC90FDAA2u;
    let carry = select(0u, 1u, low + multiply_high(factor, 0x2168C234u) < low);
    let high = multiply_high(factor, 0xC90FDAA2u) + carry;
    let dropped = 8u - countLeadingZeros(high);
    let nearest = (high >> dropped) + ((high >> (dropped - 1u)) & 1u);
    return bitcast<f32>(bitcast<u32>(f32(nearest)) + ((dropped - 20u - zeros) << 23u));
}

// Entry point: the numbers of one state, that of `draw`. fill_rows takes 1.4 times as long for them on lavapipe.
@compute @workgroup_size(64)
fn fill_row(@builtin(global_invocation_id) id: vec3<u32>) {
    _ = fill.zero;  // so that both entry points have the same bindings
    _ = states[0];
    let i = id.y * draw.columns + id.x;
    store(draw.first, i, numbers_of(words_of(i)));
}

// Entry point: the numbers of each of `states`, row after row. `draw` has no state, and describes the first row.
@compute @workgroup_size(64)
fn fill_rows(@builtin(global_invocation_id) id: vec3<u32>) {
    let place = id.y * draw.columns + id.x;
    let row = place / fill.row_blocks;
    if (row >= fill.states) { return; }
    let i = place - row * fill.row_blocks;
    let s = 6u * row;
    let counter = vec4<u32>(states[s], states[s + 1u], states[s + 2u], states[s + 3u]);
    let key = vec2<u32>(states[s + 4u], states[s + 5u]);
    store(draw.first + row * draw.count, i, numbers_of(block(add_blocks(counter, i), key)));
}
