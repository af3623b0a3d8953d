"""A motion by another integrator: scipy's DOP853 on the accelerations, with everything sudden found on its dense output.

    motion = Motion(numbers, start)        start: a State on the constraints
    rows = motion.run(times)               y = (q, v, z) at the times; motion.log: what happened, motion.force: rows in force at each time
Nothing is projected but velocities where something sudden happens: the tolerance is tight and the span short. What is watched: kinks of the
equations, triggers of events, sliding speeds, what friction holds by, the push of contacts. Doubt: what the page of the language leaves open.
"""
import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

import friction
from scalar import Code, NoCode
from solve import Doubt, Equation, Refusal, Solver, State, solve

TINY = 1e-10       # within that a watched function says nothing of its side
SLOW, FAST = 3000, 15000  # evaluations of a run, by the whole solution and by one elimination
STOPPED = 1e-9     # a velocity of several components that is as small as this has come to rest


class Motion:
    def __init__(self, numbers, start, rtol=1e-12, atol=1e-13):
        self.numbers, self.model = numbers, numbers.model
        m = self.model
        self.n, self.start, self.rtol, self.atol = numbers.n, start, rtol, atol
        self.inputs = [m.t] + m.q + m.v + m.state_place
        self.fast = not m.frictions and not numbers.laws_look and not any(r.is_control for r in m.rows) and not any(law[2] for law in m.laws)
        self.code = self.compile(list(numbers.tape.roots) + (list(numbers.law_tape.roots) if self.fast else []))
        self.event_code = self.compile([place for e in m.events for place in (e[1], e[3]) if place is not None])
        self.momentum = self.compile(m.momentum)
        self.values = self.compile([a[2] for e in m.events for a in e[4] if a[0] in ("set", "impact")])
        looks = [m.g.args[x][0] for x in m.g.leaves_of(self.event_code.roots + self.values.roots)]
        looks += ["a" for x in m.g.leaves_of(self.event_code.roots + self.values.roots) if x in set(m.a)]
        self.look_at_forces = any(x in ("lambda", "reaction", "a") for x in looks)
        self.modes, self.change = [None] * self.code.kinks, [0.0] * self.code.kinks
        self.points = sorted({float(x) for table in self.code.tables + self.event_code.tables for x in table.x})
        self.calls, self.rank = 0, None
        self.slides = {}    # friction -> 'holds', a direction, or None (that of its velocity)
        self.closed = {}    # contact (constraint) -> the sign of its push
        self.log, self.force = [], []

    def compile(self, roots):
        """Places as code of (t, y), of what is fixed while the run goes, and of accelerations and multipliers."""
        m, g = self.model, self.model.g
        known = set(self.inputs)
        extra = [leaf for leaf in g.leaves_of(roots) if leaf not in known]
        try:
            code = Code(g, roots, self.inputs + extra)
        except NoCode as x:
            raise Doubt("a run with " + str(x))
        code.roots, code.extra = roots, [(leaf,) + tuple(g.args[leaf]) for leaf in extra]
        return code

    def ask(self, code, t, y, modes, change, answer=None):
        x = [t] + list(map(float, y))
        for leaf, kind, *rest in code.extra:
            if kind == "p":
                x.append(self.numbers.params[leaf])
            elif kind == "active":
                x.append(float(self.is_on(self.model.constraints[rest[0]])))
            elif answer is None:
                x.append(0.0)  # accelerations are 0 in A q'' = b; reactions belong to the slow way
            elif kind == "lambda":
                x.append(answer.lam[rest[0]])
            elif kind == "reaction":
                x.append(answer.total[rest[0]])
            else:
                if rest[1] > 2:
                    raise Doubt("a third derivative in an event")
                x.append(answer.qdd[rest[0]])
        try:
            return code.call(x, modes, change)
        except (ValueError, ZeroDivisionError, OverflowError):
            raise Doubt("a value that is not finite in a run")

    def is_on(self, c):
        return bool(self.numbers.active[c.rows[0].index])

    def turn(self, c, on):
        for r in c.rows:
            self.numbers.active[r.index] = on
        self.rank = None
        if not on:
            self.closed.pop(c.index, None)

    # ---- accelerations ----
    def raw(self, t, y):
        self.calls += 1
        if self.calls > (FAST if self.fast else SLOW):
            raise Doubt("a run that takes too long")
        return self.ask(self.code, t, y, self.modes, self.change)

    def equation(self, t, y):
        n = self.n
        raw = np.array(self.raw(t, y))
        eq = Equation(self.numbers, State(t, y[:n], y[n:2 * n], y[2 * n:]), raw[:len(self.numbers.tape.roots)])
        return eq, raw[len(self.numbers.tape.roots):]

    def rows_on(self):
        return np.array([r.index for r in self.model.rows if self.numbers.active[r.index] and not r.is_control], int)

    def answer(self, eq):
        """The whole solution, friction in its modes."""
        try:
            if self.model.frictions:
                return friction.solve(self.numbers, eq, self.rows_on(), self.rank, self.slides, light=True)
            return solve(self.numbers, eq, rank=self.rank, light=True)
        except Refusal as x:
            raise Doubt("no motion in a run: " + x.word)

    def rhs(self, t, y):
        n = self.n
        eq, laws = self.equation(t, y)
        a = self.accelerate(eq, laws) if self.fast else self.answer(eq).qdd
        if not np.all(np.isfinite(a)):
            raise Doubt("a value that is not finite in a run")
        return np.concatenate([y[n:2 * n], a, eq.rate])

    def accelerate(self, eq, laws):
        rows = np.nonzero(self.numbers.active)[0]
        n, m = self.n, len(rows)
        force = eq.Q
        if len(laws):
            on = [any(self.is_on(c) for c in law[0]) for law in self.model.laws]
            force = force + laws.reshape(-1, n)[on].sum(axis=0)
        if m == 0:
            return np.linalg.solve(eq.M, force)
        A, b = eq.A[rows], eq.b[rows]
        K = np.zeros((n + m, n + m))
        K[:n, :n], K[:n, n:], K[n:, :n] = eq.M, A.T, A
        right = np.concatenate([force, b])
        if np.any(np.abs(A).max(axis=1) < 1e-4 * max(1.0, np.abs(A).max())):
            raise Doubt("a row that comes near 0 in a run")
        if self.rank == m:
            try:
                return np.linalg.solve(K, right)[:n]
            except np.linalg.LinAlgError:
                raise Doubt("masses and constraints that are singular together in a run")
        return np.linalg.lstsq(K, right, rcond=1e-11)[0][:n]

    # ---- what is watched ----
    def watches(self):
        """Names of what is watched now; look() gives their values in this order."""
        out = [("kink", k) for k in range(len(self.modes))]
        out += [("event", k) for k in range(len(self.model.events))]
        out += [("holds" if isinstance(mode, str) else "slides", k) for k, mode in self.slides.items()]
        return out + [("contact", k) for k in self.closed]

    def look(self, t, y, what=None):
        """Values of the watched functions (or of one of them)."""
        wanted = self.watched if what is None else [what]
        eq, _ = self.equation(t, y)
        kinks = list(self.change)
        forces = any(k[0] in ("holds", "contact") for k in wanted) or self.look_at_forces and any(k[0] == "event" for k in wanted)
        answer = self.answer(eq) if forces else None
        if any(k[0] == "event" for k in wanted):
            triggers = iter(self.ask(self.event_code, t, y, [None] * self.event_code.kinks, [0.0] * self.event_code.kinks, answer))
            triggers = [(next(triggers), None if e[3] is None else next(triggers)) for e in self.model.events]
        out = []
        for kind, k in wanted:
            if kind == "kink":
                out.append(kinks[k])
            elif kind == "event":
                out.append(triggers[k][0])
            elif kind == "holds":
                out.append(answer.allowed[k] - answer.asked[k])
            elif kind == "slides":
                V, mode = eq.slip[k][0], self.slides[k]
                out.append(float(np.linalg.norm(V)) - STOPPED if mode is None else float(V[0] * mode[0]))
            else:
                row = self.model.constraints[k].rows[0].index
                out.append(answer.total[row] * self.closed[k])
        return np.array(out)

    def holds(self, t, y, k):
        """Whether the condition of an event holds."""
        if self.model.events[k][3] is None:
            return True
        change = [np.inf] * self.event_code.kinks
        answer = self.answer(self.equation(t, y)[0]) if self.look_at_forces else None
        values = iter(self.ask(self.event_code, t, y, [None] * self.event_code.kinks, change, answer))
        for i, e in enumerate(self.model.events):
            _, condition = next(values), None if e[3] is None else next(values)
            if i == k:
                if min((abs(x) for x in change), default=1.0) < 1e-12:
                    raise Doubt("a condition on its edge")
                return condition != 0
        return True

    def begin(self, t, y, expected):
        """Sides of all that is watched; expected: {what: side} of that which stands at its threshold and is known to leave it so."""
        self.watched = self.watches()
        values = self.look(t, y) if self.watched else []
        self.side, self.expected = {}, dict(expected)
        for what, g in zip(self.watched, values):
            if what[0] in ("holds", "slides", "contact"):
                self.expected[what] = 1
            if what in expected or abs(g) <= TINY:
                self.side[what] = 0
                if what[0] == "kink" and what not in expected:
                    raise Doubt("a run that is at a kink")
            else:
                self.side[what] = 1 if g > 0 else -1
                if self.expected.get(what, self.side[what]) != self.side[what]:
                    raise Doubt("a mode that contradicts itself")

    def first_change(self, t0, t1, dense):
        """The first passage within a step: (t, what) or None."""
        if not self.watched:
            return None
        count = 12 if self.fast and not self.look_at_forces else 6
        times = np.linspace(t0, t1, count + 1)
        before = self.last_values if self.last_values is not None and self.last_t == t0 else self.look(t0, dense(t0))
        older = None
        for k in range(1, count + 1):
            t = times[k]
            g = self.look(t, dense(t))
            found = []
            for i, what in enumerate(self.watched):
                side = self.side[what]
                if side == 0:
                    if abs(g[i]) > TINY:
                        side = self.side[what] = 1 if g[i] > 0 else -1
                        if self.expected.get(what, side) != side:
                            raise Doubt("a threshold that is not crossed cleanly")
                    continue
                if g[i] * side < 0:
                    found.append((self.root(what, times[k - 1], t, dense, before[i], g[i], side), what))
                elif older is not None and abs(before[i]) < abs(older[i]) and abs(before[i]) < abs(g[i]):
                    # a least in the middle: does a parabola see through?
                    low = self.vertex(times[k - 2], times[k - 1], t, older[i], before[i], g[i])
                    if low is not None and self.look(low, dense(low), what)[0] * side < 0:
                        raise Doubt("a threshold that is touched within a step")
            if found:
                found.sort(key=lambda f: f[0])
                if len(found) > 1 and found[1][0] - found[0][0] < 1e-9:
                    raise Doubt("two things at one instant")
                return found[0]
            older, before = before, g
        self.last_values, self.last_t = before, t1
        return None

    def vertex(self, a, b, c, fa, fb, fc):
        p = (fc - fb) / (c - b) - (fb - fa) / (b - a)
        if p == 0 or fb * p <= 0:
            return None
        h = b - a
        low = b - 0.5 * h * (fc - fa) / (fc - 2 * fb + fa)
        value = fb - 0.125 * (fc - fa) ** 2 / (fc - 2 * fb + fa)
        return low if value * fb < 0 or abs(value) < 1e-3 * abs(fb) else None

    def root(self, what, lo, hi, dense, g_lo, g_hi, side):
        def g(x):
            return self.look(x, dense(x), what)[0]
        if g_lo * side <= 0:  # it stood at its threshold and left it within the sample
            for s in (1e-6, 1e-4, 1e-2, 0.1, 0.3):
                x = lo + s * (hi - lo)
                g_lo = g(x)
                if g_lo * side > 0:
                    lo = x
                    break
            else:
                raise Doubt("a threshold that is not crossed cleanly")
        return brentq(g, lo, hi, xtol=1e-15, rtol=1e-15)

    # ---- what happens ----
    def happen(self, t, y, what):
        """The state after it, or None: the run ends."""
        kind, k = what
        if kind == "kink":
            self.modes[k] = not self.modes[k]
            if np.abs(self.momenta(t - 1e-8, y) - self.momenta(t + 1e-8, y)).max() > 1e-5:
                raise Doubt("a kink in the momentum")
            self.begin_again(t, y, {what: -self.side[what]})
            return y
        if kind == "event":
            return self.event(t, y, k)
        if kind == "contact":
            c = self.model.constraints[k]
            self.log.append((t, "release", c.name))
            self.turn(c, False)
            return self.after(t, y, moved=False)
        if kind == "slides":
            y = self.stop_sliding(t, y, k)
            return y
        # friction gives way
        eq, _ = self.equation(t, y)
        found = self.answer(eq)
        if len(eq.slip[k][0]) > 1:
            raise Doubt("friction along a vector that gives way")
        self.slides[k] = -found.stick[k] / np.linalg.norm(found.stick[k])
        self.log.append((t, "slip", k))
        after = self.answer(eq)
        V, S, rest = eq.slip[k]
        speed = float(self.slides[k][0] * (S @ after.qdd + rest)[0])
        c = [c for c in friction.contacts_of(self.numbers, eq, self.rows_on()) if c.k == k][0]
        if speed < -1e-9 or c.static > c.mu * (1 + 1e-9) and abs(speed) < 1e-9:
            raise Doubt("friction that gives way without a way to go")
        self.begin_again(t, y, {("slides", k): 1})
        return y

    def stop_sliding(self, t, y, k):
        eq, _ = self.equation(t, y)
        contacts = friction.contacts_of(self.numbers, eq, self.rows_on())
        mine = [c for c in contacts if c.k == k]
        if self.passes(y, mine[0]):
            self.slides[k] = -self.slides[k]
            self.begin_again(t, y, {("slides", k): 1})
            return y
        for c in contacts:
            if c.k != k and (not isinstance(self.slides[c.k], str) and c.speed < 1e-7):
                raise Doubt("two things at one instant")
        if len(mine[0].V) > 1:
            y = self.rest(t, y, mine[0])
            eq, _ = self.equation(t, y)
            contacts = friction.contacts_of(self.numbers, eq, self.rows_on())
            mine = [c for c in contacts if c.k == k]
        resting = mine + [c for c in contacts if c.k != k and isinstance(self.slides[c.k], str)]
        sliding = {c.k: self.slides[c.k] for c in contacts if c not in resting}
        try:
            found = friction.choose(self.numbers, eq, self.rows_on(), self.rank, contacts, resting, sliding, light=True)
        except Refusal as x:
            raise Doubt("no motion in a run: " + x.word)
        for c in resting:
            if c.static < c.mu:
                raise Doubt("static friction below mu in a run")
            if len(c.V) > 1 and not isinstance(found.modes[c.k], str):
                raise Doubt("friction along a vector that gives way")
            if isinstance(found.modes[c.k], str) != isinstance(self.slides[c.k], str):
                self.log.append((t, "stick" if isinstance(found.modes[c.k], str) else "slip", c.k))
        self.slides = found.modes
        self.begin_again(t, y, {("slides", c.k): 1 for c in resting if not isinstance(self.slides[c.k], str)})
        return y

    def passes(self, y, c):
        """Whether it is the factor of the velocity that is 0, as in (1 - x)*x' at x = 1: what moves goes on."""
        factor, speed = np.linalg.norm(c.S), np.linalg.norm(y[self.n:2 * self.n])
        if factor > 1e-5:
            return False
        if factor > 1e-9 or speed < 1e-4 or len(c.V) > 1:
            raise Doubt("a velocity of friction whose factor comes near 0")
        return True

    def rest(self, t, y, c):
        """The small rest of a velocity is taken out."""
        n = self.n
        eq, _ = self.equation(t, y)
        rows = self.rows_on()
        s = Solver(eq.M, np.vstack([eq.A[rows], c.S]), None, self.numbers.any_sign)
        y = np.array(y)
        y[n:2 * n] += s.motion(np.zeros(n), np.concatenate([np.zeros(len(rows)), -c.V]))
        return y

    def begin_again(self, t, y, expected):
        """The same motion in other modes: what is armed stays so."""
        before = dict(self.side)
        self.begin(t, y, expected)
        for what, side in before.items():
            if what in self.side and what not in expected and self.side[what] not in (0, side):
                raise Doubt("one thing sets off another")
        self.last_values = None

    def event(self, t, y, k):
        name, _, direction, _, actions = self.model.events[k]
        side = self.side["event", k]  # before
        went = "falls" if side > 0 else "rises"
        if direction not in ("crosses", went) or not self.holds(t, y, k):
            self.begin_again(t, y, {("event", k): -side})
            return y
        self.log.append((t, "event", name))
        answer = self.answer(self.equation(t, y)[0]) if self.look_at_forces else None
        values = self.ask(self.values, t, y, [None] * self.values.kinks, [0.0] * self.values.kinks, answer)
        first = sum(1 for e in self.model.events[:k] for a in e[4] if a[0] in ("set", "impact"))
        y, moved, sets = np.array(y), False, 0
        for a in actions:
            if a[0] == "stop":
                return None
            if a[0] in ("set", "impact"):
                value = values[first + sets]
                sets += 1
            if a[0] == "set":
                self.put(y, a[1], value)
                moved = True
                if not any(b[0] == "set" for b in actions[actions.index(a) + 1:]):
                    y = self.project(t, y, only_where_plain=True)
            elif a[0] == "release":
                for c in a[1]:
                    self.turn(c, False)
            elif a[0] == "impose":
                if self.closed:
                    raise Doubt("an impulse beside contacts, which it may open")
                for c in a[1]:
                    self.turn(c, True)
                    if c.is_control:
                        raise Doubt("control imposed in a run")
                y, moved = self.project(t, y), True
            elif a[0] == "impact":
                y, moved = self.impact(t, y, a[1], value), True
        return self.after(t, y, moved, {("event", k)})

    def put(self, y, place, value):
        m = self.model
        places = m.q + m.v + m.state_place
        if place not in places:
            raise Doubt("set of an expression")
        y[places.index(place)] = value

    def after(self, t, y, moved, own=()):
        """Modes of a state that has jumped, or that other rows hold."""
        before = dict(self.side)
        if moved:
            self.modes[:] = [None] * len(self.modes)
        self.find_modes(t, y)
        self.begin(t, y, {})
        for what, side in before.items():
            if what[0] == "event" and what not in own and self.side.get(what, side) != side:  # from or onto its threshold, too
                raise Doubt("one thing sets off another")
        for k in list(self.closed):
            if self.look(t, y, ("contact", k))[0] < TINY:
                raise Doubt("a contact that opens at once")
        self.last_values = None
        return y

    def find_modes(self, t, y):
        """What friction does, and the rank, at a state with nothing known before."""
        self.rank = None
        eq, _ = self.equation(t, y)
        rows = self.rows_on()
        try:
            if not self.model.frictions:
                self.rank = solve(self.numbers, eq).rank
                return
            contacts = friction.contacts_of(self.numbers, eq, rows)
            if any(REST > c.speed > 1e-12 for c in contacts):
                raise Doubt("whether friction rests")
            resting = [c for c in contacts if c.speed <= 1e-12]
            sliding = {c.k: None if len(c.V) > 1 else np.sign(c.V) for c in contacts if c not in resting}
            found = friction.choose(self.numbers, eq, rows, None, contacts, resting, sliding)
        except Refusal as x:
            raise Doubt("no motion in a run: " + x.word)
        for c in resting:
            if len(c.V) > 1 and not isinstance(found.modes[c.k], str):
                raise Doubt("friction along a vector that gives way")
        self.slides = found.modes
        self.rank = Solver(eq.M, eq.A[rows], None, self.numbers.any_sign).rank if len(rows) else 0

    # ---- jumps ----
    def project(self, t, y, only_where_plain=False):
        """Positions, then velocities, onto the rows in force by the least change in the mass metric. only_where_plain: where rows are curved it is not
        said which point a `set` comes to."""
        n = self.n
        rows = [i for i in self.rows_on() if self.model.rows[i].level == "holonomic"]
        y = np.array(y)
        q0, moved = y[:n].copy(), np.inf
        for k in range(200):
            self.modes[:] = [None] * len(self.modes)
            eq, _ = self.equation(t, y)
            # on the constraints comes first, the nearest of their points later
            if np.abs(eq.r[rows]).max(initial=0.0) < 1e-13 and (moved < 1e-13 or not rows):
                break
            A = eq.A[rows]
            # the nearest point: A (q - q0 + step) = A (q - q0) - r, the step without a part along null(A) of (q - q0)
            if k > 1 and only_where_plain:
                raise Doubt("a set that leaves curved constraints")
            s = Solver(self.mass_at(t, y, q0), A, None, self.numbers.any_sign)
            to = q0 + s.motion(np.zeros(n), A @ (y[:n] - q0) - eq.r[rows])
            moved = np.abs(to - y[:n]).max()
            y[:n] = to
        else:
            raise Doubt("positions were not found")
        self.mass_at(t, y, q0)
        return self.meet(t, y)

    def mass_at(self, t, y, q0):
        """The mass matrix of the metric: if it depends on place the nearest point is a matter of choice."""
        a = self.equation(t, y)[0].M
        other = np.array(y)
        other[:self.n] = q0
        b = self.equation(t, other)[0].M
        if np.abs(a - b).max() > 1e-12 * np.abs(a).max() and np.abs(y[:self.n] - q0).max() > 0:
            raise Doubt("a projection in a metric that changes on the way")
        return a

    def meet(self, t, y):
        """Velocities that the rows ask for: where a driven constraint changes its speed, it gives the impulse."""
        rows = [i for i in self.rows_on() if self.model.rows[i].level != "acceleration"]
        for _ in range(20):
            eq = self.equation(t, y)[0]
            if not rows or np.abs(eq.r_dot[rows]).max() < 1e-12:
                return y
            y = self.jump(eq, y, rows, -eq.r_dot[rows])[0]
        raise Doubt("velocities were not found")

    def momenta(self, t, y):
        return np.array(self.ask(self.momentum, t, y, [None] * self.momentum.kinks, [0.0] * self.momentum.kinks))

    def kick(self, t, y, momentum):
        """A slope that jumps inside the kinetic energy leaves the momentum as it is: velocities jump."""
        if np.abs(momentum).max() < 1e-13:
            return y
        if len(np.nonzero(self.numbers.active)[0]) != len(self.rows_on()):
            raise Doubt("a jump of momentum beside control")
        n, rows = self.n, [i for i in self.rows_on() if self.model.rows[i].level != "acceleration"]
        eq, _ = self.equation(t, y)
        y = np.array(y)
        y[n:2 * n] += Solver(eq.M, eq.A[rows], None, self.numbers.any_sign).motion(momentum, -eq.r_dot[rows])
        return y

    def jump(self, eq, y, rows, change):
        """Velocities that change the rates of rows by so much, with the impulses."""
        n = self.n
        try:
            s = Solver(eq.M, eq.A[rows], None, self.numbers.any_sign)
        except Refusal as x:
            raise Doubt("no impulse: " + x.word)
        dv = s.motion(np.zeros(n), change)
        if np.abs(eq.A[rows] @ dv - change).max(initial=0.0) > 1e-9 * (1 + np.abs(change).max(initial=0.0)):
            raise Doubt("impulses that contradict one another")
        y = np.array(y)
        y[n:2 * n] += dv
        return y, s.multipliers(eq.M @ dv)

    def impact(self, t, y, c, restitution):
        if self.closed or len(c.rows) > 1:
            raise Doubt("an impact beside contacts")
        if restitution < 0:
            raise Doubt("a restitution below 0")
        if self.numbers.any_sign:
            raise Doubt("an impact beside negative masses")
        if any(self.model.rows[i].level == "nonholonomic" and self.nonlinear(self.model.rows[i]) for i in self.rows_on()):
            raise Doubt("an impact on rows that are not linear in velocities")
        eq, _ = self.equation(t, y)
        row = c.rows[0].index
        if self.is_on(c):
            raise Doubt("an impact on what is in force")
        speed = eq.r_dot[row]
        if abs(speed) < 1e-6:
            raise Doubt("an impact that has nearly died away")
        rows = [i for i in self.rows_on() if self.model.rows[i].level != "acceleration"] + [row]
        change = np.zeros(len(rows))
        change[-1] = -(1 + restitution) * speed
        y, impulses = self.jump(eq, y, rows, change)
        self.log.append((t, "impact", c.name))
        if restitution == 0:
            self.turn(c, True)
            self.closed[c.index] = 1 if impulses[-1] > 0 else -1
        return y

    def nonlinear(self, row):
        g, v = self.model.g, set(self.model.v)
        return any(x in v for a in row.A.values() for x in g.leaves(a))

    # ---- the run ----
    def run(self, times):
        active = self.numbers.active
        self.numbers.active = active.copy()
        try:
            return self.rows(times)
        finally:
            self.numbers.active = active
            for table in self.code.tables + self.event_code.tables + self.momentum.tables + self.values.tables:
                table.freeze(None)

    def rows(self, times):
        """Rows at the times (ascending, the first is the start); fewer where an event ends the run."""
        y = np.concatenate([self.start.q, self.start.v, self.start.z])
        t, out, end, k = times[0], [np.array(y)], times[-1], 1
        self.force = [self.numbers.active.copy()]
        self.last_values = None
        tables = self.code.tables + self.event_code.tables + self.momentum.tables + self.values.tables
        for table in tables:
            table.freeze(None)
        if any(abs(p - t) < 1e-9 for p in self.points):
            raise Doubt("a run that begins at a point of a table")
        self.find_modes(t, y)
        self.begin(t, y, {})
        if any(self.side[what] == 0 for what in self.watched if what[0] == "event"):
            raise Doubt("an event that begins at its threshold")
        changes = 0
        while t < end:
            stop = min([p for p in self.points if p > t + 1e-12] + [end])
            before = self.momenta(t, y)
            for table in tables:
                table.freeze(0.5 * (t + stop))
            new = self.meet(t, self.kick(t, y, before - self.momenta(t, y))) if self.points else y
            if self.model.frictions and np.abs(new - y).max() > 1e-9:
                raise Doubt("a driven jump beside friction")
            y = new
            solver = DOP853(self.rhs, t, y, stop, rtol=self.rtol, atol=self.atol, max_step=(end - times[0]) / 20)
            while solver.status == "running":
                message = solver.step()
                if solver.status == "failed":
                    raise Doubt("the other integrator failed: %s" % message)
                if np.abs(solver.y).max() > 1e3:
                    raise Doubt("a motion that goes far out")
                dense = solver.dense_output()
                found = self.first_change(solver.t_old, solver.t, dense)
                upto = found[0] if found else solver.t
                while k < len(times) and times[k] <= upto + 1e-13:
                    out.append(np.array(dense(times[k])) if times[k] < solver.t else np.array(solver.y))
                    self.force.append(self.numbers.active.copy())
                    k += 1
                if found:
                    t = found[0]
                    y = self.happen(t, np.array(dense(t)), found[1])
                    changes += 1
                    if y is None:
                        return np.array(out)
                    if changes > 40:
                        raise Doubt("a motion in which much happens")
                    break
            else:
                t, y = solver.t, np.array(solver.y)
                if t < end:
                    self.begin_again(t, y, {})
        return np.array(out)


REST = friction.REST
