"""A motion by another integrator: scipy's DOP853 on the accelerations, kinks and events looked for between its steps.

    motion = Motion(numbers, start)        start: a State on the constraints
    rows = motion.run(times)               y = (q, v, z) at the times, before what happens there
Nothing is projected: the tolerance is tight and the span short. Where something happens the clock is found on the dense output.
"""
import math

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

from solve import Doubt, Equation, Refusal, Solver, State, solve

COMPARE = {"<": 0, "<=": 0, ">": 1, ">=": 1}


class Code:
    """Places as one Python function of floats: code(leaf values, modes, functions of change) -> list.

    modes[k] says on which side the k-th abs, sign, min, max or comparison is; None: by its value. functions[k] becomes that value.
    """

    def __init__(self, graph, roots, inputs):
        """inputs: leaves in the order in which their values are given."""
        self.names = ["abs", "sign", "min", "max"]
        order = graph.reach(roots)
        uses = {}
        for n in order:
            if graph.op[n] not in ("num", "leaf"):
                for a in graph.below(n):
                    uses[a] = uses.get(a, 0) + 1
        text, lines, self.kinks, self.tables = {}, ["def f(x, modes, change):"], 0, []
        where = {leaf: i for i, leaf in enumerate(inputs)}

        def keep(n, expression, always=False):
            if always or uses.get(n, 0) > 1 or len(expression) > 150:
                lines.append("    v%d = %s" % (n, expression))
                text[n] = "v%d" % n
            else:
                text[n] = expression

        def kink(difference):
            k = self.kinks
            self.kinks += 1
            lines.append("    g = change[%d] = %s" % (k, difference))
            lines.append("    m = modes[%d]" % k)
            lines.append("    if m is None: m = modes[%d] = g > 0" % k)
        for n in order:
            op, args = graph.op[n], graph.args[n]
            if op == "num":
                text[n] = "(%r)" % float(args[0])
                continue
            if op == "leaf":
                text[n] = "x[%d]" % where[n]
                if uses.get(n, 0) > 2:
                    keep(n, text[n], True)
                continue
            if op == "table":
                self.tables.append(args[0])
                keep(n, "T[%d].at(%d, %s)" % (len(self.tables) - 1, args[1], text[args[2]]))
                continue
            if op == "input":
                text[n] = text[args[0]]
                continue
            a = [text[k] for k in args]
            if op in ("+", "*", "/"):
                keep(n, "(%s %s %s)" % (a[0], op, a[1]))
            elif op == "^":
                keep(n, "%s**%s" % (a[0], a[1]) if a[0].startswith(("v", "x")) or a[0].startswith("(") else "(%s)**%s" % (a[0], a[1]))
                text[n] = "(%s)" % text[n]
            elif op in ("abs", "sign"):
                kink(a[0])
                keep(n, "(g if m else -g)" if op == "abs" else "(1.0 if m else -1.0)", True)
            elif op in ("min", "max"):
                kink("%s - %s" % (a[0], a[1]))
                first, second = (a[1], a[0]) if op == "min" else (a[0], a[1])
                keep(n, "(%s if m else %s)" % (first, second), True)
            elif op in COMPARE:
                kink("%s - %s" % (a[0], a[1]))
                keep(n, "(1.0 if m else 0.0)" if COMPARE[op] else "(0.0 if m else 1.0)", True)
            elif op in ("==", "!="):
                raise Doubt("a run with == of the motion")
            elif op == "and":
                keep(n, "(1.0 if %s and %s else 0.0)" % (a[0], a[1]))
            elif op == "or":
                keep(n, "(1.0 if %s or %s else 0.0)" % (a[0], a[1]))
            elif op == "not":
                keep(n, "(0.0 if %s else 1.0)" % a[0])
            elif op == "if":
                keep(n, "(%s if %s else %s)" % (a[1], a[0], a[2]))
            else:
                keep(n, "%s(%s)" % (op, ", ".join(a)))
        lines.append("    return [%s]" % ", ".join(text[r] for r in roots))
        space = {k: getattr(math, k) for k in "sin cos tan asin acos atan sinh cosh tanh exp log sqrt atan2".split()}
        space["T"] = self.tables
        exec("\n".join(lines), space)
        self.call = space["f"]


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
        looks = any(g.op[x] == "leaf" and g.args[x][0] in ("lambda", "reaction") for p in numbers.law_tape.roots for x in g.leaves(p))
        self.fast = not m.frictions and not looks and not any(r.is_control for r in m.rows) and not any(law[2] for law in m.laws)
        self.roots = list(numbers.tape.roots) + (list(numbers.law_tape.roots) if self.fast else [])
        self.code = Code(g, self.roots, self.inputs)
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
            a = solve(numbers, eq, rank=self.rank).qdd
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
