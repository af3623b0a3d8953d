"""A motion by another integrator: scipy's DOP853 on the accelerations, kinks and events looked for between its steps.

    motion = Motion(numbers, start)        start: a State on the constraints
    rows = motion.run(times)               y = (q, v, z) at the times, before what happens there
Nothing is projected: the tolerance is tight and the span short. Where something happens the clock is found on the dense output.
"""
import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

from scalar import Code, NoCode
from solve import Doubt, Equation, Refusal, Solver, State, solve

class Motion:
    def __init__(self, numbers, start, servo=None, rtol=1e-12, atol=1e-13):
        """servo: gains (B, K) that bring control rows to their path."""
        self.numbers, self.model, self.servo = numbers, numbers.model, servo
        m = self.model
        self.n, self.start, self.rtol, self.atol = numbers.n, start, rtol, atol
        g = m.g
        self.inputs = [m.t] + m.q + m.v + m.state_place
        extra = [leaf for leaf in g.leaves_of(numbers.tape.roots + numbers.law_tape.roots) if leaf not in set(self.inputs)]
        self.fixed = []
        for leaf in extra:
            kind = g.args[leaf][0]
            if g.op[leaf] != "leaf":
                continue
            self.inputs.append(leaf)
            if kind == "p":
                self.fixed.append(numbers.params[leaf])
            elif kind == "active":
                self.fixed.append(1.0)
            else:
                self.fixed.append(0.0)  # accelerations are 0 in A q'' = b; reactions belong to the slow way
        self.fast = not m.frictions and not numbers.laws_look and not any(r.is_control for r in m.rows) and not any(law[2] for law in m.laws)
        self.roots = list(numbers.tape.roots) + (list(numbers.law_tape.roots) if self.fast else [])
        try:
            self.code = Code(g, self.roots, self.inputs)
        except NoCode as x:
            raise Doubt("a run with " + str(x))
        self.modes, self.change = [None] * self.code.kinks, [0.0] * self.code.kinks
        self.on = [any(numbers.active[r.index] for c in law[0] for r in c.rows) for law in m.laws]
        self.points = sorted({float(x) for table in self.code.tables for x in table.x})
        self.calls = 0
        self.rank = None

    def raw(self, t, y):
        self.calls += 1
        return self.code.call([t] + list(map(float, y)) + self.fixed, self.modes, self.change)

    def rhs(self, t, y):
        n, numbers = self.n, self.numbers
        try:
            raw = np.array(self.raw(t, y))
        except (ValueError, ZeroDivisionError, OverflowError):
            raise Doubt("a value that is not finite in a run")
        eq = Equation(numbers, None, raw[:len(numbers.tape.roots)])
        if self.fast:
            a = self.accelerate(eq, raw[len(numbers.tape.roots):])
        else:
            eq.state = State(t, y[:n], y[n:2 * n], y[2 * n:])
            if self.servo:
                rows = [r.index for r in self.model.rows if r.is_control and r.level != "acceleration"]
                eq.b[rows] -= self.servo[0] * eq.r_dot[rows] + self.servo[1] * eq.r[rows]
            a = solve(numbers, eq, rank=self.rank, light=True).qdd
        return np.concatenate([y[n:2 * n], a, eq.rate])

    def accelerate(self, eq, laws):
        rows = np.nonzero(self.numbers.active)[0]
        n, m = self.n, len(rows)
        force = eq.Q
        if len(laws):
            force = force + laws.reshape(-1, n)[self.on].sum(axis=0)
        if m == 0:
            return np.linalg.solve(eq.M, force)
        A, b = eq.A[rows], eq.b[rows]
        K = np.zeros((n + m, n + m))
        K[:n, :n], K[:n, n:], K[n:, :n] = eq.M, A.T, A
        right = np.concatenate([force, b])
        if self.rank == m:
            return np.linalg.solve(K, right)[:n]
        return np.linalg.lstsq(K, right, rcond=1e-11)[0][:n]

    def crossing(self, t0, t1, dense):
        """The first change of a mode within a step: (t, k) or None."""
        if not self.modes:
            return None
        first = None
        for s in np.linspace(0, 1, 9)[1:]:
            t = t0 + s * (t1 - t0)
            self.raw(t, dense(t))
            for k, mode in enumerate(self.modes):
                if (self.change[k] > 0) != mode:
                    def g(x, k=k):
                        self.raw(x, dense(x))
                        return self.change[k]
                    lo = t0 + (s - 0.125) * (t1 - t0)
                    if (g(lo) > 0) != mode:
                        # just behind the last one, and still on the other side by rounding
                        lo, hi = self.step_in(g, lo, t, mode)
                        if lo is None:
                            continue
                    root = brentq(g, lo, t, xtol=1e-15, rtol=1e-15)
                    if first is None or root < first[0]:
                        first = (root, k)
            if first:
                return first
        return None

    def step_in(self, g, lo, hi, mode):
        for s in (1e-9, 1e-7, 1e-5, 1e-3, 1e-2, 0.1):
            x = lo + s * (hi - lo)
            if (g(x) > 0) == mode:
                return x, hi
        raise Doubt("a kink that is not crossed cleanly")

    def meet(self, t, y):
        """Velocities that the rows ask for: where a driven constraint changes its speed, it gives the impulse."""
        n, rows = self.n, [r.index for r in self.model.rows if self.numbers.active[r.index] and not r.is_control and r.level != "acceleration"]
        for _ in range(20):
            eq = Equation(self.numbers, None, np.array(self.raw(t, y))[:len(self.numbers.tape.roots)])
            if not rows or np.abs(eq.r_dot[rows]).max() < 1e-10:
                return y
            s = Solver(eq.M, eq.A[rows])
            y = np.array(y)
            y[n:2 * n] += s.motion(np.zeros(n), -eq.r_dot[rows])
        raise Doubt("velocities were not found")

    def run(self, times):
        try:
            return self.rows(times)
        finally:
            for table in self.code.tables:
                table.freeze(None)

    def rows(self, times):
        """Rows at the times (ascending, the first is the start)."""
        y = np.concatenate([self.start.q, self.start.v, self.start.z])
        t, out = times[0], [np.array(y)]
        end = times[-1]
        k = 1
        self.modes[:] = [None] * len(self.modes)
        self.raw(t, y)
        if self.modes and min(abs(x) for x in self.change) < 1e-9:
            raise Doubt("a run that begins at a kink")
        switches = 0
        while t < end:
            stop = min([p for p in self.points if p > t + 1e-12] + [end])
            for table in self.code.tables:
                table.freeze(0.5 * (t + stop))
            y = self.meet(t, y)
            solver = DOP853(self.rhs, t, y, stop, rtol=self.rtol, atol=self.atol, max_step=(end - times[0]) / 20)
            while solver.status == "running":
                message = solver.step()
                if solver.status == "failed":
                    raise Doubt("the other integrator failed: %s" % message)
                if self.calls > 60000:
                    raise Doubt("a run that takes too long")
                if np.abs(solver.y).max() > 1e3:
                    raise Doubt("a motion that goes far out")
                dense = solver.dense_output()
                found = self.crossing(solver.t_old, solver.t, dense)
                upto = found[0] if found else solver.t
                while k < len(times) and times[k] <= upto + 1e-13:
                    out.append(np.array(dense(times[k])) if times[k] < solver.t else np.array(solver.y))
                    k += 1
                if found:
                    t, y = found[0], np.array(dense(found[0]))
                    self.modes[found[1]] = not self.modes[found[1]]
                    switches += 1
                    if switches > 60:
                        raise Doubt("a motion with many kinks")
                    break
            else:
                t, y = solver.t, np.array(solver.y)
                self.modes[:] = self.modes
        return np.array(out)
