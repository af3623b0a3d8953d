"""A model from its text: statements evaluated into places of a graph (graph.py), equations by differentiation.

    model = Model(text)
    model.M, .Q, .rows[i].A, .rows[i].b, ...   places;   model.at(t, q, v, z)   numbers

It knows docs/language.md and nothing of the library's code. What the page does not allow raises Refused; what it allows
and this reader cannot do raises Unknown.
"""
import csv
import math
import os
from fractions import Fraction

import numpy as np

from graph import FUNCTIONS, ONE, ZERO, Graph, Tape
from syntax import Refused, parse


class Unknown(Exception):
    pass


def spline(X, Y):
    """Cubics through the points, two derivatives continuous, the third one too at the second point and the last but one; (c3, c2, c1, c0) each."""
    n = len(X) - 1
    if n < 3:
        return [np.polyfit(X - x, Y, n) for x in X[:-1]]
    rows, right = [], []

    def row(y=0.0, **c):
        r = np.zeros(4 * n)
        for k, values in c.items():
            r[4 * int(k[1:]):4 * int(k[1:]) + 4] = values
        rows.append(r)
        right.append(y)
    for i in range(n):
        h = X[i + 1] - X[i]
        row(Y[i], **{"p%d" % i: [0, 0, 0, 1]})
        row(Y[i + 1], **{"p%d" % i: [h**3, h**2, h, 1]})
        if i + 1 < n:
            row(**{"p%d" % i: [3 * h**2, 2 * h, 1, 0], "p%d" % (i + 1): [0, 0, -1, 0]})
            row(**{"p%d" % i: [6 * h, 2, 0, 0], "p%d" % (i + 1): [0, -2, 0, 0]})
    for i in (0, n - 2):
        row(**{"p%d" % i: [1, 0, 0, 0], "p%d" % (i + 1): [-1, 0, 0, 0]})
    return np.linalg.solve(np.array(rows), np.array(right)).reshape(n, 4)


class Table:
    """Points of a file: linear between them, held outside."""

    def __init__(self, path, column):
        with open(path) as f:
            rows = [r for r in csv.reader(f) if r]
        head = [h.strip() for h in rows[0]]
        time = head.index("t") if "t" in head else head.index("time") if "time" in head else 0
        self.x = np.array([float(r[time]) for r in rows[1:]])
        self.y = np.array([float(r[head.index(column)]) for r in rows[1:]])
        self.line = None

    def freeze(self, t):
        """From here on the line between the points about t, also where it ends; None: all of it."""
        self.line = None
        if t is not None:
            slope = float(self(1, t))
            self.line = (t, float(self(0, t)), slope)

    def at(self, order, t):
        """A number, on the line that is frozen."""
        if order == 2:
            return 0.0
        if self.line is None:
            return float(self(order, t))
        t0, y0, slope = self.line
        return slope if order == 1 else y0 + slope * (t - t0)

    def __call__(self, order, t):
        if order == 0:
            return np.interp(t, self.x, self.y)
        if order == 1:
            k = np.clip(np.searchsorted(self.x, t, side="right") - 1, 0, len(self.x) - 2) if len(self.x) > 1 else 0
            if len(self.x) < 2:
                return np.zeros_like(np.asarray(t, dtype=float))
            slope = (self.y[k + 1] - self.y[k]) / (self.x[k + 1] - self.x[k])
            return np.where((t < self.x[0]) | (t >= self.x[-1]), 0.0, slope)
        return np.zeros_like(np.asarray(t, dtype=float))


class Row:
    def __init__(self, name, constraint, expression, is_control):
        self.name, self.constraint, self.r, self.is_control = name, constraint, expression, is_control
        self.level = self.r_dot = self.acceleration = self.b = None
        self.A = {}      # coordinate -> place
        self.gains = {}  # 'B', 'K' -> {row: place}


class Constraint:
    def __init__(self, key, is_control):
        self.key, self.is_control, self.rows = key, is_control, []
        self.name = key[0] + ("[%s]" % ",".join(map(str, key[1])) if key[1] else "")
        self.waits = False  # for an event


class Function:
    def __init__(self, args, body, local, scope):
        self.args, self.body, self.local, self.scope = args, body, local, scope


class Scope:
    def __init__(self, parent=None):
        self.names, self.parent = {}, parent

    def find(self, name):
        scope = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None


def is_vector(v):
    return isinstance(v, list) and not is_matrix(v)


