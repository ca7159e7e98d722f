"""The rules of dmlrand in plain Python integers: slow, short, and independent of dmlrand.

It imports nothing. A counter is an int of 128 bits and a key is an int of 64 bits. The source of the block is Salmon et
al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC'11. The source of all other rules is specs/. test_oracle.py
compares this module with the recorded answers of other packages.
"""

M0, M1 = 0xD2511F53, 0xCD9E8D57
W0, W1 = 0x9E3779B9, 0xBB67AE85
SPLIT_DOMAIN = 0x243F6A8885A308D3  # the first 64 fraction bits of pi


def low_words(number, count):
    """`number` as `count` words of 32 bits, lowest first."""
    return [number >> 32 * i & 0xFFFFFFFF for i in range(count)]


def from_words(words):
    """The int made of these words, lowest first."""
    return sum(word << 32 * i for i, word in enumerate(words))


def block(counter, key, rounds=10):
    """The four words of one Philox4x32 block."""
    c0, c1, c2, c3 = low_words(counter, 4)
    k0, k1 = low_words(key, 2)
    for i in range(rounds):
        if i:
            k0, k1 = (k0 + W0) % 2**32, (k1 + W1) % 2**32
        high0, low0 = divmod(M0 * c0, 2**32)
        high1, low1 = divmod(M1 * c2, 2**32)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
    return [c0, c1, c2, c3]


def words(counter, key, offset, n):
    """n words of the stream that starts at `counter`, from word `offset` on."""
    first = offset // 4
    blocks = (offset + n + 3) // 4 - first if n else 0
    lanes = [word for i in range(blocks) for word in block((counter + first + i) % 2**128, key)]
    return lanes[offset % 4 : offset % 4 + n]


def state_words(counter, key):
    """The six words of a state."""
    return low_words(counter, 4) + low_words(key, 2)


def new_state_words(counter, key, n):
    """The six words of the state after n words."""
    return state_words((counter + (n + 3) // 4) % 2**128, key)


def fold_in(counter, key, data):
    """The six words of the child for `data`."""
    h = block(counter, key ^ SPLIT_DOMAIN)
    g = block(data + 2**64 * (h[0] + 2**32 * h[1]), h[2] + 2**32 * h[3])
    return state_words(0, g[0] + 2**32 * g[1])


def split(counter, key, n):
    """The six words of each of n children."""
    return [fold_in(counter, key, i) for i in range(n)]
