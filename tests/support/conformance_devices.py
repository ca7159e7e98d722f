"""Stand-ins for a device that runs the conformance kit: dmlrand's own dispatch, and generators in plain ints.

The latter read cases.json and nothing else, as an implementer without DirectML would, and share no code with dmlrand.
"""

import json
from functools import cache
from math import prod

import numpy as np
import oracle

from dmlrand.compat.dxdispatch import ModelError, run_model

UNWRITTEN = 0xCDCDCDCD


def cases_of(kit):
    return json.loads((kit / "cases.json").read_text("utf-8"))["cases"]


def dispatch_all(kit):
    """Run every model file as run.cmd does, with dmlrand's dispatch in place of DxDispatch."""
    (kit / "outputs").mkdir()
    for case in cases_of(kit):
        log, code = [], 0
        try:
            run_model(
                kit / "models" / f"{case['name']}.json",
                output_path=kit, confine=True, feature_level=case["feature_level"], log=log.append,
            )  # fmt: skip
        except ModelError as error:
            log, code = [str(error)], 2
        write_log(kit, case, "\n".join(log), code)


def write_log(kit, case, text, code):
    (kit / "outputs" / f"{case['name']}.txt").write_text(f"{text}\nexit code {code}\n", "utf-8")


def right_words(state, sizes):
    return list(_right_words(tuple(state), prod(sizes)))


@cache  # nearly every test runs a device that is right in most cases
def _right_words(state, count):
    return tuple(oracle.words(oracle.from_words(state[:4]), oracle.from_words(state[4:]), 0, count))


def right_state(state, words):
    return oracle.new_state_words(oracle.from_words(state[:4]), oracle.from_words(state[4:]), words)


def places(tensor):
    """The places of a tensor's elements in its buffer, by their definition."""
    sizes = tensor["Sizes"]
    strides = tensor.get("Strides") or [prod(sizes[axis + 1 :]) for axis in range(len(sizes))]
    return [int(sum(i * s for i, s in zip(index, strides))) for index in np.ndindex(*sizes)]


def run_device(
    kit, words=right_words, state=right_state, place=places, save=None, refused=(), accepts_all=False, left_out=()
):
    """Run the cases of a kit.

    words(state, sizes): the words of a draw. state(state, words): the next state. place(tensor): the places of the
    words in the buffer. save(path, buffer): how to store it. refused: words that begin the names of refused cases.
    left_out: words that begin the names of cases that are not run.
    """
    save = save or save_npy
    (kit / "outputs").mkdir(exist_ok=True)
    for case in cases_of(kit):
        if case["name"].startswith(tuple(left_out)):
            continue
        if case["expected"] != "words" and not accepts_all or case["name"].startswith(tuple(refused)):
            write_log(kit, case, "CreateOperator failed: 0x80070057", -2147024809)
            continue
        given, desc = case["state"], case["desc"]
        for draw in range(1, len(case["draws"] or [0]) + 1):
            values = [UNWRITTEN] * case["values_words"]
            if case["expected"] == "words":
                for at, word in zip(place(desc["OutputTensor"]), words(given, desc["OutputTensor"]["Sizes"])):
                    values[at] = word
                given = state(given, prod(desc["OutputTensor"]["Sizes"]))
            save(kit / "outputs" / f"{case['name']}.values-{draw}", values)
            if "OutputStateTensor" in desc:
                at = places(desc["InputStateTensor"])[:6]
                buffer = [UNWRITTEN] * (max(at) + 1)
                for each, word in zip(at, given):
                    buffer[each] = word
                save(kit / "outputs" / f"{case['name']}.state-{draw}", buffer)


def save_npy(path, buffer):
    np.save(path.with_name(path.name + ".npy"), np.array(buffer, np.uint32))


def save_raw(path, buffer):
    path.with_name(path.name + ".bin").write_bytes(np.array(buffer, "<u4").tobytes())
