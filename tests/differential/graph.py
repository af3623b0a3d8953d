"""Arithmetic that is recorded: numbers are places on a tape, derivatives are carried forward as duals whose parts are places
too. Nothing is simplified beyond 0 and 1 and arithmetic of constants, so that a slip of the library's own simplification
cannot happen here in the same way.
"""
import math
from fractions import Fraction

import numpy as np

ZERO, ONE = 0, 1
FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs", "sign", "floor")


def _exact(f, *values):
    """f of constants: a Fraction where that is exact, else a float."""
    return f(*[v if isinstance(v, Fraction) else float(v) for v in values]) if all(
        isinstance(v, Fraction) for v in values) else f(*[float(v) for v in values])


class Graph:
    def __init__(self):
        self.op, self.args, self.index = [], [], {}
        self._grad, self._total = {}, {}
        self.next = {}  # leaf -> its total time derivative
        self.num(Fraction(0))
        self.num(Fraction(1))

    # ---- places ----
    def _place(self, op, args):
        key = (op,) + args
        at = self.index.get(key)
        if at is None:
            at = self.index[key] = len(self.op)
            self.op.append(op)
            self.args.append(args)
        return at

    def num(self, value):
        if isinstance(value, int):
            value = Fraction(value)
        return self._place("num", (value,))

    def leaf(self, *key):
        return self._place("leaf", key)

    def value(self, a):
        """The constant at a place, or None."""
        return self.args[a][0] if self.op[a] == "num" else None

    # ---- arithmetic ----
    def add(self, a, b):
        if a == ZERO:
            return b
        if b == ZERO:
            return a
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self.num(_exact(lambda p, q: p + q, x, y))
        return self._place("+", (a, b) if a < b else (b, a))

    def mul(self, a, b):
        if a == ZERO or b == ZERO:
            return ZERO
        if a == ONE:
            return b
        if b == ONE:
            return a
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self.num(_exact(lambda p, q: p * q, x, y))
        return self._place("*", (a, b) if a < b else (b, a))

    def neg(self, a):
        return self.mul(self.num(-1), a)

    def sub(self, a, b):
        return self.add(a, self.neg(b)) if a != b else ZERO

    def div(self, a, b):
        x, y = self.value(a), self.value(b)
        if b == ONE or (a == ZERO and y is None):
            return a
        if x is not None and y is not None and y != 0:
            return self.num(_exact(lambda p, q: p / q, x, y))
        return self._place("/", (a, b))

    def pow(self, a, b):
        if b == ONE:
            return a
        if b == ZERO:
            return ONE
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            if isinstance(x, Fraction) and isinstance(y, Fraction) and y.denominator == 1 and (x != 0 or y > 0) and abs(y) < 100:
                return self.num(x ** int(y))
            if float(x) > 0 or float(y).is_integer() and x != 0:
                return self.num(math.pow(float(x), float(y)))
        return self._place("^", (a, b))

    def fun(self, name, a):
        x = self.value(a)
        if x is not None:
            if name == "abs":
                return self.num(abs(x))
            if name == "floor":
                return self.num(Fraction(math.floor(x)))
            if name == "sign":
                return self.num((x > 0) - (x < 0))
            if x == 0 and name in ("sin", "tan", "asin", "atan", "sinh", "tanh", "sqrt"):
                return ZERO
            if x == 0 and name in ("cos", "cosh", "exp"):
                return ONE
            if x == 1 and name == "log":
                return ZERO
            try:
                return self.num(float(getattr(math, name)(float(x))))
            except ValueError:
                pass
        return self._place(name, (a,))

    def two(self, name, a, b):
        """atan2, min, max and comparisons."""
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            if name == "atan2":
                return self.num(math.atan2(float(x), float(y)))
            if name in ("min", "max"):
                return a if (x <= y) == (name == "min") else b
            r = {"<": x < y, "<=": x <= y, "==": x == y, "!=": x != y, ">": x > y, ">=": x >= y,
                 "and": x != 0 and y != 0, "or": x != 0 or y != 0}[name]
            return ONE if r else ZERO
        return self._place(name, (a, b))

    def negate(self, a):
        x = self.value(a)
        return self._place("not", (a,)) if x is None else (ONE if x == 0 else ZERO)

    def choose(self, c, a, b):
        x = self.value(c)
        if x is not None:
            return a if x != 0 else b
        return a if a == b else self._place("if", (c, a, b))

    # ---- derivatives ----
    def grad(self, root):
        """Derivatives of a place by all leaves it depends on: {leaf: place}."""
        memo = self._grad
        if root in memo:
            return memo[root]
        stack = [root]
        while stack:
            n = stack[-1]
            if n in memo:
                stack.pop()
                continue
            op, args = self.op[n], self.args[n]
            if op == "num":
                memo[n] = {}
            elif op in ("leaf", "input", "table"):
                memo[n] = {n: ONE}
            else:
                missing = [a for a in args if a not in memo]
                if missing:
                    stack.extend(missing)
                    continue
                memo[n] = self._slopes(n, op, args)
            stack.pop()
        return memo[root]

    def _combine(self, *parts):
        """Sum of slope*gradient."""
        out = {}
        for slope, gradient in parts:
            if slope == ZERO:
                continue
            for leaf, g in gradient.items():
                term = self.mul(slope, g)
                old = out.get(leaf)
                out[leaf] = term if old is None else self.add(old, term)
        return {k: v for k, v in out.items() if v != ZERO}

    def _slopes(self, n, op, args):
        d = [self._grad[a] for a in args]
        if not any(d):
            return {}
        a = args[0]
        if op == "+":
            return self._combine((ONE, d[0]), (ONE, d[1]))
        if op == "*":
            return self._combine((args[1], d[0]), (a, d[1]))
        if op == "/":
            return self._combine((self.div(ONE, args[1]), d[0]), (self.neg(self.div(n, args[1])), d[1]))
        if op == "^":
            b = args[1]
            parts = [(self.mul(b, self.pow(a, self.sub(b, ONE))), d[0])]
            if d[1]:
                parts.append((self.mul(n, self.fun("log", a)), d[1]))
            return self._combine(*parts)
        if op == "if":
            leaves = list(dict.fromkeys(list(d[1]) + list(d[2])))
            out = {k: self.choose(a, d[1].get(k, ZERO), d[2].get(k, ZERO)) for k in leaves}
            return {k: v for k, v in out.items() if v != ZERO}
        if op in ("min", "max"):
            first = self.two("<=" if op == "min" else ">=", a, args[1])
            leaves = list(dict.fromkeys(list(d[0]) + list(d[1])))
            return {k: self.choose(first, d[0].get(k, ZERO), d[1].get(k, ZERO)) for k in leaves}
        if op == "atan2":
            y, x = args
            r2 = self.add(self.mul(x, x), self.mul(y, y))
            return self._combine((self.div(x, r2), d[0]), (self.neg(self.div(y, r2)), d[1]))
        if op in ("<", "<=", "==", "!=", ">", ">=", "and", "or", "not", "sign", "floor"):
            return {}
        return self._combine((self._slope(n, op, a), d[0]))

    def _slope(self, n, op, a):
        square = self.mul
        if op == "sin":
            return self.fun("cos", a)
        if op == "cos":
            return self.neg(self.fun("sin", a))
        if op == "tan":
            return self.add(ONE, square(n, n))
        if op == "asin":
            return self.div(ONE, self.fun("sqrt", self.sub(ONE, square(a, a))))
        if op == "acos":
            return self.neg(self.div(ONE, self.fun("sqrt", self.sub(ONE, square(a, a)))))
        if op == "atan":
            return self.div(ONE, self.add(ONE, square(a, a)))
        if op == "sinh":
            return self.fun("cosh", a)
        if op == "cosh":
            return self.fun("sinh", a)
        if op == "tanh":
            return self.sub(ONE, square(n, n))
        if op == "exp":
            return n
        if op == "log":
            return self.div(ONE, a)
        if op == "sqrt":
            return self.div(self.num(Fraction(1, 2)), n)
        if op == "abs":
            return self.fun("sign", a)
        raise AssertionError(op)

    def total(self, n):
        """Total time derivative."""
        out = self._total.get(n)
        if out is None:
            out = ZERO
            for leaf, g in self.grad(n).items():
                rate = self.next[leaf]() if callable(self.next.get(leaf)) else self.next.get(leaf, ZERO)
                out = self.add(out, self.mul(g, rate))
            self._total[n] = out
        return out

    def leaves(self, n):
        """All leaves under a place, also those inside conditions."""
        seen, stack, out = {n}, [n], set()
        while stack:
            k = stack.pop()
            if self.op[k] in ("leaf", "input", "table"):
                out.add(k)
            if self.op[k] not in ("num", "leaf", "input", "table"):
                for a in self.args[k]:
                    if a not in seen:
                        seen.add(a)
                        stack.append(a)
        return out

    def leaves_of(self, roots):
        """Leaves that numbers must be given for, in order; inputs are computed."""
        return [n for n in self.reach(roots) if self.op[n] == "leaf"]

    def reach(self, roots):
        """Places under the roots, arguments first."""
        seen, stack = set(roots), list(roots)
        while stack:
            k = stack.pop()
            if self.op[k] in ("num", "leaf"):
                continue
            for a in self.below(k):
                if a not in seen:
                    seen.add(a)
                    stack.append(a)
        return sorted(seen)

    def below(self, k):
        """Arguments that are places."""
        if self.op[k] == "table":
            return self.args[k][2:]
        return self.args[k][:1] if self.op[k] == "input" else self.args[k]


