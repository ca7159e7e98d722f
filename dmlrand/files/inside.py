"""Files inside a folder, by names such as "c/0/1", opened so that no component of the name can be a link."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, suppress

from .errors import RefusedFileError
from .opening import FOLDER, open_regular, open_within

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
            within, path = open_within(None, folder, folder, os.O_RDONLY | FOLDER), folder
            opened.callback(os.close, within)
            owners = (os.fstat(within).st_uid, os.geteuid())
            for part in folders:
                path = os.path.join(path, part)
                if flags & os.O_CREAT:
                    with suppress(FileExistsError):
                        os.mkdir(part, dir_fd=within)
                within = open_within(within, part, path, os.O_RDONLY | FOLDER)
                opened.callback(os.close, within)
                _check_owner(path, within, owners)
            path = os.path.join(path, last)
            if flags & os.O_CREAT:  # a new file: the old one may have a second name elsewhere
                with suppress(FileNotFoundError):
                    os.unlink(last, dir_fd=within)
                flags |= os.O_EXCL
            file = open_within(within, last, path, flags)
            try:
                _check_owner(path, file, owners)
            except BaseException:
                os.close(file)
                raise
            return file

    def _check_owner(path: str, file: int, owners: tuple[int, int]) -> None:
        if os.fstat(file).st_uid not in owners:
            raise RefusedFileError(path, "belongs to another user than its folder.")
