"""Runs: whole ones, and such that are driven from outside."""
from __future__ import annotations

import math
import re
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Iterable, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._errors import MechError, check, status_name, text_of
from ._mech import ffi, lib

if TYPE_CHECKING:
    from ._model import Input, Model

Array = NDArray[np.float64]

_COLUMNS = {"accelerations": lib.MECH_COLUMNS_ACCELERATIONS, "multipliers": lib.MECH_COLUMNS_MULTIPLIERS,
            "forces": lib.MECH_COLUMNS_FORCES, "residuals": lib.MECH_COLUMNS_RESIDUALS}
_HAPPENED = ("event", "switch", "stick", "slip", "impact", "contact", "release", "method", "singular", "beyond", "note")


class Event(NamedTuple):
    """What happened in a run."""

    kind: str  #: 'event', 'switch', 'stick', 'slip', 'impact', ...
    t: float
    text: str
    name: Optional[str]


class Result:
    """The rows of a run, and its account.

    r.t; r["x"], r["x'"], r["energy"]; r["x"] of a vector x[1], x[2], ... is a table. r.table: all rows and columns."""

    def __init__(self, names: Sequence[str], units: Sequence[Optional[str]], table: Array, events: Sequence[Event],
                 info: Mapping[str, Any], warning: str, measures: Optional[Mapping[str, float]] = None,
                 not_unique: Sequence[str] = ()) -> None:
        self.names = tuple(names)
        self.units = dict(zip(names, units))
        self.table = table
        self.events = tuple(events)
        self.info = SimpleNamespace(**info)
        self.warning = warning  #: "", or that the account of energy does not close
        self.measures = dict(measures or {})  #: what the model keeps of a run, so far
        self.not_unique = tuple(not_unique)  #: columns whose values are one choice of many
        self._at = {name: i for i, name in enumerate(self.names)}

    @property
    def t(self) -> Array:
        return self["t"]

    def __getitem__(self, name: str) -> Array:
        if name in self._at:
            return self.table[:, self._at[name]]
        stem, prime = (name.rstrip("'"), name[len(name.rstrip("'")):])
        form = re.compile(re.escape(stem) + r"\[[\d,]+\]" + prime)
        columns = [i for i, other in enumerate(self.names) if form.fullmatch(other)]
        if not columns:
            raise KeyError(f"no column {name!r}; there are {', '.join(self.names)}")
        return self.table[:, columns]

    def __contains__(self, name: str) -> bool:
        return name in self._at

    def __len__(self) -> int:
        return int(self.table.shape[0])

    def __repr__(self) -> str:
        return f"<Result: {len(self)} rows of {len(self.names)} columns, t = {self.t[0]:g} to {self.t[-1]:g}>" \
            if len(self) else "<Result: no rows>"

    def to_pandas(self) -> Any:
        import pandas
        return pandas.DataFrame(self.table, columns=list(self.names)).set_index("t")

    def plot(self, *names: str, axes: Any = None) -> Any:
        """Columns over time, by matplotlib; without names the coordinates and outputs."""
        import matplotlib.pyplot
        axes = axes if axes is not None else matplotlib.pyplot.subplots()[1]
        for name in names or self.names[1:2]:
            axes.plot(self.t, self[name], label=f"{name} [{self.units[name]}]" if self.units.get(name) else name)
        axes.set_xlabel("t")
        axes.legend()
        return axes


def run_settings(until: Optional[float] = None, start: Optional[float] = None, rtol: Optional[float] = None,
                 atol: Optional[float] = None, max_step: Optional[float] = None, first_step: Optional[float] = None,
                 resolution: Optional[float] = None, method: Optional[str] = None) -> Any:
    """Settings of a run, as the library has them."""
    settings = ffi.new("mech_sim_settings *")
    lib.mech_sim_settings_default(settings, ffi.sizeof("mech_sim_settings"))
    given = {"until": until, "from": start, "rtol": rtol, "atol": atol, "max_step": max_step,
             "first_step": first_step, "resolution": resolution}
    for name, value in given.items():
        if value is not None:
            setattr(settings, name, float(value))
    if method is not None:
        settings.method = lib.mech_method_find(method.encode())
        if settings.method == lib.MECH_METHOD_COUNT:
            raise ValueError(f"there is no method {method!r}: auto, rk8, rk5, bdf, adams, irk")
    return settings


