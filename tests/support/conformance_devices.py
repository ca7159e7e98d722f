"""Stand-ins for a device that runs the conformance kit: compat.directml, and generators in plain ints.

The latter read cases.json and nothing else, as an implementer without DirectML would, and share no code with dmlrand.
"""

import json
from functools import cache
from math import prod

import numpy as np
import oracle

from dmlrand.compat.directml import RandomGeneratorOperatorDesc, TensorDesc, create_operator

UNWRITTEN = 0xCDCDCDCD


def cases_of(kit):
    return json.loads((kit / "cases.json").read_text("utf-8"))["cases"]


def operator_of(desc, feature_level):
    """The operator of a model file's desc. compat.directml refuses a wrong one."""
    tensors = {name: TensorDesc(**value) if name.endswith("Tensor") else value for name, value in desc.items()}
    return create_operator(RandomGeneratorOperatorDesc(**tensors), feature_level)


def run_model(text, folder, feature_level):
    """Run a model file as DxDispatch does, with compat.directml in place of a device."""
    model = json.loads(text.partition("\n")[2])
    operator = operator_of(model["dispatchables"]["generator"]["desc"], feature_level)
    buffers = {}
    for name, resource in model["resources"].items():
        values = resource["initialValues"]
        buffers[name] = (
            np.full(values["valueCount"], values["value"], "<u4")
            if isinstance(values, dict)
            else np.array(values, "<u4")
        )
    for command in model["commands"]:
        if command["type"] == "dispatch":
            operator.execute({tensor: buffers[name] for tensor, name in command["bindings"].items()})
        else:
            np.save(folder / command["targetPath"], buffers[command["resource"]])


def run_models(kit):
    """Run every model file of a kit as run.cmd does."""
    (kit / "outputs").mkdir()
    for case in cases_of(kit):
        try:
            run_model((kit / "models" / f"{case['name']}.json").read_text("utf-8"), kit, case["feature_level"])
            write_log(kit, case, "", 0)
        except ValueError as error:
            write_log(kit, case, str(error), 1)


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


def run_device(kit, words=right_words, state=right_state, place=places, save=None, refused=(), accepts_all=False):
    """Run the cases of a kit.

    words(state, sizes): the words of a draw. state(state, words): the next state. place(tensor): the places of the
    words in the buffer. save(path, buffer): how to store it. refused: words that begin the names of refused cases.
    """
    save = save or save_npy
    (kit / "outputs").mkdir(exist_ok=True)
    for case in cases_of(kit):
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
