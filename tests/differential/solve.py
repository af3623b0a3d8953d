"""The fundamental equation at a state, from singular values: accelerations, forces, multipliers, what is unique.

    numbers = Numbers(model)
    states = numbers.at([State(t, q, v, z), ...])      M, Q, A, b, ... of each
    answer = solve(numbers, states[0])                  q'', Qi, Qni, Qc, u, lambda, reaction, rank, ...
"""
import numpy as np

from graph import Tape
from scalar import Code


class Doubt(Exception):
    """Nothing can be compared here: the rank, a mode or a value is on an edge."""


class Refusal(Exception):
    """No motion, or not one: what the library is to refuse too. .word says why."""

    def __init__(self, word, text=""):
        Exception.__init__(self, word + " " + text)
        self.word = word


class State:
    def __init__(self, t, q, v, z=()):
        self.t, self.q, self.v, self.z = float(t), np.array(q, float), np.array(v, float), np.array(z, float)


class Numbers:
    """Tapes of a model, and its parameters as numbers."""

    def __init__(self, model, settings=None):
        self.model, g = model, model.g
        self.any_sign = "negative mass" in model.allows
        self.n, self.m = len(model.coords), len(model.rows)
        self.params = self.parameters(dict(model.settings, **(settings or {})))
        self.active = np.array([not r.constraint.waits for r in model.rows], bool)
        roots = []

        def want(places):
            first = len(roots)
            roots.extend(places)
            return slice(first, len(roots))
        self.iM = want([model.M[k] for k in model.M])
        self.iQ = want(model.Q)
        self.iA = [want(list(r.A.values())) for r in model.rows]
        self.irest = want([r.rest for r in model.rows])
        self.iphi = want([r.phi for r in model.rows])
        self.irdot = want([r.r_dot for r in model.rows])
        self.irate = want(model.rate)
        self.iu = want([u[1] for u in model.inputs])
        self.iG = [want(list(c.values())) for c in model.G]
        W = model.weight if isinstance(model.weight, list) else []
        self.iW = want(model.flat(W))
        self.islip = [[want([w, rest] + list(S.values())) for w, S, rest in rows] for rows in model.friction_rows]
        self.imu = want([x for f in model.frictions for x in (f[1], f[2])])
        self.igain = [{k: want(model.flat(v)) for k, v in gains.items()} for _, gains in model.stabilizers]
        self.tape = Tape(g, roots)
        self.law_code = None
        self.law_tape = Tape(g, [c for law in model.laws for c in law[1]])
        looked = [g.args[x] for x in g.leaves_of(self.law_tape.roots)]
        self.laws_look = any(x[0] in ("lambda", "reaction") for x in looked)
        self.laws_look_total = any(x[0] == "reaction" for x in looked)
        self.output_tape = Tape(g, [p for _, p in model.outputs] + model.energy)

    def parameters(self, settings):
        g = self.model.g
        values = {}
        for name in self.model.params:
            if name in settings:
                values[self.model.param_place[name]] = float(settings[name])
            else:
                rule = self.model.param_rule[name]
                values[self.model.param_place[name]] = float(Tape(g, [rule])(values)[0][0])
        return values

    def values(self, states, a=None, multipliers=None):
        m = self.model
        out = dict(self.params)
        out[m.t] = np.array([s.t for s in states])
        for i in range(self.n):
            out[m.q[i]] = np.array([s.q[i] for s in states])
            out[m.v[i]] = np.array([s.v[i] for s in states])
            out[m.a[i]] = 0.0 if a is None else a[i]
        for i, place in enumerate(m.state_place):
            out[place] = np.array([s.z[i] for s in states])
        for c in m.constraints:
            out[m.g.leaf("active", c.index)] = float(self.active[c.rows[0].index]) if c.rows else 1.0
        for word in ("lambda", "reaction"):
            for i in range(self.m):
                out[m.g.leaf(word, i)] = 0.0 if multipliers is None else multipliers[word][i]
        return out

    def at(self, states, shift=None, gains=True):
        raw = np.array(self.tape(self.values(states), len(states), shift)).reshape(-1, len(states))
        if self.tape.edge is not None and np.min(self.tape.edge) < 1e-9:
            raise Doubt("at a kink")
        out = [Equation(self, s, raw[:, k], gains) for k, s in enumerate(states)]
        for k, eq in enumerate(out):
            eq.shift = None if not shift else {u: x[k] for u, x in shift.items()}
        return out

    def laws(self, eq, lam, reaction):
        """C of each law (laws x n)."""
        state = eq.state
        if not self.model.laws:
            return np.zeros((0, self.n))
        if eq.shift:
            raw = self.law_tape(self.values([state], None, {"lambda": lam, "reaction": reaction}), 1, eq.shift)
            return np.array([x[0] for x in raw]).reshape(len(self.model.laws), self.n)
        if self.law_code is None:
            m, leaf = self.model, self.model.g.leaf
            inputs = [m.t] + m.q + m.v + m.state_place + [leaf("lambda", i) for i in range(self.m)]
            inputs += [leaf("reaction", i) for i in range(self.m)] + [leaf("active", c.index) for c in m.constraints] + list(self.params)
            self.law_code = Code(m.g, self.law_tape.roots, inputs)
        on = [float(self.active[c.rows[0].index]) if c.rows else 1.0 for c in self.model.constraints]
        x = [state.t] + list(state.q) + list(state.v) + list(state.z) + list(lam) + list(reaction) + on + list(self.params.values())
        try:
            raw = self.law_code.call(list(map(float, x)), [None] * self.law_code.kinks, [0.0] * self.law_code.kinks)
        except (ValueError, ZeroDivisionError, OverflowError):
            raise Refusal("not finite")
        return np.array(raw).reshape(len(self.model.laws), self.n)

    def outputs(self, state, a, lam, reaction, shift=None):
        raw = self.output_tape(self.values([state], a, {"lambda": lam, "reaction": reaction}), 1, shift)
        raw = np.array([x[0] for x in raw])
        if self.output_tape.edge is not None and np.min(self.output_tape.edge) < 1e-9:
            raise Doubt("at a kink of an output")
        k = len(self.model.outputs)
        return raw[:k], raw[k:]


