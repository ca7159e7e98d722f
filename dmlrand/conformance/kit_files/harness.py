"""Run every case of this kit with the function `draw`, and write the folder outputs. Needs numpy.

Replace the body of `draw` by a call of your generator. As it stands, it is Philox4x32-10 in NumPy, so that the kit
passes: python harness.py, then dmlrand conformance check FOLDER.
"""

from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]
UNWRITTEN = 0xCDCDCDCD  # in words of a buffer that belong to no element


def draw(state: Words, words: int) -> tuple[Words, Words]:
    """Return `words` words of the stream of a state of six words, and the new state."""
    blocks = -(-words // 4)
    low, carry = np.uint64(0xFFFFFFFF), np.arange(blocks + 1, dtype=np.uint64)  # the last counter is the new state's
    x = []
    for word in state[:4]:
        total = np.uint64(word) + carry
        x.append(total & low)
        carry = total >> np.uint64(32)
    new_state = np.array([*(word[-1] for word in x), *state[4:]], np.uint32)
    key = [int(state[4]), int(state[5])]
    for _ in range(10):
        one, other = x[0] * np.uint64(0xD2511F53), x[2] * np.uint64(0xCD9E8D57)
        x = [
            other >> np.uint64(32) ^ x[1] ^ np.uint64(key[0]), other & low,
            one >> np.uint64(32) ^ x[3] ^ np.uint64(key[1]), one & low,
        ]  # fmt: skip
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return np.stack([lane.astype(np.uint32) for lane in x], axis=1).reshape(-1)[:words], new_state


def main() -> None:
    folder = Path(__file__).parent
    outputs = folder / "outputs"
    outputs.mkdir(exist_ok=True)
    for line in (folder / "cases.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, *fields = line.split()
        draws, values_words, state_stride, stores_state, *rest = map(int, fields)
        state, rank = np.array(rest[:6], np.uint32), rest[6]
        sizes, strides = rest[7 : 7 + rank], rest[7 + rank :]
        places = np.zeros(1, np.int64)
        for size, stride in zip(sizes, strides):
            places = (places[:, None] + stride * np.arange(size)).reshape(-1)
        print(name)
        for number in range(1, draws + 1):
            words, state = draw(state, prod(sizes))
            values = np.full(values_words, UNWRITTEN, "<u4")
            values[places] = words
            values.tofile(outputs / f"{name}.values-{number}.bin")
            if stores_state:
                buffer = np.full(5 * state_stride + 1, UNWRITTEN, "<u4")
                buffer[::state_stride] = state
                buffer.tofile(outputs / f"{name}.state-{number}.bin")


if __name__ == "__main__":
    main()
