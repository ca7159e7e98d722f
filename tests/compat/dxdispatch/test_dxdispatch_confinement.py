"""Which files a model reads and writes, with and without confinement. specs/dxdispatch.md, section 7"""

import json
import os
import re

import numpy as np
import pytest
from commands import contents, process
from models import model, run, save
from systems import POSIX, posix

from dmlrand import cli
from dmlrand.compat.dxdispatch import ModelError, run_model
from dmlrand.files.names import quoted

links = posix("links that every user may make")


@pytest.fixture
def inside(tmp_path):
    """A model's folder with a file, a file outside the folder, and links that lead out of the folder and back."""
    folder = tmp_path / "inside"
    (folder / "below").mkdir(parents=True)
    (tmp_path / "inside-too").mkdir()  # its name begins with the folder's name
    np.array([1], "<u4").tofile(folder / "r.bin")
    for out in ("outside.bin", "inside-too/r.bin"):
        np.array([2], "<u4").tofile(tmp_path / out)
    if POSIX:
        (folder / "link.bin").symlink_to(tmp_path / "outside.bin")
        (folder / "link").symlink_to(tmp_path)
        (folder / "new.bin").symlink_to(tmp_path / "new.bin")  # to nothing yet
        (folder / "back.bin").symlink_to("r.bin")
    return folder


def source(path):
    return model(commands=[], R={"initialValuesDataType": "UINT32", "initialValues": {"sourcePath": path}})


INSIDE = ["r.bin", "./r.bin", "below/../r.bin", "../inside/r.bin", "{inside}/r.bin"]
OUTSIDE = ["../outside.bin", "below/../../outside.bin", "{inside}/../outside.bin", "../inside-too/r.bin"]
LINKS = [pytest.param(path, marks=links) for path in ("link.bin", "link/outside.bin", "link/inside-too/r.bin")]


@pytest.mark.parametrize("path", [*INSIDE, pytest.param("back.bin", marks=links)])
def test_a_confined_model_reads_files_of_its_folder(inside, path):
    """dxdispatch 7.2"""
    assert run(inside, source(path.format(inside=inside)), confine=True)[1]["R"] == [1]


@pytest.mark.parametrize("path", [*OUTSIDE, *LINKS])
def test_a_confined_model_reads_no_other_files(inside, path):
    """dxdispatch 7.1, 7.2: without confinement it reads them."""
    path = path.format(inside=inside)
    assert run(inside, source(path))[1]["R"] == [2]
    message = (
        f"resources.R.initialValues.sourcePath must be inside input_path, {quoted(inside)}, because the run is "
        "confined; "
        f"got {json.dumps(path)}. Name a file inside it, or run without confine."
    )
    if len(json.dumps(path)) <= 60:  # longer paths are shortened in the message
        with pytest.raises(ModelError, match=f"^{re.escape(message)}$"):
            run(inside, source(path), confine=True)
    with pytest.raises(ModelError, match=r"^resources\.R\.initialValues\.sourcePath must be inside input_path, "):
        run(inside, source(path), confine=True)


def test_a_confined_model_does_not_look_into_the_current_directory(inside, monkeypatch):
    """dxdispatch 7.2"""
    monkeypatch.chdir(inside.parent)
    assert run(inside, source("outside.bin"))[1]["R"] == [2]
    with pytest.raises(
        ModelError, match=r"sourcePath must name a file of initial values that can be read; .*(No such file|WinError 2)"
    ):
        run(inside, source("outside.bin"), confine=True)
    assert run(inside, source("outside.bin"), input_path=inside.parent, confine=True)[1]["R"] == [2]


@pytest.mark.parametrize(
    "path", ["new.npy", "below/new.npy", "made/here/new.npy", "../inside/new.npy", "made/../new.npy"]
)
def test_a_confined_model_writes_files_of_the_output_folder(inside, path):
    """dxdispatch 7.2"""
    run(inside, model(out=4, commands=[save("Out", path)]), confine=True)
    assert np.load(inside / path.replace("made/..", ".")).tolist() == [0] * 4