class Simulation:
    """A run that stands between two advances, where inputs, parameters and constraints may be changed.

    until: end of the run (default: what the model says; math.inf: none). start: time of the beginning.
    rtol, atol, max_step, first_step, resolution: as in `simulate`. method: 'auto', 'rk8', 'rk5', 'bdf', ...
    points or step: how many rows, or the time between them. columns: of 'accelerations', 'multipliers', 'forces',
    'residuals'. params: values of parameters. inputs: a number (held), or a function of (t, q, v, z).
    q, v, z: where to start. rows_at_events: rows before and after each event (default: yes)."""

    def __init__(self, model: "Model", *, until: Optional[float] = None, start: Optional[float] = None,
                 rtol: Optional[float] = None, atol: Optional[float] = None, max_step: Optional[float] = None,
                 first_step: Optional[float] = None, resolution: Optional[float] = None, method: Optional[str] = None,
                 points: int = 0, step: float = 0.0, columns: Iterable[str] = (), rows_at_events: bool = True,
                 params: Optional[Mapping[str, float]] = None, inputs: Optional[Mapping[str, "Input"]] = None,
                 q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None, z: Optional[ArrayLike] = None) -> None:
        from ._model import _pointer, _vector
        self._model = model
        settings = run_settings(until, start, rtol, atol, max_step, first_step, resolution, method)
        settings.output_points, settings.output_step = int(points), float(step)
        settings.rows_at_events = int(rows_at_events)
        settings.follow = lib.MECH_FOLLOW_ROWS
        for name in [columns] if isinstance(columns, str) else columns:
            if name not in _COLUMNS:
                raise ValueError(f"there are no columns {name!r}: {', '.join(_COLUMNS)}")
            settings.columns |= _COLUMNS[name]
        self._flag = ffi.new("sig_atomic_t *")
        settings.interrupt = settings.interrupt_now = self._flag
        made = ffi.new("mech_sim **")
        check(lib.mech_sim_create(model._system, settings, made))
        self._sim = ffi.gc(made[0], lib.mech_sim_free)
        self._law: Any = None
        self._has_started = False
        for name, value in (params or {}).items():
            self.set_param(name, value)
        self._set_inputs(inputs or {})
        if q is not None or v is not None or z is not None:
            n = model._sizes.coords
            kept = [None if a is None else _vector(a, k, w) for a, k, w in
                    ((q, n, "q"), (v, n, "v"), (z, model._sizes.states, "z"))]
            self._check(lib.mech_sim_set_start(self._sim, *(ffi.NULL if a is None else _pointer(a) for a in kept), 0))

    # ---- what is set ----

    def _check(self, status: int) -> None:
        if status != lib.MECH_OK:
            check(status, text_of(lib.mech_sim_error_text(self._sim)))

    def _find(self, item: int, name: str, what: str) -> int:
        at: int = lib.mech_system_find(self._model._system, item, name.encode())
        if at == int(ffi.cast("size_t", -1)):
            raise KeyError(f"there is no {what} {name!r}")
        return at

    def set_param(self, name: str, value: float) -> None:
        self._check(lib.mech_sim_set_param(self._sim, self._find(lib.MECH_ITEM_PARAM, name, "parameter"), value))

    def set_input(self, name: str, value: float) -> None:
        """Held at this value until it is set again."""
        self._check(lib.mech_sim_set_input(self._sim, self._find(lib.MECH_ITEM_INPUT, name, "input"), value))

    def set_active(self, constraint: str, is_active: bool) -> None:
        """A constraint is in force, or released."""
        at = self._find(lib.MECH_ITEM_CONSTRAINT, constraint, "constraint")
        self._check(lib.mech_sim_set_active(self._sim, at, int(is_active)))

    def set_state(self, q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None,
                  z: Optional[ArrayLike] = None) -> None:
        """Another state, now; it is moved onto the constraints."""
        from ._model import _pointer, _vector
        n, states = self._model._sizes.coords, self._model._sizes.states
        kept = [None if a is None else _vector(a, k, w) for a, k, w in ((q, n, "q"), (v, n, "v"), (z, states, "z"))]
        self._begin()
        self._check(lib.mech_sim_set_state(self._sim, *(ffi.NULL if a is None else _pointer(a) for a in kept)))

    def _set_inputs(self, inputs: Mapping[str, "Input"]) -> None:
        laws = {name: value for name, value in inputs.items() if callable(value)}
        for name, value in inputs.items():
            if not callable(value):
                self.set_input(name, float(value))
        if not laws:
            return
        which = ffi.new("size_t[]", [self._find(lib.MECH_ITEM_INPUT, name, "input") for name in laws])
        sizes = self._model._sizes
        handle = ffi.new_handle(_Law(tuple(laws.values()), sizes.coords, sizes.states))
        law = ffi.new("mech_input_law *", {"size": ffi.sizeof("mech_input_law"), "inputs": which, "count": len(laws),
                                           "u": lib.mechanician_law, "user": handle})
        self._law = (which, handle, law)
        self._check(lib.mech_sim_set_law(self._sim, law))

    # ---- the run ----

    def _begin(self) -> None:
        if not self._has_started:
            self._has_started = True
            self._finish(lib.mech_sim_start(self._sim), False)

    def _finish(self, status: int, was_interrupted: bool) -> None:
        failure = ffi.from_handle(self._law[1]).failure if self._law else None
        if failure is not None:
            ffi.from_handle(self._law[1]).failure = None
            raise failure
        if was_interrupted:
            raise KeyboardInterrupt
        if status != lib.MECH_OK:
            if status == lib.MECH_ERR_MEMORY:
                raise MemoryError("out of memory")
            raise MechError(status_name(status), text_of(lib.mech_sim_error_text(self._sim)), (), self.result())

    def _go(self, until: float) -> None:
        is_main = threading.current_thread() is threading.main_thread()
        status = lib.bridge_run(self._sim, until, self._flag, int(is_main))
        self._finish(status, bool(self._flag[0]))

    def run(self) -> Result:
        """From the start to the end."""
        if self._has_started:
            raise MechError("MECH_ERR_ARGUMENT", "the run has begun: advance it, or reset it")
        self._has_started = True
        self._go(math.nan)
        return self.result()

    def advance(self, t: float) -> None:
        """On to time t; the first time from the start."""
        self._begin()
        self._go(float(t))

    def reset(self) -> None:
        """Back to before the start, with what was set as it is."""
        self._check(lib.mech_sim_reset(self._sim))
        self._has_started = False

    @property
    def has_stopped(self) -> bool:
        """An event ended the run."""
        return bool(lib.mech_sim_has_stopped(self._sim))

    # ---- where it is ----

    def _now(self, pointer: Any, count: int) -> Array:
        self._begin()
        return np.frombuffer(ffi.buffer(pointer, 8 * count)).copy() if count else np.zeros(0)

    @property
    def t(self) -> float:
        self._begin()
        return float(lib.mech_sim_time(self._sim))

    @property
    def q(self) -> Array:
        self._begin()
        return self._now(lib.mech_sim_q(self._sim), self._model._sizes.coords)

    @property
    def v(self) -> Array:
        self._begin()
        return self._now(lib.mech_sim_v(self._sim), self._model._sizes.coords)

    @property
    def z(self) -> Array:
        self._begin()
        return self._now(lib.mech_sim_states(self._sim), self._model._sizes.states)

    def outputs(self) -> dict[str, float]:
        """The outputs where the run is."""
        self._begin()
        made = np.zeros(self._model._sizes.outputs)
        self._check(lib.mech_sim_outputs_now(self._sim, ffi.cast("double *", made.ctypes.data)))
        return dict(zip(self._model.outputs, made.tolist()))

    def result(self) -> Result:
        """All rows so far."""
        trajectory = lib.mech_sim_trajectory(self._sim)
        rows, columns = lib.mech_trajectory_rows(trajectory), lib.mech_trajectory_columns(trajectory)
        table = np.empty((rows, columns))
        if rows:
            lib.mech_trajectory_copy(trajectory, ffi.cast("double *", table.ctypes.data))
        names = [text_of(lib.mech_trajectory_name(trajectory, k)) for k in range(columns)]
        units = [text_of(lib.mech_trajectory_unit(trajectory, k)) or None for k in range(columns)]
        events = []
        for i in range(lib.mech_sim_log_count(self._sim)):
            h = lib.mech_sim_log_get(self._sim, i)
            kind = _HAPPENED[h.kind] if h.kind < len(_HAPPENED) else str(h.kind)
            events.append(Event(kind, h.t, text_of(h.text), text_of(h.name) or None))
        info = lib.mech_sim_info_get(self._sim)
        account = {}
        for name, field in ffi.typeof("mech_sim_info").fields:
            value = getattr(info, name)
            account[name] = text_of(value) if field.type.kind == "pointer" else value
        measures = {name: float(lib.mech_sim_measure(self._sim, i)) for i, name in enumerate(self._model.measures)}
        return Result(names, units, table, events, account, text_of(lib.mech_sim_warning(self._sim)), measures,
                      [n for k, n in enumerate(names) if lib.mech_trajectory_is_choice(trajectory, k)])


class _Law:
    """Inputs by functions of Python; what they raise is raised where the run was called."""

    def __init__(self, functions: tuple[Any, ...], coords: int, states: int) -> None:
        self.functions, self.coords, self.states = functions, coords, states
        self.failure: Optional[BaseException] = None


def _array(pointer: Any, count: int) -> Array:
    return np.frombuffer(ffi.buffer(pointer, 8 * count)).copy() if count else np.zeros(0)


@ffi.def_extern(error=lib.MECH_ERR_INTERRUPTED)  # type: ignore[misc]
def mechanician_law(user: Any, at: Any, u: Any) -> int:
    law: _Law = ffi.from_handle(user)
    try:
        q, v, z = _array(at.q, law.coords), _array(at.v, law.coords), _array(at.z, law.states)
        for i, f in enumerate(law.functions):
            u[i] = f(at.t, q, v, z)
    except BaseException as failure:
        law.failure = failure
        return int(lib.MECH_ERR_INTERRUPTED)
    return int(lib.MECH_OK)