class Equation:
    def __init__(self, numbers, state, raw, gains=True):
        model, n, m = numbers.model, numbers.n, numbers.m
        self.numbers, self.state, self.shift = numbers, state, None
        self.M = np.zeros((n, n))
        for (i, j), x in zip(model.M, raw[numbers.iM]):
            self.M[i, j] = x
        self.Q = raw[numbers.iQ].copy()
        self.A = np.zeros((m, n))
        for k, row in enumerate(model.rows):
            self.A[k, list(row.A)] = raw[numbers.iA[k]]
        self.b = -raw[numbers.irest]
        self.r, self.r_dot = raw[numbers.iphi].copy(), raw[numbers.irdot].copy()
        self.rate, self.u_in = raw[numbers.irate].copy(), raw[numbers.iu].copy()
        self.G = np.zeros((n, len(model.G)))
        for k, c in enumerate(model.G):
            self.G[list(c), k] = raw[numbers.iG[k]]
        self.W = raw[numbers.iW].copy()
        self.mu = raw[numbers.imu].reshape(-1, 2)
        self.slip = []  # of each friction: V, S, V' at q'' = 0
        for rows, places in zip(model.friction_rows, numbers.islip):
            V, S, rest = [], np.zeros((len(rows), n)), []
            for k, (row, at) in enumerate(zip(rows, places)):
                x = raw[at]
                V.append(x[0])
                rest.append(x[1])
                S[k, list(row[1])] = x[2:]
            self.slip.append((np.array(V), S, np.array(rest)))
        if gains:
            self.excess(raw, gains == "control")

    def excess(self, raw, control_alone=False):
        """b - B r' - K r with the gains the model states: of control always, of constraints where they are held by them."""
        numbers, model = self.numbers, self.numbers.model
        taken = set()
        for (names, gains), places in reversed(list(zip(model.stabilizers, numbers.igain))):
            rows = [r.index for c in (names if names is not None else model.constraints) for r in c.rows]
            free = np.array([i not in taken and (model.rows[i].is_control or model.stabilize == "excess" and not control_alone) and model.rows[i].level != "acceleration" for i in rows])
            for word, r in (("B", self.r_dot), ("K", self.r)):
                if word not in gains:
                    continue
                x = raw[places[word]]
                k = len(rows)
                matrix = np.eye(k) * x[0] if len(x) == 1 else np.diag(x) if len(x) == k else x.reshape(k, k)
                self.b[rows] -= np.where(free, matrix @ np.where([i in taken for i in rows], 0.0, r[rows]), 0.0)
            taken.update(rows)

    def rows_without_gains(self):
        """Control rows in force that no statement gives gains."""
        model = self.numbers.model
        held = {r.index for names, _ in model.stabilizers for c in (names if names is not None else model.constraints) for r in c.rows}
        return [r for r in model.rows
                if r.is_control and r.level != "acceleration" and r.index not in held and self.numbers.active[r.index]]

    def bring_back(self, time):
        """What a run adds where a control has no gains: the errors of its steps are brought back within this time (docs/motion.md, Drift)."""
        for row in self.rows_without_gains():
            self.b[row.index] -= 2 / time * self.r_dot[row.index] + self.r[row.index] / time**2

    def off_path(self):
        """Control rows without gains that are off their path, beside what a run at rtol 1e-10 takes for rounding: (surely, perhaps)."""
        most = 0.0
        for row in self.rows_without_gains():
            most = max(most, abs(self.r_dot[row.index]), abs(self.r[row.index]) if row.level == "holonomic" else 0.0)
        return most > 1e-5, most > 1e-10

    def is_finite(self):
        return all(np.all(np.isfinite(x)) for x in (self.M, self.Q, self.A, self.b, self.r, self.r_dot, self.rate))


