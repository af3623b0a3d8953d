"""The language of docs/language.md, read from its grammar alone: text to a tree of tuples.

Expressions are tuples, the kind first:
    ('num', Fraction)  ('name', text)  ('call', name, [args])  ('sum', var, lo, hi, step, body)  ('list', [items])
    ('map', body, var, lo, hi, step)  ('prime', e)  ('index', e, [(lo, hi or None)])  ('neg', e)  ('not', e)
    ('bin', op, a, b)
Statements are tuples too, see the functions of Parser. No line is shared with the library.
"""
from fractions import Fraction

GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ",
                 "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau "
                 "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split()))
TWO = ("->", "..", "==", "!=", "<=", ">=")
# a line that ends in one of these goes on
OPEN_ENDED = set("+-*/^=,:<>") | {"->", "==", "!=", "<=", ">=", "and", "or", "not"}
RESERVED = {"and", "or", "not", "in", "for", "if", "else", "where"}


class Refused(Exception):
    """The text is not a model, as far as this reader can tell."""


def tokens(text):
    """List of (kind, text): kinds name, number, string, sign, end (of a statement)."""
    out, depth, i, n = [], 0, 0, len(text)

    def end():
        if out and out[-1][0] != "end" and not (out[-1][0] in ("sign", "name") and out[-1][1] in OPEN_ENDED):
            out.append(("end", "\n"))
    while i < n:
        c = text[i]
        if c == "\n":
            if depth == 0:
                end()
            i += 1
        elif c == ";":
            out.append(("end", ";"))
            i += 1
        elif c.isspace():
            i += 1
        elif c == "#":
            while i < n and text[i] != "\n":
                i += 1
        elif c == '"':
            j = text.index('"', i + 1)
            out.append(("string", text[i + 1:j]))
            i = j + 1
        elif c.isdigit():
            j = i
            while j < n and text[j].isdigit():
                j += 1
            if j + 1 < n and text[j] == "." and text[j + 1].isdigit():
                j += 1
                while j < n and text[j].isdigit():
                    j += 1
            if j < n and text[j] in "eE":
                k = j + 1
                if k < n and text[k] in "+-":
                    k += 1
                if k < n and text[k].isdigit():
                    while k < n and text[k].isdigit():
                        k += 1
                    j = k
            out.append(("number", text[i:j]))
            i = j
        elif c.isalpha() or c == "_":
            name = ""
            while i < n and (text[i].isalnum() or text[i] == "_"):
                name += GREEK.get(text[i], text[i])
                i += 1
            out.append(("name", name))
        elif text[i:i + 2] in TWO:
            out.append(("sign", text[i:i + 2]))
            i += 2
        else:
            if c in "([":
                depth += 1
            elif c in ")]":
                depth -= 1
            elif c == "}":
                end()
            out.append(("sign", c))
            i += 1
            if c in "{}":
                depth = 0
    end()
    out.append(("eof", ""))
    return out


