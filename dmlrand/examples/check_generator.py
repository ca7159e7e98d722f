"""Check the words of a device, a shader or a port, and name its fault."""

import numpy as np

from dmlrand import make_state, verify

# The state that the generator read: a counter of 128 bits and a key of 64 bits.
state = make_state(counter=2**32 - 1, key=42)

# The words that the generator returned. Put yours here, or read a file:
# np.load("device.npy"), or np.fromfile("device.bin", dtype=np.uint32).
words = np.array(
    [
        [0x6E2412DE, 0x41D4EC95, 0x29DD3E0C, 0xAED56CFA],
        [0x9CEAF053, 0x77F5493B, 0x12BF50AD, 0x5742B3D7],
        [0xFCDB2127, 0x53BA6CFD, 0x838F5A6E, 0x744E06FB],
    ],
    dtype=np.uint32,
)

report = verify(state, words)
print(f"{report.mismatches} of {report.words} words are wrong.")
if (wrong := report.first_mismatch) is not None:
    print(f"The first one, at {wrong.index}: expected {wrong.expected:#010x}, got {wrong.got:#010x}.")
for finding in report.diagnosis:
    print(finding.sentence)
for segment in report.segments:
    print(segment)
if not report.ok and not report.diagnosis:
    print("No known fault explains the words. Did the generator read this state, and above all this key?")