def rank_of(B, what="rows"):
    """Rank of rows at unit length; Doubt where it is not clear."""
    if B.size == 0:
        return 0
    size = np.sqrt((B * B).sum(axis=1))
    big = size.max() if len(size) else 0.0
    if big == 0.0:
        return 0
    if big < 1e-7:
        raise Doubt("rows are nearly 0")
    keep = size > 1e-9 * big
    if np.any((size > 1e-13 * big) & (size < 1e-6 * big)):
        raise Doubt("a row is nearly 0")
    s = np.linalg.svd(B[keep] / size[keep, None], compute_uv=False)
    if np.any((s > 1e-13 * s[0]) & (s < 1e-5 * s[0])):
        raise Doubt("the rank is not clear")
    return int((s > 1e-9 * s[0]).sum())


def pinv(B, rank):
    """Pseudo-inverse with a given rank."""
    if B.size == 0 or rank == 0:
        return np.zeros(B.shape[::-1])
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    return (Vt[:rank].T / s[:rank]) @ U[:, :rank].T


class Solver:
    """Natural rows of one state: everything linear about them."""

    def __init__(self, M, A, rank=None, any_sign=False):
        """any_sign: M may be indefinite; what the rows leave free must still have an inverse."""
        n = len(M)
        self.M, self.A = M, A
        d = np.sqrt(np.where(np.diag(M) != 0, np.abs(np.diag(M)), 1.0))
        scaled = np.linalg.eigvalsh((M / d).T / d) if n else np.ones(1)
        if not any_sign and (scaled[0] < -1e-9 * max(scaled[-1], 1.0) or np.any(np.diag(M) < 0)):
            raise Refusal("not definite")
        if np.any((np.abs(scaled) > 1e-14) & (np.abs(scaled) < 1e-7)):
            raise Doubt("M is nearly singular")
        self.definite = scaled[0] > 1e-9
        if self.definite:
            L = np.linalg.cholesky(M)
            self.L, self.Li = L, np.linalg.inv(L)
            self.B = A @ self.Li.T
            self.rank = rank_of(self.B) if rank is None else rank
            self.P = pinv(self.B, self.rank)
        else:
            scale = 1.0 / d
            zero = np.diag(M) == 0
            if np.any(zero):
                size = np.sqrt((A * A).sum(axis=0))
                other = (size * scale)[~zero].max() if np.any(~zero) else 0.0
                for i in np.nonzero(zero)[0]:
                    scale[i] = (other if other > 0 else 1.0) / size[i] if size[i] > 0 else 1.0
            AD = A * scale
            self.rank = rank_of(AD) if rank is None else rank
            U, s, Vt = np.linalg.svd(AD, full_matrices=True) if len(A) else (None, None, np.eye(n))
            Z = Vt[self.rank:].T * scale[:, None]
            H = Z.T @ M @ Z
            if len(H):
                # how far M is definite on null(A)
                w = [np.abs(np.linalg.eigvalsh(H)).min() / np.abs(M).max()] if any_sign else np.linalg.eigvalsh(
                    H / np.sqrt(np.outer(np.diag(H), np.diag(H)))) if np.all(np.diag(H) > 1e-14) else [0.0]
                if w[0] < 1e-12:
                    raise Refusal("singular mass")
                if w[0] < 1e-7:
                    raise Doubt("M on null(A) is nearly singular")
            self.Z, self.H = Z, H
            self.particular = scale[:, None] * pinv(AD, self.rank)  # of A x = b

    def motion(self, force, b):
        """q'' under a force that the rows let through only in part (or forces, by columns)."""
        if self.definite:
            a = self.Li.T @ (self.Li @ force)
            return a + self.Li.T @ (self.P @ (b - self.A @ a))
        x = self.particular @ b
        return x + self.Z @ np.linalg.solve(self.H, self.Z.T @ (force - self.M @ x)) if len(self.H) else x

    def through(self, force):
        """The part of a force that moves: M times the acceleration it adds."""
        if self.definite:
            c = self.Li @ force
            return self.L @ (c - self.P @ (self.B @ c))
        return self.M @ self.Z @ np.linalg.solve(self.H, self.Z.T @ force) if len(self.H) else 0.0 * force

    def multipliers(self, force):
        """Least-norm lambda with A' lambda = force."""
        return pinv(self.A.T, self.rank) @ force if len(self.A) else np.zeros(0)

    def nothing(self):
        """Basis of null(A'): rows that depend on one another."""
        if len(self.A) == 0:
            return np.zeros((0, 0))
        size = np.sqrt((self.A * self.A).sum(axis=1))
        size[size == 0] = 1.0
        U, s, Vt = np.linalg.svd((self.A / size[:, None]).T, full_matrices=True)
        return Vt[self.rank:].T / size[:, None]


