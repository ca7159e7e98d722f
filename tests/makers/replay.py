"""Repeat the calls that tests/vectors/*.json record, with the imitated packages, and compare what they return.

    python tests/makers/replay.py                    every recording whose package is installed (group `peers`)
    python tests/makers/replay.py tf_seed jax_bits   only these recordings

A recording holds the arguments of each call and the answer. The functions in replay_*.py make the call that a case
describes. The exit code is 1 if an answer differs. dmlrand is not used.
"""

import argparse
import hashlib
import importlib
import json
import sys
from pathlib import Path

import numpy as np

VECTORS = Path(__file__).parents[1] / "vectors"
sys.path.insert(0, str(Path(__file__).parent))

# Recordings by the module that calls their package.
RECORDINGS = {
    "replay_tensorflow": [
        "philox_words", "tf_seed", "tf_stateless_uniform", "tf_stateless_int", "tf_stateless_normal",
        "tf_stateless_truncated_normal", "tf_generator", "tf_split_fold_in", "tf_shuffle", "tf_legacy_stateful",
    ],
    "replay_tfp": ["tfp_seeds", "tfp_samplers"],
    "replay_jax": [
        "jax_keys", "jax_bits", "jax_uniform", "jax_normal", "jax_randint", "jax_discrete", "jax_rng_bit_generator",
        "jax_philox4x32",
    ],
    "replay_openvino": ["openvino_evaluate", "openvino_cpu"],
    "replay_randomgen": ["randomgen_philox4x32"],
    "replay_mkl_random": ["mkl_random_philox4x32"],
}  # fmt: skip


def to_int(value):
    """A recorded int, which may be a text of hex digits, with or without 0x."""
    return int(value, 16) if isinstance(value, str) else value


def ints(value):
    """A recorded int, or nested lists and dicts of recorded ints, with every text of hex digits as an int."""
    if isinstance(value, dict):
        return {name: ints(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [ints(each) for each in value]
    return to_int(value)


def bits_of(values):
    values = np.asarray(values)
    return np.ascontiguousarray(values).ravel().view(f"u{values.dtype.itemsize}")


def answer(values, case):
    """An array in the form that the case records: its bits, or their hash and perhaps both ends."""
    bits = bits_of(values)
    if "sha256_le" not in case:
        return {"bits": bits.tolist()}
    hashed = hashlib.sha256(bits.astype(bits.dtype.newbyteorder("<")).tobytes()).hexdigest()
    ends = {"first": bits[:8].tolist(), "last": bits[-8:].tolist()}
    return {"sha256_le": hashed} | {name: end for name, end in ends.items() if name in case}


def differences(recorded, returned, path=""):
    """The paths at which the returned answer differs from the recorded one. Only what was returned is compared."""
    if isinstance(returned, dict):
        for name, value in returned.items():
            yield from differences(recorded[name], value, f"{path}.{name}")
    elif isinstance(returned, list) and len(returned) == len(recorded):
        for i, (one, other) in enumerate(zip(recorded, returned)):
            yield from differences(one, other, f"{path}[{i}]")
    elif path.endswith(".sha256_le"):
        if recorded != returned:
            yield path
    elif isinstance(returned, list) or to_int(recorded) != to_int(returned):
        yield path


def replay(name, call):
    """Replay a recording and print the result. Return whether all answers are as recorded."""
    cases = json.loads((VECTORS / f"{name}.json").read_text())["cases"]
    wrong = {}
    for case in cases:
        if found := list(differences(case, call(case))):
            wrong[case["id"]] = found
    print(f"{name}: {len(cases) - len(wrong)} of {len(cases)} cases as recorded", flush=True)
    for each, found in wrong.items():
        print(f"    {each}: {', '.join(found[:5])}{' and more' if len(found) > 5 else ''}", flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="recordings; default: all")
    names = parser.parse_args().names or [name for each in RECORDINGS.values() for name in each]
    unknown = set(names) - {name for each in RECORDINGS.values() for name in each}
    if unknown:
        parser.error(f"no maker replays {', '.join(sorted(unknown))}")
    right = True
    for module, recordings in RECORDINGS.items():
        if chosen := [name for name in recordings if name in names]:
            try:
                calls = importlib.import_module(module).CALLS
            except ModuleNotFoundError as missing:
                print(f"{', '.join(chosen)}: not replayed, {missing}")
                continue
            right &= all([replay(name, calls[name]) for name in chosen])
    sys.exit(not right)


if __name__ == "__main__":
    main()
