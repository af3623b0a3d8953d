"""A model: what it is, its equation at a state, its linear system."""
from __future__ import annotations

import os
import threading
from types import SimpleNamespace
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._errors import Diagnostic, MechError, check, diagnostics_of, status_name, take_text, text_of
from ._mech import ffi, lib

Array = NDArray[np.float64]
Input = Union[float, Callable[[float, Array, Array, Array], float]]


def _vector(values: Optional[ArrayLike], count: int, what: str) -> Array:
    if values is None:
        return np.zeros(count)
    made = np.ascontiguousarray(values, dtype=np.float64).ravel()
    if made.size != count:
        raise ValueError(f"{what} has {made.size} entries, {count} are expected")
    return made


def _pointer(array: Array) -> Any:
    return ffi.cast("double *", array.ctypes.data)


def _copied(pointer: Any, *shape: int) -> Array:
    """A borrowed array of the library as one of our own; matrices there are by column."""
    count = int(np.prod(shape))
    if count == 0 or pointer == ffi.NULL:
        return np.zeros(shape if count == 0 else 0)
    flat: Array = np.frombuffer(ffi.buffer(pointer, 8 * count), dtype=np.float64)
    return flat.reshape(shape, order="F").copy(order="K")


def _flags(pointer: Any, count: int) -> NDArray[np.bool_]:
    if pointer == ffi.NULL or count == 0:
        return np.zeros(count, dtype=bool)
    return np.frombuffer(ffi.buffer(pointer, count), dtype=np.uint8).astype(bool)


class Constraint(NamedTuple):
    """The share of one constraint in an instant."""

    name: str
    force: Array  #: ideal force on each coordinate
    multiplier: Array  #: ideal, one for each of its rows
    reaction: Array  #: total, with what laws add
    unique: bool  #: is its force unique? Where constraints are redundant it may not be


class Instant:
    """One instant: accelerations and every force at a state."""

    def __init__(self, model: "Model", found: Any, z: Array) -> None:
        n, m = found.n, found.m
        self.t: float = found.t
        self.q, self.v, self.z = _copied(found.q, n), _copied(found.v, n), z
        self.qdd = _copied(found.qdd, n)
        self.M, self.Q = _copied(found.M, n, n), _copied(found.Q, n)
        self.A, self.b = _rows(found, m, n)
        self.free = _copied(found.a, n)  #: accelerations of the unconstrained system
        self.Qi, self.Qni, self.Qc = _copied(found.Qi, n), _copied(found.Qni, n), _copied(found.Qc, n)
        self.u = _copied(found.u, found.actuators)  #: control forces
        self.rank: int = found.rank
        self.freedom: int = found.dof
        sizes = model._sizes
        self.outputs: dict[str, float] = dict(zip(model.outputs, _copied(found.output, sizes.outputs).tolist()))
        self.unique_outputs = dict(zip(model.outputs, (~_flags(found.output_is_choice, sizes.outputs)).tolist()))
        self._constraints: dict[str, Constraint] = {}
        diagnosis = found.diagnosis
        redundant = _flags(diagnosis.redundant, diagnosis.m) if diagnosis != ffi.NULL else np.zeros(found.rows, bool)
        self.redundant: tuple[str, ...] = tuple(
            text_of(lib.mech_system_row_name(model._system, i)) for i in range(min(m, redundant.size)) if redundant[i])
        forces = _copied(found.force, n, found.groups)
        multipliers, reactions = _copied(getattr(found, "lambda"), found.rows), _copied(found.reaction, found.rows)
        for k in range(found.groups):
            group = found.group[k]
            if group.kind not in (lib.MECH_GROUP_CONSTRAINT, lib.MECH_GROUP_CONTROL):
                continue
            own = slice(group.first_row, group.first_row + group.row_count)
            is_unique = diagnosis == ffi.NULL or bool(diagnosis.unique_force[k])
            name = text_of(group.name)
            self._constraints[name] = Constraint(name, forces[:, k].copy(), multipliers[own].copy(),
                                                 reactions[own].copy(), is_unique)

    def __getitem__(self, name: str) -> Constraint:
        return self._constraints[name]

    def __iter__(self) -> Iterator[Constraint]:
        return iter(self._constraints.values())

    @property
    def unique(self) -> dict[str, bool]:
        """For each constraint: is its force unique?"""
        return {c.name: c.unique for c in self}


