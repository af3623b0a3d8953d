"""Many runs of a model: what varies, and the measures of each run."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._errors import MechError, check, status_name, text_of
from ._mech import ffi, lib
from ._run import run_settings

if TYPE_CHECKING:
    from ._model import Model

Array = NDArray[np.float64]
Spread = Union[ArrayLike, "tuple[str, float, float]", "tuple[str, float, float, int]"]

_SPREADS = {"grid": lib.MECH_SPREAD_GRID, "log": lib.MECH_SPREAD_LOG, "uniform": lib.MECH_SPREAD_UNIFORM,
            "normal": lib.MECH_SPREAD_NORMAL}


class Sweep(Mapping[str, Array]):
    """The runs of a sweep: s["k"], s["peak"], one number a run.

    s.ok: which went well; s.reasons: of runs that failed, or that warn, their words, and of those that have
    a note, "note: " and the note. s.shape: of the grids, one after the other, then of the samples: s["peak"].reshape(s.shape). s.not_unique: measures that are one choice of many, as
    shares of constraints that depend on one another are, in one run at least."""

    def __init__(self, varied: tuple[str, ...], measures: tuple[str, ...], table: Array, status: tuple[str, ...],
                 reasons: Mapping[int, str], shape: tuple[int, ...], on: str,
                 not_unique: tuple[str, ...] = ()) -> None:
        self.varied, self.measures = varied, measures
        self.table = table  #: (runs, names): what varied, then the measures
        self.status = status  #: of each run, 'MECH_OK' or what failed
        self.ok = np.array([s == "MECH_OK" for s in status], dtype=bool)
        self.reasons = dict(reasons)
        self.shape = shape
        self.on = on  #: what made the runs: 'lanes', 'threads', ...
        self.not_unique = not_unique  #: measures that are one choice of many
        self._at = {name: i for i, name in enumerate(varied + measures)}

    def __getitem__(self, name: str) -> Array:
        if name not in self._at:
            raise KeyError(f"no column {name!r}; there are {', '.join(self._at)}")
        return self.table[:, self._at[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def __len__(self) -> int:
        return len(self._at)

    @property
    def runs(self) -> int:
        return int(self.table.shape[0])

    def __repr__(self) -> str:
        return f"<Sweep: {self.runs} runs over {', '.join(self.varied)}, {int((~self.ok).sum())} failed>"

    def to_pandas(self) -> Any:
        import pandas
        made = pandas.DataFrame(self.table, columns=list(self._at))
        made["status"] = list(self.status)
        made["reason"] = [self.reasons.get(i, "") for i in range(self.runs)]
        return made


def _vary(plan: Any, name: str, spread: Any) -> int:
    """One name into the plan; the number of its values, 0 where it is drawn."""
    if isinstance(spread, tuple) and spread and isinstance(spread[0], str):
        kind, numbers = spread[0], spread[1:]
        if kind not in _SPREADS or len(numbers) != (3 if kind in ("grid", "log") else 2):
            raise ValueError(f"{name} varies by an array, ('grid', a, b, n), ('log', a, b, n), ('uniform', a, b) or "
                             f"('normal', mean, deviation), not {spread!r}")
        count = int(numbers[2]) if len(numbers) == 3 else 0
        status = lib.mech_plan_vary(plan, name.encode(), _SPREADS[kind], numbers[0], numbers[1], count)
        check(status, text_of(lib.mech_plan_error_text(plan)))
        return count
    return _table(plan, {name: spread})


def _table(plan: Any, columns: Mapping[str, ArrayLike]) -> int:
    every = [np.ascontiguousarray(values, dtype=np.float64).ravel() for values in columns.values()]
    if not every or any(values.size != every[0].size for values in every):
        raise ValueError("the columns of a table have as many values each")
    data = np.ascontiguousarray(np.column_stack(every))
    kept = [ffi.new("char[]", name.encode()) for name in columns]
    status = lib.mech_plan_table(plan, ffi.new("char *[]", kept), len(kept),
                                 ffi.cast("double *", data.ctypes.data), data.shape[0])
    check(status, text_of(lib.mech_plan_error_text(plan)))
    return int(data.shape[0])


def sweep(model: "Model", vary: Optional[Mapping[str, Any]], table: Optional[Mapping[str, ArrayLike]], samples: int,
          sequence: str, seed: int, threads: int, on: str, settings: Mapping[str, Any]) -> Sweep:
    if not model.measures:
        raise ValueError("the model has no measure, so that nothing would be kept of a run: measure NAME: max of E")
    if sequence not in ("random", "sobol"):
        raise ValueError("sequence is 'random' or 'sobol'")
    made = ffi.new("mech_plan **")
    check(lib.mech_plan_create(model._system, made))
    plan = ffi.gc(made[0], lib.mech_plan_free)
    counts = [_vary(plan, name, spread) for name, spread in (vary or {}).items()]
    if table is not None:
        counts.append(_table(plan, table))
    if 0 in counts:
        if samples < 1:
            raise ValueError("how often is to be drawn? samples=1000, for one")
        kind = lib.MECH_SEQUENCE_SOBOL if sequence == "sobol" else lib.MECH_SEQUENCE_RANDOM
        check(lib.mech_plan_sample(plan, samples, kind, seed), text_of(lib.mech_plan_error_text(plan)))
    elif samples:
        raise ValueError("samples are for what is drawn: ('uniform', a, b) or ('normal', mean, deviation)")
    runs, columns = lib.mech_plan_runs(plan), lib.mech_plan_columns(plan)
    if runs == 0:
        raise ValueError("what is to vary? vary={'k': [1, 2, 3]}")
    how = ffi.new("mech_ensemble_settings *")
    lib.mech_ensemble_settings_default(how, ffi.sizeof("mech_ensemble_settings"))
    run = run_settings(**settings)
    how.run, how.threads, how.on = run, threads, lib.mech_on_find(on.encode())
    if how.on == lib.MECH_ON_COUNT or how.on == lib.MECH_ON_MPI:
        raise ValueError("on is 'auto', 'lanes', 'threads' or 'cuda'")
    width = columns + len(model.measures)
    numbers, status = np.full((runs, width), np.nan), np.zeros(runs, dtype=np.int32)
    kept = ffi.gc(lib.bridge_runs_create(runs, columns, len(model.measures)), lib.bridge_runs_free)
    if kept == ffi.NULL:
        raise MemoryError("out of memory")
    info, flag = ffi.new("mech_ensemble_info *"), ffi.new("sig_atomic_t *")
    is_main = threading.current_thread() is threading.main_thread()
    went = lib.bridge_sweep(plan, how, info, ffi.cast("double *", numbers.ctypes.data),
                            ffi.cast("int *", status.ctypes.data), kept, flag, int(is_main))
    if flag[0]:
        raise KeyboardInterrupt
    if went == lib.MECH_ERR_UNSUPPORTED:
        raise MechError(status_name(went), f"on {on}: {text_of(info.why)}")
    check(went)
    words = {i: text_of(lib.bridge_runs_reason(kept, i)) for i in range(runs)
             if lib.bridge_runs_reason(kept, i) != ffi.NULL}
    named = {code: status_name(int(code)) for code in np.unique(status)}
    shape = tuple(count for count in counts if count) + ((samples,) if samples else ())
    return Sweep(tuple(text_of(lib.mech_plan_name(plan, i)) for i in range(columns)), model.measures, numbers,
                 tuple(named[code] for code in status), words, shape, text_of(lib.mech_on_word(info.on)),
                 tuple(name for i, name in enumerate(model.measures) if lib.bridge_runs_is_choice(kept, i)))
