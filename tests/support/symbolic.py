"""The package's own code on symbolic numbers: what is proved here holds for all inputs, not for samples.

symbolic_numbers.py has the numbers. A comparison of them in an `if` makes the function fork: `paths` runs the function
once for each feasible sequence of decisions. `code_of` gives a function of the package with other meanings
of some names, and `loop_of` one iteration of a loop in it. `claim` marks a proof, with the faults that it must find.
"""

import ast
import inspect
import re
import textwrap
from typing import NamedTuple

import pytest

z3 = pytest.importorskip("z3", reason="the extra prove is not installed")

ATTEMPTS_S = 5, 15, 40  # the limits of one question to the solver: 60 s in all


class Refuted(AssertionError):
    """A claim is false. The message has a counterexample, and so has `model`."""

    def __init__(self, message, model):
        super().__init__(message)
        self.model = model


class NotDecided(Exception):
    """The solver gave no answer within the limit."""


class StaleFault(Exception):
    """The code no longer has the text that a fault changes, or the proof no longer runs that function."""


class Fault(NamedTuple):
    """A change of the text of a function that a proof must find. White space and line breaks do not matter."""

    function: str
    old: str
    new: str

    def __str__(self):
        return f"the fault that changes {self.old!r} of {self.function} to {self.new!r}"

    def change(self, source):
        """The source with the fault. In the source, any white space may stand between the tokens of `old`."""
        tokens = re.findall(r"\w+|[^\w\s]", self.old)
        pattern = r"\s*".join(re.escape(token) for token in tokens)
        changed = re.sub(pattern, lambda _: self.new, source)
        if changed == source:
            raise StaleFault(f"{self}: {self.function} has no such text any more. Write the fault for the new text.")
        put_in.add(self)
        return changed


put_in = set()  # the faults that have changed a function since the test began


def claim(*faults, kinds=((),)):
    """A proof: it passes with the code as it is, and refutes the code with any one of the faults.

    `kinds` holds the further arguments of the test: all must pass, and a fault must be refuted for one of them.
    """

    def decorate(test):
        @pytest.mark.proof
        @pytest.mark.parametrize("fault", [None, *faults], ids=lambda fault: f"{fault[1]}->{fault[2]}" if fault else "")
        def checked(fault):
            put_in.clear()
            try:
                for kind in kinds:
                    test(fault, *kind)
            except Refuted:
                if not fault:
                    raise
            else:
                if fault and fault not in put_in:
                    raise StaleFault(f"{fault}: this proof runs no function of this name. Name the function again.")
                assert not fault, f"The proof does not find {fault}: it proves too little."

        checked.__name__, checked.__doc__ = test.__name__, test.__doc__
        return checked

    return decorate


def answer_of(conditions, attempts=ATTEMPTS_S):
    """What the solver says, "sat", "unsat" or "unknown", and the values that it found.

    The way of the solver, and so its time, depends on what this process asked before. A question that it does not
    decide at once is asked again in a context of its own, with another seed.
    """
    for seed, limit in enumerate(attempts):
        if seed:
            context = z3.Context()
            conditions = [condition.translate(context) for condition in conditions]
        solver = z3.Solver(ctx=conditions[0].ctx)
        solver.set(timeout=limit * 1000, random_seed=seed)
        solver.add(conditions)
        answer = str(solver.check())
        if answer != "unknown":
            return answer, solver.model() if answer == "sat" else None
    return answer, None


def prove(claim, *assumptions):
    """Raise unless the claim holds for all inputs that satisfy the assumptions."""
    answer, model = answer_of([*assumptions, z3.Not(claim)])
    if answer == "sat":
        raise Refuted(f"false for {model}", model)
    if answer != "unsat":
        raise NotDecided(f"not decided in {sum(ATTEMPTS_S)} s")


class Forks:
    """The decisions of one run: a prefix that is replayed, then the first feasible side of each new decision."""

    def __init__(self, assumptions):
        self.assumptions, self.pending, self.conditions = assumptions, [[]], list(assumptions)

    def begin(self, prefix):
        self.prefix, self.taken, self.conditions = prefix, [], list(self.assumptions)

    def decide(self, condition):
        number = len(self.taken)
        if number < len(self.prefix):
            side = self.prefix[number]
        else:
            # A side that the solver does not decide is taken as feasible.
            sides = [condition, z3.Not(condition)]
            can = [answer_of([*self.conditions, this], ATTEMPTS_S[:1])[0] != "unsat" for this in sides]
            side = can[0]
            if all(can):
                self.pending.append([*self.taken, False])
        self.taken.append(side)
        self.conditions.append(condition if side else z3.Not(condition))
        return side


current = Forks(())


def paths(run, *assumptions):
    """(conditions, result) for each path of run(), under the assumptions."""
    global current
    current = forks = Forks(assumptions)
    count = 0
    while forks.pending:
        forks.begin(forks.pending.pop())
        result = run()
        count += 1
        yield forks.conditions, result
    assert count


def decide(condition):
    """Which side an `if` takes on the path that runs now."""
    return current.decide(condition)


def prove_here(claim):
    """prove, under the conditions of the path that runs now."""
    prove(claim, *current.conditions)


def parsed(function, fault=None):
    """The syntax tree of a function, without decorators, with a fault if it is one of this function."""
    source = textwrap.dedent(inspect.getsource(function))
    if fault and fault.function == function.__name__:
        source = fault.change(source)
    (tree,) = ast.parse(source).body
    tree.decorator_list, tree.returns = [], None
    return tree


def scope_of(function, names):
    cells = zip(function.__code__.co_freevars, function.__closure__ or ())
    return function.__globals__ | {name: cell.cell_contents for name, cell in cells} | names


def code_of(function, fault=None, /, **names):
    """A function of the package, with other meanings of some names: its own code, symbolic arithmetic."""
    function = getattr(function, "py_func", function)
    return defined(parsed(function, fault), scope_of(function, names))


def loop_of(function, fault=None, transform=None, **names):
    """The first loop of a function: the same code for one iteration, from any values of the variables on.

    `transform` changes the syntax tree. The result takes the variables by name, and returns them after the iteration,
    as a dict.
    """
    function = getattr(function, "py_func", function)
    tree = parsed(function, fault)
    tree = transform.visit(tree) if transform else tree
    loop = next(node for node in ast.walk(tree) if isinstance(node, ast.For))
    return lambda **variables: run_once(tree, loop.body, scope_of(function, names), variables)


def run_once(tree, body, scope, variables):
    """Run statements of a function's tree with these values of its variables. Return the variables afterwards."""
    tree.args = ast.arguments([], [ast.arg(name) for name in variables], None, [], [], None, [])
    once = ast.parse("for _ in (0,): pass\nreturn locals()").body  # a loop, for `continue`
    once[0].body, tree.body = body, once
    return defined(tree, scope)(**variables)


def defined(tree, scope):
    scope = dict(scope)
    exec(compile(ast.fix_missing_locations(ast.Module([tree], [])), "<proof>", "exec"), scope)
    return scope[tree.name]
