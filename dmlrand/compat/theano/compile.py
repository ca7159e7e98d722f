"""`function` compiles a graph to a Function."""

from __future__ import annotations

from typing import Any

from ...state import State, fold_in
from ..shared import format_value
from .compiled_function import Function, Program, RandomResult, States, root_state
from .graph import Apply, Constant, Input, Result, in_order
from .random_ops import RandomState


def function(inputs: Any, outputs: Any) -> Function:
    """Compile a graph to a callable with its own generators. `inputs` is a list of Input and of pairs (RandomState,
    seed). The function takes one argument for each Input. `outputs` is a Result, or a list of Results, for which the
    function returns a list.

    >>> from dmlrand.compat.theano import MetaRandom
    >>> n = Input("n")
    >>> function([n], MetaRandom(5).uniform(shape=(n, 2)) * 10)(3).shape
    (3, 2)
    """
    arguments, random_states, roots = _read_inputs(inputs)
    wanted = [outputs] if isinstance(outputs, Result) else outputs
    if not isinstance(wanted, (list, tuple)):
        raise TypeError(f"outputs must be a Result or a list of Results; got {type(outputs).__name__}.")
    for place, item in enumerate(wanted):
        if not isinstance(item, Result):
            raise TypeError(f"outputs[{place}] must be a symbolic result; got {format_value(item)}.")
    ordered = in_order(wanted)
    states = {}
    for result in ordered:
        if isinstance(result, Input) and result not in arguments:
            raise ValueError(f"inputs must hold every Input of the graph; got none for {result.name!r}. Add it.")
        if isinstance(result, RandomResult):
            root = roots.get(result.rng.owner, result.root)
            if root is None:
                name = result.rng.name.rpartition("/")[0]
                rule = f"inputs must give the seed of RandomState {name!r}, from which the outputs draw"
                raise ValueError(f"{rule}; got none. Add the pair ({name}, seed).")
            states[result.rng] = fold_in(root, result.rng.index)
    constants: dict[Result, Any] = {each: each.value for each in ordered if isinstance(each, Constant)}
    steps = [each for each in ordered if isinstance(each, Apply)]
    program = Program(arguments, constants, steps, list(wanted), not isinstance(outputs, Result), random_states)
    return Function(program, States(states))


def _read_inputs(inputs: Any) -> tuple[list[Input], dict[str, str], dict[str, State]]:
    """The Inputs; the identities of the RandomStates by name; the roots of their seeds by identity."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"inputs must be a list; got {type(inputs).__name__}. Pass [] if there are none.")
    arguments: list[Input] = []
    identities: dict[str, str] = {}
    roots: dict[str, State] = {}
    for place, item in enumerate(inputs):
        if isinstance(item, Input):
            if item in arguments:
                raise ValueError(f"inputs must hold each Input once; got {item.name!r} twice. Remove one.")
            arguments.append(item)
        elif isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], RandomState):
            name, identity = item[0].name, item[0].identity
            if name in identities:
                raise ValueError(f"inputs must hold RandomStates of different names; got {name!r} twice. Rename one.")
            if hasattr(Function, name):
                rule = "a RandomState in inputs must not have the name of an attribute of Function"
                raise ValueError(f"{rule}; got {name!r}. Rename it.")
            identities[name], roots[identity] = identity, root_state(item[1], f"the seed of RandomState {name!r}")
        else:
            raise TypeError(
                f"inputs[{place}] must be an Input or a pair (RandomState, seed); got {format_value(item)}."
            )
    return arguments, identities, roots
