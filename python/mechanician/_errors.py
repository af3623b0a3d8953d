"""Failures as exceptions, with the place and what to do."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

from ._mech import ffi, lib


class Diagnostic(NamedTuple):
    """What is wrong with a model, where, and what to do."""

    severity: str  #: 'note', 'warning' or 'error'
    file: Optional[str]
    line: int  #: from 1; 0: no place
    column: int  #: in characters, from 1
    length: int
    message: str
    hint: Optional[str]


class MechError(Exception):
    """A failure of the library. `status` is its name, for instance 'MECH_ERR_CONFLICT'; `diagnostics` says where in
    the text of a model; `result` holds the rows of a run up to its failure."""

    def __init__(self, status: str, message: str, diagnostics: tuple[Diagnostic, ...] = (), result: Any = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.diagnostics = diagnostics
        self.result = result

    def __reduce__(self) -> Any:
        return MechError, (self.status, self.message, self.diagnostics, self.result)


def text_of(pointer: Any) -> str:
    """A borrowed text."""
    return "" if pointer == ffi.NULL else str(ffi.string(pointer).decode("utf-8"))


def take_text(pointer: Any) -> str:
    """A text that is handed over."""
    made = text_of(pointer)
    lib.mech_text_free(pointer)
    return made


def status_name(status: int) -> str:
    return text_of(lib.mech_status_name(status))


def check(status: int, words: str = "") -> None:
    """Raises what a call failed of; words: more than the status says."""
    if status == lib.MECH_OK:
        return
    if status == lib.MECH_ERR_MEMORY:
        raise MemoryError("out of memory")
    raise MechError(status_name(status), words or text_of(lib.mech_status_text(status)))


def diagnostics_of(list_: Any) -> tuple[Diagnostic, ...]:
    made = []
    for i in range(lib.mech_diagnostics_count(list_)):
        d = lib.mech_diagnostics_get(list_, i)
        made.append(Diagnostic(("note", "warning", "error")[d.severity], text_of(d.file) or None, d.line, d.column,
                               d.length, text_of(d.message), text_of(d.hint) or None))
    return tuple(made)
