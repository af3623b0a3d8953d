"""Places of a graph as a Python function of floats: what runs evaluate thousands of times."""
import math

COMPARE = {"<": 0, "<=": 0, ">": 1, ">=": 1}


class NoCode(Exception):
    pass


def whole(a, is_even):
    """The whole number below a; a hair beyond one, that of the side it came from."""
    n = math.floor(a)
    return float(n if (n % 2 == 0) == bool(is_even) else n - 1 if a - n < 0.5 else n + 1)


class Code:
    """Places as one Python function of floats: code(leaf values, modes, functions of change) -> list.

    modes[k] says on which side the k-th abs, sign, floor, min, max or comparison is; None: by its value. functions[k] becomes that value.
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
            elif op == "floor":  # passes 0 at every whole number; what it is follows from which side, and from what is near
                keep(n, a[0], True)
                kink("sin(pi*%s)" % text[n])
                keep(n, "whole(%s, m)" % text[n], True)
            elif op in ("min", "max"):
                kink("%s - %s" % (a[0], a[1]))
                first, second = (a[1], a[0]) if op == "min" else (a[0], a[1])
                keep(n, "(%s if m else %s)" % (first, second), True)
            elif op in COMPARE:
                kink("%s - %s" % (a[0], a[1]))
                keep(n, "(1.0 if m else 0.0)" if COMPARE[op] else "(0.0 if m else 1.0)", True)
            elif op in ("==", "!="):
                raise NoCode("== of the motion")
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
        space["T"], space["pi"], space["whole"] = self.tables, math.pi, whole
        exec("\n".join(lines), space)
        self.call = space["f"]
