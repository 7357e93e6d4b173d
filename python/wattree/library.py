"""libwattree.so by ctypes: what the C++ side does better, or alone can do. Its headers are include/wattree/*.h."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import os
import pathlib

NAME = "libwattree.so"
VARIABLE = "WATTREE_LIBRARY"


class LibraryError(RuntimeError):
    """libwattree.so is not there, or is not it. The message says where it was looked for and what can be done."""


class Tensor(ctypes.Structure):
    _fields_ = [("element_bytes", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("sizes", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64))]


class Cost(ctypes.Structure):
    _fields_ = [("flops", ctypes.c_int64), ("matmul_flops", ctypes.c_int64), ("bytes", ctypes.c_int64)]


_FUNCTIONS: dict[str, tuple[object, list]] = {
    "wattree_epoch_begin": (None, [ctypes.c_char_p]),
    "wattree_epoch_end": (None, []),
    "wattree_step_begin": (None, [ctypes.c_char_p]),
    "wattree_step_end": (None, [ctypes.c_char_p]),
    "wattree_is_tracked": (ctypes.c_int, []),
    "wattree_is_paused": (ctypes.c_int, []),
    "wattree_op_cost": (ctypes.c_int, [ctypes.c_char_p, ctypes.POINTER(Tensor), ctypes.c_size_t, ctypes.POINTER(Tensor),
                                       ctypes.c_size_t, ctypes.POINTER(Cost)]),
}


def library_path() -> str:
    """$WATTREE_LIBRARY, or the library beside this package, or the system's."""
    if given := os.environ.get(VARIABLE):
        return given
    beside = pathlib.Path(__file__).resolve().parent / NAME
    if beside.exists():
        return str(beside)
    return ctypes.util.find_library("wattree") or NAME


def load_library() -> ctypes.CDLL:
    """The library, loaded once for each path."""
    return _load(library_path())


@functools.cache
def _load(path: str) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        where = (f"${VARIABLE} is {path}" if os.environ.get(VARIABLE)
                 else f"it is neither beside the package ({pathlib.Path(__file__).resolve().parent}) nor among the system's")
        raise LibraryError(f"{NAME} cannot be loaded: {where} ({error}). Build it with `make build` and set {VARIABLE} to "
                           f"build/release/lib/{NAME}, or copy it beside the package.") from error
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError as error:
            raise LibraryError(f"{path} has no {name}: it is not Wattree's, or older than this package. "
                               "Build it again with `make build`.") from error
        function.restype, function.argtypes = result, arguments
    return library