def is_matrix(v):
    return isinstance(v, list) and len(v) > 0 and isinstance(v[0], list)


class Model:
    def __init__(self, text, folder=".", settings=None):
        """settings: {parameter: value}, what --set says."""
        self.g = Graph()
        self.folder, self.settings = folder, dict(settings or {})
        self.t = self.g.leaf("t")
        self.g.next[self.t] = ONE
        self.scope = Scope()
        self.scope.names.update(t=self.t, pi=self.g.num(math.pi))
        self.params, self.param_place, self.param_rule = [], {}, {}
        self.coords, self.place = [], []  # names; place[i][k]: k-th derivative of coordinate i
        self.states, self.state_place, self.rate = [], [], []
        self.inputs = []                 # (name, place, place of u', place of u'')
        self.T = self.V = self.D = ZERO
        self.masses, self.forces, self.raw_forces = {}, [], []
        self.constraints, self.rows, self.families = [], [], {}
        self.laws, self.frictions, self.actuators = [], [], []
        self.weight = None
        self.outputs, self.targets, self.events = [], [], []
        self.steady = []
        self.released = []
        self.stabilize, self.stabilizers, self.options, self.allows = "project", [], {}, set()
        self.multiplier = {}             # ('lambda' | 'reaction', row) -> leaf
        self.statements = parse(text)
        self.block(self.statements, self.scope)
        self.finish()

    # ---- statements ----
    def block(self, statements, scope):
        for s in statements:
            getattr(self, "do_" + s[0].replace(" ", "_"))(scope, *s[1:])

    def span(self, scope, lo, hi, step):
        lo, hi = self.integer(scope, lo), self.integer(scope, hi)
        step = 1 if step is None else self.integer(scope, step)
        return range(lo, hi + (1 if step > 0 else -1), step)

    def do_for(self, scope, var, lo, hi, step, body):
        for i in self.span(scope, lo, hi, step):
            inner = Scope(scope)
            inner.names[var] = self.g.num(i)
            self.block(body, inner)

    def do_if(self, scope, condition, yes, no):
        self.block(yes if self.constant(self.scalar(scope, condition)) != 0 else no, Scope(scope))

    def do_include(self, scope, path):
        with open(os.path.join(self.folder, path)) as f:
            self.block(parse(f.read()), scope)

    def shape(self, scope, indices):
        """Sizes of a declared array, None for a number."""
        if indices is None:
            return None
        out = []
        for lo, hi in indices:
            if hi is None:
                raise Unknown("one index in a declaration")
            if self.integer(scope, lo) != 1:
                raise Refused("arrays begin at 1")
            out.append(self.integer(scope, hi))
        return out

    def entries(self, name, shape, make):
        """A value of that shape; make(entry's name, number) gives each entry."""
        if shape is None:
            return make(name, 0)
        if len(shape) == 1:
            return [make("%s[%d]" % (name, i + 1), i) for i in range(shape[0])]
        return [[make("%s[%d,%d]" % (name, i + 1, j + 1), i * shape[1] + j) for j in range(shape[1])] for i in range(shape[0])]

    def do_param(self, scope, items):
        for (name, indices), expression, _unit in items:
            shape = self.shape(scope, indices)
            value = self.value(scope, expression)
            flat = self.flat(value)

            def make(entry, k):
                leaf = self.g.leaf("p", entry)
                self.params.append(entry)
                self.param_place[entry] = leaf
                self.param_rule[entry] = flat[k] if isinstance(value, list) else value
                return leaf
            scope.names[name] = self.entries(name, shape, make)

    def do_coord(self, scope, items):
        for (name, indices), _unit in items:
            def make(entry, _k):
                i = len(self.coords)
                self.coords.append(entry)
                self.place.append([self.g.leaf("q", i, k) for k in range(12)])
                for k in range(11):
                    self.g.next[self.place[i][k]] = self.place[i][k + 1]
                return self.place[i][0]
            scope.names[name] = self.entries(name, self.shape(scope, indices), make)

    def do_let(self, scope, items):
        for name, args, body, local in items:
            f = Function(args or [], body, local, scope)
            scope.names[name] = f if args is not None else self.call_function(f, [])

    def do_state(self, scope, title, left, right, _unit):
        name, indices = title
        first = len(self.states)

        def make(entry, _k):
            leaf = self.g.leaf("z", len(self.states))
            self.states.append(entry)
            self.state_place.append(leaf)
            self.rate.append(None)
            number = len(self.rate) - 1
            self.g.next[leaf] = lambda: self.rate[number]
            return leaf
        value = scope.names[name] = self.entries(name, self.shape(scope, indices), make)
        if left != ("prime", ("name", name)):
            raise Unknown("a state's equation that does not begin with its own prime")
        right = self.value(scope, right)
        right = [right] * len(self.flat(value)) if isinstance(value, list) and not isinstance(right, list) else self.flat(right)
        for k in range(len(self.states) - first):
            self.rate[first + k] = right[k]

    def do_input(self, scope, name, signal, _unit):
        g = self.g
        if signal[0] == "file":
            table = Table(os.path.join(self.folder, signal[1]), signal[2])
            places = [g._place("table", (table, order, self.t)) for order in range(3)]
        else:
            e = self.scalar(scope, signal)
            places = []
            for order in range(3):
                places.append(g._place("input", (e, "%s/%d" % (name, order))))
                e = g.total(e)
        for a, b in zip(places, places[1:]):
            g.next[a] = b
        self.inputs.append((name,) + tuple(places))
        scope.names[name] = places[0]

    def do_kinetic(self, scope, e):
        self.T = self.g.add(self.T, self.scalar(scope, e))

    def do_potential(self, scope, e):
        self.V = self.g.add(self.V, self.scalar(scope, e))

    def do_dissipation(self, scope, e):
        self.D = self.g.add(self.D, self.scalar(scope, e))

    def coordinate(self, place):
        for i, row in enumerate(self.place):
            if row[0] == place:
                return i
        raise Refused("not a coordinate")

    def do_mass(self, scope, left, right):
        left, right = self.value(scope, left), self.value(scope, right)
        if not isinstance(left, list):
            self.add_mass(self.coordinate(left), self.coordinate(left), right)
        elif is_matrix(right):
            for a, row in zip(left, right):
                for b, m in zip(left, row):
                    self.add_mass(self.coordinate(a), self.coordinate(b), m)
        else:
            flat = self.flat(left)
            for k, a in enumerate(flat):
                self.add_mass(self.coordinate(a), self.coordinate(a), self.flat(right)[k] if isinstance(right, list) else right)

    def add_mass(self, i, j, m):
        self.masses[i, j] = self.g.add(self.masses.get((i, j), ZERO), m)

    def do_force(self, scope, force, velocity):
        force, velocity = self.value(scope, force), self.value(scope, velocity)
        for f, v in zip(self.flat(force), self.flat(velocity)):
            self.raw_forces.append((f, v))

    def do_constraint(self, scope, title, left, right, is_control=False):
        name, indices = title
        key = (name, tuple(self.integer(scope, lo) for lo, _ in indices) if indices else ())
        c = Constraint(key, is_control)
        c.index = len(self.constraints)
        self.constraints.append(c)
        self.families.setdefault(name, []).append(c)
        values = self.flat(self.broadcast("-", self.value(scope, left), self.value(scope, right)))
        for k, e in enumerate(values):
            row = Row(c.name + ("[%d]" % (k + 1) if len(values) > 1 else ""), c, e, is_control)
            self.differentiate(row)
            row.index = len(self.rows)
            c.rows.append(row)
            self.rows.append(row)

    def order(self, place):
        """Highest derivative of a coordinate in an expression."""
        return max([self.g.args[n][2] for n in self.g.leaves(place) if self.g.op[n] == "leaf" and self.g.args[n][0] == "q"],
                   default=0)

    def differentiate(self, row):
        g, e = self.g, row.r
        order = self.order(e)
        row.level = ("holonomic", "nonholonomic", "acceleration")[order]
        row.r_dot = g.total(e) if order == 0 else e if order == 1 else ZERO
        row.acceleration = g.total(row.r_dot) if order < 2 else e
        row.phi = e if order == 0 else ZERO
        row.b = ZERO
        self.linear(row)

    def linear(self, row):
        """A q'' - b = the row's acceleration form; it must be linear in q''."""
        g = self.g
        gradient = g.grad(row.acceleration)
        rest = row.acceleration
        row.A = {}
        for i, place in enumerate(self.place):
            slope = gradient.get(place[2], ZERO)
            if slope != ZERO:
                row.A[i] = slope
        row.rest = rest  # with q'' = 0 it is -b

    def titles(self, scope, names):
        out = []
        for name, indices in names:
            family = self.families.get(name)
            if family is None:
                raise Refused("no constraint '%s'" % name)
            if indices:
                key = tuple(self.integer(scope, lo) for lo, _ in indices)
                family = [c for c in family if c.key[1] == key]
                if not family:
                    raise Refused("no constraint '%s'" % name)
            out += family
        return out

    def do_nonideal(self, scope, is_z, names, place, force):
        place, force = self.flat(self.value(scope, place)), self.value(scope, force)
        force = self.flat(force) if isinstance(force, list) else [force] * len(place)
        g = self.g
        C = [ZERO] * len(self.coords)
        for p, f in zip(place, force):
            gradient = g.grad(g.total(p))  # of the velocity: a state in the place may move with the coordinates
            for i in range(len(self.coords)):
                C[i] = g.add(C[i], g.mul(gradient.get(self.place[i][1], ZERO), f))
        self.laws.append((self.titles(scope, names), C, is_z))

    def do_friction(self, scope, names, mu, along, static):
        mu = self.scalar(scope, mu)
        static = mu if static is None else self.scalar(scope, static)
        self.frictions.append((self.titles(scope, names), mu, static, self.flat(self.value(scope, along))))

    def do_control(self, scope, title, left, right, weight):
        self.do_constraint(scope, title, left, right, True)
        if weight is not None:
            self.weight = weight if isinstance(weight, str) else self.value(scope, weight)

    def do_actuator(self, scope, _title, velocity):
        self.actuators += self.flat(self.value(scope, velocity))

    def do_output(self, scope, items):
        for (name, indices), expression, _unit in items:
            if expression is None:
                value = scope.find(name)
            else:
                value = self.value(scope, expression)
                if indices is None:
                    scope.names[name] = value
                else:
                    key = tuple(self.integer(scope, lo) for lo, _ in indices)
                    self.scope.names.setdefault("output " + name, {})[key] = value
            if indices is not None:
                name += "[%s]" % ",".join(str(self.integer(scope, lo)) for lo, _ in indices)
            flat = self.flat(value)
            names = [name] if not isinstance(value, list) else [name + "[%d]" % (k + 1) for k in range(len(flat))]
            if is_matrix(value):
                names = ["%s[%d,%d]" % (name, i + 1, j + 1) for i in range(len(value)) for j in range(len(value[0]))]
            self.outputs += list(zip(names, flat))

    def pairs(self, scope, left, right):
        left, right = self.value(scope, left), self.value(scope, right)
        left = self.flat(left)
        right = self.flat(right) if isinstance(right, list) else [right] * len(left)
        return list(zip(left, right))

    def do_initial(self, scope, items):
        for left, right in items:
            self.targets += [(a, b, True) for a, b in self.pairs(scope, left, right)]

    def do_guess(self, scope, items):
        for left, right in items:
            self.targets += [(a, b, False) for a, b in self.pairs(scope, left, right)]

    def do_steady(self, scope, items):
        for left, right in items:
            self.steady += self.pairs(scope, left, right)

    def do_initial_release(self, scope, names):
        self.released.append((scope, names))

    def do_event(self, scope, title, trigger, direction, value, condition, actions):
        name, indices = title
        if indices:
            name += "[%s]" % ",".join(str(self.integer(scope, lo)) for lo, _ in indices)
        g = self.g
        done = []
        for a in actions:
            if a[0] in ("release", "impose"):
                done.append((a[0], self.titles(scope, a[1])))
            elif a[0] == "impact":
                done.append(("impact", self.titles(scope, [a[1]])[0], self.scalar(scope, a[2])))
            elif a[0] == "set":
                done += [("set", x, y) for x, y in self.pairs(scope, a[1], a[2])]
            else:
                done.append(a)
        self.events.append((name, g.sub(self.scalar(scope, trigger), self.scalar(scope, value)), direction,
                            None if condition is None else self.scalar(scope, condition), done))

    def do_stabilize(self, scope, kind, names, gains):
        """How constraints are held is said by the last statement that speaks of any; one that names controls alone gives their gains."""
        owners = None if names is None else self.titles(scope, names)
        if owners is None or not all(c.is_control for c in owners):
            self.stabilize = kind
        if gains:
            self.stabilizers.append((owners, {k: self.value(scope, e) for k, e in gains.items()}))

    def do_simulate(self, scope, options):
        self.options.update({k: v if k == "method" else self.scalar(scope, v) for k, v in options.items()})

    def do_allow(self, _scope, words):
        self.allows.update(words)

    # ---- expressions ----
    def flat(self, value):
        if is_matrix(value):
            return [x for row in value for x in row]
        return list(value) if isinstance(value, list) else [value]

    def scalar(self, scope, e):
        v = self.value(scope, e)
        if isinstance(v, list):
            raise Refused("a number is needed")
        return v

    def constant(self, place):
        """The number at a place that holds parameters at most."""
        g = self.g
        x = g.value(place)
        if x is not None:
            return x
        op, args = g.op[place], g.args[place]
        if op == "leaf":
            if args[0] != "p":
                raise Refused("not known when the model is read")
            return self.param_number(args[1])
        twin = Graph()
        memo = {}

        def copy(n):
            if n not in memo:
                v = g.value(n)
                if v is not None:
                    memo[n] = twin.num(v)
                elif g.op[n] == "leaf":
                    memo[n] = twin.num(self.constant(n))
                elif g.op[n] in ("input", "table"):
                    raise Refused("not known when the model is read")
                else:
                    a = [copy(k) for k in g.args[n]]
                    o = g.op[n]
                    memo[n] = (twin.add(*a) if o == "+" else twin.mul(*a) if o == "*" else twin.div(*a) if o == "/" else
                               twin.pow(*a) if o == "^" else twin.choose(*a) if o == "if" else twin.negate(*a) if o == "not" else
                               twin.two(o, *a) if len(a) == 2 else twin.fun(o, *a))
            return memo[n]
        v = twin.value(copy(place))
        if v is None:
            raise Refused("has no value")
        return v

    def param_number(self, name):
        if name in self.settings:
            return self.settings[name]
        return self.constant(self.param_rule[name])

    def integer(self, scope, e):
        v = self.constant(self.scalar(scope, e))
        if v != int(v):
            raise Refused("a whole number is needed")
        return int(v)

    def value(self, scope, e):
        kind = e[0]
        g = self.g
        if kind == "num":
            return g.num(e[1])
        if kind == "name":
            v = scope.find(e[1])
            if v is None:
                raise Refused("unknown name '%s'" % e[1])
            if isinstance(v, Function):
                raise Refused("'%s' is a function" % e[1])
            return v
        if kind == "neg":
            return self.map(g.neg, self.value(scope, e[1]))
        if kind == "not":
            return g.negate(self.scalar(scope, e[1]))
        if kind == "prime":
            return self.map(g.total, self.value(scope, e[1]))
        if kind == "list":
            return [self.value(scope, x) for x in e[1]]
        if kind == "map":
            return [self.value(self.bound(scope, e[2], i), e[1]) for i in self.span(scope, *e[3:])]
        if kind == "sum":
            out = None
            for i in self.span(scope, *e[2:5]):
                term = self.value(self.bound(scope, e[1], i), e[5])
                out = term if out is None else self.broadcast("+", out, term)
            return ZERO if out is None else out
        if kind == "index":
            return self.index(scope, e)
        if kind == "bin":
            return self.binary(e[1], self.value(scope, e[2]), self.value(scope, e[3]))
        if kind == "call":
            return self.call(scope, e[1], e[2])
        raise AssertionError(kind)

    def bound(self, scope, name, i):
        inner = Scope(scope)
        inner.names[name] = self.g.num(i)
        return inner

    def index(self, scope, e):
        if e[1][0] == "name" and scope.find("output " + e[1][1]) is not None and scope.find(e[1][1]) is None:
            return scope.find("output " + e[1][1])[tuple(self.integer(scope, lo) for lo, _ in e[2])]
        v = self.value(scope, e[1])

        def pick(v, index):
            lo, hi = index
            lo = self.integer(scope, lo)
            if not isinstance(v, list):
                raise Refused("a number has no entries")
            if hi is None:
                if not 1 <= lo <= len(v):
                    raise Refused("index out of range")
                return v[lo - 1]
            hi = self.integer(scope, hi)
            if not (1 <= lo <= hi <= len(v)):
                raise Refused("index out of range")
            return v[lo - 1:hi]
        first = pick(v, e[2][0])
        if len(e[2]) == 1:
            return first
        if e[2][0][1] is None:
            return pick(first, e[2][1])
        return [pick(row, e[2][1]) for row in first]

    def map(self, f, v):
        return [self.map(f, x) for x in v] if isinstance(v, list) else f(v)

    def broadcast(self, op, a, b):
        """+ and - of equal shapes; 0 fits anything."""
        g = self.g
        if isinstance(a, list) != isinstance(b, list):
            if (a if not isinstance(a, list) else b) != ZERO:
                raise Refused("shapes differ")
            zero = self.map(lambda _: ZERO, a if isinstance(a, list) else b)
            return self.broadcast(op, a if isinstance(a, list) else zero, b if isinstance(b, list) else zero)
        if isinstance(a, list):
            if len(a) != len(b):
                raise Refused("shapes differ")
            return [self.broadcast(op, x, y) for x, y in zip(a, b)]
        return g.add(a, b) if op == "+" else g.sub(a, b)

    def binary(self, op, a, b):
        g = self.g
        if op in "+-":
            return self.broadcast(op, a, b)
        if op == "*":
            return self.product(a, b)
        if op == "/":
            if isinstance(b, list):
                raise Refused("division by a vector")
            return self.map(lambda x: g.div(x, b), a)
        if isinstance(a, list) or isinstance(b, list):
            raise Refused("numbers are needed")
        return g.pow(a, b) if op == "^" else g.two(op, a, b)

    def dot(self, a, b):
        out = ZERO
        if len(a) != len(b):
            raise Refused("lengths differ")
        for x, y in zip(a, b):
            out = self.g.add(out, self.g.mul(x, y))
        return out

    def product(self, a, b):
        g = self.g
        if not isinstance(a, list):
            return self.map(lambda x: g.mul(a, x), b)
        if not isinstance(b, list):
            return self.map(lambda x: g.mul(x, b), a)
        if is_matrix(a) and is_matrix(b):
            return [[self.dot(row, [r[j] for r in b]) for j in range(len(b[0]))] for row in a]
        if is_matrix(a):
            return [self.dot(row, b) for row in a]
        if is_matrix(b):
            return [self.dot(a, [r[j] for r in b]) for j in range(len(b[0]))]
        raise Refused("of two vectors take dot or cross")

    def call_function(self, f, args):
        if len(args) != len(f.args):
            raise Refused("wrong number of arguments")
        inner = Scope(f.scope)
        inner.names.update(zip(f.args, args))
        for name, e in f.local:
            inner.names[name] = self.value(inner, e)
        return self.value(inner, f.body)

    def call(self, scope, name, args):
        g = self.g
        f = scope.find(name)
        if isinstance(f, Function):
            return self.call_function(f, [self.value(scope, a) for a in args])
        if name in ("lambda", "reaction", "force", "active"):
            return self.of_constraint(scope, name, args)
        if name == "d":
            return self.partial(self.value(scope, args[0]), self.value(scope, args[1]))
        if name == "table":
            return self.points(self.value(scope, args[0]), *[a[1] for a in args[1:]])
        v = [self.value(scope, a) for a in args]
        if name in FUNCTIONS:
            return g.fun(name, v[0])
        method = getattr(self, "f_" + name, None)
        if method is None:
            raise Refused("no function '%s'" % name)
        return method(*v)

    def partial(self, e, x):
        if isinstance(x, list):
            if isinstance(e, list):
                return [self.partial(k, x) for k in e]
            return [self.partial(e, k) for k in x]
        if self.g.op[x] not in ("leaf", "input", "table"):
            raise Refused("d by what is no variable")
        return self.map(lambda k: self.g.grad(k).get(x, ZERO), e)

    def of_constraint(self, scope, name, args):
        def title(e):
            if e[0] == "name":
                return (e[1], None)
            if e[0] == "index" and e[1][0] == "name":
                return (e[1][1], e[2])
            raise Refused("the name of a constraint is needed")
        constraints = self.titles(scope, [title(args[0])])
        rows = [r for c in constraints for r in c.rows]
        g = self.g
        if name == "active":
            return g.leaf("active", constraints[0].index)
        if name in ("lambda", "reaction"):
            values = [g.leaf(name, r.index) for r in rows]
            return values[0] if len(values) == 1 else values
        total = [ZERO] * len(self.coords)
        for r in rows:
            for i, a in r.A.items():
                total[i] = g.add(total[i], g.mul(a, g.leaf("lambda", r.index)))
        if len(args) == 1:
            return total
        x = self.value(scope, args[1])
        return self.map(lambda k: total[self.coordinate(k)], x)

    # ---- small functions ----
    def f_clamp(self, x, low, high):
        return self.g.two("min", self.g.two("max", x, low), high)

    def f_round(self, x):
        return self.g.fun("floor", self.g.add(x, self.g.num(Fraction(1, 2))))

    def f_mod(self, a, b):
        return self.g.sub(a, self.g.mul(b, self.g.fun("floor", self.g.div(a, b))))

    def f_deg(self, x):
        return self.map(lambda k: self.g.mul(k, self.g.num(180 / math.pi)), x)

    def f_rad(self, x):
        return self.map(lambda k: self.g.mul(k, self.g.num(math.pi / 180)), x)

    def points(self, x, file, column, how="linear"):
        """A column over the first one: from point to point, the last one that was passed."""
        with open(os.path.join(self.folder, file)) as f:
            rows = [r for r in csv.reader(f) if r]
        at = [h.strip() for h in rows[0]].index(column)
        X, Y = (np.array([float(r[k]) for r in rows[1:]]) for k in (0, at))
        g, out = self.g, self.g.num(float(Y[0]))
        if len(X) == 1:
            return out
        pieces = spline(X, Y) if how == "smooth" else [((Y[i + 1] - Y[i]) / (X[i + 1] - X[i]), Y[i]) for i in range(len(X) - 1)]
        for x0, piece in zip(X, list(pieces) + [(Y[-1],)]):
            u, p = g.sub(x, g.num(float(x0))), ZERO
            for c in piece:
                p = g.add(g.mul(p, u), g.num(float(c)))
            out = g.choose(g.two("<", x, g.num(float(x0))), out, p)
        return out

    # ---- functions of vectors and matrices ----
    def f_atan2(self, y, x):
        return self.g.two("atan2", y, x)

    def f_pow(self, x, y):
        return self.g.pow(x, y)

    def extreme(self, name, args):
        args = self.flat(args[0]) if len(args) == 1 else list(args)
        out = args[0]
        for a in args[1:]:
            out = self.g.two(name, out, a)
        return out

    def f_min(self, *args):
        return self.extreme("min", args)

    def f_max(self, *args):
        return self.extreme("max", args)

    def f_if(self, c, a, b):
        if isinstance(a, list):
            return [self.f_if(c, x, y) for x, y in zip(a, b)]
        return self.g.choose(c, a, b)

    def f_sum(self, v):
        out = ZERO
        for x in v:
            out = self.g.add(out, x)
        return out

    def f_dot(self, a, b):
        return self.dot(a, b)

    def f_norm(self, a):
        return self.g.fun("sqrt", self.dot(a, a))

    def f_cross(self, a, b):
        g = self.g

        def minor(i, j):
            return g.sub(g.mul(a[i], b[j]), g.mul(a[j], b[i]))
        return minor(0, 1) if len(a) == 2 else [minor(1, 2), minor(2, 0), minor(0, 1)]

    def f_transpose(self, m):
        return [list(r) for r in zip(*m)]

    def f_diag(self, *v):
        v = v[0] if len(v) == 1 and isinstance(v[0], list) else list(v)
        return [[x if i == j else ZERO for j in range(len(v))] for i, x in enumerate(v)]

    def f_identity(self, n):
        return self.f_diag([ONE] * int(self.constant(n)))

    def f_zeros(self, n, m=None):
        n = int(self.constant(n))
        return [ZERO] * n if m is None else [[ZERO] * int(self.constant(m)) for _ in range(n)]

    def f_skew(self, v):
        n = self.g.neg
        return [[ZERO, n(v[2]), v[1]], [v[2], ZERO, n(v[0])], [n(v[1]), v[0], ZERO]]

    def turn(self, axis, a):
        g = self.g
        c, s = g.fun("cos", a), g.fun("sin", a)
        m = [[ONE if i == j == axis else ZERO for j in range(3)] for i in range(3)]
        i, j = (axis + 1) % 3, (axis + 2) % 3
        m[i][i] = m[j][j] = c
        m[i][j], m[j][i] = g.neg(s), s
        return m

    def f_rotx(self, a):
        return self.turn(0, a)

    def f_roty(self, a):
        return self.turn(1, a)

    def f_rotz(self, a):
        return self.turn(2, a)

    def f_quaternion(self, e):
        g = self.g
        u = e[1:]
        trace = g.sub(g.mul(e[0], e[0]), self.dot(u, u))
        outer = [[g.mul(g.num(2), g.mul(a, b)) for b in u] for a in u]
        twice = self.map(lambda x: g.mul(g.num(2), g.mul(e[0], x)), self.f_skew(u))
        m = self.broadcast("+", outer, twice)
        for i in range(3):
            m[i][i] = g.add(m[i][i], trace)
        return m

    def of_skew(self, m):
        return [m[2][1], m[0][2], m[1][0]]

    def f_omega(self, r):
        return self.of_skew(self.product(self.map(self.g.total, r), self.f_transpose(r)))

    def f_omega_body(self, r):
        return self.of_skew(self.product(self.f_transpose(r), self.map(self.g.total, r)))

    # ---- equations ----
    def finish(self):
        g, n = self.g, len(self.coords)
        q, v, a = ([p[k] for p in self.place] for k in range(3))
        self.q, self.v, self.a = q, v, a
        slope = g.grad(self.T)
        self.momentum = momentum = [slope.get(x, ZERO) for x in v]
        self.M = {}
        self.Q = []
        potential, dissipation = g.grad(self.V), g.grad(self.D)
        force = [ZERO] * n
        for f, w in self.raw_forces:
            gradient = g.grad(w)
            for i in range(n):
                force[i] = g.add(force[i], g.mul(gradient.get(v[i], ZERO), f))
        self.force = force
        for i in range(n):
            gradient = g.grad(momentum[i])
            for j in range(n):
                m = g.add(gradient.get(v[j], ZERO), self.masses.get((i, j), ZERO))
                if m != ZERO:
                    self.M[i, j] = m
            # p' without the accelerations
            rate = ZERO
            for leaf, s in gradient.items():
                if leaf in v:
                    continue
                step = g.next.get(leaf, ZERO)
                step = step() if callable(step) else step
                rate = g.add(rate, g.mul(s, step))
            Q = g.sub(slope.get(q[i], ZERO), rate)
            Q = g.sub(Q, potential.get(q[i], ZERO))
            Q = g.sub(Q, dissipation.get(v[i], ZERO))
            self.Q.append(g.add(Q, force[i]))
        for m in self.M.values():
            if self.order(m) > 0:
                raise Refused("M depends on velocities")
        self.energies(momentum, slope, potential, dissipation)
        for c in self.constraints:
            imposed = any(a[0] == "impose" and c in a[1] or a[0] == "impact" and a[1] is c for e in self.events for a in e[4])
            released = any(a[0] == "release" and c in a[1] for e in self.events for a in e[4])
            c.waits = imposed and not released
        for scope, names in self.released:
            for c in self.titles(scope, names):
                c.waits = True
        self.friction_rows = [[self.velocity_row(w) for w in f[3]] for f in self.frictions]
        self.G = [{i: g.grad(w).get(v[i], ZERO) for i in range(n) if g.grad(w).get(v[i], ZERO) != ZERO} for w in self.actuators]

    def velocity_row(self, w):
        """V, dV/dq' and V' at q'' = 0 of a velocity expression."""
        g = self.g
        slope = g.grad(w)
        return w, {i: slope.get(x, ZERO) for i, x in enumerate(self.v) if slope.get(x, ZERO) != ZERO}, g.total(w)

    def energies(self, momentum, slope, potential, dissipation):
        g, n = self.g, len(self.coords)
        h = g.add(g.neg(self.T), self.V)
        power = ZERO
        for i in range(n):
            h = g.add(h, g.mul(self.v[i], momentum[i]))
            power = g.add(power, g.mul(self.v[i], g.sub(self.force[i], dissipation.get(self.v[i], ZERO))))
        kinetic = self.T
        half = g.num(Fraction(1, 2))
        for (i, j), m in self.masses.items():
            e = g.mul(half, g.mul(m, g.mul(self.v[i], self.v[j])))
            h, kinetic = g.add(h, e), g.add(kinetic, e)
            # such masses bring no velocity terms: their change is power
            power = g.add(power, g.mul(half, g.mul(g.total(m), g.mul(self.v[i], self.v[j]))))
        L = g.sub(self.T, self.V)
        known = set(self.q) | set(self.v)
        for leaf, s in g.grad(L).items():
            if leaf in known:
                continue
            step = g.next.get(leaf, ZERO)
            step = step() if callable(step) else step
            power = g.sub(power, g.mul(s, step))
        self.energy = [kinetic, self.V, self.D, h, power]