class Answer:
    pass


def root(M):
    w, U = np.linalg.eigh(M)
    return (U * np.sqrt(np.maximum(w, 0.0))) @ U.T


def solve(numbers, eq, rank=None, modes=None, light=False):
    """The whole instant. modes: of friction, None: found. light: the motion alone."""
    model = numbers.model
    active = numbers.active
    natural = np.array([not r.is_control for r in model.rows], bool) & active
    servo = np.array([r.is_control for r in model.rows], bool) & active
    rows = np.nonzero(natural)[0]
    if not eq.is_finite():
        raise Refusal("not finite")
    if model.frictions:
        import friction
        return friction.solve(numbers, eq, rows, rank, modes, light)
    s = Solver(eq.M, eq.A[rows], rank, numbers.any_sign)
    return assemble(numbers, eq, s, rows, np.nonzero(servo)[0], light)


def laws_are_unique(numbers, eq, s, rows, lam, total):
    """Whether C stays the same where multipliers are a choice."""
    model = numbers.model
    w = s.nothing()
    if "leastnorm" in model.allows or not w.size or not model.laws:
        return True
    on = [any(numbers.active[r.index] for c in law[0] for r in c.rows) for law in model.laws]

    def together(lam, total):
        return numbers.laws(eq, lam, total)[on].sum(axis=0)
    C = together(lam, total)
    size = np.abs(C).max(initial=0.0) + 1e-30
    for k in range(w.shape[1]):
        step = np.zeros(numbers.m)
        step[rows] = w[:, k] / np.abs(w[:, k]).max() * (1 + np.abs(lam).max())
        if any(np.abs(together(lam + f * step, total + f * step) - C).max(initial=0.0) > 1e-9 * size for f in (1, -1)):
            return False
    return True


