"""Compare dmlrand with what a CUDA device draws: python tests/makers/compare_gpu.py [SEED]

Each line of the output is one comparison: how many numbers, how many differ, and the largest distance, in units of the
last place and absolute. A package that is missing shows its error. Packages: torch, triton, cupy, jax, numba-cuda,
wgpu.
"""

import sys
import time
import traceback

import numpy as np

import dmlrand
from dmlrand import integers, make_state, normal, random_generator, random_window, uniform

SEED = int(sys.argv[1]) if len(sys.argv) > 1 else 42
SIZES = 1, 7, 1000, 270_337, 1_000_003, 1 << 22
RNG = np.random.default_rng(SEED)


def compare(what, pairs):
    """Print how (ours, theirs) agree."""
    numbers = differ = 0
    ulps = distance = 0.0
    for ours, theirs in pairs:
        ours, theirs = np.ravel(ours), np.ravel(theirs)
        assert (ours.size, ours.dtype) == (theirs.size, theirs.dtype), (
            ours.dtype,
            theirs.dtype,
            ours.size,
            theirs.size,
        )
        other = ours != theirs
        numbers, differ = numbers + ours.size, differ + int(other.sum())
        if other.any() and ours.dtype.kind == "f":
            wide = np.abs(ours[other].astype(np.float64) - theirs[other].astype(np.float64))
            distance = max(distance, float(wide.max()))
            ulps = max(ulps, float((wide / np.abs(np.spacing(theirs[other])).astype(np.float64)).max()))
    said = f", by up to {ulps:.3g} ulp and {distance:.3g}" if ulps else ""
    print(f"{what:<58}{numbers:>12,} numbers {differ:>10,} differ{said}", flush=True)


def seeds(count=3):
    return [SEED, *(int(each) for each in RNG.integers(0, 1 << 63, count - 1))]


def states(count=4):
    special = [make_state(counter=(1 << 128) - 3, key=7), make_state(counter=(1 << 64) - 2, key=(1 << 64) - 1)]
    drawn = [make_state(counter=int.from_bytes(RNG.bytes(16), "little"), key=int.from_bytes(RNG.bytes(8), "little"))]
    return [*special, *drawn * (count - 2)]


def numba_cuda():
    from dmlrand import cuda

    for name, call in {
        "words": lambda m, state, n: m.random_generator(state, n),
        "uniform float32": lambda m, state, n: m.uniform(state, n),
        "uniform float64": lambda m, state, n: m.uniform(state, n, dtype="float64"),
        "normal float32": lambda m, state, n: m.normal(state, n),
        "normal float64": lambda m, state, n: m.normal(state, n, dtype="float64"),
        "integers int32": lambda m, state, n: m.integers(state, n, -7, 1000),
        "integers int64": lambda m, state, n: m.integers(state, n, -7, 1 << 40, dtype="int64"),
    }.items():
        pairs = []
        for state in states():
            for n in SIZES:
                device, host = call(cuda, state, n), call(dmlrand, state, n)
                assert (device.state == host.state).all()
                pairs.append((host.values, device.values.copy_to_host()))
        compare(f"dmlrand.cuda {name}", pairs)
    window = np.s_[3:90, :, :]
    pairs = [
        (random_window(s, (100, 33, 9), window), cuda.random_window(s, (100, 33, 9), window).copy_to_host())
        for s in states()
    ]
    compare("dmlrand.cuda random_window", pairs)


def webgpu():
    from dmlrand import webgpu
    from dmlrand.webgpu.devices import default_device

    print("WebGPU:", default_device().adapter.info["device"], default_device().adapter.info["backend_type"])
    for name, ours, theirs in (
        ("words", random_generator, webgpu.random_generator),
        ("uniform float32", uniform, webgpu.uniform),
        ("normal float32", normal, webgpu.normal),
        ("int32", lambda s, n: integers(s, n, -7, 1000), lambda s, n: webgpu.integers(s, n, -7, 1000)),
    ):
        compare(
            f"dmlrand.webgpu {name}",
            [(ours(s, n).values, theirs(s, n).values.to_numpy()) for s in states() for n in SIZES],
        )


