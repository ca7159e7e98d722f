"""Calls of Windows that Python lacks: locks, and files that can be renamed while they are open.

On other systems the module is empty.
"""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import wintypes
from typing import Any

# Locks of Windows are mandatory: no other process may read or write a locked byte. Therefore the locked byte is one
# that no file has: files end before 2**63 bytes.
_LOCKED_BYTE = 2**63 - 2
_FAIL_IMMEDIATELY, _EXCLUSIVE = 1, 2
_IS_LOCKED = (33, 997)  # ERROR_LOCK_VIOLATION, ERROR_IO_PENDING
_NO_LOCKS = (1, 50)  # ERROR_INVALID_FUNCTION, ERROR_NOT_SUPPORTED: from disks without locks
_READ, _WRITE = 0x80000000, 0x40000000
_SHARE_READ_WRITE_DELETE = 7
_CREATE_NEW, _OPEN_EXISTING, _OPEN_ALWAYS = 1, 3, 4
_NORMAL = 0x80


if sys.platform == "win32":
    import msvcrt

    class _Overlapped(ctypes.Structure):
        _fields_ = [(name, ctypes.c_void_p) for name in ("Internal", "InternalHigh")]
        _fields_ += [("Offset", wintypes.DWORD), ("OffsetHigh", wintypes.DWORD), ("hEvent", wintypes.HANDLE)]

    def _kernel32() -> Any:
        library = ctypes.WinDLL("kernel32", use_last_error=True)
        dword, handle = wintypes.DWORD, wintypes.HANDLE
        library.CreateFileW.argtypes = [wintypes.LPCWSTR, dword, dword, ctypes.c_void_p, dword, dword, handle]
        library.CreateFileW.restype = handle
        library.LockFileEx.argtypes = [handle, dword, dword, dword, dword, ctypes.POINTER(_Overlapped)]
        return library

    def open_renamable(path: str, flags: int) -> int:
        """os.open for a file that can be renamed and removed while it is open. Python's os.open prevents both.

        Only the flags O_CREAT, O_EXCL, O_RDONLY, O_WRONLY and O_RDWR have an effect.
        """
        access = {os.O_RDONLY: _READ, os.O_WRONLY: _WRITE, os.O_RDWR: _READ | _WRITE}[flags & (os.O_WRONLY | os.O_RDWR)]
        disposition = _OPEN_EXISTING if not flags & os.O_CREAT else _CREATE_NEW if flags & os.O_EXCL else _OPEN_ALWAYS
        handle = _kernel32().CreateFileW(path, access, _SHARE_READ_WRITE_DELETE, None, disposition, _NORMAL, None)
        if handle == wintypes.HANDLE(-1).value:
            number = ctypes.WinError(ctypes.get_last_error()).errno or 0
            raise OSError(number, os.strerror(number), path)  # as os.open words it
        return msvcrt.open_osfhandle(handle, flags)

    def try_lock(file: int, shared: bool) -> bool | None:
        """Lock an open file: True, False if another process has it, None on a disk without locks."""
        byte = _Overlapped(None, None, _LOCKED_BYTE & 0xFFFFFFFF, _LOCKED_BYTE >> 32, None)
        kind = _FAIL_IMMEDIATELY | (0 if shared else _EXCLUSIVE)
        if _kernel32().LockFileEx(msvcrt.get_osfhandle(file), kind, 0, 1, 0, ctypes.byref(byte)):
            return True
        code = ctypes.get_last_error()
        if code in _IS_LOCKED:
            return False
        if code in _NO_LOCKS:
            return None
        raise ctypes.WinError(code)

    def long_paths_enabled() -> bool:
        """Whether this process may use paths of more than 259 characters, which Windows 10 and later can allow."""
        try:
            return bool(ctypes.WinDLL("ntdll").RtlAreLongPathsEnabled() & 0xFF)
        except AttributeError:  # Windows before 10, and Wine
            return False