def _rows(found: Any, m: int, n: int) -> tuple[Array, Array]:
    """A and b of the rows of the system, without those that friction adds."""
    return np.ascontiguousarray(_copied(found.A, found.rows, n)[:m]), _copied(found.b, found.rows)[:m]


class Linear(NamedTuple):
    """x' = A x + B u, y = C x + D u with x = (q, v, z), and the same on the constraints.

    Where rates of inputs act (`rates_of_inputs`) x' = A x + B u + B1 u' + B2 u'' and y = C x + D u + D1 u' + D2 u''.
    On the constraints no rates are left but in outputs: x = basis xr + by_input u + by_input_rate u',
    xr' = reduced_A xr + reduced_B u, y = reduced_C xr + reduced_D u + reduced_D1 u' + reduced_D2 u''.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    reduced_A: Array
    reduced_B: Array
    reduced_C: Array
    basis: Array  #: x = basis xr of states on the constraints
    eigenvalues: NDArray[np.complex128]  #: of the motion, those that are not zero; see `zero`
    zero: int  #: eigenvalues at zero
    verdict: str  #: in words
    kind: str  #: 'equilibrium', 'steady', 'frozen' or 'off'
    doubt: Optional[str]  #: why the eigenvalues tell nothing of the motion
    not_unique: tuple[str, ...]  #: outputs whose rows of C and D are one choice of many
    rates_of_inputs: tuple[str, ...]  #: inputs whose u', u'' act too, or that constraints move with
    B1: Array
    B2: Array
    D1: Array
    D2: Array
    reduced_D: Array
    reduced_D1: Array
    reduced_D2: Array
    by_input: Array
    by_input_rate: Array


class Equilibrium(NamedTuple):
    q: Array
    v: Array
    z: Array
    multipliers: Array
    reactions: Array
    unique: dict[str, bool]  #: for each constraint: is its force unique?
    family: int  #: dimension of the set of such points that it belongs to
    residual: float


class Rhs:
    """y' = f(t, y) with y = (q, v, z), for integrators of your own. An object belongs to one thread at a time."""

    def __init__(self, model: "Model") -> None:
        self._model = model
        sizes = model._sizes
        self._y, self._out = np.zeros(2 * sizes.coords + sizes.states), np.zeros(2 * sizes.coords + sizes.states)
        self._instant, self._eval, self._code = ffi.NULL, model._new_eval(), ffi.NULL
        made = ffi.new("mech_motion_code **")
        uses_code = lib.mech_motion_code_create(model._system, ffi.NULL, made) == lib.MECH_OK
        if uses_code:
            self._code = ffi.gc(made[0], lib.mech_motion_code_free)
            check(lib.mech_eval_use_motion(self._eval, self._code))
        else:
            self._instant = model._new_instant()
        self._rhs = ffi.gc(lib.bridge_rhs_create(model._system, self._eval, self._instant, int(uses_code)),
                           lib.bridge_rhs_free)
        self._from, self._to = _pointer(self._y), _pointer(self._out)
        self._at = lib.bridge_rhs_at

    def __call__(self, t: float, y: ArrayLike) -> Array:
        self._y[:] = y
        status = self._at(self._rhs, t, self._from, self._to)
        if status:
            self._fail(status)
        return self._out.copy()

    def _fail(self, status: int) -> None:
        words = lib.mech_eval_explain(self._eval) if self._instant == ffi.NULL else \
            lib.mech_instant_explain(self._instant)
        raise MechError(status_name(status), take_text(words))


