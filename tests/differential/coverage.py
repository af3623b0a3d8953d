"""Which statements, functions, operators and forms of the language a text uses, read off its syntax tree."""
from syntax import parse

STATEMENTS = ("param coord let state input kinetic potential dissipation mass force constraint nonideal friction control actuator output initial "
              "guess steady event stabilize simulate allow for if include").split() + ["initial release"]
FUNCTIONS = ("sin cos tan asin acos atan sinh cosh tanh exp log sqrt abs sign atan2 pow min max if sum d force lambda reaction active dot norm cross "
             "transpose diag identity zeros skew rotx roty rotz quaternion omega omega_body clamp mod floor round deg rad table").split()
OPERATORS = "or and not == != < <= > >= + - * / ^ neg prime index slice list map".split()
ACTIONS = "stop record release impose impact set".split()
FORMS = ["file", "where", "function of arguments", "z law", "static", "weight nature", "weight identity", "weight matrix", "when", "rises", "falls", "crosses",
         "stabilize project", "stabilize none", "stabilize excess", "excess on", "for step", "else", "unit", "''"]
ALL = ["statement " + s for s in STATEMENTS] + ["%s()" % f for f in FUNCTIONS] + ["operator " + o for o in OPERATORS] + [
    "action " + a for a in ACTIONS] + ["form " + f for f in FORMS] + ["simulate " + w for w in (
        "from until step points rtol atol max_step resolution method".split())] + ["allow leastnorm", "allow negative mass"]


def of_expression(e, out):
    if isinstance(e, list):
        for x in e:
            of_expression(x, out)
        return
    if not isinstance(e, tuple) or not e:
        return
    kind = e[0]
    if kind == "call":
        out.add(e[1] + "()")
    elif kind == "bin":
        out.add("operator " + e[1])
    elif kind == "sum":
        out.add("sum()")
    elif kind == "index":
        out.add("operator index")
        if any(hi is not None for _, hi in e[2]):
            out.add("operator slice")
    elif kind in ("not", "neg", "prime", "list", "map"):
        out.add("operator " + kind)
        if kind == "prime" and e[1][0] == "prime":
            out.add("form ''")
    for x in e:
        of_expression(x, out)


def of_statements(statements, out):
    for s in statements:
        kind = s[0]
        out.add("statement " + kind)
        if kind in ("for", "if"):
            of_expression(s[1:-1] if kind == "for" else s[1], out)
            for block in (s[5:6] if kind == "for" else s[2:4]):
                of_statements(block, out)
            if kind == "for" and s[4] is not None:
                out.add("form for step")
            if kind == "if" and s[3]:
                out.add("form else")
            continue
        of_forms(kind, s, out)
        of_expression(list(s[1:]), out)


def of_forms(kind, s, out):
    forms = {"let": [("where", any(x[3] for x in s[1])), ("function of arguments", any(x[1] for x in s[1]))] if kind == "let" else [],
             "input": [("file", kind == "input" and s[2][0] == "file")],
             "nonideal": [("z law", kind == "nonideal" and s[1])],
             "friction": [("static", s[-1] is not None)],
             "param": [("unit", kind == "param" and any(x[2] for x in s[1]))]}
    for word, yes in forms.get(kind, []):
        if yes:
            out.add("form " + word)
    if kind == "control" and s[4] is not None:
        out.add("form weight " + (s[4] if isinstance(s[4], str) else "matrix"))
    if kind == "event":
        out.add("form " + s[3])
        if s[5] is not None:
            out.add("form when")
        for a in s[6]:
            out.add("action " + a[0])
    if kind == "stabilize":
        out.add("form stabilize " + s[1])
        if s[2] is not None:
            out.add("form excess on")
    if kind == "simulate":
        out.update("simulate " + w for w in s[1])
        of_expression([e for e in s[1].values() if not isinstance(e, str)], out)
    if kind == "allow":
        out.update("allow " + w for w in s[1])


def features(made):
    """Of a generated model, with the files it includes."""
    out = set()
    for text in [made.text] + [t for name, t in made.files.items() if name.endswith(".mech")]:
        of_statements(parse(text), out)
    return out
