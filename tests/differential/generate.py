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
        r = self.rng.randint(0, 31)
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
        s = self.chain(d)
        return "(" + s + ")" if closed else s

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
        if natural < 0.75:
            self.natural_rows()
        if self.constraints and self.chance(0.3):
            self.laws()
        if self.constraints and self.chance(0.2):
            self.friction()
        if self.chance(0.18):
            self.control()
        if self.chance(0.7):
            self.outputs()
        self.start()
        if self.constraints and self.chance(0.15):
            self.stabilization()
        if self.chance(0.4):
            self.say("simulate %s" % self.pick(["until %s", "from 1 until 1 + %s", "until %s, points 11, rtol 1e-10",
                                                "until %s, step 0.1"]) % self.plain(0.3, 1.0))

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
        if self.chance(0.15):
            self.tag("structural parameter")
            self.say("param N = %d" % self.rng.randint(2, 3))
            self.taken.add("N")
            self.size = "N"

    def coordinates(self):
        want = self.rng.choice([1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6])
        while len(self.coords) < want:
            left = want - len(self.coords)
            r = self.rng.random()
            if r < 0.3 and left >= 2:
                n = self.rng.randint(2, min(3, left))
                name = self.fresh(VECTORS)
                self.tag("vector of coordinates")
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
        self.massless = None
        for i, c in enumerate(self.coords):
            if any(c.startswith(v + "[") for v, _ in self.vectors):
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
        for _ in range(rng.randint(0, 3)):
            self.tag("potential")
            self.say("potential %s" % self.positions(2, self.chance(0.1)))
        if self.chance(0.3):
            self.tag("dissipation")
            self.say("dissipation %s/2*%s^2" % (self.plain(), self.velocity_plain()) if self.chance(0.5) else
                     "dissipation (1 + cos(%s)/2)*(%s)^2" % (self.positions(1), self.linear_velocity()))

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
                self.say("nonideal on %s: %s = %s*%s(%s)*tanh(%s)" % (name, self.pick(self.coords), "0.1", word, name, self.moving(0)))

    def friction(self):
        self.tag("friction")
        one = [c for c, k in self.constraints]
        name = self.pick(one)
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
        self.say("control %s: %s%s" % (name, eq, weight))
        self.controls.append(name)
        if actuated:
            self.tag("actuator")
            for k in range(acts):
                V = self.coords[k] + "'" if self.chance(0.7) else self.linear_velocity()
                self.say("actuator %s%s" % (self.pick(["", "motor%d: " % k]), V))

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
            else:
                self.say("output %s = %s" % (name, self.moving(2, True)))

    # ---- start ----
    def start(self):
        rng = self.rng
        style = rng.random()
        items, guesses = [], []
        for c in self.coords:
            q, v = "%.3f" % rng.uniform(-1, 1), "%.3f" % rng.uniform(-1, 1)
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
        if items:
            self.tag("initial")
            self.say("initial %s" % ", ".join(items))
        if guesses:
            self.tag("guess")
            self.say("guess %s" % ",\n    ".join(guesses))

    def stabilization(self):
        r = self.rng.random()
        if r < 0.3:
            self.tag("stabilize none")
            self.say("stabilize none")
        else:
            self.tag("stabilize excess")
            self.say("stabilize excess B = %s, K = %s" % (self.plain(1, 20), self.plain(1, 100)))


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
