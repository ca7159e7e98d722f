"""Openers for the files of a fill, which must not come from another user."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, suppress

from ..files.errors import RefusedFileError
from ..files.opening import FOLDER, checked, open_regular


def open_own(path: str, flags: int, mode: int = 0o666) -> int:
    """open_regular for a file that must not come from another user: RefusedFileError by check_owner.

    A file that this call creates is trusted on every disk. Some disks give all files to one user.
    """
    while flags & os.O_CREAT:
        with suppress(FileExistsError):
            return open_regular(path, flags | os.O_EXCL, mode)
        with suppress(FileNotFoundError):  # removed between the two calls
            return open_own(path, flags & ~os.O_CREAT, mode)
    return checked(open_regular(path, flags, mode), lambda status: check_owner(path, status))


def check_owner(path: str, status: os.stat_result) -> None:
    """Refuse another user's file in a folder where others may write. `path` is absolute. Not checked on Windows."""
    if sys.platform == "win32":
        return
    user, folder = os.geteuid(), os.stat(os.path.dirname(path))
    if status.st_uid != user and (folder.st_mode & 0o022 or folder.st_uid not in (user, 0)):
        problem = "belongs to another user, and others may write to its folder. Use a folder of your own."
        raise RefusedFileError(path, problem)


if sys.platform == "win32":

    def open_inside(folder: str, name: str, flags: int) -> int:
        """As below. Windows opens no file relative to an open folder, so the whole path is checked, then opened."""
        path = os.path.join(folder, os.path.normpath(name))
        parent = os.path.dirname(path)
        if os.path.normcase(os.path.realpath(parent)) != os.path.normcase(parent):
            raise RefusedFileError(parent, "must be a folder; got a link.")
        if flags & os.O_CREAT:
            os.makedirs(parent, exist_ok=True)
            with suppress(FileNotFoundError):  # open_regular does not truncate an old file
                os.unlink(path)
        return open_regular(path, flags)

else:

    def open_inside(folder: str, name: str, flags: int) -> int:
        """Open the regular file `name` inside `folder`. With O_CREAT make its folders, and replace an old file.

        RefusedFileError if a component, from `folder` on, is a link or of another kind, or belongs neither to this user
        nor to the owner of `folder`. Each component is opened relative to the folder before it, so no process can put a
        link into the path during this call.
        """
        *folders, last = name.split("/")
        with ExitStack() as opened:
            within, path = open_regular(folder, os.O_RDONLY | FOLDER), folder
            opened.callback(os.close, within)
            owners = (os.fstat(within).st_uid, os.geteuid())
            for part in folders:
                path = os.path.join(path, part)
                within = _open_folder(within, part, path, create=bool(flags & os.O_CREAT))
                opened.callback(os.close, within)
                _check_owner(path, os.fstat(within), owners)
            path = os.path.join(path, last)
            if flags & os.O_CREAT:  # a new file: the old one may have a second name elsewhere
                with suppress(FileNotFoundError):
                    os.unlink(last, dir_fd=within)
                flags |= os.O_EXCL
            file = open_regular(last, flags, within=within, path=path)
            return checked(file, lambda status: _check_owner(path, status, owners))

    def _open_folder(within: int, name: str, path: str, create: bool) -> int:
        if create:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=within)
        return open_regular(name, os.O_RDONLY | FOLDER, within=within, path=path)

    def _check_owner(path: str, status: os.stat_result, owners: tuple[int, int]) -> None:
        if status.st_uid not in owners:
            raise RefusedFileError(path, "belongs to another user than its folder.")