class Parser:
    def __init__(self, text):
        self.toks, self.at = tokens(text), 0

    # ---- tokens ----
    def peek(self, text, kind=None):
        k, t = self.toks[self.at]
        return t == text and k != "string" and (kind is None or k == kind)

    def take(self, text):
        if self.peek(text):
            self.at += 1
            return True
        return False

    def need(self, text):
        if not self.take(text):
            raise Refused("expected '%s' before '%s'" % (text, self.toks[self.at][1]))

    def name(self):
        k, t = self.toks[self.at]
        if k != "name" or t in RESERVED:
            raise Refused("expected a name, found '%s'" % t)
        self.at += 1
        return t

    def string(self):
        k, t = self.toks[self.at]
        if k != "string":
            return None
        self.at += 1
        return t

    # ---- expressions ----
    def expression(self):
        e = self.conjunction()
        while self.take("or"):
            e = ("bin", "or", e, self.conjunction())
        return e

    def conjunction(self):
        e = self.condition()
        while self.take("and"):
            e = ("bin", "and", e, self.condition())
        return e

    def condition(self):
        if self.take("not"):
            return ("not", self.condition())
        e = self.sum()
        for op in ("==", "!=", "<=", ">=", "<", ">"):
            if self.take(op):
                return ("bin", op, e, self.sum())
        return e

    def sum(self):
        e = self.product()
        while True:
            if self.take("+"):
                e = ("bin", "+", e, self.product())
            elif self.take("-"):
                e = ("bin", "-", e, self.product())
            else:
                return e

    def product(self):
        e = self.prefix()
        while True:
            if self.take("*"):
                e = ("bin", "*", e, self.prefix())
            elif self.take("/"):
                e = ("bin", "/", e, self.prefix())
            else:
                return e

    def prefix(self):
        if self.take("-"):
            return ("neg", self.prefix())
        if self.take("+"):
            return self.prefix()
        return self.power()

    def power(self):
        e = self.postfix()
        if self.take("^"):
            if self.peek("-") or self.peek("+"):
                return ("bin", "^", e, self.prefix())
            return ("bin", "^", e, self.power())
        return e

    def postfix(self):
        e = self.primary()
        while True:
            if self.take("'"):
                e = ("prime", e)
            elif self.take("["):
                e = ("index", e, self.indices())
            else:
                return e

    def indices(self):
        out = [self.index()]
        while self.take(","):
            out.append(self.index())
        self.need("]")
        return out

    def index(self):
        lo = self.expression()
        return (lo, self.expression() if self.take("..") else None)

    def range(self):
        lo = self.expression()
        self.need("..")
        hi = self.expression()
        return lo, hi, (self.expression() if self.take("step") else None)

    def argument(self, function):
        if function == "table" and self.toks[self.at][0] == "string":
            return ("text", self.string())
        if function == "table" and self.toks[self.at + 1] == ("sign", ")") and self.toks[self.at] in (("name", "smooth"), ("name", "linear")):
            return ("text", self.name())
        return self.expression()

    def primary(self):
        k, t = self.toks[self.at]
        if k == "number":
            self.at += 1
            return ("num", Fraction(t))
        if k == "name" and (t not in RESERVED or t == "if"):
            self.at += 1
            if t == "if" and not self.peek("("):
                raise Refused("if without a bracket")
            if not self.take("("):
                return ("name", t)
            if t == "sum" and self.toks[self.at + 1] == ("name", "in"):
                var = self.name()
                self.need("in")
                lo, hi, step = self.range()
                self.need(":")
                body = self.expression()
                self.need(")")
                return ("sum", var, lo, hi, step, body)
            args = []
            if not self.take(")"):
                args.append(self.argument(t))
                while self.take(","):
                    args.append(self.argument(t))
                self.need(")")
            return ("call", t, args)
        if self.take("["):
            first = self.expression()
            if self.take("for"):
                var = self.name()
                self.need("in")
                lo, hi, step = self.range()
                self.need("]")
                return ("map", first, var, lo, hi, step)
            items = [first]
            while self.take(","):
                items.append(self.expression())
            self.need("]")
            return ("list", items)
        if self.take("("):
            e = self.expression()
            self.need(")")
            return e
        raise Refused("an expression cannot start with '%s'" % t)

    # ---- statements ----
    def title(self):
        """(name, None or list of (lo, hi or None))"""
        name = self.name()
        return (name, self.indices() if self.take("[") else None)

    def names(self):
        out = [self.title()]
        while self.peek(",") and self.toks[self.at + 1][0] == "name" and not self.starts_option(self.at + 1):
            self.take(",")
            out.append(self.title())
        return out

    def starts_option(self, at):
        """B = ... after the names of `stabilize excess on`; actions after the names of release and impose."""
        nxt = self.toks[at + 1]
        if self.toks[at][1] in ("B", "K") and nxt == ("sign", "="):
            return True
        return self.toks[at][1] in ("stop", "record", "release", "impose", "impact", "set") and (
            nxt[0] in ("end", "eof", "name") or nxt == ("sign", ",") or nxt == ("sign", "}"))

    def text(self):
        return self.block(None)

    def block(self, closing):
        out = []
        while True:
            while self.toks[self.at][0] == "end":
                self.at += 1
            if self.toks[self.at][0] == "eof":
                if closing:
                    raise Refused("a block is not closed")
                return out
            if closing and self.take(closing):
                return out
            out.append(self.statement())
            if self.toks[self.at][0] not in ("end", "eof") and not self.peek("}"):
                raise Refused("'%s' after a statement" % self.toks[self.at][1])

    def braces(self):
        while self.toks[self.at][0] == "end":
            self.at += 1
        self.need("{")
        return self.block("}")

    def many(self, one):
        out = [one()]
        while self.take(","):
            out.append(one())
        return out

    def statement(self):
        word = self.toks[self.at][1]
        method = getattr(self, "st_" + word, None)
        if self.toks[self.at][0] != "name" or method is None:
            raise Refused("no statement starts with '%s'" % word)
        self.at += 1
        return method()

    def valued(self):
        title = self.title()
        self.need("=")
        value = self.expression()
        return title, value, self.string()

    def st_param(self):
        return ("param", self.many(self.valued))

    def st_coord(self):
        return ("coord", self.many(lambda: (self.title(), self.string())))

    def st_let(self):
        return ("let", self.many(self.definition))

    def definition(self):
        name, args, local = self.name(), None, []
        if self.take("("):
            args = self.many(self.name)
            self.need(")")
        self.need("=")
        body = self.expression()
        if self.take("where"):
            while True:
                key = self.name()
                self.need("=")
                local.append((key, self.expression()))
                # a comma may begin the next local name or the next definition
                if self.peek(",") and self.toks[self.at + 2] == ("sign", "="):
                    self.take(",")
                    continue
                break
        return name, args, body, local

    def st_state(self):
        title, unit = self.title(), self.string()
        self.need(":")
        left = self.expression()
        self.need("=")
        return ("state", title, left, self.expression(), unit)

    def st_input(self):
        name = self.name()
        self.need("=")
        if self.peek("file") and self.toks[self.at + 1][0] == "string":
            self.take("file")
            path = self.string()
            self.need("column")
            column = self.string()
            return ("input", name, ("file", path, column), self.string())
        value = self.expression()
        return ("input", name, value, self.string())

    def st_kinetic(self):
        return ("kinetic", self.expression())

    def st_potential(self):
        return ("potential", self.expression())

    def st_dissipation(self):
        return ("dissipation", self.expression())

    def equation(self):
        left = self.expression()
        self.need("=")
        return left, self.expression()

    def st_mass(self):
        return ("mass",) + self.equation()

    def st_force(self):
        force = self.expression()
        self.need("on")
        return ("force", force, self.expression())

    def st_constraint(self):
        title = self.title()
        self.need(":")
        return ("constraint", title) + self.equation()

    def st_nonideal(self):
        is_z = self.take("z")
        self.need("on")
        names = self.names()
        self.need(":")
        return ("nonideal", is_z, names) + self.equation()

    def st_friction(self):
        self.need("on")
        names = self.names()
        self.need(":")
        mu = self.expression()
        self.need(",")
        self.need("along")
        along = self.expression()
        static = None
        if self.peek(",") and self.toks[self.at + 1] == ("name", "static"):
            self.take(",")
            self.take("static")
            static = self.expression()
        return ("friction", names, mu, along, static)

    def st_control(self):
        title = self.title()
        self.need(":")
        left, right = self.equation()
        weight = None
        if self.take("weight"):
            if self.take("nature"):
                weight = "nature"
            elif self.take("identity"):
                weight = "identity"
            else:
                weight = self.expression()
        return ("control", title, left, right, weight)

    def st_actuator(self):
        mark = self.at
        try:
            title = self.title()
            self.need(":")
        except Refused:
            self.at, title = mark, None
        return ("actuator", title, self.expression())

    def st_output(self):
        def one():
            title = self.title()
            value = self.expression() if self.take("=") else None
            return title, value, self.string()
        return ("output", self.many(one))

    def st_initial(self):
        if self.peek("release") and self.toks[self.at + 1][0] == "name":
            self.take("release")
            return ("initial release", self.names())
        return ("initial", self.many(self.equation))

    def st_guess(self):
        return ("guess", self.many(self.equation))

    def st_steady(self):
        return ("steady", self.many(self.equation))

    def st_event(self):
        title = self.title()
        self.need(":")
        trigger = self.expression()
        for direction in ("rises", "falls", "crosses"):
            if self.take(direction):
                break
        else:
            raise Refused("an event rises, falls or crosses")
        self.need("through")
        value = self.expression()
        condition = self.expression() if self.take("when") else None
        self.need("->")
        return ("event", title, trigger, direction, value, condition, self.many(self.action))

    def action(self):
        if self.take("stop"):
            return ("stop",)
        if self.take("record"):
            return ("record",)
        if self.take("release"):
            return ("release", self.names())
        if self.take("impose"):
            return ("impose", self.names())
        if self.take("impact"):
            title = self.title()
            self.need("restitution")
            return ("impact", title, self.expression())
        self.need("set")
        return ("set",) + self.equation()

    def st_stabilize(self):
        for word in ("project", "none"):
            if self.take(word):
                return ("stabilize", word, None, {})
        self.need("excess")
        names, gains = None, {}
        if self.take("on"):
            names = self.names()
        while True:
            self.take(",")
            if not (self.peek("B") or self.peek("K")):
                break
            key = self.name()
            self.need("=")
            gains[key] = self.expression()
        return ("stabilize", "excess", names, gains)

    def st_simulate(self):
        options = {}
        while self.toks[self.at][0] == "name":
            key = self.name()
            options[key] = self.name() if key == "method" else self.expression()
            self.take(",")
        return ("simulate", options)

    def st_allow(self):
        def one():
            word = self.name()
            return word + " " + self.name() if word == "negative" else word
        return ("allow", self.many(one))

    def st_include(self):
        return ("include", self.string())

    def st_for(self):
        var = self.name()
        self.need("in")
        lo, hi, step = self.range()
        return ("for", var, lo, hi, step, self.braces())

    def st_if(self):
        condition = self.expression()
        yes, no = self.braces(), []
        mark = self.at
        while self.toks[self.at][0] == "end":
            self.at += 1
        if self.take("else"):
            no = [self.st_if()] if self.take("if") else self.braces()
        else:
            self.at = mark
        return ("if", condition, yes, no)


def parse(text):
    return Parser(text).text()