def laws_of(numbers, eq, s, rows, force):
    """C of each law, ideal and total multipliers: laws may look at both."""
    model = numbers.model
    b = eq.b[rows]
    lam, total = np.zeros(numbers.m), np.zeros(numbers.m)
    ideal = eq.M @ s.motion(force, b) - force
    lam[rows] = s.multipliers(ideal)
    if not model.laws:
        return np.zeros((0, numbers.n)), lam, lam.copy()
    on = np.array([any(numbers.active[r.index] for c in law[0] for r in c.rows) for law in model.laws], bool)
    by_z = np.array([law[2] for law in model.laws], bool)
    if np.any(by_z & on):
        half = root(eq.M)

    def laws(reaction):
        C = numbers.laws(eq, lam, reaction)
        C[~on] = 0.0
        for k in np.nonzero(by_z & on)[0]:
            C[k] = half @ C[k]
        return C

    def miss(x):
        total[rows] = x
        C = laws(total)
        c = C.sum(axis=0)
        if not np.all(np.isfinite(c)):
            raise Refusal("not finite")
        # A' delta + C = Qni
        return C, lam[rows] + s.multipliers(s.through(c) - c) - x
    x = lam[rows].copy()
    C, f = miss(x)
    if not numbers.laws_look_total:
        x = x + f
    else:
        for _ in range(60):
            if np.abs(f).max(initial=0.0) < 1e-14 * (1 + np.abs(x).max(initial=0.0)):
                break
            J = np.zeros((len(x), len(x)))
            for k in range(len(x)):
                step = 1e-6 * (1 + abs(x[k]))
                y = x.copy()
                y[k] += step
                J[:, k] = (miss(y)[1] - f) / step
            x = x - np.linalg.solve(J, f)
            C, f = miss(x)
        else:
            if np.abs(f).max() > 1e-10 * (1 + np.abs(x).max()):
                raise Doubt("the law's reaction was not found")
    total[rows] = x
    return laws(total), lam, total


def assemble(numbers, eq, s, rows, servo, light=False):
    model, n = numbers.model, numbers.n
    out = Answer()
    C, lam, total = laws_of(numbers, eq, s, rows, eq.Q)
    c = C.sum(axis=0) if len(C) else np.zeros(n)
    Qc, u, servo_rank = np.zeros(n), None, 0
    if any(r.is_control for r in model.rows):
        for _ in range(200):  # the laws see the reactions to the control, which sees the laws
            before = c
            Qc, u, servo_rank = control(numbers, eq, s, rows, servo, c)
            C, lam, total = laws_of(numbers, eq, s, rows, eq.Q + Qc)
            c = C.sum(axis=0) if len(C) else np.zeros(n)
            if np.abs(c - before).max(initial=0.0) <= 1e-15 * np.abs(c).max(initial=0.0):
                break
        else:
            if np.abs(c - before).max(initial=0.0) > 1e-11 * np.abs(c).max(initial=0.0):
                raise Doubt("control and laws were not found together")
    if light:
        out.qdd, out.lam, out.total = s.motion(eq.Q + Qc + c, eq.b[rows]), lam, total
        return out
    if not laws_are_unique(numbers, eq, s, rows, lam, total):
        raise Refusal("law not unique")
    Qni = s.through(c)
    qdd_ideal = s.motion(eq.Q + Qc, eq.b[rows])
    out.Qi = eq.M @ qdd_ideal - eq.Q - Qc
    out.qdd = s.motion(eq.Q + Qc + c, eq.b[rows])
    out.Qni, out.Qc, out.u, out.C = Qni, Qc, u, C
    out.lam, out.total, out.rank, out.servo_rank = lam, total, s.rank, servo_rank
    out.dof = n - s.rank - servo_rank
    uniqueness(numbers, eq, s, rows, out)
    out.conflict = 0.0
    if len(rows):
        miss = eq.A[rows] @ out.qdd - eq.b[rows]
        out.conflict = conflict_of(eq.A[rows], out.qdd, eq.b[rows], miss)
    out.output, out.energy = numbers.outputs(eq.state, out.qdd, out.lam, out.total, eq.shift)
    return out


