"""`function` compiles a graph to a Function."""

from __future__ import annotations

from typing import Any

from ...messages import format_value
from ...state import State, fold_in
from .compiled_function import Function, Program, Rng, States, Step, root_state
from .graph import Apply, Constant, Input, Result, in_order
from .random_ops import MetaRandom, RandomResult, RandomState


def function(inputs: Any, outputs: Any) -> Function:
    """Compile a graph to a callable with its own generators. `inputs` is a list of Input and of pairs (RandomState,
    seed). The function takes one argument for each Input. `outputs` is a Result, or a list of Results, for which the
    function returns a list.

    >>> from dmlrand.compat.theano import MetaRandom
    >>> n = Input("n")
    >>> function([n], MetaRandom(5).uniform(shape=(n, 2)) * 10)(3).shape
    (3, 2)
    """
    arguments, roots = _read_inputs(inputs)
    wanted = [outputs] if isinstance(outputs, Result) else outputs
    if not isinstance(wanted, (list, tuple)):
        raise TypeError(f"outputs must be a Result or a list of Results; got {type(outputs).__name__}.")
    for place, item in enumerate(wanted):
        if not isinstance(item, Result):
            raise TypeError(f"outputs[{place}] must be a symbolic result; got {format_value(item)}.")
    ordered = in_order(wanted)
    for result in ordered:
        if isinstance(result, Input) and result not in arguments:
            raise ValueError(f"inputs must hold every Input of the graph; got none for {result.name!r}. Add it.")
    constants = [result for result in ordered if isinstance(result, Constant)]
    applies = [result for result in ordered if isinstance(result, Apply)]
    slots = {result: slot for slot, result in enumerate([*arguments, *constants, *applies])}
    starts: dict[Rng, State] = {}
    steps = []
    for each in applies:
        rng = None
        if isinstance(each, RandomResult):
            rng = each.rng
            if rng in starts:
                raise ValueError(
                    f"the graph must hold each random result once; got two of generator {rng.name!r}, one of them "
                    "unpickled. Compile with the results of one MetaRandom."
                )
            starts[rng] = fold_in(_root_of(each, roots), rng.index)
        steps.append(Step(each.name, each.compute, tuple(slots[item] for item in each.inputs), rng))
    program = Program(
        arguments=tuple(each.name for each in arguments),
        constants=tuple(each.value for each in constants),
        steps=tuple(steps),
        outputs=tuple(slots[each] for each in wanted),
        returns_list=not isinstance(outputs, Result),
        random_states={each.name: each.identity for each in roots},
    )
    return Function(program, States(starts))


def _root_of(result: RandomResult, roots: dict[RandomState, State]) -> State:
    if isinstance(result.owner, MetaRandom):
        return root_state(result.owner.metaseed, "metaseed")
    for owner, root in roots.items():
        if owner.identity == result.rng.owner:
            return root
    rule = f"inputs must give the seed of RandomState {result.owner.name!r}, from which the outputs draw"
    raise ValueError(f"{rule}; got none. Add the pair ({result.owner.name}, seed).")


def _read_inputs(inputs: Any) -> tuple[list[Input], dict[RandomState, State]]:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"inputs must be a list; got {type(inputs).__name__}. Pass [] if there are none.")
    arguments: list[Input] = []
    roots: dict[RandomState, State] = {}
    for place, item in enumerate(inputs):
        if isinstance(item, Input):
            if item in arguments:
                raise ValueError(f"inputs must hold each Input once; got {item.name!r} twice. Remove one.")
            arguments.append(item)
        elif isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], RandomState):
            owner, name = item[0], item[0].name
            if name in [other.name for other in roots]:
                raise ValueError(f"inputs must hold RandomStates of different names; got {name!r} twice. Rename one.")
            if hasattr(Function, name):
                rule = "a RandomState in inputs must not have the name of an attribute of Function"
                raise ValueError(f"{rule}; got {name!r}. Rename it.")
            roots[owner] = root_state(item[1], f"the seed of RandomState {name!r}")
        else:
            raise TypeError(
                f"inputs[{place}] must be an Input or a pair (RandomState, seed); got {format_value(item)}."
            )
    return arguments, roots
