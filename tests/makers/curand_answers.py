"""Record tests/vectors/curand.json: sequences of calls of cuRAND's host generator, on a CPU.

Run it with nvidia-curand-cu12 10.3.10.19, and with tests/support in PYTHONPATH.
Each case is a generator with its calls, one after the other. Long answers have a hash and both ends.
"""

import hashlib

import numpy as np
from curand_library import HostGenerator, version
from recording import bits_of, write

MAKER = "tests/makers/curand_answers.py"
SOURCE = "nvidia-curand-cu12 10.3.10.19, curandCreateGeneratorHost(CURAND_RNG_PSEUDO_PHILOX4_32_10) on x86-64"
WHOLE = 40  # numbers of which all bits are recorded
PLAIN = ("generate", "generate_uniform", "generate_uniform_double")
SCALED = ("generate_normal", "generate_normal_double")
ROUND = 4 * 65536


def answer(values):
    if values.size <= WHOLE:
        return {"bits": bits_of(values)}
    little = values.view(f"u{values.itemsize}").astype(f"<u{values.itemsize}")
    ends = {"first": bits_of(values[:8]), "last": bits_of(values[-8:])}
    return ends | {"sha256_le": hashlib.sha256(little.tobytes()).hexdigest()}


def case(seed, offset, *calls):
    """One generator. A call is (method, n, mean, stddev) or ("set_offset", offset)."""
    host, made = HostGenerator(seed, offset), []
    for method, number, *scale in calls:
        if method == "set_offset":
            host.set_offset(number)
            made.append({"method": method, "offset": hex(number)})
        else:
            arguments = {"method": method, "n": number, "scale": scale}
            values = host.draw(method, number, *scale)
            # The last bits of normals are not reproduced, so a hash of them would be useless.
            made.append(arguments | (answer(values) if method in PLAIN else {"bits": bits_of(values)}))
    return {"seed": hex(seed), "offset": hex(offset), "calls": made}


def cases(rng):
    for method in PLAIN:
        for offset in (0, 1, 6, ROUND - 3, 2 * ROUND + 1, ROUND << 32, (1 << 63) + 5, (1 << 64) - 7):
            seed = int(rng.integers(0, 1 << 64, dtype=np.uint64))
            yield case(seed, offset, (method, 1), (method, 13), (method, 2 * ROUND + 5), (method, 0), (method, 3))
    for method in SCALED:
        for offset in (0, 1, ROUND - 3, (1 << 64) - 7):
            seed = int(rng.integers(0, 1 << 64, dtype=np.uint64))
            yield case(seed, offset, (method, 3, 0, 1), (method, 200, 0, 1), (method, 100, -0.25, 1.75))
    mixed = [(method, n) for method in PLAIN for n in (5, ROUND - 1, ROUND + 9, 3 * ROUND + 2)]
    for _ in range(4):
        order = [mixed[i] for i in rng.permutation(len(mixed))[:6]]
        yield case(int(rng.integers(0, 1 << 64, dtype=np.uint64)), int(rng.integers(0, 1 << 40)), *order)
    for order in (0, 1):
        calls = (("generate_normal_double", 7, 0, 1), ("generate", 9), ("generate_normal", 5, 0, 1))
        yield case(3, 2, *(calls if order else calls[::-1]), ("generate_uniform_double", ROUND + 7), ("generate", 7))
    yield case(
        7, 0, ("generate_uniform_double", ROUND + 5), ("set_offset", 3), ("generate", 2 * ROUND), ("generate", 9)
    )


if __name__ == "__main__":
    assert version() == 10310
    write("curand", SOURCE, list(cases(np.random.default_rng(17))), MAKER)
