"""LLVM vector instructions, which the vector code of all generators uses.

This code uses internals of numba. Where they are missing, `compiling.choose` takes the plain loops.
"""

import inspect
from contextlib import suppress

from llvmlite import binding, ir
from numba import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

I32, I64 = ir.IntType(32), ir.IntType(64)
LINE_BYTES = 64  # of the cache
CODEGEN = cpu_target.target_context.codegen()  # knows for which processor this process compiles


def emits(result):
    """A decorator for a function that emits LLVM instructions: njit code can call it, with a result of this numba type.

    The function takes the context, the builder, the numba types of the call's arguments, and then the arguments.
    """

    def decorate(emit):
        def typed(typingctx, *argument_types):
            def codegen(context, builder, call, arguments):
                value = emit(context, builder, call.args, *arguments)
                return context.get_dummy_value() if result is types.void else value

            return result(*argument_types), codegen

        parameters = inspect.signature(emit).parameters.values()
        typed.__signature__ = inspect.Signature([*parameters][2:])  # numba binds the arguments to it
        typed.__name__, typed.__doc__ = emit.__name__, emit.__doc__
        return intrinsic(typed)

    return decorate


def shuffle(builder, left, right, picks):
    """The elements with the numbers `picks` of both vectors, one after the other."""
    return builder.shuffle_vector(left, right, ir.Constant(ir.VectorType(I32, len(picks)), picks))


def constant(vector_type, number):
    """A vector of this type whose elements all hold one number."""
    return ir.Constant(vector_type, [number] * vector_type.count)


def splat(builder, number, count):
    """A vector of `count` elements that all hold one number."""
    vector = ir.Constant(ir.VectorType(number.type, count), ir.Undefined)
    vector = builder.insert_element(vector, number, ir.Constant(I32, 0))
    return shuffle(builder, vector, vector, [0] * count)


def vectors_at(vector_type, context, builder, array_type, array, place):
    """A pointer to vectors, the first of which begins at array[place]."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [place]), vector_type.as_pointer())


def store_vectors(context, builder, vectors, array_type, array, place, non_temporal=False):
    """Store vectors one after the other at array[place] and on. For non-temporal stores it begins a cache line."""
    first, *_ = vectors = list(vectors)
    target = vectors_at(first.type, context, builder, array_type, array, place)
    for i, vector in enumerate(vectors):
        store = builder.store(vector, builder.gep(target, [ir.Constant(I64, i)]))
        store.align = LINE_BYTES if non_temporal else 4
        if non_temporal:
            store.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(I32, 1)]))


def assemble(codegen, code):
    """LLVM code as assembly for numba's target. numba's settings can choose a lower target than this machine."""
    triple, processor, features = codegen.magic_tuple()
    target = binding.Target.from_triple(triple).create_target_machine(cpu=processor, features=features, opt=3)
    return target.emit_assembly(binding.parse_assembly(code))


def register_bits(codegen):
    """The size of the vector registers that numba's target uses: 512, 256 or 128."""
    probe = "define <8 x i64> @probe(<8 x i64> %x) {\n %y = add <8 x i64> %x, %x\n ret <8 x i64> %y\n}"
    assembly = assemble(codegen, probe)
    return 512 if "zmm" in assembly else 256 if "ymm" in assembly else 128


def rounds_to_float16(codegen):
    """Whether numba's target rounds float32 to float16 without a library function, which numba would not find."""
    with suppress(Exception):  # an internal of numba is missing
        probe = "define half @probe(float %x) {\n %y = fptrunc float %x to half\n ret half %y\n}"
        assembly = assemble(codegen, probe)
        return not any(function in assembly for function in ("truncsfhf2", "f2h_ieee"))
    return False


@emits(types.void)
def prefer_wide_vectors(context, builder, given):
    """Let LLVM vectorise the loops of this function with 512 bits, where the target has them.

    Otherwise it prefers 256 bits on Intel's servers, where normals then take a third longer.
    """
    with suppress(Exception):  # an internal of llvmlite is missing
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')  # its own `add` knows no such attribute


@emits(types.void)
def fence(context, builder, given):
    """Complete all non-temporal stores before any later instruction. Ordinary stores need no fence."""
    builder.fence("seq_cst")
