"""Two JSON reports of mech derive, one with names for shared parts, give the same numbers to 1e-12.

Reads the expressions on its own: every name of the model gets a number made from its spelling."""
import json
import math
import re
import sys
import zlib

NAME = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?'*")
KNOWN = {"sin": math.sin, "cos": math.cos, "tan": math.tan, "sqrt": math.sqrt, "exp": math.exp, "log": math.log,
         "abs": abs, "pi": math.pi}


def number(name):
    return 0.6 + 0.8 * (zlib.crc32(name.encode()) % 1000003) / 1000003


def evaluate(text, names):
    values = {}

    def put(match):
        word = match.group(0)
        if word in KNOWN:
            return word
        key = f"v{len(values)}_"
        values[key] = names[word] if word in names else number(word)
        return key

    # a number's exponent is no name
    python = re.sub(r"(?<![\w.])\d+(?:\.\d+)?e[+-]?\d+|" + NAME.pattern,
                    lambda m: m.group(0) if m.group(0)[0].isdigit() else put(m), text)
    return eval(python.replace("^", "**"), {"__builtins__": {}}, {**KNOWN, **values})


def numbers(report):
    names = {}
    for name, text in report.get("where", []):
        names[name] = evaluate(text, names)
    found = []

    def visit(item):
        if isinstance(item, str):
            found.append(evaluate(item, names))
        elif isinstance(item, list):
            for part in item:
                visit(part)

    for part in report["equation"].values():
        visit(part)
    return found


named, full = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
assert named.get("where") and "where" not in full, "only the first has names"
a, b = numbers(named), numbers(full)
assert len(a) == len(b) > 0
worst = max(abs(x - y) / max(1, abs(y)) for x, y in zip(a, b))
assert worst <= 1e-12, worst