class Jacobian:
    """df/dy of Rhs, exact."""

    def __init__(self, model: "Model") -> None:
        self._model = model
        self._slopes = model._new_slopes()

    def __call__(self, t: float, y: ArrayLike) -> Array:
        sizes = self._model._sizes
        n, states = sizes.coords, sizes.states
        at = np.ascontiguousarray(y, dtype=np.float64)
        s = self._model._slopes_at(self._slopes, t, at[:n], at[n:2 * n], at[2 * n:])
        made = np.zeros((2 * n + states, 2 * n + states))
        made[:n, n:2 * n] = np.eye(n)
        made[n:2 * n] = np.hstack([s.qdd_q, s.qdd_v, s.qdd_z])
        made[2 * n:] = np.hstack([s.rate_q, s.rate_v, s.rate_z])
        return made


class Model:
    """A mechanical system. `source` is the path of a model, or its text (which has a line end or a blank in it).

    params: values in place of those of the text; also of parameters that shape the model."""

    def __init__(self, source: Union[str, "os.PathLike[str]"], params: Optional[Mapping[str, float]] = None) -> None:
        is_text = isinstance(source, str) and ("\n" in source or (" " in source and not os.path.exists(source)))
        if is_text:
            self._path, self._text = None, str(source)
        else:
            self._path = os.fspath(source)
            with open(self._path, encoding="utf-8") as f:
                self._text = f.read()
        self._given = dict(params or {})
        self._read()

    def _read(self) -> None:
        diagnostics = ffi.gc(lib.mech_diagnostics_create(), lib.mech_diagnostics_free)
        options = ffi.new("mech_read_options *")
        lib.mech_read_options_default(options, ffi.sizeof("mech_read_options"))
        names = [ffi.new("char[]", name.encode()) for name in self._given]
        overrides = ffi.new("mech_override[]", [{"name": n, "value": v} for n, v in zip(names, self._given.values())])
        options.overrides, options.override_count = overrides, len(names)
        text = self._text.encode("utf-8")
        model = ffi.new("mech_model **")
        status = lib.mech_read_text((self._path or "model").encode(), text, len(text), options, diagnostics, model)
        self.diagnostics: tuple[Diagnostic, ...] = diagnostics_of(diagnostics)  #: warnings and notes
        if status != lib.MECH_OK:
            raise MechError(status_name(status), take_text(lib.mech_diagnostics_format(diagnostics)).rstrip(),
                            self.diagnostics)
        self._model = ffi.gc(model[0], lib.mech_model_free)
        system = ffi.new("mech_system **")
        with_ = ffi.new("mech_system_options *",
                        {"size": ffi.sizeof("mech_system_options"), "with_derivatives": 1, "with_parameters": 1})
        status = lib.mech_system_create(self._model, with_, diagnostics, system)
        if status != lib.MECH_OK:
            raise MechError(status_name(status), take_text(lib.mech_diagnostics_format(diagnostics)).rstrip(),
                            diagnostics_of(diagnostics))
        self._system = ffi.gc(system[0], lib.mech_system_free)
        self._owned = diagnostics
        self._sizes = lib.mech_system_sizes(self._system)
        self._lock = threading.Lock()
        self._instant_: Any = None
        self.coords = self._names(lib.MECH_ITEM_COORD, self._sizes.coords)
        self.states = self._names(lib.MECH_ITEM_STATE, self._sizes.states)
        self.inputs = self._names(lib.MECH_ITEM_INPUT, self._sizes.inputs)
        self.outputs = self._names(lib.MECH_ITEM_OUTPUT, self._sizes.outputs)
        self.constraints = self._names(lib.MECH_ITEM_CONSTRAINT, self._sizes.constraints)
        self.events = self._names(lib.MECH_ITEM_EVENT, self._sizes.events)
        self.measures = self._names(lib.MECH_ITEM_MEASURE, self._sizes.measures)
        eval_ = self._new_eval()
        self.params: dict[str, float] = dict(zip(self._names(lib.MECH_ITEM_PARAM, self._sizes.params), _copied(
            lib.mech_eval_equation(eval_).p, self._sizes.params).tolist()))

    def _names(self, item: int, count: int) -> tuple[str, ...]:
        return tuple(text_of(lib.mech_system_name(self._system, item, i)) for i in range(count))

    def unit(self, name: str) -> Optional[str]:
        """The unit of a coordinate, state, input, output, parameter or measure; None where none is given."""
        for item in (lib.MECH_ITEM_COORD, lib.MECH_ITEM_STATE, lib.MECH_ITEM_INPUT, lib.MECH_ITEM_OUTPUT,
                     lib.MECH_ITEM_PARAM, lib.MECH_ITEM_MEASURE):
            at = lib.mech_system_find(self._system, item, name.encode())
            if at != _NONE:
                return text_of(lib.mech_system_unit(self._system, item, at)) or None
        raise KeyError(name)

    @property
    def text(self) -> str:
        return self._text

    def replace(self, **params: float) -> "Model":
        """The same model with other values of parameters."""
        made = Model.__new__(Model)
        made._path, made._text, made._given = self._path, self._text, {**self._given, **params}
        made._read()
        return made

    def __reduce__(self) -> Any:
        return _restored, (self._path, self._text, self._given)

    def __repr__(self) -> str:
        return f"<Model {self._path or 'of a text'}: {len(self.coords)} coordinates, {self._sizes.rows} rows>"

    # ---- objects of the library ----

    def _new_eval(self) -> Any:
        made = ffi.new("mech_eval **")
        check(lib.mech_eval_create(self._system, lib.MECH_STORAGE_DENSE, made))
        return ffi.gc(made[0], lib.mech_eval_free)

    def _new_instant(self) -> Any:
        made = ffi.new("mech_instant **")
        check(lib.mech_instant_create(self._system, 0, made))
        return ffi.gc(made[0], lib.mech_instant_free)

    def _new_slopes(self) -> Any:
        why = lib.mech_slopes_obstacle(self._system)
        made = ffi.new("mech_slopes **")
        check(lib.mech_slopes_create(self._system, made), text_of(why))
        return ffi.gc(made[0], lib.mech_slopes_free)

    # ---- the start, and onto the constraints ----

    def _assembled(self, q: Optional[Array], v: Optional[Array], z: Optional[Array], t: float) -> tuple[Array, Array, Array]:
        eval_ = self._new_eval()
        made = ffi.new("mech_assembly **")
        check(lib.mech_assembly_create(eval_, made))
        assembly = ffi.gc(made[0], lib.mech_assembly_free)
        options = ffi.new("mech_assemble_options *")
        lib.mech_assemble_options_default(options, ffi.sizeof("mech_assemble_options"))
        options.t = t
        for name, values in (("q", q), ("v", v), ("z", z)):
            if values is not None:
                setattr(options, name, _pointer(values))
        status = lib.mech_assemble(assembly, options)
        check(status, text_of(lib.mech_assembly_error_text(assembly)))
        n, states = self._sizes.coords, self._sizes.states
        return (_copied(lib.mech_assembly_q(assembly), n), _copied(lib.mech_assembly_v(assembly), n),
                _copied(lib.mech_assembly_z(assembly), states))

    def _time(self, t: Optional[float]) -> float:
        """t, or where the model says that runs begin."""
        if t is not None:
            return t
        value, word = ffi.new("double *"), ffi.new("const char **")
        given = lib.mech_eval_option(self._new_eval(), b"from", value, word)
        return float(value[0]) if given == 1 and np.isfinite(value[0]) else 0.0

    def start(self, t: Optional[float] = None) -> Array:
        """y = (q, v, z) of the start, on the constraints. t: the time (default: `simulate from` of the model, else 0)."""
        return np.concatenate(self._assembled(None, None, None, self._time(t)))

    def project(self, q: ArrayLike, v: ArrayLike, z: Optional[ArrayLike] = None, t: float = 0.0) -> tuple[Array, Array]:
        """q and v moved onto the constraints, by the least change in the metric of the masses."""
        n = self._sizes.coords
        found = self._assembled(_vector(q, n, "q"), _vector(v, n, "v"), _vector(z, self._sizes.states, "z"), t)
        return found[0], found[1]

    # ---- the equation at a state ----

    def _at(self, q: ArrayLike, v: Optional[ArrayLike], z: Optional[ArrayLike], t: float) -> Any:
        n = self._sizes.coords
        place, speed, rest = _vector(q, n, "q"), _vector(v, n, "v"), _vector(z, self._sizes.states, "z")
        eval_ = self._new_eval()
        status = lib.mech_eval_state(eval_, t, _pointer(place), _pointer(speed), _pointer(rest))
        if status != lib.MECH_OK:
            raise MechError(status_name(status), take_text(lib.mech_eval_explain(eval_)))
        return eval_

    def M(self, q: ArrayLike, v: Optional[ArrayLike] = None, z: Optional[ArrayLike] = None, t: float = 0.0) -> Array:
        """The mass matrix."""
        eval_ = self._at(q, v, z, t)
        return _copied(lib.mech_eval_equation(eval_).M_dense, self._sizes.coords, self._sizes.coords)

    def Q(self, q: ArrayLike, v: Optional[ArrayLike] = None, z: Optional[ArrayLike] = None, t: float = 0.0) -> Array:
        """Impressed forces, and what the kinetic energy brings: M q'' = Q without constraints."""
        eval_ = self._at(q, v, z, t)
        return _copied(lib.mech_eval_equation(eval_).Q, self._sizes.coords)

    def A(self, q: ArrayLike, v: Optional[ArrayLike] = None, z: Optional[ArrayLike] = None, t: float = 0.0) -> Array:
        """The constraints as A q'' = b."""
        eval_ = self._at(q, v, z, t)
        return _copied(lib.mech_eval_equation(eval_).A_dense, self._sizes.rows, self._sizes.coords)

    def b(self, q: ArrayLike, v: Optional[ArrayLike] = None, z: Optional[ArrayLike] = None, t: float = 0.0) -> Array:
        """The constraints as A q'' = b."""
        eval_ = self._at(q, v, z, t)
        return _copied(lib.mech_eval_equation(eval_).b, self._sizes.rows)

    def instant(self, q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None, z: Optional[ArrayLike] = None,
                t: Optional[float] = None) -> Instant:
        """Accelerations and every force at a state; without q at the start. t: as of start()."""
        n, states = self._sizes.coords, self._sizes.states
        t = self._time(t)
        if q is None:
            y = self.start(t)
            q, v, z = y[:n], y[n:2 * n], y[2 * n:]
        place, speed, rest = _vector(q, n, "q"), _vector(v, n, "v"), _vector(z, states, "z")
        at = ffi.new("mech_instant_input *")
        lib.mech_instant_input_default(at, ffi.sizeof("mech_instant_input"))
        at.t, at.q, at.v, at.z = t, _pointer(place), _pointer(speed), _pointer(rest)
        with self._lock:
            if self._instant_ is None:
                self._instant_ = self._new_instant()
            status = lib.mech_instant_solve(self._instant_, at)
            if status != lib.MECH_OK:
                raise MechError(status_name(status), take_text(lib.mech_instant_explain(self._instant_)))
            return Instant(self, lib.mech_instant_get(self._instant_), rest)

    def rhs(self) -> Rhs:
        """f(t, y) for scipy.integrate.solve_ivp and others; y = (q, v, z)."""
        return Rhs(self)

    def jacobian(self) -> Jacobian:
        """df/dy of rhs(), exact."""
        return Jacobian(self)

    def _slopes_at(self, slopes: Any, t: float, q: Array, v: Array, z: Array) -> SimpleNamespace:
        place, speed, rest = (np.ascontiguousarray(a) for a in (q, v, z))
        status = lib.mech_slopes_at(slopes, t, _pointer(place), _pointer(speed), _pointer(rest))
        if status != lib.MECH_OK:
            raise MechError(status_name(status), take_text(lib.mech_eval_explain(lib.mech_slopes_eval(slopes))))
        r = lib.mech_slopes_get(slopes)
        width = {"q": r.n, "v": r.n, "z": r.states, "u": r.inputs, "p": r.params}
        height = {"qdd": r.n, "lambda": r.rows, "rate": r.states}
        made = SimpleNamespace(rank=r.rank, params=tuple(self.params))
        for what, rows in height.items():
            name = "multipliers" if what == "lambda" else what
            setattr(made, name, _copied(getattr(r, what), rows))
            for by, columns in width.items():
                setattr(made, f"{name}_{by}", _copied(getattr(r, f"{what}_{by}"), rows, columns))
            setattr(made, f"{name}_t", _copied(getattr(r, f"{what}_t"), rows))
        return made

    def slopes(self, q: ArrayLike, v: ArrayLike, z: Optional[ArrayLike] = None, t: float = 0.0) -> SimpleNamespace:
        """How q'', multipliers and z' change with q, v, z, inputs u, parameters p and time: qdd_q, multipliers_p, ..."""
        n = self._sizes.coords
        return self._slopes_at(self._new_slopes(), t, _vector(q, n, "q"), _vector(v, n, "v"),
                               _vector(z, self._sizes.states, "z"))

    # ---- equilibria and the linear system ----

    def equilibrium(self, q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None, z: Optional[ArrayLike] = None,
                    t: Optional[float] = None) -> Equilibrium:
        """The equilibrium or steady motion near q, or near the model's start. t: as of start()."""
        n, states = self._sizes.coords, self._sizes.states
        why = lib.mech_equilibrium_obstacle(self._system)
        if why != ffi.NULL:
            raise MechError("MECH_ERR_UNSUPPORTED", text_of(why))
        options = ffi.new("mech_equilibrium_options *")
        lib.mech_equilibrium_options_default(options, ffi.sizeof("mech_equilibrium_options"))
        options.t = self._time(t)
        kept = [(name, _vector(values, count, name)) for name, values, count in
                (("q", q, n), ("v", v, n), ("z", z, states)) if values is not None]
        for name, values in kept:
            setattr(options, name, _pointer(values))
        made, eval_ = ffi.new("mech_equilibrium **"), self._new_eval()
        status = lib.mech_equilibrium_find(self._system, eval_, options, made)
        check(status)
        found = ffi.gc(made[0], lib.mech_equilibrium_free)
        r = lib.mech_equilibrium_get(found)
        unique = _flags(r.unique_force, r.constraints).tolist()
        return Equilibrium(_copied(r.q, n), _copied(r.v, n), _copied(r.z, states),
                           _copied(getattr(r, "lambda"), r.rows), _copied(r.reaction, r.rows),
                           dict(zip(self.constraints, unique)), r.family, r.residual)

    def linearize(self, q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None, z: Optional[ArrayLike] = None,
                  t: Optional[float] = None) -> Linear:
        """The linear system at a state; without q at the equilibrium near the start. t: as of start()."""
        n, states = self._sizes.coords, self._sizes.states
        t = self._time(t)
        why = lib.mech_analyze_obstacle(self._system)
        if why != ffi.NULL:
            raise MechError("MECH_ERR_UNSUPPORTED", text_of(why))
        if q is None:
            there = self.equilibrium(t=t)
            q, v, z = there.q, there.v, there.z
        place, speed, rest = _vector(q, n, "q"), _vector(v, n, "v"), _vector(z, states, "z")
        options = ffi.new("mech_linear_options *")
        lib.mech_linear_options_default(options, ffi.sizeof("mech_linear_options"))
        words = ffi.new("const char **")
        options.t, options.q, options.v, options.z = t, _pointer(place), _pointer(speed), _pointer(rest)
        options.why = words
        made, eval_ = ffi.new("mech_linear **"), self._new_eval()
        status = lib.mech_linearize(self._system, eval_, options, made)
        check(status, text_of(words[0]))
        linear = ffi.gc(made[0], lib.mech_linear_free)
        r = lib.mech_linear_get(linear)
        order, modes = r.order, r.motion
        count = modes.n - modes.zero if modes != ffi.NULL else 0
        values = np.zeros(count, dtype=np.complex128)
        if count:
            values.real, values.imag = _copied(modes.real, count), _copied(modes.imaginary, count)
        doubt = lib.mech_linear_doubt(r)
        c = _copied
        return Linear(c(r.A, order, order), c(r.E, order, r.inputs), c(r.C, r.outputs, order),
                      c(r.D, r.outputs, r.inputs), c(r.reduced_A, r.freedom, r.freedom),
                      c(r.reduced_E, r.freedom, r.inputs), c(r.reduced_C, r.outputs, r.freedom),
                      np.ascontiguousarray(c(r.basis, order, order)[:, :r.freedom]), values,
                      modes.zero if modes != ffi.NULL else 0,
                      text_of(lib.mech_verdict_text(modes.verdict)) if modes != ffi.NULL else "",
                      ("equilibrium", "steady", "frozen", "off")[r.kind], text_of(doubt) or None,
                      tuple(name for name, flag in zip(self.outputs, _flags(r.output_is_choice, r.outputs)) if flag),
                      tuple(name for name, flag in zip(self.inputs, _flags(r.input_rates, r.inputs)) if flag),
                      *(c(x, order, r.inputs) for x in (r.E1, r.E2)),
                      *(c(x, r.outputs, r.inputs)
                        for x in (r.D1, r.D2, r.reduced_D, r.reduced_D1, r.reduced_D2)),
                      *(c(x, order, r.inputs) for x in (r.by_input, r.by_input_rate)))

    def stability(self, q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None, z: Optional[ArrayLike] = None,
                  t: Optional[float] = None) -> Linear:
        """linearize(), for its eigenvalues and verdict."""
        return self.linearize(q, v, z, t)

    # ---- runs ----

    def simulation(self, **settings: Any) -> "Simulation":
        """A run that is driven from outside: see Simulation."""
        from ._run import Simulation
        return Simulation(self, **settings)

    def run(self, until: Optional[float] = None, **settings: Any) -> "Result":
        """A whole run. See Simulation for the settings: rtol, atol, method, points, columns, params, inputs, ..."""
        from ._run import Simulation
        return Simulation(self, until=until, **settings).run()

    def sweep(self, vary: Optional[Mapping[str, Any]] = None, *, table: Optional[Mapping[str, ArrayLike]] = None,
              samples: int = 0, sequence: str = "random", seed: int = 0, threads: int = 0, on: str = "auto",
              **settings: Any) -> "Sweep":
        """Many runs; of each its measures are kept.

        vary: by name of a parameter or of a start (x, x'): an array of values, ('grid', a, b, n), ('log', a, b, n),
        or what is drawn `samples` times, ('uniform', a, b), ('normal', mean, deviation). Grids multiply, the last
        changes fastest, samples fastest of all. table: columns of equal length, each row a point. sequence: 'random'
        or 'sobol'. threads: 0, as many as there are processors. settings: until, start, rtol, atol, max_step,
        first_step, resolution, method, as of run()."""
        from ._sweep import sweep
        return sweep(self, vary, table, samples, sequence, seed, threads, on, settings)

    def animate(self, until: Optional[float] = None, *, frames: int = 2000, height: int = 520,
                **settings: Any) -> "Animation":
        """A run to look at: its bodies, and what `draw` says, moving. In a notebook it is shown."""
        from ._run import Simulation
        from ._show import animate
        run = Simulation(self, until=until, columns=("accelerations", "multipliers"), **settings)
        return animate(self, run, frames, height)

    # ---- words ----

    def equations(self, format: str = "text", only: Optional[str] = None) -> str:
        """The derived equations as 'text', 'latex' or 'json'; only='M,Q': these parts."""
        kinds = {"text": lib.MECH_REPORT_TEXT, "latex": lib.MECH_REPORT_LATEX, "json": lib.MECH_REPORT_JSON}
        if format not in kinds:
            raise ValueError("format is 'text', 'latex' or 'json'")
        options = ffi.new("mech_equations_options *")
        lib.mech_equations_options_default(options, ffi.sizeof("mech_equations_options"))
        options.format = kinds[format]
        kept = ffi.new("char[]", only.encode()) if only else ffi.NULL
        options.only = kept
        text = ffi.new("char **")
        check(lib.mech_report_equations(self._model, options, text))
        return take_text(text[0])

    def check(self) -> str:
        """What the model is: kinds of constraints, rank, freedom, redundancy, conflicts."""
        text = ffi.new("char **")
        with self._lock:
            status = lib.mech_report_check(self._model, lib.MECH_REPORT_TEXT, ffi.NULL, text)
        words = take_text(text[0]) if text[0] != ffi.NULL else ""
        if status != lib.MECH_OK and not words:
            check(status)
        return words

    def _repr_latex_(self) -> str:
        lines = [l for l in self.equations("latex", "M,Q,A,b").split("\n") if not l.startswith("%")]
        return "\n".join(lines).replace("\\[", "$$").replace("\\]", "$$")


