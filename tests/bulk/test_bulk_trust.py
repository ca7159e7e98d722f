"""Links and files that another user may have put beside or into the files of a fill. bulk 3.6, 3.7 and 9.6"""

import os
import re
import shutil
from pathlib import Path

import pytest
from fills import STATE, interrupt, names
from systems import posix

from dmlrand import fill_file, random_generator
from dmlrand.bulk import FillError, fill_status

OTHER_USER = 65534
CHUNKS = {"chunks": 10}

posix_only = posix("links that every user may make, and owners")
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files to another user"
)


def tree(folder):
    """All files and links below a folder, with their content."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.is_file() and path.read_bytes()
        for path in folder.rglob("*")
    }


def refuses(path, message, **options):
    before = tree(path.parent)
    with pytest.raises(FillError, match=f"^{re.escape(message)}"):
        fill_file(path, STATE, 100, **options)
    assert tree(path.parent) == before


def begun(folder, name="f.zarr", **options):
    """A fill of 400 bytes, of which at least 200 are recorded."""
    path = folder / name
    interrupt(path, STATE, 100, at=280, flush_bytes=40, **options)
    return path, Path(f"{path}.filling")


def start_again(path):
    return f"To start again, remove '{path}.progress' and '{path}.filling'."


def linked(folder, place):
    """Move a folder of the fill elsewhere, beside a file that must not change, and put a link in its place."""
    shutil.move(place, folder / "elsewhere")
    (folder / "elsewhere" / "9").write_bytes(b"not yours")
    place.symlink_to(folder / "elsewhere")


@posix_only
@pytest.mark.parametrize("component", ["", "c"])
def test_no_component_of_the_temporary_folder_may_be_a_link(tmp_path, component):
    """bulk 9.6"""
    path, temporary = begun(tmp_path, **CHUNKS)
    place = Path(f"{temporary}/{component}".rstrip("/"))
    linked(tmp_path, place)
    message = f"'{place}' must be a folder; got a symbolic link. {start_again(path)}"
    refuses(path, message, **CHUNKS)
    assert (tmp_path / "elsewhere" / "9").read_bytes() == b"not yours"


@posix_only
@pytest.mark.parametrize("component", ["c", "c/1"])
def test_a_link_where_a_folder_of_later_chunks_is_made(tmp_path, component):
    """bulk 9.6: the progress file records no chunk, so none is read. The first write through a link is refused."""
    path, elsewhere = tmp_path / "f.zarr", tmp_path / "elsewhere"
    interrupt(path, STATE, (4, 25), at=0, chunks=(1, 5))
    place = Path(f"{path}.filling", component)
    place.parent.mkdir(parents=True, exist_ok=True)
    elsewhere.mkdir()
    (elsewhere / "0").write_bytes(b"not yours")
    place.symlink_to(elsewhere)
    message = f"'{place}' must be a folder; got a symbolic link. {start_again(path)}"
    with pytest.raises(FillError, match=f"^{re.escape(message)}$"):
        fill_file(path, STATE, (4, 25), chunks=(1, 5))
    assert tree(elsewhere) == {"0": b"not yours"}


@posix_only
@pytest.mark.parametrize("make", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_a_chunk_that_is_a_second_name_of_another_file_does_not_change_it(tmp_path, make):
    """bulk 9.6: chunks that are not recorded are removed, and written as new files."""
    path, temporary = begun(tmp_path, **CHUNKS)
    (tmp_path / "mine").write_bytes(b"not yours")
    (temporary / "c" / "8").unlink(missing_ok=True)
    make(tmp_path / "mine", temporary / "c" / "8")
    fill_file(path, STATE, 100, **CHUNKS)
    assert (tmp_path / "mine").read_bytes() == b"not yours"
    assert (path / "c" / "8").read_bytes() == random_generator(STATE, 100).values[80:90].astype("<u4").tobytes()


@posix_only
def test_a_finished_array_that_is_reached_through_a_link_is_not_taken_for_ours(tmp_path):
    """bulk 9.4 and 9.6"""
    path = tmp_path / "f.zarr"
    fill_file(path, STATE, 100, **CHUNKS)
    (path / "c").rename(tmp_path / "elsewhere")
    (path / "c").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError, match="Remove it, or name another folder"):
        fill_file(path, STATE, 100, **CHUNKS)


ANOTHER = "belongs to another user, and others may write to its folder. Use a folder of your own."


@posix_only
@as_root
@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775])
@pytest.mark.parametrize("end", [".filling", ".progress"])
@pytest.mark.parametrize(("name", "options"), [("f.bin", {}), ("f.zarr", CHUNKS)], ids=["file", "zarr"])
def test_where_others_may_write_only_own_files_are_resumed(tmp_path, name, options, end, mode):
    """bulk 3.7"""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(mode)
    path, _ = begun(shared, name, **options)
    os.chown(f"{path}{end}", OTHER_USER, -1)
    message = f"'{path}{end}' {ANOTHER} {start_again(path)}"
    refuses(path, message, **options)
    if end == ".progress":  # the command line asks for the status first
        with pytest.raises(FillError, match=f"^{re.escape(message)}$"):
            fill_status(path, STATE, 100, **options)
    shared.chmod(0o755)  # now only this user can have put the files there
    fill_file(path, STATE, 100, **options)
    assert names(shared) == [name]


@posix_only
@as_root
def test_an_empty_file_of_another_user_is_not_filled(tmp_path):
    """bulk 3.7: its owner could change it during the fill."""
    path = tmp_path / "f.bin"
    tmp_path.chmod(0o1777)
    Path(f"{path}.filling").write_bytes(b"")
    os.chown(f"{path}.filling", OTHER_USER, -1)
    refuses(path, f"'{path}.filling' {ANOTHER}")


@posix_only
@as_root
def test_a_folder_of_another_user_is_one_where_others_may_write(tmp_path):
    """bulk 3.7"""
    path, _ = begun(tmp_path, "f.bin")
    os.chown(f"{path}.progress", OTHER_USER, -1)
    tmp_path.chmod(0o755)
    os.chown(tmp_path, OTHER_USER, -1)
    refuses(path, f"'{path}.progress' {ANOTHER}")


@posix_only
@as_root
@pytest.mark.parametrize("inner", ["c", "c/3", "zarr.json"])
def test_inside_the_temporary_folder_all_has_one_owner(tmp_path, inner):
    """bulk 9.6"""
    path, temporary = begun(tmp_path, **CHUNKS)
    os.chown(temporary / inner, OTHER_USER, -1)
    if inner == "zarr.json":  # it is not read, and is replaced by a new file
        fill_file(path, STATE, 100, **CHUNKS)
        assert (path / inner).stat().st_uid == os.geteuid()
    else:
        refuses(path, f"'{temporary / inner}' belongs to another user than its folder.", **CHUNKS)


@posix_only
@as_root
def test_an_array_of_another_user_is_not_taken_for_ours_where_others_may_write(tmp_path):
    """bulk 9.4 and 9.6"""
    path = tmp_path / "f.zarr"
    fill_file(path, STATE, 100, **CHUNKS)
    os.chown(path, OTHER_USER, -1)
    for place in path.rglob("*"):
        os.chown(place, OTHER_USER, -1)
    tmp_path.chmod(0o755)
    fill_file(path, STATE, 100, **CHUNKS)
    tmp_path.chmod(0o1777)
    with pytest.raises(FileExistsError, match="Remove it, or name another folder"):
        fill_file(path, STATE, 100, **CHUNKS)
