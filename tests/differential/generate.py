"""Random models of the whole language. generate(seed) gives the same text for the same seed, and the features it has.

A model is a list of pieces of text, each a statement or a block that can be left out by itself (what needs it is then
refused, which the shrinker sees). Masses are positive by construction; everything else is free.
"""
import random

COORDS = ["x", "y", "w", "s", "theta", "phi", "β", "x_G", "height"]
VECTORS = ["r", "c", "ξ", "place"]
MATRICES = ["e", "grid"]
PARAMS = ["m", "l", "k", "g", "a0", "μ", "Omega", "rate_1", "J"]


class Generated:
    def __init__(self, seed, text, tags, files, start):
        self.seed, self.text, self.tags, self.files, self.start = seed, text, tags, files, start


class Maker:
    def __init__(self, seed, only=None):
        self.rng = random.Random(seed)
        self.seed, self.tags, self.pieces, self.files = seed, set(), [], {}
        self.coords = []        # texts of entries: x, r[1], e[1,2]
        self.vectors = []       # (name, length)
        self.matrices = []      # (name, rows, columns)
        self.params, self.param_vectors = [], []
        self.states, self.inputs = [], []
        self.lets, self.vlets, self.functions = [], [], []  # of positions and time: numbers, (vector, length), (name, count)
        self.matrix_lets = []
        self.taken = {"t", "pi"}
        self.constraints = []   # names of natural constraints, with rows
        self.controls = []
        self.kinks = False      # whether kinks may be made now
        self.level = 0          # 1: velocities allowed
        self.size = None        # of the structural parameter N
        self.bodies, self.massless = [], []  # Euler parameters; coordinates without mass of their own
        self.names_of_outputs = []
        self.only = only
        self.make()

    # ---- dice ----
    def chance(self, p, tag=None):
        yes = self.rng.random() < p
        if yes and tag:
            self.tags.add(tag)
        return yes

    def pick(self, items):
        return self.rng.choice(items)

    def tag(self, name):
        self.tags.add(name)

    def fresh(self, pool):
        free = [n for n in pool if n not in self.taken]
        if not free:
            name = "n%d" % len(self.taken)
        else:
            name = self.pick(free)
        self.taken.add(name)
        # a Greek letter is its name
        for letter, word in (("β", "beta"), ("ξ", "xi"), ("μ", "mu")):
            if name == letter:
                self.taken.add(word)
        return name

    def number(self, lo=0.1, hi=3.0):
        x = self.rng.uniform(lo, hi)
        kind = self.rng.random()
        if kind < 0.25:
            return str(max(1, round(x)))
        if kind < 0.5:
            return "%d/%d" % (self.rng.randint(1, 7), self.rng.randint(2, 9)) if lo < 1 else "%.2f" % x
        if kind < 0.6:
            return "%.3e" % x
        return "%.*f" % (self.rng.randint(1, 3), max(x, 0.1))

    def plain(self, lo=0.2, hi=2.0):
        return "%.*f" % (self.rng.randint(1, 3), max(self.rng.uniform(lo, hi), 0.1))

    # ---- expressions ----
    def leaf(self):
        r = self.rng.random()
        if r < 0.45 and self.coords:
            return self.pick(self.coords)
        if r < 0.60 and self.params:
            return self.pick(self.params)
        if r < 0.66 and self.lets:
            return self.pick(self.lets)
        if r < 0.72:
            if self.chance(0.5):
                return "t"
            return self.pick(["pi", "2*pi", "pi/3", "sqrt(2)", "exp(1)"])
        if r < 0.78 and self.states:
            return self.pick(self.states)
        if r < 0.84 and self.inputs:
            return self.pick(self.inputs)
        if r < 0.88 and self.vlets:
            name, n = self.pick(self.vlets)
            return "%s[%d]" % (name, self.rng.randint(1, n))
        if r < 0.91 and self.param_vectors:
            name, n = self.pick(self.param_vectors)
            return "%s[%d]" % (name, self.rng.randint(1, n))
        if self.level and r < 0.97 and self.coords:
            return self.velocity()
        return self.number()

    def velocity(self):
        if self.chance(0.8) or not self.lets:
            return self.pick(self.coords) + "'"
        self.tag("prime of let")
        return self.pick(self.lets) + "'"

    def chain(self, depth):
        """Operators without brackets, as they come: what binds how is the parser's affair."""
        out = self.factor(depth)
        for _ in range(self.rng.randint(1, 3)):
            out += self.pick([" + ", " - ", "*", " - ", "*"]) + self.factor(depth)
        return out

    def factor(self, depth):
        f = self.leaf() if depth <= 0 or self.chance(0.6) else self.expression(depth - 1, True)
        if "/" in f and not f.startswith("(") and self.chance(0.9):
            f = "(" + f + ")"
        r = self.rng.random()
        if r < 0.12:
            return f + "^2" if not f[0].isdigit() and "/" not in f and "*" not in f else "(" + f + ")^2"
        if r < 0.16:
            return "-" + f
        if r < 0.2:
            return f + "/" + self.plain()
        return f

    def expression(self, depth=2, closed=False):
        """A number made of what is allowed now, of moderate size where its parts are. closed: safe as an operand."""
        if depth <= 0:
            return self.leaf() if not closed else "(" + self.leaf() + ")"
        d = depth - 1
        e = lambda: self.expression(d, True)  # noqa: E731
        r = self.rng.randint(0, 33)
        if r < 5:
            s = self.chain(d)
            return "(" + s + ")" if closed else s
        if r < 8:
            return "%s(%s)" % (self.pick(["sin", "cos", "sin", "cos", "tanh", "atan"]), self.expression(d))
        if r == 8:
            return "exp(-%s^2)" % e()
        if r == 9:
            return "sqrt(1 + %s^2)" % e()
        if r == 10:
            return "log(2 + %s^2)" % e()
        if r == 11:
            s = "%s/(2 + sin(%s))" % (e(), self.expression(d))
            return "(" + s + ")" if closed else s
        if r == 12:
            return "atan2(%s, 2 + %s^2)" % (e(), e())
        if r == 13:
            return "%s(tanh(%s)/2)" % (self.pick(["asin", "acos", "tan", "sinh", "cosh"]), e())
        if r == 14:
            s = self.pick(["pow(%s, %s)", "%s^%s"]) % ("(3/2 + sin(%s)/2)" % e(), "(1 + cos(%s)/2)" % e())
            self.tag("power of expressions")
            return "(" + s + ")" if closed else s
        if r == 15 and self.vectors:
            self.tag("sum")
            name, n = self.pick(self.vectors)
            return "sum(i in 1..%d: %s*%s)" % (n, "%s[i]" % name, self.pick(["i", "i^2/2", "(3 - i)", self.plain()]))
        if r == 16:
            self.tag("dot")
            return "dot([%s, %s], [%s, %s])" % (e(), e(), e(), self.plain())
        if r == 17:
            self.tag("norm")
            return "norm([%s, %s, 1])" % (e(), e())
        if r == 18:
            self.tag("cross")
            if self.chance(0.5):
                return "cross([%s, %s], [%s, 1])" % (e(), e(), e())
            return "cross([%s, %s, 1], [1, %s, 2])[%d]" % (e(), e(), e(), self.rng.randint(1, 3))
        if r == 19 and self.coords:
            self.tag("d()")
            return "d(%s, %s)" % (self.expression(d), self.pick(self.coords + self.params + ["t"] + self.states))
        if r == 20 and self.functions:
            name, n = self.pick(self.functions)
            self.tag("function")
            return "%s(%s)" % (name, ", ".join(self.expression(d - 1) for _ in range(n)))
        if r == 21:
            self.tag("matrix")
            m = self.matrix(d)
            return "(%s*[%s, 1, %s])[%d]" % (m, e(), self.plain(), self.rng.randint(1, 3))
        if r == 22 and self.kinks:
            self.tag("abs")
            return "abs(%s)" % self.expression(d)
        if r == 23 and self.kinks:
            self.tag("min, max")
            return "%s(%s)" % (self.pick(["min", "max"]), ", ".join(self.expression(d) for _ in range(self.rng.randint(2, 3))))
        if r == 24 and self.kinks:
            self.tag("if()")
            return "if(%s, %s, %s)" % (self.condition(d), self.expression(d), self.expression(d))
        if r == 25 and self.kinks:
            self.tag("sign")
            return "sign(%s)" % self.expression(d)
        if r == 26:
            self.tag("list")
            n = self.rng.randint(2, 4)
            return "sum([%s*%s for j in 1..%d])" % (self.pick(["j", "sin(j)", "1/j"]), e(), n)
        if r == 27 and self.vectors:
            self.tag("slice")
            name, n = self.pick(self.vectors)
            k = self.rng.randint(1, n)
            return "dot(%s[%d..%d], %s[%d..%d])" % (name, k, n, name, 1, n - k + 1)
        if r == 28:
            self.tag("rotation")
            R = "%s(%s)" % (self.pick(["rotx", "roty", "rotz"]), self.expression(d))
            return self.pick(["(%s*transpose(%s))[%d,%d]", "(%s*%s)[%d,%d]"]) % (R, R if self.chance(0.3) else self.matrix(d),
                                                                             self.rng.randint(1, 3), self.rng.randint(1, 3))
        if r == 29:
            self.tag("breadth")
            k = self.rng.randint(0, 9)
            e1, e2 = e(), self.expression(d)
            return ["dot([%s, %s, 1], zeros(3) + [1, %s, 2])" % (e1, e2, self.plain()),
                    "(identity(2)*[%s, %s])[2]" % (e1, e2),
                    "(transpose([[%s, 1], [2, %s]])*[1, 2])[1]" % (e1, e2),
                    "(skew([%s, 1, 2])*[%s, 1, 0])[2]" % (e1, e2),
                    "sum([%s, %s, 1/3])" % (e1, e2),
                    "([[%s, 2, 3], [4, %s, 6]])[1..2, 2][2]" % (e1, e2),
                    "diag([%s, 2])[1,1]" % e1,
                    "(zeros(2, 2) + [[%s, 1], [1, %s]])[2, 2]" % (e1, e2),
                    "sum(i in 3..1 step -1: i*%s)" % e1,
                    "d(%s^2*%s, %s)" % (e1, self.plain(), self.pick(self.coords)) if self.coords else e1][k]
        if r == 30 and self.kinks:
            self.tag("breadth")
            return self.pick(["min([%s, %s, 2])", "max([%s, 0.3, %s])", "if(%s != 0 and not (%s == 2), 1, 0.2)",
                              "if(%s <= 0.2 or %s >= 0.1, 1, 2)*1.1"]) % (e(), e())
        if r == 31 and self.size and self.vectors and self.level == 0:
            pairs = [v for v, n in self.vectors if n == self.size]
            if pairs:
                self.tag("structural parameter")
                return "sum(i in 1..N: %s[i]^2/N)" % self.pick(pairs)
        if r == 32:
            self.tag("small words")
            return self.pick(["rad(20*%s)", "deg(%s)/50"]) % e()
        if r == 33 and self.kinks:
            self.tag("small words")
            k = self.rng.randint(0, 4)
            if k == 4:
                return self.points(self.expression(d))
            s = ["clamp(%s, -1/2, 1)", "mod(%s, 0.7)", "floor(2*%s)/3", "round(%s)/2"][k] % self.expression(d, True)
            return "(" + s + ")" if closed and k > 1 else s
        s = self.chain(d)
        return "(" + s + ")" if closed else s

    def points(self, x):
        """table() of an expression."""
        file = "points%d.csv" % len(self.files)
        xs = sorted({round(self.rng.uniform(-2, 2), 2) for _ in range(self.rng.randint(2, 6))})
        self.files[file] = "x,other,col\n" + "".join("%s,7,%.3f\n" % (k, self.rng.uniform(-1, 1)) for k in xs)
        self.tag("table()")
        return 'table(%s, "%s", "col"%s)' % (x, file, self.pick(["", ", smooth", ", linear"]))

    def matrix(self, d):
        r = self.rng.randint(0, 6)
        e = lambda: self.expression(d - 1)  # noqa: E731
        if r == 0 and self.matrix_lets:
            return self.pick(self.matrix_lets)
        if r == 1:
            return "skew([%s, %s, %s])" % (e(), self.plain(), e())
        if r == 2:
            return "diag(%s, %s, %s)" % (self.plain(), e(), self.plain())
        if r == 3:
            return "identity(3)"
        if r == 4:
            return "[[%s, %s, 0], [%s, 1, %s], [0, %s, 2]]" % (e(), self.plain(), self.plain(), e(), e())
        return "%s(%s)" % (self.pick(["rotx", "roty", "rotz"]), e())

    def condition(self, d):
        c = "%s %s %s" % (self.expression(d, True), self.pick(["<", "<=", ">", ">="]), self.pick(["0", "1/2", self.leaf()]))
        r = self.rng.random()
        if r < 0.15:
            return "%s and %s > -1" % (c, self.leaf())
        if r < 0.3:
            return "%s or not %s < 0" % (c, self.leaf())
        return c

    def positions(self, depth=2, kinks=False):
        self.level, self.kinks = 0, kinks
        return self.expression(depth)

    def moving(self, depth=2, kinks=False):
        self.level, self.kinks = 1, kinks
        out = self.expression(depth)
        self.level = 0
        return out

    # ---- pieces ----
    def say(self, text):
        self.pieces.append(text)

    def say_row(self, text):
        """A constraint that comes late in the story: they stand before control."""
        at = [k for k, p in enumerate(self.pieces) if p.startswith(("control", "actuator"))]
        self.pieces.insert(at[0] if at else len(self.pieces), text)

    def unit(self):
        return self.pick(['', '', '', ' "m"', ' "kg m^2"'])

    def make(self):
        rng = self.rng
        self.tag("all")
        if self.chance(0.3):
            self.say("# %s" % self.pick(["a model; with a comment", "α = 1, [ not read", "x' = \"text\""]))
        self.parameters()
        self.coordinates()
        if self.chance(0.35):
            self.signals()
        if self.chance(0.45):
            self.definitions()
        if self.chance(0.3):
            self.first_order_states()
        self.energies()
        if self.chance(0.7):
            self.forces()
        natural = rng.random()
        rubs = len(self.coords) > 1 and not self.massless and self.chance(0.12)
        if rubs:
            self.rubbing()
        elif natural < 0.75 or self.massless:
            self.natural_rows()
        if self.constraints and self.chance(0.1 if rubs else 0.3):
            self.laws()
        has_friction = rubs
        if self.constraints and not rubs and self.chance(0.15):
            self.friction()
            has_friction = True
        if self.chance(0.03 if has_friction else 0.18):
            self.control()
        if not self.controls and "law by z" not in self.tags and self.chance(0.04, "negative mass"):
            self.say("allow negative mass")
            c = self.pick(self.coords)
            self.say(self.pick(["mass %s = -%s" % (c, self.plain(0.3, 4)), "kinetic -%s*%s'^2" % (self.plain(0.3, 3), c)]))
        if self.chance(0.7):
            self.outputs()
        self.start()
        if self.chance(0.35):
            self.events()
        if self.constraints and self.chance(0.15):
            self.stabilization()
        if self.chance(0.4):
            self.say("simulate %s" % self.pick(["until %s", "from 1 until 1 + %s", "until %s, points 11, rtol 1e-10",
                                                "until %s, step 0.1", "until %s, max_step 0.1, atol 1e-11",
                                                "method rk8 until %s", "until %s, resolution 1e-6"]) % self.plain(0.3, 1.0))
        if self.chance(0.06):
            self.including()
        if self.chance(0.05):
            self.tag("semicolons")
            k = rng.randrange(len(self.pieces))
            if k + 1 < len(self.pieces) and "#" not in self.pieces[k] + self.pieces[k + 1]:
                self.pieces[k:k + 2] = [self.pieces[k] + "; " + self.pieces[k + 1]]

    def including(self):
        """The first statements in a file of their own, which may include another."""
        self.tag("include")
        k = self.rng.randint(1, len(self.pieces) - 1)
        inner = self.pieces[:k]
        if len(inner) > 2 and self.chance(0.4):
            j = self.rng.randint(1, len(inner) - 1)
            self.files["inner.mech"] = "\n".join(inner[:j]) + "\n"
            inner = ['include "inner.mech"'] + inner[j:]
        self.files["part.mech"] = "\n".join(inner) + "\n"
        self.pieces[:k] = ['include "part.mech"']

    def parameters(self):
        if self.chance(0.3):
            self.tag("no parameters")
            return
        self.tag("parameters")
        for _ in range(self.rng.randint(1, 4)):
            name = self.fresh(PARAMS)
            r = self.rng.random()
            if r < 0.15:
                self.tag("vector of parameters")
                n = self.rng.randint(2, 3)
                value = "[%s]" % ", ".join(self.plain() for _ in range(n)) if self.chance(0.7) else self.plain()
                self.say("param %s[1..%d] = %s" % (name, n, value))
                self.param_vectors.append((name, n))
            elif r < 0.35 and self.params:
                self.tag("parameter of parameters")
                self.say("param %s = %s%s" % (name, self.pick(["%s + 1", "2*%s", "1 + %s^2", "sqrt(1 + %s^2)", "2*pi/(1 + %s^2)"])
                                              % self.pick(self.params), self.unit()))
                self.params.append(name)
            else:
                self.say("param %s = %s%s" % (name, self.number(), self.unit()))
                self.params.append(name)
        if len(self.params) > 1 and self.chance(0.2):
            self.tag("several parameters in a statement")
            names = [self.fresh(PARAMS) for _ in range(2)]
            self.say("param %s = %s \"kg\", %s = %s" % (names[0], self.plain(), names[1], self.plain()))
            self.params += names
        if self.chance(0.2):
            self.tag("structural parameter")
            self.size = self.rng.randint(2, 3)
            self.say("param N = %d" % self.size)
            self.taken.add("N")

    def coordinates(self):
        want = self.rng.choice([1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6])
        if self.chance(0.07, "quaternion"):
            name = self.fresh(["q0", "E", "p_e"])
            self.say("coord %s[1..4]" % name)
            self.coords += ["%s[%d]" % (name, i + 1) for i in range(4)]
            self.bodies.append(name)
            want = self.rng.randint(4, 7)
        while len(self.coords) < want:
            left = want - len(self.coords)
            r = self.rng.random()
            if r < 0.3 and left >= 2:
                n = self.rng.randint(2, min(3, left))
                name = self.fresh(VECTORS)
                self.tag("vector of coordinates")
                if self.size == n:
                    self.say("coord %s[1..N]" % name)
                else:
                    self.say("coord %s[1..%d]%s" % (name, n, self.unit()))
                self.vectors.append((name, n))
                self.coords += ["%s[%d]" % (name, i + 1) for i in range(n)]
            elif r < 0.36 and left >= 4:
                name = self.fresh(MATRICES)
                self.tag("matrix of coordinates")
                self.say("coord %s[1..2, 1..2]" % name)
                self.matrices.append((name, 2, 2))
                self.coords += ["%s[%d,%d]" % (name, i, j) for i in (1, 2) for j in (1, 2)]
            else:
                names = [self.fresh(COORDS) for _ in range(self.rng.randint(1, min(2, left)))]
                self.say("coord %s%s" % (", ".join(names), self.unit()))
                self.coords += names

    def signals(self):
        for _ in range(self.rng.randint(1, 2)):
            name = self.fresh(["u", "drive", "v_in"])
            r = self.rng.random()
            if r < 0.3:
                self.tag("table")
                file = "table%d.csv" % len(self.files)
                times = sorted({round(self.rng.uniform(-0.5, 2.5), 3) for _ in range(self.rng.randint(2, 6))})
                head = self.pick(["t,%s", "time,%s", "a,%s"]) % "col"
                rows = "".join("%s,%.4f\n" % (t, self.rng.uniform(-2, 2)) for t in times)
                self.files[file] = head + "\n" + rows
                self.say('input %s = file "%s" column "col"%s' % (name, file, self.unit()))
            else:
                self.tag("input")
                w = self.pick(["2*pi", "3", "pi", "1/2"] + self.params)
                signal = self.pick(["sin(%s*t)", "cos(%s*t) + t", "2*exp(-%s*t)", "%s", "t*%s - 1", "sin(t)^2*%s", "tanh(t - %s)",
                                    "2*pi + %s*t", "sqrt(2)*%s"]) % w
                self.say("input %s = %s%s" % (name, signal, self.unit()))
            self.inputs.append(name)

    def definitions(self):
        for _ in range(self.rng.randint(1, 3)):
            r = self.rng.random()
            if r < 0.35:
                name = self.fresh(["h", "stretch", "gap", "ζ"])
                text = "let %s = %s" % (name, self.positions(2))
                self.say(text)
                self.lets.append(name)
                self.tag("let")
            elif r < 0.6:
                name = self.fresh(["f", "F1", "shape"])
                n = self.rng.randint(1, 2)
                args = ["p%d" % i for i in range(n)] if self.chance(0.7) else ["m", "x"][:n]
                hold = self.coords, self.vectors, self.vlets
                self.coords, self.vectors, self.vlets = self.coords + 3 * args, [], []
                lets, self.lets = self.lets, []
                body = self.positions(2)
                if self.chance(0.4):
                    self.tag("where")
                    text = "let %s(%s) = %s*loc where loc = %s" % (name, ", ".join(args), "(" + body + ")", self.positions(1))
                else:
                    text = "let %s(%s) = %s" % (name, ", ".join(args), body)
                self.coords, self.vectors, self.vlets = hold
                self.lets = lets
                self.say(text)
                self.functions.append((name, n))
            elif r < 0.8:
                name = self.fresh(["P", "tip", "arm"])
                n = self.rng.randint(2, 3)
                if self.vectors and self.chance(0.3):
                    v, n = self.pick(self.vectors)
                    text = "let %s = %s + [%s]" % (name, v, ", ".join(self.positions(1) for _ in range(n)))
                elif self.chance(0.3):
                    self.tag("list")
                    text = "let %s = [%s*i for i in 1..%d]" % (name, "(" + self.positions(1) + ")", n)
                else:
                    text = "let %s = [%s]" % (name, ", ".join(self.positions(1) for _ in range(n)))
                self.say(text)
                self.vlets.append((name, n))
                self.tag("vector")
            else:
                name = self.fresh(["R", "Rot", "Turn"])
                text = "let %s = %s(%s)*%s(%s)" % (name, self.pick(["rotx", "rotz"]), self.positions(1), self.pick(["roty", "rotz"]),
                                                   self.positions(1))
                self.say(text)
                self.matrix_lets.append(name)
                self.tag("rotation")

    def first_order_states(self):
        for _ in range(self.rng.randint(1, 2)):
            name = self.fresh(["z", "filter", "σ"])
            self.tag("state")
            if self.chance(0.25):
                self.tag("vector of states")
                self.say("state %s[1..2]: %s' = [%s - %s[1], %s - %s*%s[2]]" % (
                    name, name, self.moving(1), name, self.moving(1, True), self.plain(), name))
                self.states += [name + "[1]", name + "[2]"]
            else:
                e = self.moving(1, self.chance(0.3)) if self.chance(0.6) else self.positions(1)
                self.say("state %s: %s' = %s - %s*%s" % (name, name, e, self.plain(), name))
                self.states.append(name)

    # ---- energies ----
    def energies(self):
        rng = self.rng
        plain = [c for c in self.coords if not any(c.startswith(v + "[") for v in [v for v, _ in self.vectors] + self.bodies)]
        for e in self.bodies:
            self.body(e)
        if len(self.coords) > 1 and plain and self.chance(0.12, "singular mass"):
            self.massless = [self.pick(plain)]
            if len(plain) > 1 and self.chance(0.4):
                other = self.pick([c for c in plain if c not in self.massless])
                self.say("kinetic (%s' + %s*%s')^2/2" % (self.massless[0], self.plain(), other))
                self.massless.append(other)
        done = set()
        for c in plain:
            if c in self.massless or c in done:
                continue
            partner = [d for d in plain if d != c and d not in self.massless and d not in done]
            if partner and self.chance(0.08, "mass matrix"):
                d = self.pick(partner)
                done.add(d)
                self.say("mass [%s, %s] = [[%s, 0.2], [0.2, %s]]" % (c, d, self.plain(1, 2), self.plain(1, 2)))
                continue
            if self.chance(0.15, "mass"):
                if self.chance(0.5):
                    self.say("mass %s = %s" % (c, self.plain()))
                else:
                    self.tag("mass of place")
                    self.say("mass %s = %s + sin(%s)/3" % (c, self.plain(1, 2), self.positions(1)))
            else:
                m = self.pick([self.plain(), self.plain(), "1"] + [p for p in self.params])
                self.say("kinetic %s/2*%s'^2" % (m, c) if self.chance(0.8) else "kinetic %s'*%s*%s'" % (c, self.plain(), c))
        for v, n in self.vectors:
            r = rng.random()
            if r < 0.3:
                self.say("kinetic dot(%s', %s')*%s" % (v, v, self.plain()))
            elif r < 0.6:
                self.tag("loop")
                self.say("for i in 1..%d {\n    kinetic %s/2*(i + 1)*%s[i]'^2\n}" % (n, self.plain(), v))
            elif r < 0.8:
                self.tag("sum")
                self.say("kinetic sum(i in 1..%d: %s[i]'^2/i)" % (n, v))
            elif n == 2:
                self.tag("mass matrix")
                self.say("mass %s = [[2, %s], [%s, %s]]" % (v, "0.3", "0.3", self.plain(0.5, 1)))
            else:
                self.tag("mass")
                self.say("mass %s = %s" % (v, self.plain()))
        for _ in range(rng.randint(0, 2)):
            r = rng.random()
            if r < 0.3:
                self.tag("velocity of a point")
                n = rng.randint(2, 3)
                p = "[%s]" % ", ".join(self.positions(1) for _ in range(n))
                name = self.fresh(["point", "pos", "G1"])
                self.say("let %s = %s\nkinetic %s*dot(%s', %s')" % (name, p, self.plain(), name, name))
                self.vlets.append((name, n))
            elif r < 0.5 and len(self.coords) >= 2:
                self.tag("rotating body")
                a, b = rng.sample(self.coords, 2)
                name = self.fresh(["spin", "turning"])
                self.say("let %s = %s(%s(%s)*%s(%s))\nkinetic dot(%s, diag(%s, %s, %s)*%s)/2" % (
                    name, self.pick(["omega", "omega_body"]), self.pick(["rotz", "rotx"]), a, self.pick(["roty", "rotx", "rotz"]), b,
                    name, self.plain(), self.plain(), self.plain(), name))
            elif r < 0.65:
                self.tag("kinetic linear in velocities")
                self.say("kinetic %s*%s" % (self.velocity_plain(), "(" + self.positions(1) + ")"))
            elif r < 0.75:
                self.tag("kinetic of place")
                self.say("kinetic (1 + sin(%s)/2)*%s^2" % (self.positions(1), self.velocity_plain()))
            elif r < 0.9:
                self.tag("kinetic of place")
                self.say("kinetic (%s)^2/3" % self.linear_velocity())
            else:
                self.tag("kinetic without velocities")
                self.say("kinetic %s" % self.positions(1))
        if self.chance(0.12, "if block"):
            what = "N == 2" if self.size else self.pick(["1 < 2", "2 > 3 or 1 == 1", "not 1 == 1"])
            self.say("if %s {\n    potential %s\n} else %s{\n    potential %s\n}" % (
                what, self.positions(1), self.pick(["", "if 1 == 2 {\n    potential 1/0\n} else "]), self.positions(1)))
        if self.vectors and self.chance(0.15, "let in a loop"):
            v, n = self.pick(self.vectors)
            self.say("for i in %d..1 step -1 {\n    let here = %s[i] + %s\n    for j in 1..2 {\n        potential here*j*%s/3\n    }\n}" % (
                n, v, self.positions(0), self.pick(self.coords)))
        for _ in range(rng.randint(0, 3)):
            self.tag("potential")
            self.say("potential %s" % self.positions(2, self.chance(0.1)))
        if self.chance(0.3):
            self.tag("dissipation")
            self.say("dissipation %s/2*%s^2" % (self.plain(), self.velocity_plain()) if self.chance(0.5) else
                     "dissipation (1 + cos(%s)/2)*(%s)^2" % (self.positions(1), self.linear_velocity()))

    def body(self, e):
        """A body turned by Euler parameters: its mass matrix is singular, and the row that e.e = 1 makes it definite."""
        R, w = self.fresh(["Q1", "Att"]), self.fresh(["om", "w_b"])
        self.say("let %s = quaternion(%s), %s = %s(%s)" % (R, e, w, self.pick(["omega", "omega_body", "omega_body"]), R))
        self.say("kinetic dot(%s, diag(%s, %s, %s)*%s)/2" % (w, self.plain(), self.plain(), self.plain(), w))
        name = self.fresh(["unit", "normal"])
        self.say("constraint %s: dot(%s, %s) = 1" % (name, e, e))
        self.constraints.append((name, 1))
        self.vlets.append((w, 3))
        if self.chance(0.7):
            self.say("potential %s*%s[3,3] + %s[%d,%d]/3" % (self.plain(), R, R, self.rng.randint(1, 3), self.rng.randint(1, 2)))
        if self.chance(0.4):
            self.say("force [%s, %s, %s] on %s" % (self.plain(), self.plain(), self.pick(["sin(t)", "0", "-" + w + "[3]"]), w))
        self.vlets.remove((w, 3))  # a velocity
        self.matrix_lets.append(R)

    def velocity_plain(self):
        return self.pick(self.coords) + "'"

    def linear_velocity(self):
        """Linear in velocities, with coefficients that move."""
        terms = ["%s*%s" % (self.pick([self.plain(), "(" + self.positions(1) + ")"]), self.velocity_plain())
                 for _ in range(self.rng.randint(1, 3))]
        if self.chance(0.2):
            terms.append("(%s*%s)'" % (self.pick(self.coords), self.plain()))
        return " + ".join(terms)

    def forces(self):
        for _ in range(self.rng.randint(1, 3)):
            r = self.rng.random()
            kinks = self.chance(0.25)
            self.tag("force")
            if r < 0.6:
                self.say("force %s on %s" % (self.moving(2, kinks), self.velocity_plain() if self.chance(0.6) else self.linear_velocity()))
            elif r < 0.8 and self.vlets:
                name, n = self.pick(self.vlets)
                self.tag("force on a point")
                self.say("force [%s] on %s' + [%s]" % (", ".join(self.moving(1) for _ in range(n)), name,
                                                      ", ".join(self.velocity_plain() for _ in range(n))))
            elif self.vectors:
                name, n = self.pick(self.vectors)
                self.tag("force on a point")
                self.say("force -%s*%s on %s'" % (self.plain(), self.pick([name, name + "'"]), name))

    # ---- constraints ----
    def name_rows(self, pool):
        return self.fresh(pool)

    def natural_rows(self):
        rng = self.rng
        n = len(self.coords)
        most = max(1, n - 1) if self.chance(0.9) else n
        count = min(rng.choice([1, 1, 1, 2, 2, 3]), most)
        rows = 0
        for c in self.massless[:1]:
            name = self.fresh(["tie", "bind"])
            others = [d for d in self.coords if d not in self.massless[:1]]
            hold, self.coords = self.coords, others
            self.say("constraint %s: %s = %s" % (name, c, self.positions(1)) if self.chance(0.7) else
                     "constraint %s: %s' = %s" % (name, c, self.linear_velocity()))
            self.coords = hold
            self.constraints.append((name, 1))
            self.tag("holonomic")
            rows += 1
        while rows < count:
            rows += self.row(count - rows)
        if self.chance(0.25):
            self.redundant()

    def row(self, room):
        r = self.rng.random()
        name = self.fresh(["rod", "wire", "track", "roll", "hold", "joint", "link"])
        if r < 0.32:
            self.tag("holonomic")
            self.say("constraint %s: %s = %s" % (name, self.geometry(), self.plain(0.3, 1.5)))
        elif r < 0.42:
            self.tag("holonomic")
            self.tag("rheonomic")
            self.say("constraint %s: %s = %s" % (name, self.geometry(), self.pick(["sin(%s*t)", "1 + %s*t", "%s*cos(2*t)"]) % self.plain()))
        elif r < 0.47 and self.states:
            self.tag("holonomic")
            self.tag("state in a constraint")
            self.say("constraint %s: %s = %s" % (name, self.geometry(), self.pick(self.states)))
        elif r < 0.52 and self.inputs:
            self.tag("holonomic")
            self.tag("input in a constraint")
            self.say("constraint %s: %s = %s" % (name, self.geometry(), self.pick(self.inputs)))
        elif r < 0.72:
            self.tag("nonholonomic")
            right = self.pick(["0", "0", self.plain(), self.positions(1)])
            self.say("constraint %s: %s = %s" % (name, self.linear_velocity(), right))
        elif r < 0.80:
            self.tag("nonlinear in velocities")
            left = self.pick(["%s^2 + %s^2", "%s*%s + %s^2/4" % ("%s", "%s", self.velocity_plain())])
            a, b = self.velocity_plain(), self.velocity_plain()
            self.say("constraint %s: %s = %s" % (name, left % (a, b), self.plain()))
        elif r < 0.88:
            self.tag("acceleration row")
            c = self.pick(self.coords)
            self.say("constraint %s: %s'' %s = %s" % (name, c, self.pick(["", "+ %s''" % self.pick(self.coords), "- %s*%s''" % (
                "(" + self.positions(1) + ")", self.pick(self.coords))]), self.moving(1)))
        elif room >= 2 and len(self.coords) >= 3:
            self.tag("vector constraint")
            a, b, c = self.rng.sample(self.coords, 3)
            self.tag("holonomic")
            self.say("constraint %s: [%s + %s, %s] = [%s, %s]" % (name, a, self.positions(1), b, self.plain(), "sin(%s)" % c))
            self.constraints.append((name, 2))
            return 2
        elif self.vectors:
            self.tag("holonomic")
            self.tag("loop")
            v, k = self.pick(self.vectors)
            k = min(k, 2, room)
            self.say("for i in 1..%d {\n    constraint %s[i]: %s[i]*%s + %s = i/2\n}" % (k, name, v, self.plain(), self.positions(1)))
            self.constraints += [("%s[%d]" % (name, i + 1), 1) for i in range(k)]
            return k
        else:
            self.tag("holonomic")
            c = self.pick(self.coords)
            self.say("constraint %s: %s = %s" % (name, c, self.positions(1)))
        self.constraints.append((name, 1))
        return 1

    def geometry(self):
        """An expression of coordinates that has a slope almost everywhere."""
        r = self.rng.random()
        a, b = self.pick(self.coords), self.pick(self.coords)
        if r < 0.3:
            return "%s^2 + %s^2" % (a, b)
        if r < 0.5:
            return "%s - %s" % (a, self.positions(1))
        if r < 0.7:
            return "%s*sin(%s) + %s" % (self.plain(), a, b)
        if r < 0.8 and self.vectors:
            v, n = self.pick(self.vectors)
            return self.pick(["dot(%s, %s)", "norm(%s)"]).replace("%s", v)
        return "%s + %s" % (a, self.positions(2))

    def redundant(self):
        """The same again, in other words."""
        self.tag("redundant")
        texts = [p for p in self.pieces if p.startswith("constraint ") and "[" not in p.split(":")[0]]
        texts = [p for p in texts if not p.split(":", 1)[1].strip().startswith("[")]
        if not texts:
            return
        name = self.fresh(["again", "twice", "copy"])
        left, right = self.pick(texts).split(":", 1)[1].split(" = ")
        r = self.rng.random()
        if r < 0.4:
            self.say("constraint %s: %s*(%s) = %s*(%s)" % (name, "2", left.strip(), "2", right.strip()))
        elif r < 0.7 or len(texts) < 2:
            self.say("constraint %s: %s = %s" % (name, right.strip(), left.strip()))
        else:
            # the sum of two of one level
            a, b = self.rng.sample(texts, 2)
            if a.count("'") > 0 or b.count("'") > 0:
                self.say("constraint %s: %s = %s" % (name, right.strip(), left.strip()))
            else:
                (la, ra), (lb, rb) = (p.split(":", 1)[1].split(" = ") for p in (a, b))
                self.say("constraint %s: %s + 3*(%s) = %s + 3*(%s)" % (name, la.strip(), lb.strip(), ra.strip(), rb.strip()))
        self.constraints.append((name, 1))

    def some_constraints(self):
        names = [c for c, _ in self.constraints]
        return self.rng.sample(names, self.rng.randint(1, min(2, len(names))))

    def laws(self):
        for _ in range(self.rng.randint(1, 2)):
            self.tag("nonideal")
            names = self.some_constraints()
            r = self.rng.random()
            z = ""
            if self.chance(0.15):
                self.tag("law by z")
                z = "z "
            if r < 0.3 and self.vectors:
                v, n = self.pick(self.vectors)
                self.say("nonideal %son %s: %s = -%s*%s'" % (z, ", ".join(names), v, self.plain(), v))
            elif r < 0.7:
                self.say("nonideal %son %s: %s = %s" % (z, ", ".join(names), self.pick([self.pick(self.coords), self.pick(self.coords) + " + " + self.positions(1)]),
                                                      self.moving(1)))
            else:
                one = [c for c, k in self.constraints if k == 1]
                if not one:
                    continue
                word = self.pick(["lambda", "reaction"])
                self.tag("law of " + word)
                name = self.pick(one)
                if "redundant" in self.tags:
                    self.say("allow leastnorm")
                multiplier = "%s(%s)" % (word, name)
                if self.chance(0.4):
                    self.tag("law of a multiplier's kink")
                    multiplier = self.pick(["abs(%s)", "max(0, %s)", "min(%s, 1/3)"]) % multiplier
                elif self.chance(0.4):  # of the ideal one: its force may not take it away again
                    self.tag("law of a multiplier's step")
                    multiplier = self.pick(["sign(lambda(%s))", "if(lambda(%s) > 1/7, 2, 1/2)", "floor(3*lambda(%s))"]) % name
                self.say("nonideal on %s: %s = 0.1*%s*tanh(%s)" % (name, self.pick(self.coords), multiplier, self.moving(0)))

    def friction(self):
        self.tag("friction")
        for k in range(self.rng.choice([1, 1, 2, 2, 3])):
            if k == 1:
                self.tag("several frictions")
            self.one_friction()

    def one_friction(self):
        one = [c for c, k in self.constraints]
        name = self.pick(one)
        if len(one) > 1 and self.chance(0.2):
            name = ", ".join(self.rng.sample(one, 2))
        if "redundant" in self.tags and not any(p.startswith("allow") for p in self.pieces):
            self.say("allow leastnorm")
        mu = self.pick([self.plain(0.1, 0.4), "0.2 + sin(%s)/9" % self.positions(1)])
        V = self.velocity_plain()
        if self.vectors and self.chance(0.4):
            V = self.pick(self.vectors)[0] + "'"
            self.tag("friction along a vector")
        elif self.chance(0.3):
            V = self.linear_velocity()
        static = ", static %s" % self.plain(0.5, 0.9) if self.chance(0.3) else ""
        self.say("friction on %s: %s, along %s%s" % (name, mu, V, static))

    def rubbing(self):
        """Things that are pressed against something, pushed to and fro: they slide, stop and go."""
        self.tag("friction")
        self.tag("stick and slip")
        free = list(self.coords)
        self.rng.shuffle(free)
        for k in range(1 if len(free) < 4 else self.rng.randint(1, 2)):
            if len(free) < 2:
                break
            y, x = free.pop(), free.pop()
            V = "%s'" % x
            if free and self.chance(0.25):
                z = free.pop()
                V = "[%s', %s']" % (x, z)
                self.tag("friction along a vector")
                self.say("force %s*cos(%s*t) on %s'" % (self.plain(0.5, 3), self.plain(3, 20), z))
            name = self.fresh(["floor1", "slab", "belt", "rail"])
            self.say("constraint %s: %s = %s" % (name, y, self.pick(["0", "0.1*sin(%s)" % x, "%s/5" % x, "0.2*t", "0.1*sin(5*t)"])))
            self.constraints.append((name, 1))
            self.tag("holonomic")
            self.say("potential %s*%s" % (self.plain(2, 10), y))
            self.say("force %s*%s on %s'" % (self.plain(1, 8), self.pick(["sin(%s*t)", "cos(%s*t)", "(1 - %s*t)"]) % self.plain(4, 25), x))
            mu = self.rng.uniform(0.1, 0.5)
            static = self.pick(["", "", ", static %.2f" % (mu + self.rng.uniform(0, 0.3))])
            if self.chance(0.2):
                V = "%s - %s" % (V, self.plain(0.1, 0.6)) if not V.startswith("[") else V
                self.tag("friction on a moving belt")
            self.say("friction on %s: %.2f, along %s%s" % (name, mu, V, static))
            if k:
                self.tag("several frictions")
        if len(self.coords) > 3 and self.chance(0.5):
            a, b = self.rng.sample(self.coords, 2)
            self.say("potential %s*(%s - %s)^2" % (self.plain(1, 20), a, b))

    def control(self):
        self.tag("control")
        n = len(self.coords)
        left = n - sum(k for _, k in self.constraints)
        if left < 1:
            return
        name = self.fresh(["path", "servo", "follow"])
        weight = ""
        r = self.rng.random()
        actuated = self.chance(0.5)
        acts = self.rng.randint(1, n) if actuated else n
        if r < 0.15 and not actuated:
            weight = " weight nature"
        elif r < 0.3:
            weight = " weight identity"
        elif r < 0.45:
            self.tag("weight matrix")
            weight = " weight diag(%s)" % ", ".join(self.plain(0.5, 2) for _ in range(acts)) if acts > 1 else " weight [[2]]"
        c = self.pick(self.coords)
        r = self.rng.random()
        if r < 0.6:
            eq = "%s = %s" % (c if self.chance(0.5) else "%s + sin(%s)/3" % (c, self.pick(self.coords)), self.pick(["sin(t)", "t", "cos(2*t) + 1/2", "1"]))
        elif r < 0.8:
            eq = "%s = %s" % (self.linear_velocity(), self.plain())
        else:
            eq = "%s'' = %s" % (c, self.positions(1))
        if left > 1 and n > 1 and self.chance(0.2):
            self.tag("vector control")
            a, b = self.rng.sample(self.coords, 2)
            eq = "[%s, %s] = [%s, %s]" % (a, b, self.pick(["sin(t)", "t/2", "0.3"]), self.pick(["cos(t)", "1", "t^2"]))
        self.say("control %s: %s%s" % (name, eq, weight))
        self.controls.append(name)
        names = [name]
        if left > 1 and self.chance(0.15):
            self.tag("several controls")
            names.append(self.fresh(["second", "other"]))
            self.say("control %s: %s' = %s" % (names[1], self.pick(self.coords), self.pick(["cos(t)", "0.2"])))
        for name in names:
            if self.chance(0.75):  # else a run that begins off the path is refused
                self.tag("gains of control")
                self.say("stabilize excess on %s, B = %s, K = %s" % (name, self.plain(1, 20), self.plain(1, 100)))
        if actuated:
            self.tag("actuator")
            k = 0
            while k < acts:
                if k + 2 <= acts and self.chance(0.3):
                    self.say("actuator %s[%s', %s']" % (self.pick(["", "pair%d: " % k]), self.coords[k], self.coords[k + 1]))
                    k += 2
                    continue
                V = self.coords[k] + "'" if self.chance(0.7) else self.linear_velocity()
                self.say("actuator %s%s" % (self.pick(["", "motor%d: " % k]), V))
                k += 1

    def outputs(self):
        for k in range(self.rng.randint(1, 4)):
            name = "out%d" % k
            r = self.rng.random()
            self.tag("output")
            one = self.constraints
            if r < 0.2 and one:
                self.tag("output of lambda")
                self.say("output %s = %s(%s)%s" % (name, self.pick(["lambda", "reaction"]), self.pick(one)[0], self.unit()))
            elif r < 0.35 and one:
                self.tag("output of force")
                self.say("output %s = force(%s%s)" % (name, self.pick(one)[0], self.pick(["", ", " + self.pick(self.coords)])))
            elif r < 0.5:
                self.tag("output of acceleration")
                self.say("output %s = %s''%s" % (name, self.pick(self.coords), self.pick(["", "*%s" % self.plain(), " + " + self.moving(1)])))
            elif r < 0.6 and self.lets:
                self.tag("output of a let")
                self.say("output %s" % self.pick(self.lets)) if not any(p.startswith("output " + self.lets[0]) for p in self.pieces) and len(
                    self.lets) == 1 else self.say("output %s = %s''" % (name, self.pick(self.lets)))
            elif r < 0.7 and self.vlets:
                self.say("output %s = %s" % (name, self.pick(self.vlets)[0]))
            elif r < 0.75 and self.vectors:
                v, n = self.pick(self.vectors)
                self.tag("output in a loop")
                self.say("for i in 1..%d {\n    output %s[i] = %s[i]*%s + i\n}" % (n, name, v, self.moving(0)))
            elif r < 0.8 and self.names_of_outputs:
                self.tag("output of an output")
                self.say("output %s = 2*%s + %s" % (name, self.pick(self.names_of_outputs), self.moving(1)))
            elif r < 0.84 and one:
                self.tag("active")
                self.say("output %s = active(%s)*%s" % (name, self.pick(one)[0], self.moving(1)))
            elif r < 0.88 and self.coords:
                self.tag("gradient")
                e = self.positions(2)
                self.say("output %s = d(%s, %s)" % (name, e, self.pick(["[%s]" % ", ".join(self.coords[:3]), "t"] + [v for v, _ in self.vectors])))
            elif r < 0.91:
                self.tag("vector of a condition")
                self.say("output %s = if(%s, [%s, 1], [0, %s])" % (name, self.condition(1), self.moving(0), self.moving(1)))
            elif r < 0.94:
                self.tag("matrix")
                m = self.matrix(1)
                self.say("output %s = %s" % (name, self.pick(["(%s)[2]", "(%s)[1..3, 2]", "(%s)[1..2, 1..2]", "transpose(%s)[3]"]) % m))
            else:
                self.names_of_outputs.append(name)
                self.say("output %s = %s" % (name, self.moving(2, True)))

    # ---- start ----
    def start(self):
        rng = self.rng
        style = rng.random()
        items, guesses = [], []
        far = 1.0
        if self.constraints and self.chance(0.08, "bad guesses"):
            far = rng.choice([5.0, 30.0])
        self.place = {}
        for c in self.coords:
            q, v = "%.3f" % rng.uniform(-far, far), "%.3f" % rng.uniform(-1, 1)
            e = [b for b in self.bodies if c.startswith(b + "[")]
            if e and far == 1.0:
                q = "%.3f" % (rng.uniform(0.6, 1) if c.endswith("[1]") else rng.uniform(-0.5, 0.5))
            if "stick and slip" in self.tags and self.chance(0.7):
                v = "%.3f" % (0.3 * float(v)) if self.chance(0.6) else "0"
            self.place[c] = float(q), float(v)
            r = rng.random()
            if not self.constraints:
                items.append("%s = %s" % (c, q))
                items.append("%s' = %s" % (c, v))
            else:
                guesses.append("%s = %s" % (c, q))
                (guesses if r < 0.7 else items).append("%s' = %s" % (c, v)) if style < 0.8 else guesses.append("%s' = %s" % (c, v))
        if self.constraints and items and len(items) > max(0, len(self.coords) - len(self.constraints)) // 2:
            keep = max(0, len(self.coords) - sum(k for _, k in self.constraints)) // 2
            guesses += items[keep:]
            items = items[:keep]
        for z in self.states:
            if self.chance(0.7):
                items.append("%s = %.2f" % (z, rng.uniform(-1, 1)))
        if self.constraints and len(self.coords) > sum(k for _, k in self.constraints) + 1 and self.chance(0.1):
            self.tag("initial of an expression")
            a, b = rng.sample(self.coords, 2)
            items.append("%s + %s/3 = %s" % (a, b, self.pick(["0.3", "sqrt(2)/5"] + ["%s/4" % p for p in self.params])))
        if self.chance(0.03):
            self.tag("steady")
            self.say("steady %s' = 1" % self.pick(self.coords))
        if items:
            self.tag("initial")
            self.say("initial %s" % ", ".join(items))
        if guesses:
            self.tag("guess")
            self.say("guess %s" % ",\n    ".join(guesses))

    def stabilization(self):
        r = self.rng.random()
        rows = sum(k for _, k in self.constraints)
        if r < 0.25:
            self.tag("stabilize none")
            self.say("stabilize none")
        elif r < 0.35:
            self.say("stabilize project")
        elif r < 0.5 and not self.controls:
            self.tag("stabilize excess on")
            name, k = self.pick(self.constraints)
            self.say("stabilize excess on %s, B = %s, K = %s" % (name, self.plain(1, 20), self.plain(1, 100)))
        elif r < 0.65 and not self.controls and self.pieces_are_plain():
            self.tag("gains of a matrix")
            gain = lambda lo, hi: "[%s]" % ", ".join(self.plain(lo, hi) for _ in range(rows)) if rows > 1 else self.plain(lo, hi)  # noqa: E731
            K = "diag(%s)" % ", ".join(self.plain(1, 50) for _ in range(rows)) if rows > 1 else "20"
            self.say("stabilize excess B = %s, K = %s" % (gain(1, 20), K))
        else:
            self.tag("stabilize excess")
            self.say("stabilize excess B = %s, K = %s" % (self.plain(1, 20), self.plain(1, 100)))

    def pieces_are_plain(self):
        """No constraints beyond those counted."""
        return not any("events" in t for t in self.tags)

    # ---- events ----
    def events(self):
        self.tag("events")
        for _ in range(self.rng.choice([1, 1, 2, 2, 3])):
            self.one_event()

    def trigger(self):
        """Something that probably passes its value within the first half of a second."""
        r = self.rng.random()
        if r < 0.3:
            return "t rises through %s%.3f" % (self.pick(["", "", "0.1 + "]), self.rng.uniform(0.05, 0.45))
        c = self.pick(self.coords)
        q, v = self.place[c]
        if r < 0.65:
            self.tag("event of position")
            return "%s %s through %.3f" % (c, self.pick(["crosses", "rises" if v > 0 else "falls"]), q + v * self.rng.uniform(0.05, 0.4))
        if r < 0.8:
            self.tag("event of velocity")
            return "%s' %s through %.3f" % (c, self.pick(["crosses", "rises", "falls"]), v + self.rng.uniform(-0.5, 0.5))
        if r < 0.88:
            self.tag("event of an expression")
            return "%s crosses through %s" % (self.moving(1, self.chance(0.3)), self.pick(["0", "0.3", "1/2"]))
        one = [n for n, k in self.constraints if k == 1]
        if r < 0.96 and one:
            self.tag("event of a reaction")
            return "%s(%s) crosses through %s" % (self.pick(["reaction", "lambda"]), self.pick(one), self.plain(0.1, 1))
        if self.names_of_outputs:
            self.tag("event of an output")
            return "%s crosses through %s" % (self.pick(self.names_of_outputs), self.plain(0.1, 1))
        return "sin(7*t) falls through 0.2"

    def condition_of_event(self):
        if not self.chance(0.2, "event with a condition"):
            return ""
        one = [n for n, k in self.constraints if k == 1]
        return " when %s" % self.pick(["%s > %.2f" % (self.pick(self.coords), self.rng.uniform(-1, 1)), "t < 0.3 or %s' > 0" % self.pick(self.coords),
                                       "not %s < 0" % self.pick(self.coords)] + (["active(%s)" % self.pick(one)] if one else []))

    def one_event(self):
        name = self.fresh(["stroke", "flip", "mark", "ev1", "ev2", "ev3"])
        r = self.rng.random()
        c = self.pick(self.coords)
        q, v = self.place[c]
        one = [n for n, k in self.constraints if k == 1 and n not in self.taken_rows()]
        if r < 0.2:
            self.tag("record")
            self.say("event %s: %s%s -> record" % (name, self.trigger(), self.condition_of_event()))
        elif r < 0.45:
            self.tag("set")
            kind = self.rng.random()
            if kind < 0.6:
                action = "set %s' = %s" % (c, self.pick(["-%s'/2" % c, self.moving(1), "%.2f" % self.rng.uniform(-1, 1)]))
            elif kind < 0.75 and self.states:
                action = "set %s = %s" % (self.pick(self.states), self.moving(1))
            elif kind < 0.9 and len(self.coords) > 1:
                d = self.pick([x for x in self.coords if x != c])
                action = "set %s' = %s', set %s' = %s'" % (c, d, d, c)
            else:
                self.tag("set of a position")
                action = "set %s = %s + %.2f" % (c, c, self.rng.uniform(-0.3, 0.3))
            self.say("event %s: %s%s -> %s%s" % (name, self.trigger(), self.condition_of_event(), action, self.pick(["", ", record"])))
        elif r < 0.55:
            self.tag("stop")
            self.say("event %s: %s%s -> stop" % (name, self.trigger(), self.condition_of_event()))
        elif r < 0.68 and one:
            self.tag("release")
            names = self.rng.sample(one, self.rng.randint(1, min(2, len(one))))
            self.say("event %s: %s%s -> release %s%s" % (name, self.trigger(), self.condition_of_event(), ", ".join(names), self.pick(["", ", record"])))
            if self.chance(0.3):
                self.tag("impose")
                self.say("event %s: t rises through 0.45 -> impose %s" % (self.fresh(["regain", "back"]), names[0]))
        elif r < 0.82:
            self.tag("impose")
            row = self.fresh(["latch", "clutch", "brake"])
            d = self.pick(self.coords)
            self.say_row(self.pick(["constraint %s: %s' = %s*%s'" % (row, c, self.plain(), d) if d != c else "constraint %s: %s' = 0.3" % (row, c),
                                "constraint %s: %s = %.2f" % (row, c, q + v * 0.2),
                                "constraint %s: %s + %s*%s = %.2f" % (row, c, self.plain(), d, q)]))
            self.say("event %s: %s%s -> impose %s" % (name, self.trigger(), self.condition_of_event(), row))
            if self.chance(0.3):
                self.tag("initial release")
                self.tag("release")
                self.say("initial release %s" % row)
                self.say("event %s: t rises through 0.46 -> release %s" % (self.fresh(["regain", "back"]), row))
        else:
            self.tag("impact")
            row = self.fresh(["wall", "floor", "stopper"])
            d = self.pick([x for x in self.coords if x != c] or [c])
            left = c if self.chance(0.6) or d == c else "%s + 0.2*%s" % (c, d)
            at = q + (0.2 * self.place[d][0] if left != c else 0) + v * self.rng.uniform(0.1, 0.3)
            self.say_row("constraint %s: %s = %.3f" % (row, left, at))
            self.say("event %s: %s %s through %.3f -> impact %s restitution %s%s" % (
                name, left, "rises" if v > 0 else "falls", at, row, self.pick(["0", "0", "1", "0.4", "0.8", "1/3"]), self.pick(["", ", record"])))

    def taken_rows(self):
        """Rows that a friction or law looks at: releasing them silences it, which is tried less often."""
        return [] if self.chance(0.5) else [n for p in self.pieces if p.startswith(("friction", "nonideal")) for n in p.split(":")[0].split()]


def generate(seed):
    m = Maker(seed)
    return Generated(seed, "\n".join(m.pieces) + "\n", sorted(m.tags), m.files, None)


if __name__ == "__main__":
    import sys
    made = generate(int(sys.argv[1]))
    print(made.text, end="")
    for name, text in made.files.items():
        print("#", name, repr(text))
    print("#", ", ".join(made.tags))