def conflict_of(A, qdd, b, miss):
    """How far rows are missed, as a part of their terms."""
    size = np.abs(A) @ np.abs(qdd) + np.abs(b)
    return float(np.max(np.abs(miss) / (size + 1e-3 * size.max() + 1e-6 * np.abs(A).max() + 1e-300), initial=0.0))


def uniqueness(numbers, eq, s, rows, out):
    """Which multipliers and forces of constraints are unique."""
    model = numbers.model
    w = s.nothing()
    out.unique = {}
    size = np.sqrt((eq.A[rows] ** 2).sum(axis=1))
    for k, i in enumerate(rows):
        left = np.abs(w[k] * (size[k] or 1.0)).max(initial=0.0) if w.size else 0.0  # a row of zeros is never unique
        out.unique[i] = None if 1e-9 < left < 1e-4 else left <= 1e-9
    out.force, out.unique_force = {}, {}
    for c in model.constraints:
        mine = [k for k, i in enumerate(rows) if model.rows[i].constraint is c]
        if not mine or c.is_control:
            continue
        Ak = eq.A[rows[mine]]
        out.force[c.index] = Ak.T @ out.lam[rows[mine]]
        left = np.abs(Ak.T @ w[mine]).max(initial=0.0) if w.size else 0.0
        out.unique_force[c.index] = None if 1e-9 < left < 1e-4 else left <= 1e-9


def control(numbers, eq, s, rows, servo, c):
    """The least control force: natural rows first, then the servo rows through what they let pass."""
    model, n = numbers.model, numbers.n
    G = eq.G if model.actuators else np.eye(n)
    weight = model.weight
    if weight is None:
        weight = "identity" if model.actuators else "nature"
    k = G.shape[1]
    if weight == "nature" and not s.definite:
        raise Doubt("control weighed by a mass that has no inverse")
    W = np.eye(k) if weight == "identity" else np.linalg.inv(eq.M) if weight == "nature" else eq.W.reshape(k, k)
    As = eq.A[servo]
    free = s.motion(eq.Q + c, eq.b[rows])
    move = s.motion(G, np.zeros((len(rows), k)))
    reach = As @ move
    if len(servo):  # what is left of a force that the natural rows take up is rounding, not an actuator
        alone = np.linalg.solve(eq.M, G) if s.definite else move
        scale = np.linalg.norm(As, axis=1)[:, None] * np.maximum(np.linalg.norm(alone, axis=0), np.linalg.norm(move, axis=0))
        if np.any((np.abs(reach) > 1e-15 * scale) & (np.abs(reach) < 1e-12 * scale)):
            raise Doubt("whether an actuator reaches a control")
        reach = np.where(np.abs(reach) < 1e-12 * scale, 0.0, reach)
    e = eq.b[servo] - As @ free
    w, U = np.linalg.eigh(W)
    if len(w) and w[0] <= 1e-12 * w[-1]:
        raise Doubt("the weight is not definite")
    half = (U / np.sqrt(w)) @ U.T
    R = reach @ half
    r = rank_of(R)
    u = half @ (pinv(R, r) @ e) if len(servo) else np.zeros(k)
    miss = reach @ u - e if len(servo) else np.zeros(0)
    size = np.abs(eq.b[servo]) + np.abs(As) @ (np.abs(free) + 1e-6) if len(servo) else np.zeros(0)
    part = np.max(np.abs(miss) / (size + 1e-30), initial=0.0)
    if part > 1e-4 and np.abs(miss).max() > 1e-8:  # less is what gains make of rounding
        raise Refusal("not realisable")
    if part > 1e-10:
        raise Doubt("realisable or not")
    return G @ u, u, r