@pytest.mark.parametrize(
    "path",
    ["../new.bin", "made/../../new.bin", "{inside}/../new.bin", "../inside-too/new.bin"]
    + [pytest.param(path, marks=links) for path in ("new.bin", "link.bin", "link/new.bin", "link/made/new.bin")],
)
def test_a_confined_model_writes_no_other_files(inside, path):
    """dxdispatch 7.1, 7.2: no earlier file either, and no folder. Without confinement it writes them."""
    path = path.format(inside=inside)
    before = {name: contents(folder) for name, folder in [("in", inside), ("out", inside.parent)]}
    tree = model(commands=[save("Out", "first.npy"), save("Out", path)])
    with pytest.raises(ModelError, match=r"^commands\[1\]\.targetPath must be inside output_path, "):
        run(inside, tree, confine=True)
    (inside / "model.json").unlink()
    assert {name: contents(folder) for name, folder in [("in", inside), ("out", inside.parent)]} == before
    run(inside, tree)
    assert os.path.getsize(os.path.normpath(inside / path)) == 32


@links
def test_the_input_and_the_output_folder_may_be_links(inside, tmp_path):
    """dxdispatch 7.2"""
    (tmp_path / "same").symlink_to(inside)
    options = {"input_path": tmp_path / "same", "output_path": tmp_path / "same", "confine": True}
    tree = source("r.bin")
    tree["commands"] = [save("R", "new.npy")]
    assert run(inside, tree, **options)[1]["R"] == [1]
    assert np.load(inside / "new.npy").tolist() == [1]


def test_names_that_no_file_can_have(inside):
    """dxdispatch 6.1"""
    for tree in (source("nul\0.bin"), model(commands=[save("Out", "nul\0.bin")])):
        with pytest.raises(ModelError):
            run(inside, tree, confine=True)


@pytest.mark.parametrize("value", [None, 0, 1, "yes"])
def test_confine_is_a_flag(inside, value):
    with pytest.raises(TypeError, match=f"^confine must be True or False; got {value!r}.$"):
        run(inside, model(), confine=value)


def test_confinement_on_the_command_line(inside, monkeypatch, capsys):
    """dxdispatch 1.4, 7.2"""
    monkeypatch.chdir(inside)
    (inside / "model.json").write_text(json.dumps(model(commands=[save("Out", "../new.npy")])))
    assert cli.main(["dispatch", "model.json", "--confine"]) == 2
    assert "commands[0].targetPath must be inside output_path, " in capsys.readouterr().err
    assert not os.path.exists("../new.npy")
    assert cli.main(["dispatch", "model.json"]) == 0
    assert os.path.exists("../new.npy")


def test_help_says_that_a_model_may_name_any_file(capsys):
    """dxdispatch 7.1"""
    with pytest.raises(SystemExit):
        cli.main(["dispatch", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "sourcePath and targetPath may name any file that you may read or replace" in text
    assert "--confine refuse source files outside the input folder" in text


@posix("pipes and devices that have names")
@pytest.mark.parametrize("name", ["pipe.bin", "pipe.npy", "/dev/zero"])
def test_a_source_that_is_not_a_regular_file_is_an_error(tmp_path, name):
    """dxdispatch 7.3: to read a pipe would wait, and a device may have no end. The process may take a minute."""
    (tmp_path / "model.json").write_text(json.dumps(source(name)))
    if "pipe" in name:
        os.mkfifo(tmp_path / name)
    ran = process("dispatch", "model.json", cwd=tmp_path, capture_output=True, timeout=60, preexec_fn=limit_memory)
    assert ran.returncode == 2
    assert b"sourcePath must name a file of initial values that can be read; got" in ran.stderr
    assert b"must be a regular file; got a " in ran.stderr


@posix("pipes that have names")
def test_a_model_that_is_not_a_regular_file_is_an_error(tmp_path):
    """dxdispatch 7.3: to open a pipe would wait for a writer."""
    os.mkfifo(tmp_path / "model.json")
    ran = process("dispatch", "model.json", cwd=tmp_path, capture_output=True, timeout=60)
    assert ran.returncode == 2
    assert b"the model file cannot be read: 'model.json' must be a regular file; got a pipe. Copy its" in ran.stderr


def limit_memory():
    """A limit, because a device without end would fill the memory."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def test_run_model_is_not_confined_by_default(inside):
    """dxdispatch 7.1"""
    (inside / "model.json").write_text(json.dumps(model(commands=[save("Out", "../new.bin")])))
    run_model(inside / "model.json", output_path=inside, log=str)
    assert (inside.parent / "new.bin").exists()
