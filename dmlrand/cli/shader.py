"""`dmlrand shader`: the operator as a WGSL shader."""

from __future__ import annotations

import argparse

from .parser import Commands, add_command


def add(commands: Commands) -> None:
    shader = add_command(
        commands,
        "shader",
        help="print the operator as a WebGPU shader (WGSL) with comments",
        example="dmlrand shader > philox.wgsl",
    )
    shader.set_defaults(run=_shader)


def _shader(options: argparse.Namespace) -> None:
    from ..webgpu import shader_source

    print(shader_source(), end="")