def torch_cuda():
    import torch

    from dmlrand.compat.torch import CUDAGenerator

    device = torch.cuda.get_device_properties(0)
    print(torch.__version__, device.name, device.multi_processor_count, device.max_threads_per_multi_processor)

    def generators(seed):
        given = torch.Generator("cuda").manual_seed(seed)
        return given, CUDAGenerator(seed, device.multi_processor_count, device.max_threads_per_multi_processor)

    def array(tensor):
        return tensor.float().cpu().numpy() if tensor.dtype is torch.bfloat16 else tensor.cpu().numpy()

    def new(n, dtype=torch.float32):
        return torch.empty(n, device="cuda", dtype=dtype)

    draws = {}
    for kind in ("float32", "float16", "bfloat16"):
        dtype, own = getattr(torch, kind), kind
        draws |= {
            f"rand {kind}": (
                lambda n, g, d=dtype: torch.rand(n, generator=g, device="cuda", dtype=d),
                lambda n, g, d=own: g.rand(n, d),
            ),
            f"randn {kind}": (
                lambda n, g, d=dtype: torch.randn(n, generator=g, device="cuda", dtype=d),
                lambda n, g, d=own: g.randn(n, d),
            ),
            f"uniform_(-2.5, 7) {kind}": (
                lambda n, g, d=dtype: new(n, d).uniform_(-2.5, 7, generator=g),
                lambda n, g, d=own: g.uniform(n, -2.5, 7, d),
            ),
            f"normal_(3, 0.7) {kind}": (
                lambda n, g, d=dtype: new(n, d).normal_(3, 0.7, generator=g),
                lambda n, g, d=own: g.normal(n, 3, 0.7, d),
            ),
        }
    for low, high in ((0, 10), (-5, 1 << 28), (0, 1 << 40), (-(1 << 62), 1 << 62)):
        draws[f"randint({low}, {high})"] = (
            lambda n, g, a=low, b=high: torch.randint(a, b, (n,), generator=g, device="cuda"),
            lambda n, g, a=low, b=high: g.randint(a, b, n),
        )
    draws["random_() int64"] = lambda n, g: new(n, torch.int64).random_(generator=g), lambda n, g: g.random(n)
    draws["bernoulli_(0.3)"] = (
        lambda n, g: new(n, torch.bool).bernoulli_(0.3, generator=g),
        lambda n, g: g.bernoulli(n, 0.3),
    )
    for name, (theirs, ours) in draws.items():
        pairs = []
        for seed in seeds():
            for n in SIZES:
                given, own = generators(seed)
                for _ in range(2):  # the second draw shows the offset
                    value = ours(n, own)
                    pairs.append(
                        (value.astype(np.float32) if value.dtype.name == "bfloat16" else value, array(theirs(n, given)))
                    )
                assert given.get_offset() == own.get_offset(), (name, n)
        compare(f"torch.cuda {name}", pairs)
    pairs = []
    for seed in seeds():
        for n in (4, 6, 7, 1000, 270_338, 1 << 22):
            torch.cuda.manual_seed(seed)
            _, own = generators(seed)
            for p in (0.1, 0.5):
                kept = torch.nn.functional.dropout(torch.ones(n, device="cuda"), p) != 0
                pairs.append((own.dropout_mask(n, p), kept.cpu().numpy()))
            assert torch.cuda.default_generators[0].get_offset() == own.get_offset(), n
    compare("torch.cuda dropout", pairs)


def torch_attention():
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    from dmlrand.compat.torch import attention_dropout_mask

    for kernel, backend in (("flash", SDPBackend.FLASH_ATTENTION), ("efficient", SDPBackend.EFFICIENT_ATTENTION)):
        pairs = []
        for batch, heads, rows, columns, p in ((1, 1, 128, 128, 0.1), (2, 3, 200, 333, 0.25), (1, 2, 1000, 640, 0.5)):
            for seed in seeds(2):
                mask = np.zeros((batch, heads, rows, columns), bool)
                for first in range(0, columns, 64):  # each call draws the same mask, and shows 64 of its columns
                    torch.cuda.manual_seed(seed)
                    value = torch.zeros(batch, heads, columns, 64, device="cuda", dtype=torch.float16)
                    size = min(64, columns - first)
                    value[:, :, first : first + size, :size] = torch.eye(size, device="cuda", dtype=torch.float16)
                    query, key = (
                        torch.zeros(batch, heads, n, 64, device="cuda", dtype=torch.float16) for n in (rows, columns)
                    )
                    with sdpa_kernel(backend):
                        out = torch.nn.functional.scaled_dot_product_attention(query, key, value, dropout_p=p)
                    mask[..., first : first + size] = (out[..., :size] != 0).cpu().numpy()
                pairs.append((attention_dropout_mask(mask.shape, p, seed, 0, kernel), mask))
        compare(f"torch's attention, {kernel}", pairs)