def _truth(f):
    """1 or 0, not a truth value: numpy's sums of those stay true."""
    return lambda *a: f(*a) * 1.0


NUMPY = {
    "+": np.add, "*": np.multiply, "/": np.true_divide, "^": np.power, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "abs": np.abs, "sign": np.sign, "floor": np.floor, "atan2": np.arctan2,
    "min": np.minimum, "max": np.maximum, "<": _truth(np.less), "<=": _truth(np.less_equal), "==": _truth(np.equal), "!=": _truth(np.not_equal),
    ">": _truth(np.greater), ">=": _truth(np.greater_equal), "and": _truth(np.logical_and), "or": _truth(np.logical_or), "not": _truth(np.logical_not),
}


class Tape:
    """The places under some roots, evaluated for many points at once."""

    def __init__(self, graph, roots):
        self.graph, self.roots = graph, list(roots)
        order = graph.reach([r for r in self.roots])
        self.where = {n: i for i, n in enumerate(order)}
        self.steps, self.constants, self.leaves = [], [], []
        for i, n in enumerate(order):
            op, args = graph.op[n], graph.args[n]
            if op == "num":
                self.constants.append((i, float(args[0])))
            elif op == "leaf":
                self.leaves.append((i, n))
            elif op == "table":
                self.steps.append((i, "table", (args[0], args[1], self.where[args[2]], n)))
            elif op == "input":
                self.steps.append((i, "input", (self.where[args[0]], n)))
            else:
                self.steps.append((i, op, tuple(self.where[a] for a in args)))
        self.size = len(order)
        self.kinks = [(op, args) for _, op, args in self.steps if op in ("abs", "sign", "floor", "min", "max", "<", "<=", "==", "!=", ">", ">=")]
        self.edge = None

    def __call__(self, values, count=1, shift=None):
        """values: {leaf: array or number}; list of arrays (count), one for each root. shift: {input: array} added to its signal."""
        v = [None] * self.size
        for i, x in self.constants:
            v[i] = x
        for i, leaf in self.leaves:
            v[i] = values[leaf]
        table = NUMPY
        with np.errstate(all="ignore"):
            for i, op, args in self.steps:
                if op == "if":
                    v[i] = np.where(v[args[0]], v[args[1]], v[args[2]])
                elif op == "input":
                    v[i] = v[args[0]] if shift is None else v[args[0]] + shift.get(args[1], 0.0)
                elif op == "table":
                    v[i] = args[0](args[1], v[args[2]]) + (0.0 if shift is None else shift.get(args[3], 0.0))
                elif len(args) == 2:
                    v[i] = table[op](v[args[0]], v[args[1]])
                else:
                    v[i] = table[op](v[args[0]])
        self.edge = self._edge(v) if self.kinks else None
        return [np.broadcast_to(np.asarray(v[self.where[r]], dtype=float), (count,)) for r in self.roots]

    def _edge(self, v):
        """How near each point is to where something changes over, as a part of what is compared."""
        out = np.inf
        for op, args in self.kinks:
            a = np.asarray(v[args[0]], float)
            b = np.asarray(v[args[1]], float) if len(args) > 1 else np.round(a) if op == "floor" else 0.0
            out = np.minimum(out, np.abs(a - b) / (np.abs(a) + np.abs(b) + 1e-3))
        return out
