"""The texts of the operator in each language, compiled and run on the cases of the conformance kit. specs/shaders.md"""

import platform
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from optional_backends import skip_without
from waiting import LIMIT

from dmlrand import advance_blocks, blocks_for, make_state, philox, random_generator, shaders, uniform
from dmlrand.conformance.case import draw_states
from dmlrand.conformance.cases import all_cases
from dmlrand.shaders import LANGUAGES, source
from dmlrand.webgpu import shader_source

WORDS, UNIFORM = "random_generator", "uniform_float32"
VULKAN = "gcc -std=c11 -O2 -Wall -o run run_spirv.c -lvulkan"
SPIRV = "glslangValidator -V -S comp -o"


class Build(NamedTuple):
    """How to compile a text together with a program of this folder, and how to run that."""

    language: str
    commands: tuple[str, ...]
    run: str


def of_c(compiler):
    return Build("c", (f"{compiler} -Wall -Wextra -Werror -o run run_c.c",), "./run {function}")


BUILDS = {
    "gcc -O0": of_c("gcc -std=c99 -O0"),
    "gcc -O3": of_c("gcc -O3"),
    "gcc -march=native": of_c("gcc -O3 -march=native"),
    "gcc sanitizers": of_c("gcc -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"),
    "g++": of_c("g++ -x c++ -O2"),
    "clang -march=native": of_c("clang -O3 -march=native"),
    "cuda": Build("cuda", ("g++ -std=c++17 -O2 -Wall -Werror -o run run_cuda.cpp",), "./run {function}"),
    "js": Build("js", (), "node run_js.mjs {function}"),
    "glsl": Build(
        "glsl",
        (VULKAN, f"{SPIRV} {WORDS}.spv philox.glsl", f"{SPIRV} {UNIFORM}.spv -DUNIFORM_FLOAT32 philox.glsl"),
        "./run {function}.spv main",
    ),
    "hlsl": Build(
        "hlsl",
        (VULKAN, *(f"{SPIRV} {function}.spv -D -e {function} philox.hlsl" for function in (WORDS, UNIFORM))),
        "./run {function}.spv {function}",
    ),
    "wgsl": Build("wgsl", (), ""),
}


class Case(NamedTuple):
    """A draw: words of the stream of a state, or numbers of [low, high)."""

    state: tuple[int, ...]
    count: int
    low: float = 0.0
    high: float = 1.0

    def line(self):
        range_bits = np.array([self.low, self.high], np.float32).view(np.uint32)
        return " ".join(map(str, [self.count, *range_bits, *self.state]))

    def right(self, function):
        """The words, or the bits of the numbers, and after them the new state."""
        if function == WORDS:
            words = random_generator(self.state, self.count).values
        else:
            words = uniform(self.state, self.count, low=self.low, high=self.high).values.view(np.uint32)
        return np.append(words, advance_blocks(self.state, blocks_for(self.count)))


def cases_of_the_kit(fewest, most):
    """Every draw of the kit with known words and a number of words in this range, once."""
    cases = [case for case in all_cases() if case.expected == "words" and fewest <= case.words < most]
    draws = [(tuple(state.tolist()), case.words) for case in cases for state in draw_states(case)[:-1]]
    return [Case(*draw) for draw in dict.fromkeys(draws)]


SMALL, LARGE = cases_of_the_kit(0, 1 << 14), cases_of_the_kit(1 << 14, 1 << 27)
RANGES = [(0.0, 1.0), (-3.0, 5.5), (0.1, 0.7), (-1e30, 3e30), (1 / 3, 1000.3)]
CARRY = tuple(make_state(counter=2**96 - 300, key=2**64 - 7).tolist())
UNIFORMS = [Case(CARRY, count, low, high) for low, high in RANGES for count in (1, 2, 3, 4, 5, 255, 256, 257, 4099)]


def compiler(tool):
    """The path of a tool. Debian's clang may have its version in its name."""
    paths = [shutil.which(name) for name in ([tool, "clang-14"] if tool == "clang" else [tool])]
    return next(filter(None, paths), None) or pytest.skip(f"{tool} is not installed")