def triton_gpu():
    import torch
    import triton
    import triton.language as tl

    from dmlrand.compat import triton as ours

    @triton.jit
    def kernel(out, seed, n, KIND: tl.constexpr, SIZE: tl.constexpr):
        offset = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
        if KIND == 0:
            value = tl.randint(seed, offset).to(tl.int32, bitcast=True)
        elif KIND == 1:
            value = tl.rand(seed, offset)
        else:
            value = tl.randn(seed, offset)
        tl.store(out + offset, value, mask=offset < n)

    print("triton", triton.__version__)
    n = 1_000_003
    for kind, name, dtype in ((0, "randint", torch.int32), (1, "rand", torch.float32), (2, "randn", torch.float32)):
        pairs = []
        for seed in seeds():
            out = torch.empty(n, device="cuda", dtype=dtype)
            kernel[(triton.cdiv(n, 1024),)](out, seed, n, KIND=kind, SIZE=1024)
            theirs = out.cpu().numpy()
            pairs.append((getattr(ours, name)(seed, np.arange(n)), theirs.view(np.uint32) if kind == 0 else theirs))
        compare(f"triton {name}", pairs)


def curand():
    import cupy
    from cupy.cuda import curand as library

    from dmlrand.compat.curand import Generator

    print("cuRAND", library.getVersion())
    for order in (100, 101):
        draws = {
            "generate": (np.uint32, library.generate, ()),
            "generate_uniform": (np.float32, library.generateUniform, ()),
            "generate_uniform_double": (np.float64, library.generateUniformDouble, ()),
            "generate_normal": (np.float32, library.generateNormal, (1.5, 2.0)),
            "generate_normal_double": (np.float64, library.generateNormalDouble, (1.5, 2.0)),
        }
        for name, (dtype, call, scale) in draws.items():
            pairs = []
            for seed in seeds():
                handle = library.createGenerator(161)
                library.setGeneratorOrdering(handle, order)
                library.setPseudoRandomGeneratorSeed(handle, seed)
                own = Generator(seed, order=order)
                for n in (8, 1000, 270_338, 1 << 22):
                    out = cupy.empty(n, dtype)
                    call(handle, out.data.ptr, n, *scale)
                    pairs.append((getattr(own, name)(n, *scale), out.get()))
                library.destroyGenerator(handle)
            compare(f"cuRAND {name}, order {order}", pairs)


def jax_gpu():
    import jax

    from dmlrand.compat import jax as ours

    print("jax", jax.__version__, jax.devices()[0])
    draws = {"bits": {}, "uniform": {}, "normal": {}, "exponential": {}, "gumbel": {}, "laplace": {}, "bernoulli": {}}
    for impl in ("threefry2x32", "rbg"):
        for name, given in draws.items():
            pairs = []
            for seed in seeds():
                for n in (8, 1000, 270_338):
                    theirs = getattr(jax.random, name)(jax.random.key(seed, impl=impl), shape=(n,), **given)
                    pairs.append(
                        (
                            getattr(ours, name)(ours.key(seed, impl=impl), shape=(n,), impl=impl, **given),
                            np.asarray(theirs),
                        )
                    )
            compare(f"jax.random.{name} on the device, {impl}", pairs)


if __name__ == "__main__":
    for section in (numba_cuda, webgpu, torch_cuda, torch_attention, triton_gpu, curand, jax_gpu):
        start = time.monotonic()
        try:
            section()
        except Exception:
            print(f"{section.__name__}: {traceback.format_exc(limit=3)}", flush=True)
        print(f"# {section.__name__}: {time.monotonic() - start:.0f} s", flush=True)
