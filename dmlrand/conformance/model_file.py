"""A case as a model file of DxDispatch."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .case import UNWRITTEN, Case, make_buffer


def model_text(case: Case) -> str:
    """The model file. It runs in the folder of the kit and writes to the folder `outputs`."""
    new_state = "State" if case.in_place else "NewState"
    bindings = {"InputStateTensor": "State", "OutputTensor": "Values"}
    resources = {"State": _state(case), "Values": _unwritten(case.values_words)}
    if case.has_new_state:
        bindings["OutputStateTensor"] = new_state
        if not case.in_place:
            resources["NewState"] = _unwritten(case.state_words)
    commands: list[dict[str, Any]] = []
    for draw in range(1, case.draws + 1):
        commands.append({"type": "dispatch", "dispatchable": "generator", "bindings": bindings})
        commands.append(_write("Values", case.values_name(draw)))
        if case.has_new_state:
            commands.append(_write(new_state, case.state_name(draw)))
    model = {
        "resources": resources,
        "dispatchables": {"generator": {"type": "DML_OPERATOR_RANDOM_GENERATOR", "desc": case.desc}},
        "commands": commands,
    }
    return f"// {case.decides}\n{json.dumps(model, indent=2)}\n"


def _state(case: Case) -> dict[str, Any]:
    """The state's elements at their places. A wrong descriptor may have fewer or more places."""
    places = case.state_places()
    buffer = make_buffer(case.state_words, places if places.size == 6 else np.arange(6), case.state)
    return {"initialValuesDataType": "UINT32", "initialValues": buffer.tolist()}


def _unwritten(words: int) -> dict[str, Any]:
    return {"initialValuesDataType": "UINT32", "initialValues": {"valueCount": words, "value": UNWRITTEN}}


def _write(resource: str, name: str) -> dict[str, Any]:
    return {"type": "writeFile", "resource": resource, "targetPath": f"outputs/{name}.npy"}