def execute(line, folder, **options):
    tool, *arguments = shlex.split(line)
    command = [tool if tool.startswith("./") else compiler(tool), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=LIMIT, **options)
    if b"failed: vkCreateInstance" in done.stderr or b"failed: a device" in done.stderr:
        pytest.skip("Vulkan has no device, not even lavapipe: no SPIR-V is run")
    assert done.returncode == 0, (line, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def built(name, folder):
    """The folder, with the text in it, and a program that runs it."""
    build = BUILDS[name]
    for program in Path(__file__).parent.glob("run_*"):
        shutil.copy(program, folder)
    (folder / LANGUAGES[build.language]).write_text(source(build.language), "utf-8")
    if VULKAN in build.commands and not Path("/usr/include/vulkan/vulkan.h").exists():
        pytest.skip("libvulkan-dev is not installed: no SPIR-V is run")
    for command in build.commands:
        execute(command, folder)
    return folder


def results(name, folder, function, cases):
    """For each case what the text makes, as Case.right has it."""
    if name == "wgsl":
        return run_wgsl((folder / LANGUAGES["wgsl"]).read_text("utf-8"), function, cases)
    lines = "\n".join(case.line() for case in cases)
    made = np.frombuffer(execute(BUILDS[name].run.format(function=function), folder, input=lines.encode()), np.uint32)
    return np.split(made, np.cumsum([case.count + 6 for case in cases])[:-1])


def run_wgsl(text, function, cases):
    """The words or numbers and, by a second dispatch, the new state behind them."""
    skip_without("webgpu")
    from dmlrand.webgpu.devices import default_device, import_wgpu

    device, usage = default_device(), import_wgpu().BufferUsage
    module = device.create_shader_module(code=text)
    compiled = {
        entry: device.create_compute_pipeline(layout="auto", compute={"module": module, "entry_point": entry})
        for entry in (WORDS, UNIFORM, "uniform_range", "new_state")
    }
    for case in cases:
        entry = "uniform_range" if function == UNIFORM and (case.low, case.high) != (0, 1) else function
        pipelines = compiled[entry], compiled["new_state"]
        low, high = np.array([case.low, case.high], np.float32)
        groups = -(-blocks_for(case.count) // 64)
        columns = min(groups, 1000)
        values = device.create_buffer(size=4 * case.count + 24, usage=usage.STORAGE | usage.COPY_SRC)
        for pipeline, first, size in zip(pipelines, (0, case.count), ((columns, -(-groups // columns)), (1, 1))):
            facts = [*case.state, 0, case.count, first, 64 * columns, *np.array([low, high - low]).view(np.uint32)]
            draw = device.create_buffer_with_data(data=np.array(facts, np.uint32), usage=usage.UNIFORM)
            bound = [{"binding": i, "resource": {"buffer": buffer}} for i, buffer in enumerate((draw, values))]
            encoder = device.create_command_encoder()
            compute = encoder.begin_compute_pass()
            compute.set_pipeline(pipeline)
            compute.set_bind_group(0, device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=bound))
            compute.dispatch_workgroups(*size)
            compute.end()
            device.queue.submit([encoder.finish()])
        yield np.frombuffer(device.queue.read_buffer(values), np.uint32)


def wrong_cases(name, folder, function, cases):
    made = results(name, folder, function, cases)
    return [case for case, words in zip(cases, made, strict=True) if not np.array_equal(words, case.right(function))]


SHORT = ("gcc -O3", "js", "glsl", "wgsl")
ONE_OF_EACH_LANGUAGE = (*SHORT, "hlsl", "cuda")
EVERY_BUILD = [pytest.param(name, marks=[] if name in SHORT else pytest.mark.costly) for name in BUILDS]


@pytest.mark.parametrize("name", EVERY_BUILD)
def test_words_and_new_states_are_those_of_the_kit(name, tmp_path):
    """shaders 3, 4, webgpu 3.2"""
    assert len(SMALL) > 70 and wrong_cases(name, built(name, tmp_path), WORDS, SMALL) == []


@pytest.mark.parametrize("name", EVERY_BUILD)
def test_uniform_numbers_are_those_of_dmlrand(name, tmp_path):
    """shaders 5, webgpu 3.2"""
    assert wrong_cases(name, built(name, tmp_path), UNIFORM, UNIFORMS) == []


@pytest.mark.costly
@pytest.mark.parametrize("name", ONE_OF_EACH_LANGUAGE)
def test_large_draws(name, tmp_path):
    """shaders 3: up to 2^26 + 1 words"""
    assert len(LARGE) == 7
    folder = built(name, tmp_path)
    for case in LARGE:  # one at a time, to save memory
        if name == "wgsl" and case.count > 1 << 25:
            continue  # larger than a binding of lavapipe: the host of this text splits such a draw
        assert wrong_cases(name, folder, WORDS, [case]) == []


# The texts themselves


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_is_plain_and_complete(language, monkeypatch):
    """shaders 1 and 2, webgpu 3.1: all constants are those of philox.py"""
    text = source(language)
    assert language != "wgsl" or text == shader_source()
    assert text.isascii() and max(map(len, text.splitlines())) <= 120 and "$" not in text
    assert "for counter 0 and key 42 (k0 = 0x2a, k1 = 0), lanes 0 to 3 are\n//     9ceaf053 77f5493b" in text
    template = (Path(shaders.__file__).parent / LANGUAGES[language]).read_text("utf-8")
    for constant in (philox.M0, philox.M1, philox.W0, philox.W1):
        assert text.count(f"0x{constant:X}") == 1 and f"{constant:X}" not in template.upper()
    monkeypatch.setattr(philox, "ROUNDS", 77)
    assert len(re.findall(r"\b77\b", source(language))) == 1


@pytest.mark.parametrize("language", ["fortran", "C", None])
def test_another_language_is_refused(language):
    """shaders 1"""
    with pytest.raises(ValueError, match="^language must be 'wgsl', 'hlsl', 'glsl', 'c', 'cuda' or 'js'; got "):
        source(language)


@pytest.mark.costly
@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads the assembly of x86-64")
@pytest.mark.parametrize("tool", ["gcc", "clang"])
def test_the_c_text_compiles_to_vector_code(tool, tmp_path):
    """shaders 6: the products of two words are those of a vector"""
    (tmp_path / "philox.c").write_text(source("c"), "utf-8")
    for flags, is_vector in (("-O3", True), ("-O3 -mavx2", True), ("-O1", False)):
        assembly = execute(f"{tool} {flags} -S -o - philox.c", tmp_path).decode()
        assert bool(re.search(r"\bv?pmuludq\b", assembly)) == is_vector
        assert bool(re.search(r"\bvpmuludq\b.*%ymm", assembly)) == ("avx2" in flags)


@pytest.mark.costly
def test_nvcc_compiles_the_cuda_text(tmp_path):
    """shaders 5: both kernels, with the upper half of a product, and without a fused product and sum"""
    (tmp_path / "philox.cu").write_text(source("cuda"), "utf-8")
    assembly = execute("nvcc -ptx -o /dev/stdout philox.cu", tmp_path).decode()
    assert re.findall(r"\.visible \.entry (\w+)", assembly) == [WORDS, UNIFORM]
    assert re.search(r"mul\.(hi|wide)\.u32", assembly) and "mul.rn.f32" in assembly and "fma" not in assembly
