"""A model file for the tests, and functions that make its parts."""

import json

from dmlrand.compat.dxdispatch import run_model

STATE = {"DataType": "UINT32", "Sizes": [1, 1, 1, 6]}


def model(out=8, commands=None, **resources):
    """A new model that draws `out` words into the resource Out and has its state in the resource State."""
    desc = {
        "InputStateTensor": dict(STATE),
        "OutputTensor": {"DataType": "UINT32", "Sizes": [1, 1, 1, out]},
        "OutputStateTensor": dict(STATE),
        "Type": "PHILOX_4X32_10",
    }
    return {
        "resources": {
            "State": {"initialValuesDataType": "UINT32", "initialValues": [0, 0, 0, 0, 42, 0]},
            "Out": {"initialValuesDataType": "UINT32", "initialValues": {"valueCount": out, "value": 0}},
            **resources,
        },
        "dispatchables": {"gen": {"type": "DML_OPERATOR_RANDOM_GENERATOR", "desc": desc}},
        "commands": [dispatch(), show("Out"), show("State")] if commands is None else commands,
    }


def dispatch(**bindings):
    names = {"InputStateTensor": "State", "OutputTensor": "Out", "OutputStateTensor": "State"}
    return {"type": "dispatch", "dispatchable": "gen", "bindings": {**names, **bindings}}


def show(name, **more):
    return {"type": "print", "resource": name, **more}


def save(name, path, **more):
    return {"type": "writeFile", "resource": name, "targetPath": path, **more}


def run(folder, model, **options):
    """Run a model, given as a tree or as text. Return the lines that it prints, and its resources."""
    path = folder / "model.json"
    path.write_text(model if isinstance(model, str) else json.dumps(model))
    lines = []
    resources = run_model(path, log=lines.append, **{"output_path": folder, **options})
    return lines, {name: array.tolist() for name, array in resources.items()}
