"""Threefry2x32 in plain Python integers, independent of what it judges: it imports nothing.

From Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC'11, with 64-bit keys and counters as ints whose
high half is word 0, as JAX has them. test_threefry.py holds it against Random123's recorded answers.
"""

ROTATIONS = [13, 15, 26, 6, 17, 29, 16, 24]


def rotate_left(word, distance):
    return (word * 2**distance) % 2**32 + (word * 2**distance) // 2**32


def block(counter, key, rounds=20):
    """Words 0 and 1 of a counter and a key of two words."""
    keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA]
    x0, x1 = (counter[0] + keys[0]) % 2**32, (counter[1] + keys[1]) % 2**32
    for i in range(rounds):
        x0 = (x0 + x1) % 2**32
        x1 = rotate_left(x1, ROTATIONS[i % 8]) ^ x0
        if i % 4 == 3:
            injection = i // 4 + 1
            x0 = (x0 + keys[injection % 3]) % 2**32
            x1 = (x1 + keys[(injection + 1) % 3] + injection) % 2**32
    return [x0, x1]


def at(number, key):
    """The pair that belongs to element `number` of a row-major shape."""
    return block((number // 2**32, number % 2**32), key)