_NONE = int(ffi.cast("size_t", -1))


def _restored(path: Optional[str], text: str, given: Mapping[str, float]) -> Model:
    made = Model.__new__(Model)
    made._path, made._text, made._given = path, text, dict(given)
    made._read()
    return made


class Builder:
    """A model by calls, for programs that make one: each call is one statement of the language.

        b = Builder().param("m", 2, "kg").coord("x", "m").kinetic("m*x'^2/2").initial(x=1)
        model = b.model()
    """

    def __init__(self) -> None:
        self._lines: list[str] = []

    def line(self, statement: str) -> "Builder":
        """Any statement, as it is written."""
        self._lines.append(statement)
        return self

    @staticmethod
    def _unit(unit: Optional[str]) -> str:
        if unit and ('"' in unit or "\n" in unit):
            raise ValueError("a unit has no quotes and no line ends")
        return f' "{unit}"' if unit else ""

    def param(self, name: str, value: Union[float, str], unit: Optional[str] = None) -> "Builder":
        number = value if isinstance(value, str) else repr(float(value))
        return self.line(f"param {name} = {number}{self._unit(unit)}")

    def coord(self, name: str, unit: Optional[str] = None) -> "Builder":
        return self.line(f"coord {name}{self._unit(unit)}")

    def let(self, name: str, value: str) -> "Builder":
        return self.line(f"let {name} = {value}")

    def state(self, name: str, rate: str, unit: Optional[str] = None) -> "Builder":
        return self.line(f"state {name}{self._unit(unit)}: {name}' = {rate}")

    def input(self, name: str, signal: Union[float, str], unit: Optional[str] = None) -> "Builder":
        return self.line(f"input {name} = {signal}{self._unit(unit)}")

    def kinetic(self, energy: str) -> "Builder":
        return self.line(f"kinetic {energy}")

    def potential(self, energy: str) -> "Builder":
        return self.line(f"potential {energy}")

    def dissipation(self, rate: str) -> "Builder":
        return self.line(f"dissipation {rate}")

    def force(self, force: str, on: str) -> "Builder":
        return self.line(f"force {force} on {on}")

    def constraint(self, name: str, left: str, right: str = "0") -> "Builder":
        return self.line(f"constraint {name}: {left} = {right}")

    def output(self, name: str, value: str, unit: Optional[str] = None) -> "Builder":
        return self.line(f"output {name} = {value}{self._unit(unit)}")

    def initial(self, values: Optional[Mapping[str, float]] = None, **more: float) -> "Builder":
        """Of coordinates by name; of velocities as {"x'": 1}."""
        every = {**(values or {}), **more}
        return self.line("initial " + ", ".join(f"{name} = {float(value)!r}" for name, value in every.items()))

    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def model(self, params: Optional[Mapping[str, float]] = None) -> Model:
        return Model(self.text(), params)


from ._run import Result, Simulation  # noqa: E402  (for the annotations above)
from ._show import Animation  # noqa: E402
from ._sweep import Sweep  # noqa: E402
