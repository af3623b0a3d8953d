"""Every quantity from every command and path, beside the reader's own."""
import csv
import json
import os
import re
import subprocess
import sys
import traceback

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from reader import Model, Refused, Unknown  # noqa: E402
from graph import Tape  # noqa: E402
from motion import Motion  # noqa: E402
from solve import Doubt, Numbers, Refusal, Solver, State, solve  # noqa: E402

NOISE = 1e-13
RUN = 0.5  # how long runs are
NO_WAY_ON = (12, 13, 15)  # MECH_ERR_NO_REACTION, MECH_ERR_MANY_REACTIONS, MECH_ERR_INTEGRATION


class Finding(Exception):
    def __init__(self, what, ours, theirs):
        Exception.__init__(self, "%s: reader %s, library %s" % (what, ours, theirs))
        self.what = what


class TooSlow(Exception):
    """A command that was ended: it moves on, but its model asks for too many steps."""


def command(mech, *args, seconds=20):
    """Ended after a while; a run then tells how far it came: one whose clock stands is a finding."""
    p = subprocess.Popen([mech] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        text, err = p.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        p.terminate()
        try:
            text, err = p.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            p.kill()
            text, err = p.communicate()
        steps, rejected = (re.search(r'"%s": (\d+)' % word, text.decode()) for word in ("steps", "rejected"))
        if steps and int(steps.group(1)) > 1000 and int(rejected.group(1)) < 5 * int(steps.group(1)):
            raise TooSlow("%s steps in %d s" % (steps.group(1), seconds))
        raise Finding("no end", "an answer", "nothing after %d s (%s steps, %s rejected)" % (
            seconds, steps and steps.group(1), rejected and rejected.group(1)))
    return p.returncode, text.decode(), err.decode()


def number(x):
    return float("nan") if x is None else float(x)


def array(x):
    return np.array([[number(e) for e in row] if isinstance(row, list) else number(row) for row in x], float)


class Judge:
    """Compares numbers with a tolerance made of their size and of what a shaken state does to them.

    A run that begins to slide along several velocities turns the way by V/1e-8 (docs/decisions/0005), and V is rounding there: is_run says that this counts.
    """

    def __init__(self, ours, shaken, is_run=False):
        self.ours, self.shaken, self.count = ours, shaken, 0
        self.least = 1e-7 if is_run and getattr(ours[1], "turns", False) else 0.0

    def same(self, what, theirs, pick, size=0.0, rtol=1e-9):
        rtol = max(rtol, self.least)
        ours = np.asarray(pick(self.ours), float)
        theirs = np.asarray(theirs, float)
        self.count += 1
        if ours.shape != theirs.shape:
            raise Finding(what + " (shape)", ours.shape, theirs.shape)
        spread = 0.0
        for s in self.shaken:
            spread = np.maximum(spread, np.abs(np.asarray(pick(s), float) - ours).max(initial=0.0))
        bound = rtol * (np.abs(ours).max(initial=0.0) + size) + 1e4 * spread + 1e-12
        miss = np.abs(ours - theirs)
        if not np.all(miss <= bound):
            raise Finding(what, ours.tolist(), theirs.tolist())


def shake(state, rng):
    def f(x):
        return x * (1 + NOISE * rng.standard_normal(x.shape)) + NOISE * 1e-3 * rng.standard_normal(x.shape)
    return State(f(np.array(state.t)), f(state.q), f(state.v), f(state.z))


def is_far_out(state, limit):
    return max(np.abs(state.q).max(initial=0.0), np.abs(state.v).max(initial=0.0)) > limit


def judge_instant(numbers, data):
    """What `mech eval --json` prints about a state, at the state it prints."""
    model = numbers.model
    names = [c["name"] for c in data["coordinates"]]
    if names != model.coords:
        raise Finding("coordinates", model.coords, names)
    state = state_of(data)
    if is_far_out(state, 1e4):
        raise Doubt("a state far out")
    rng = np.random.default_rng(1)
    eqs = numbers.at([state] + [shake(state, rng) for _ in range(2)])
    main = solve(numbers, eqs[0])
    answers = [main] + [solve(numbers, e, rank=main.rank) for e in eqs[1:]]
    pairs = list(zip(eqs, answers))
    judge = Judge(pairs[0], pairs[1:])
    e = data["equation"]
    m = numbers.m
    on = numbers.active
    if e["rows"][:m] != [r.name for r in model.rows]:
        raise Finding("rows", [r.name for r in model.rows], e["rows"])
    for p, value in zip(model.params, data["parameters"]):
        if p != value["name"] or abs(numbers.params[model.param_place[p]] - value["value"]) > 1e-12 * abs(value["value"]):
            raise Finding("parameter " + p, numbers.params[model.param_place[p]], value)
    judge.same("inputs", [u["value"] for u in data["inputs"]], lambda x: x[0].u_in)
    judge.same("M", array(e["M"]), lambda x: x[0].M)
    judge.same("Q", array(e["Q"]), lambda x: x[0].Q, size=1e-3)
    if m:
        judge.same("A", array(e["A"])[:m][on], lambda x: x[0].A[on])
        judge.same("b", array(e["b"])[:m][on], lambda x: x[0].b[on], size=1e-3)
        rows = [r for c in data["constraints"] for r in c["rows"] if c["kind"] in ("constraint", "control")]
        judge.same("r", [r["r"] for r in rows], lambda x: x[0].r, size=1.0, rtol=1e-12)
        judge.same("r'", [r["r_dot"] for r in rows], lambda x: x[0].r_dot, size=1.0, rtol=1e-12)
    force = np.abs(eqs[0].Q).max(initial=0.0) + np.abs(main.Qi).max(initial=0.0) + np.abs(main.Qc).max(initial=0.0)
    if main.conflict > 1e-8:
        raise Doubt("constraints in conflict")
    judge.same("qdd", array(e["qdd"]), lambda x: x[1].qdd)
    judge.same("Qi", array(e["Qi"]), lambda x: x[1].Qi, size=force)
    judge.same("Qni", array(e["Qni"]), lambda x: x[1].Qni, size=force)
    judge.same("Qc", array(e["Qc"]), lambda x: x[1].Qc, size=force)
    if main.u is not None:
        judge.same("u", array(e["u"]), lambda x: x[1].u, size=force)
    natural = np.array([not r.is_control for r in model.rows], bool) & on
    if m:
        judge.same("lambda", array(e["lambda"])[:m][natural], lambda x: x[1].lam[natural], size=1e-3)
        judge.same("reaction", array(e["reaction"])[:m][natural], lambda x: x[1].total[natural], size=1e-3)
    for word, ours in (("rank", main.rank), ("control_rank", main.servo_rank), ("degrees_of_freedom", main.dof)):
        judge.count += 1
        if data[word] != ours:
            raise Finding(word, ours, data[word])
    for c, printed in zip(model.constraints, data["constraints"]):
        if c.name != printed["name"]:
            raise Finding("constraint's name", c.name, printed["name"])
        if c.is_control or not on[c.rows[0].index]:
            continue
        judge.same("force of " + c.name, array(printed["force"]), lambda x: x[1].force[c.index], size=force)
        if main.unique_force[c.index] not in (None, printed["unique_force"]):
            raise Finding("unique force of " + c.name, main.unique_force[c.index], printed["unique_force"])
        for r, row in zip(c.rows, printed["rows"]):
            if main.unique[r.index] not in (None, row["unique"]):
                raise Finding("unique lambda of " + r.name, main.unique[r.index], row["unique"])
    if [o["name"] for o in data["outputs"]] != [o[0] for o in model.outputs]:
        raise Finding("outputs", [o[0] for o in model.outputs], [o["name"] for o in data["outputs"]])
    for k, o in enumerate(data["outputs"]):
        judge.same("output " + o["name"], number(o["value"]), lambda x: x[1].output[k], size=1e-3 + size_of_output(model, k, main))
    for k, word in enumerate(("kinetic", "potential", "dissipation", "h", "power")):
        judge.same("energy " + word, number(data["energy"][word]), lambda x: x[1].energy[k],
                   size=1e-3 + np.abs(main.energy).max())
    return judge.count


def size_of_output(model, k, answer):
    """Where it looks at accelerations, their size: digits are those of the largest."""
    return np.abs(answer.qdd).max(initial=0.0) if set(model.g.leaves_of([model.outputs[k][1]])) & set(model.a) else 0.0


def first_error(text):
    lines = text.strip().split("\n")
    return ([line for line in lines if "error:" in line] + [line for line in lines if line.startswith("mech")] + lines)[0]


def write_model(made, folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "model.mech")
    with open(path, "w") as f:
        f.write(made.text)
    for name, text in made.files.items():
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    return path


def random_states(model, rng, count):
    n = len(model.coords)
    for _ in range(count):
        yield State(round(rng.uniform(0, 2), 3), np.round(rng.uniform(-1.5, 1.5, n), 4), np.round(rng.uniform(-2, 2, n), 4),
                    np.round(rng.uniform(-1, 1, len(model.states)), 4))


def state_options(model, s, start=True):
    out = ["--at", repr(s.t)] + (["--start", "as-given"] if start else [])
    for names, values, prime in ((model.coords, s.q, ""), (model.coords, s.v, "'"), (model.states, s.z, "")):
        for name, x in zip(names, values):
            out += ["--state", "%s%s=%r" % (name, prime, float(x))]
    return out


WORDS = (("not realisable", "not realisable"), ("no reaction of", "no reaction"), ("more than one reaction", "many reactions"),
         ("which is not unique", "law not unique"), ("reaction that is not unique", "law not unique"), ("contradict one another", "conflict"), ("undetermined", "singular mass"),
         ("not positive semi-definite", "not definite"), (" is nan", "not finite"), (" is inf", "not finite"), (" is -inf", "not finite"),
         ("no acceleration meets", "conflict"), ("start cannot meet", "start"), ("were found that meet", "start not found"),
         ("was found that meets", "conflict"), ("is off its path", "off path"))
OFF_PATH = 20  # MECH_ERR_OFF_PATH


def word_of(message):
    for part, word in WORDS:
        if part in message:
            return word
    return message


def judge_refusal(numbers, state, message):
    """The library gives no answer at a state: the reader must have none, for the same reason."""
    word = word_of(message)
    eq = numbers.at([state])[0]
    try:
        answer = solve(numbers, eq)
    except Refusal as x:
        if x.word == word:
            return
        raise Finding("refused", x.word, message)
    if word == "conflict":
        dependent = answer.rank < int(sum(not r.is_control for r in numbers.model.rows))
        if answer.conflict > 1e-10 or dependent and max(np.abs(eq.r).max(), np.abs(eq.r_dot).max()) > 1e-9:
            return
    raise Finding("refused", "an answer, q'' = %s" % answer.qdd.tolist(), message)


class Outcome:
    """kind: compared, refused alike, doubt, library refuses, reader refuses, FINDING; path: which command or way."""

    def __init__(self, kind, path, what):
        self.kind, self.path, self.what = kind, path, what

    def key(self):
        """What two findings have in common that are the same."""
        return self.path + " " + re.sub(r"[\d.\[\]]+", "", self.what.split(":")[0])


class Subject:
    """A model as both sides see it."""

    def __init__(self, build, made, folder):
        self.mech, self.build, self.folder = os.path.join(build, "mech"), build, folder
        self.made, self.path = made, write_model(made, folder)
        self.model = Model(made.text, folder)
        self.numbers = Numbers(self.model)
        self.rng = np.random.default_rng(made.seed)
        self.states = list(random_states(self.model, self.rng, 5))
        self.start = None  # what eval prints about the model's own start

    def ask(self, *args):
        return command(self.mech, *args)


def attempt(path, out, f, *args, **words):
    """One comparison: its outcome goes to out."""
    try:
        result = f(*args, **words)
        if result is not None:
            kind = result if isinstance(result, str) else "compared"
            out.append(Outcome("compared" if kind.startswith("compared") else kind, path + kind[8:] if kind.startswith("compared") else path, result))
    except Finding as x:
        out.append(Outcome("FINDING", path, str(x)))
    except Doubt as x:
        out.append(Outcome("doubt", path, str(x)))
    except Refusal as x:
        out.append(Outcome("FINDING", path, "reader finds no motion: " + str(x)))
    except Refuses as x:
        out.append(Outcome("library refuses", path, str(x)))
    except TooSlow as x:
        out.append(Outcome("too slow", path, str(x)))
    except subprocess.TimeoutExpired:
        out.append(Outcome("FINDING", path, "no end: the program took more than 60 s"))
    except Exception as x:  # of the tester itself: a finding too
        where = traceback.extract_tb(x.__traceback__)[-1]
        out.append(Outcome("FINDING", path, "tester: %s at %s:%d" % (repr(x)[:200], os.path.basename(where.filename), where.lineno)))


def eval_at(subject, state):
    rc, text, err = subject.ask("eval", subject.path, "--json", *([] if state is None else state_options(subject.model, state)))
    if rc < 0 or rc > 5:
        raise Finding("crash", "an answer", "exit code %d" % rc)
    if rc != 0 and (state is None or ": error:" in err):
        if word_of(first_error(err)) == "start not found" and "positions" in err and not model_has_z_target(subject.model) and is_there_a_start(subject):
            raise Refuses("start not found, though there is one: " + str(subject.made.seed))
        raise Refuses(first_error(err))
    if rc != 0:
        judge_refusal(subject.numbers, state, first_error(err))
        return "refused alike"
    data = json.loads(text)
    if state is None:
        subject.start = data
        judge_start(subject, state_of(data))
    return judge_instant(subject.numbers, data)


def judge_start(subject, state):
    """The assembled start meets the constraints in force and what `initial` says."""
    numbers, model = subject.numbers, subject.model
    eq = numbers.at([state])[0]
    size = np.abs(eq.A) @ (1 + np.abs(state.q)) + 1
    rate = np.abs(eq.A) @ (1 + np.abs(state.v)) + 1
    for r in model.rows:
        if r.is_control or not numbers.active[r.index]:
            continue
        if r.level == "holonomic" and not abs(eq.r[r.index]) <= 1e-8 * size[r.index]:
            raise Finding("the start misses " + r.name, 0, eq.r[r.index])
        if r.level != "acceleration" and not abs(eq.r_dot[r.index]) <= 1e-8 * rate[r.index]:
            raise Finding("the start misses the velocity of " + r.name, 0, eq.r_dot[r.index])
    fixed = [x for x in model.targets if x[2]]
    values = Tape(model.g, [p for x in fixed for p in x[:2]])(numbers.values([state]))
    for k in range(len(fixed)):
        left, right = values[2 * k][0], values[2 * k + 1][0]
        if not abs(left - right) <= 1e-8 * (1 + abs(right)):
            raise Finding("the start misses what initial says (the %d. of them)" % (k + 1), right, left)


def is_there_a_start(subject):
    """Whether positions can be found that meet the constraints and `initial`, from many guesses."""
    numbers, model = subject.numbers, subject.model
    g, n = model.g, numbers.n
    rows = [r.r for r in model.rows if not r.is_control and r.level == "holonomic" and numbers.active[r.index]]
    rows += [g.sub(a, b) for a, b, is_fixed in model.targets if is_fixed and model.order(a) == 0 and model.order(b) == 0]
    if not rows:
        return False
    tape = Tape(g, rows + [g.grad(e).get(q, 0) for e in rows for q in model.q])
    begin, _ = span_of(model)
    z = np.zeros(len(model.states))
    rng = np.random.default_rng(7)
    for trial in range(30):
        q = rng.uniform(-1.5, 1.5, n) * (1 + trial % 3)
        for _ in range(40):
            x = np.array([v[0] for v in tape(numbers.values([State(begin, q, np.zeros(n), z)]))])
            r, J = x[:len(rows)], x[len(rows):].reshape(len(rows), n)
            if not np.all(np.isfinite(x)):
                break
            s = np.linalg.svd(J, compute_uv=False)
            if np.abs(r).max() < 1e-12 and s[min(len(rows), n) - 1] > 1e-4 * s[0]:
                return True
            step = np.linalg.lstsq(J, -r, rcond=1e-8)[0]
            q = q + step * min(1.0, 1.0 / max(np.abs(step).max(), 1e-30))
    return False


def model_has_z_target(model):
    """States that begin elsewhere than 0: the search above does not know them."""
    return bool(model.states)


class Refuses(Exception):
    pass


# ---- runs ----

class Run:
    """The rows and the account of `mech run`."""

    def __init__(self, subject, *options):
        file = os.path.join(subject.folder, "rows.csv")
        rc, text, err = subject.ask("run", subject.path, "-o", file, "--json", *options)
        self.code, self.error = rc, first_error(err)
        if rc < 0 or rc > 5:
            raise Finding("crash", "an answer", "exit code %d" % rc)
        self.is_warned = rc == 5  # the balance misses more than errors explain
        if rc not in (0, 5):
            raise Refuses(self.error)
        self.account = json.loads(text)
        with open(file) as f:
            rows = list(csv.reader(f))
        self.names = rows[0]
        self.data = np.array([[float(x) for x in r] for r in rows[1:]])
        self.column = {name: k for k, name in enumerate(self.names)}
        if len(self.column) != len(self.names):
            raise Finding("columns", "each once", self.names)
        self.t = self.data[:, 0]

    def get(self, names):
        missing = [n for n in names if n not in self.column]
        if missing:
            raise Finding("columns", "there is " + missing[0], self.names)
        return self.data[:, [self.column[n] for n in names]]

    def states(self, model):
        q, v, z = self.get(model.coords), self.get([c + "'" for c in model.coords]), self.get(model.states)
        return [State(t, *x) for t, *x in zip(self.t, q, v, z)]


def span_of(model):
    def value(word, default):
        return float(model.constant(model.options[word])) if word in model.options else default
    begin = value("from", 0.0)
    return begin, value("until", begin + 1.0 if begin else 1.0)


def judge_row(subject, run, k):
    """One row of a run: what stands there beside what the reader finds at the state that stands there."""
    model, numbers = subject.model, subject.numbers
    state = run.states(model)[k]
    if is_far_out(state, 1e3):
        raise Doubt("a state far out")
    rng = np.random.default_rng(1)
    eqs = numbers.at([state] + [shake(state, rng) for _ in range(2)])
    for eq in eqs:
        eq.bring_back(RUN / 100)
    main = solve(numbers, eqs[0])
    answers = [main] + [solve(numbers, e, rank=main.rank) for e in eqs[1:]]
    pairs = list(zip(eqs, answers))
    judge = Judge(pairs[0], pairs[1:], is_run=True)
    at = "row %d, " % k

    def row(names):
        return run.get(names)[k]
    natural = [r for r in model.rows if not r.is_control]
    index = [r.index for r in natural]
    force = np.abs(eqs[0].Q).max(initial=0.0) + np.abs(main.Qi).max(initial=0.0) + np.abs(main.Qc).max(initial=0.0)
    judge.same(at + "accelerations", row([c + "''" for c in model.coords]), lambda x: x[1].qdd)
    judge.same(at + "lambda", row(["lambda(%s" % column_name(r) for r in natural]), lambda x: x[1].lam[index], size=1e-3)
    judge.same(at + "reaction", row(["reaction(%s" % column_name(r) for r in natural]), lambda x: x[1].total[index], size=1e-3)
    judge.same(at + "Qi", row(["equation.Qi(%s)" % c for c in model.coords]), lambda x: x[1].Qi, size=force)
    judge.same(at + "Qni", row(["equation.Qni(%s)" % c for c in model.coords]), lambda x: x[1].Qni, size=force)
    on = [r for r in natural if numbers.active[r.index]]
    index = [r.index for r in on]
    judge.same(at + "r", row(["r(%s" % column_name(r) for r in on]), lambda x: x[0].r[index], size=1.0, rtol=1e-12)
    judge.same(at + "r'", row(["r'(%s" % column_name(r) for r in on]), lambda x: x[0].r_dot[index], size=1.0, rtol=1e-12)
    for c in model.constraints:
        if c.is_control or not numbers.active[c.rows[0].index]:
            continue
        for i in sorted({i for r in c.rows for i in r.A}):
            name = "force(%s, %s)" % (c.name, model.coords[i])
            # what is 0 at all times need not stand there
            judge.same(at + "force of " + c.name, row([name])[0] if name in run.column else 0.0, lambda x: x[1].force[c.index][i], size=force)
    if main.u is not None and not model.actuators:
        judge.same(at + "control", row(["control(%s)" % c for c in model.coords]), lambda x: x[1].u, size=force)
    for j, (name, _) in enumerate(model.outputs):
        judge.same(at + "output " + name, row([name])[0], lambda x: x[1].output[j], size=1e-3 + size_of_output(model, j, main))
    judge.same(at + "h", row(["equation.h"])[0], lambda x: x[1].energy[3], size=1e-3 + np.abs(main.energy).max())
    return judge.count


def column_name(row):
    """lambda(two)[1] is written so, with the bracket outside."""
    c = row.constraint
    return c.name + ")" + ("[%d]" % (c.rows.index(row) + 1) if len(c.rows) > 1 else "")


def rows_of_run(subject, out, only=None, with_motion=True):
    """Every row of a run, then the run itself against another integrator."""
    model = subject.model
    begin, _ = span_of(model)
    options = ["--until", repr(begin + RUN), "--points", "5", "--rtol", "1e-10", "--atol", "1e-12",
               "--columns", "accelerations,multipliers,forces,residuals"]
    times = begin + RUN * np.arange(5) / 4
    surely, perhaps = subject.numbers.at([state_of(subject.start)])[0].off_path() if subject.start else (False, True)
    try:
        run = Run(subject, *options)
    except Refuses as x:
        if word_of(str(x)) == "off path" and (perhaps or model.events):  # at the start, or thrown off by an event
            out.append(Outcome("refused alike", "run", None))
            return
        if subject.start and re.match(r"mech run: at t = ", str(x)) and with_motion and only != "row":
            attempt("refused run", out, judge_refused, subject, str(x), times)
        raise
    if surely:
        raise Finding("run", "a control off its path", "no refusal")
    force = {}  # row of the run -> rows of the model in force there
    if only != "row" and with_motion:
        attempt("trajectory", out, judge_motion, subject, run, times, force)
    changes = [h["t"] for h in run.account["happenings"] if h["kind"] in ("event", "impact", "contact", "release")]
    active = subject.numbers.active
    for k in range(len(run.data) if only != "trajectory" else 0):
        near = [j for j in (k - 1, k + 1) if 0 <= j < len(run.t) and abs(run.t[j] - run.t[k]) < 1e-9]
        if near or k not in force and any(t <= run.t[k] + 1e-9 for t in changes):
            continue  # before and after something happened: one of them is a limit from the left; or it is not known what is in force
        subject.numbers.active = force.get(k, active)
        attempt("row", out, judge_row, subject, run, k)
        subject.numbers.active = active


def follow(subject, start, times, rtol, atol):
    m = Motion(subject.numbers, start, rtol=rtol, atol=atol)
    return m.run(times), m


def judge_refused(subject, message, times):
    """A run that the library does not finish: does the other integrator?"""
    if "reaction" in message and "not unique" in message or "undetermined" in message:
        return None
    start = state_of(subject.start)
    if "not realisable" in message:
        servo = sum(r.is_control and bool(subject.numbers.active[r.index]) for r in subject.numbers.model.rows)
        if solve(subject.numbers, subject.numbers.at([start])[0]).servo_rank < servo:
            return None  # control of what constraints decide: a run asks it back to its path, were it by rounding
    rows, _ = follow(subject, start, times, 1e-9, 1e-11)
    follow(subject, start, times, 1e-6, 1e-8)
    raise Finding("run refused", "a motion until %g, %s" % (times[len(rows) - 1], rows[-1].tolist()), message)


def happened(log, begin):
    """Events and impacts, and where friction sticks and slips by itself."""
    events = [h[0] for h in log if h[1] in ("event", "impact")] + [begin]
    return [h for h in log if h[1] in ("event", "impact") or h[1] in ("stick", "slip") and all(abs(h[0] - t) > 1e-9 for t in events)]


def judge_motion(subject, run, times, force):
    """The rows by the clock and what happened in between."""
    model = subject.model
    states = run.states(model)
    rows, ours = follow(subject, states[0], times, 1e-12, 1e-13)
    # how a small change of the start grows
    other = states[0]
    other = State(other.t, other.q, other.v + 1e-6 * (1 + np.abs(other.v)), other.z + 1e-6)
    (near, m), (far, f) = (follow(subject, s, times, 1e-7, 1e-10) for s in (states[0], other))
    names = [h[1:] for h in ours.log]
    if len(near) != len(far) or len(near) != len(rows) or [h[1:] for h in m.log] != names or [h[1:] for h in f.log] != names:
        raise Doubt("a small change changes what happens")
    size = 1 + np.abs(rows).max(axis=0)
    growth = max(1.0, (np.abs(far - near) / size).max() / 1e-6)
    growth = max([growth] + [abs(a[0] - b[0]) / 1e-6 for a, b in zip(m.log, f.log)])
    if growth > 1e4:
        raise Doubt("a motion that multiplies small changes")
    bound = 100 * 1e-10 * growth
    theirs = happened([(h["t"], h["kind"], h["name"]) for h in run.account["happenings"]], times[0])
    mine = happened(ours.log, times[0])

    def told(log):
        return ["%s %s %.9g" % (kind, name, t) for t, kind, name in log]
    off = run.is_warned
    if [h[1] for h in theirs] != [h[1] for h in mine] or [h[2] for h in theirs if h[1] in ("event", "impact")] != [
            h[2] for h in mine if h[1] in ("event", "impact")]:
        raise Finding("what happens", told(mine), told(theirs))
    for a, b in zip(mine, theirs):
        if abs(a[0] - b[0]) > bound + 1e-12 and not off:
            raise Finding("time of %s %s (growth %.3g)" % (a[1], a[2], growth), a[0], b[0])
    # rows by the clock; those at which something happens are left out
    worst, where = 0.0, 0
    for k in range(len(rows)):
        at = [j for j in range(len(run.t)) if abs(run.t[j] - times[k]) < 1e-12]
        if len(at) != 1:
            if not at:
                raise Finding("rows", "there is one at %g" % times[k], run.t.tolist())
            continue
        force[at[0]] = ours.force[k]
        s = states[at[0]]
        miss = (np.abs(rows[k] - np.concatenate([s.q, s.v, s.z])) / size).max()
        if not miss <= worst:
            worst, where = miss, k
    if len(rows) < len(times) and not any(h[1] == "event" for h in theirs[-1:]):
        raise Finding("end", told(mine), told(theirs))
    if off:
        if worst > bound:
            return "warned"  # it is off, and says so
        raise Finding("false alarm (growth %.3g, relative miss %.3g)" % (growth, worst), "the same motion", run.error)
    if worst > bound:
        j = [j for j in range(len(run.t)) if abs(run.t[j] - times[where]) < 1e-12][0]
        raise Finding("motion at t = %g (growth %.3g, relative miss %.3g)" % (times[where], growth, worst), rows[where].tolist(),
                      np.concatenate([states[j].q, states[j].v, states[j].z]).tolist())
    kinds = sorted({h[1] for h in mine})
    return "compared" + ("" if not kinds else " with " + ", ".join(kinds))


# ---- the doors of the library ----

def by_paths(subject, states, native):
    """{way: {state: (status, qdd, lambda, rate)}} of the program differential_paths."""
    file = os.path.join(subject.folder, "states.txt")
    with open(file, "w") as f:
        for s in states:
            f.write(" ".join("%.17g" % x for x in [s.t] + list(s.q) + list(s.v) + list(s.z)) + "\n")
    p = subprocess.run([os.path.join(subject.build, "differential_paths"), subject.path, file] + (["native"] if native else []),
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    if p.returncode < 0:
        raise Finding("crash", "an answer", "signal %d" % -p.returncode)
    out = {}
    n, m = subject.numbers.n, subject.numbers.m
    for line in p.stdout.decode().split("\n"):
        words = line.split()
        if len(words) < 3:
            continue
        x = np.array([float(w) for w in words[3:]])
        out.setdefault(words[0], {})[int(words[1])] = (int(words[2]), x[:n], x[n:n + m], x[n + m:])
    return out


def judge_paths(subject, out, native):
    numbers, model = subject.numbers, subject.model
    states = list(subject.states)
    if subject.start:
        states.append(state_of(subject.start))
    found = by_paths(subject, states, native)
    for way, answers in found.items():
        for k, s in enumerate(states):
            if k in answers:
                gains = way in ("instant", "run")  # the plan gives the equation as it stands
                attempt(way, out, judge_path, numbers, s, answers[k], gains, way == "run")


def judge_path(numbers, state, answer, gains, is_run):
    status, qdd, lam, rate = answer
    model = numbers.model
    rng = np.random.default_rng(1)
    eqs = numbers.at([state] + [shake(state, rng) for _ in range(2)], gains=gains)
    try:
        main = solve(numbers, eqs[0])
    except Refusal:
        if status == 0:
            raise
        return "refused alike"
    surely, perhaps = eqs[0].off_path() if is_run else (False, False)
    if surely and status == 0 or status == OFF_PATH and not perhaps:
        raise Finding("refused", "a control off its path" if surely else "on its path", "status %d" % status)
    if status == OFF_PATH:
        return "refused alike"
    if status != 0 and (main.conflict > 1e-10 or main.rank < numbers.m):
        return "refused alike"  # which of the many reasons is judged with the commands' words
    if main.conflict > 1e-8:
        raise Doubt("constraints in conflict")
    if status in NO_WAY_ON and is_run and np.abs(np.concatenate([eqs[0].r, eqs[0].r_dot])).max(initial=0.0) > 1e-9:
        raise Doubt("a run that cannot come to its constraints")
    if status != 0:
        raise Finding("refused", main.qdd.tolist(), "status %d" % status)
    answers = [main] + [solve(numbers, e, rank=main.rank) for e in eqs[1:]]
    pairs = list(zip(eqs, answers))
    judge = Judge(pairs[0], pairs[1:], is_run=True)
    natural = [r.index for r in model.rows if not r.is_control]
    force = np.abs(eqs[0].Q).max(initial=0.0) + np.abs(main.Qi).max(initial=0.0)
    judge.same("qdd", qdd, lambda x: x[1].qdd)
    judge.same("rate", rate, lambda x: x[0].rate, size=1e-3)
    judge.same("A' lambda", eqs[0].A[natural].T @ lam[natural], lambda x: x[0].A[natural].T @ x[1].lam[natural], size=force)
    return judge.count


def state_of(data):
    return State(data["t"], [c["q"] for c in data["coordinates"]], [c["v"] for c in data["coordinates"]], [s["value"] for s in data["states"]])


# ---- linearization ----

OFFSETS = (-4, -3, -2, -1, 1, 2, 3, 4)
WEIGHTS = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 4 / 5, -1 / 5, 4 / 105, -1 / 280)


class Slopes:
    """Derivatives of q'', rates, outputs, r and r' by q, v, z and the inputs, by eighth-order differences of the solved equation."""

    def __init__(self, numbers, state, step, gains):
        model, n = numbers.model, numbers.n
        main = solve(numbers, numbers.at([state], gains=gains)[0])
        x0 = np.concatenate([state.q, state.v, state.z])
        inputs = [u[1] for u in model.inputs]
        self.size, self.inputs = len(x0), len(inputs)
        points, shifts = [], {u: [] for u in inputs}
        for j in range(len(x0) + len(inputs)):
            h = step * (1 + (abs(x0[j]) if j < len(x0) else 0.0))
            for o in OFFSETS:
                x = x0.copy()
                if j < len(x0):
                    x[j] += o * h
                points.append(State(state.t, x[:n], x[n:2 * n], x[2 * n:]))
                for i, u in enumerate(inputs):
                    shifts[u].append(o * h if j == len(x0) + i else 0.0)
        shift = {u: np.array(v) for u, v in shifts.items()}
        eqs = numbers.at(points, shift, gains)
        rows = []
        for e in eqs:
            a = solve(numbers, e, rank=main.rank, light=not model.outputs)
            rows.append(np.concatenate([a.qdd, e.rate, a.output if model.outputs else [], e.r, e.r_dot]))
        rows = np.array(rows).reshape(-1, 8, rows[0].size if rows else 0)
        columns = []
        for j in range(len(x0) + len(inputs)):
            h = step * (1 + (abs(x0[j]) if j < len(x0) else 0.0))
            columns.append(np.tensordot(WEIGHTS, rows[j], 1) / h)
        d = np.array(columns).T
        nz, ny, m = len(state.z), len(model.outputs), numbers.m
        self.motion = np.vstack([np.hstack([np.zeros((n, n)), np.eye(n), np.zeros((n, nz + len(inputs)))]), d[:n + nz]])
        self.output = d[n + nz:n + nz + ny]
        binds = numbers.active & np.array([not r.is_control for r in model.rows], bool)  # a state may leave what control keeps
        self.tangent = d[n + nz + ny:][np.tile(binds, 2)][:, :len(x0)]


def slopes_of(numbers, state, gains=True):
    """(slopes, how far they may be off)."""
    a, b = Slopes(numbers, state, 4e-3, gains), Slopes(numbers, state, 2e-3, gains)
    return b, np.abs(a.motion - b.motion).max(initial=0.0), np.abs(a.output - b.output).max(initial=0.0)


def judge_linear(subject, state):
    numbers, model = subject.numbers, subject.model
    if any(law[2] for law in model.laws):
        raise Doubt("not linearized")
    rc, text, err = subject.ask("linearize", subject.path, "--here", "--json", *state_options(model, state, start=False))
    if rc != 0 and any(word in err for word in ("no derivative at rest", "lambda() or force()", "has no derivative")):
        raise Doubt("not linearized")
    main = None
    try:
        main = solve(numbers, numbers.at([state])[0])
    except Refusal:
        if rc == 0:
            raise
        return "refused alike"
    if main.conflict > 1e-10 or main.rank < int(numbers.active.sum()) and np.abs(np.concatenate([numbers.at([state])[0].r, numbers.at([state])[0].r_dot])).max() > 1e-9:
        raise Doubt("constraints in conflict")
    if rc != 0:
        raise Refuses(first_error(err))
    data = json.loads(text)
    try:
        slopes, off, off_output = slopes_of(numbers, state)
    except Refusal as x:
        raise Doubt("no motion beside the state: " + x.word)
    N = slopes.size
    size = np.abs(slopes.motion).max()
    if not size < 1e10:
        raise Doubt("slopes without bound")
    if off > 1e-5 * size:
        raise Doubt("differences do not settle")

    def near(what, theirs, ours, bound):
        theirs = np.array(theirs, float).reshape(ours.shape)
        if not np.all(np.abs(theirs - ours) <= bound):
            raise Finding(what, ours.tolist(), theirs.tolist())
    bound = 1e-7 * size + 100 * off
    near("A", data["A"], slopes.motion[:, :N], bound)
    near("B", data["B"], slopes.motion[:, N:], bound)
    if model.outputs and not data["undefined_outputs"]:
        bound_output = 1e-7 * (np.abs(slopes.output).max() + size) + 100 * (off + off_output)
        near("C", array(data["C"]), slopes.output[:, :N], bound_output)
        near("D", array(data["D"]), slopes.output[:, N:], bound_output)
    judge_reduced(data, slopes, bound, size)
    return 4


def judge_reduced(data, slopes, bound, size):
    """On the constraints: the dimension, and what no choice of basis changes."""
    N = slopes.size
    D = slopes.tangent
    length = np.sqrt((D * D).sum(axis=1))
    D = D[length > 1e-9] / length[length > 1e-9, None] if len(D) else D
    s = np.linalg.svd(D, compute_uv=False) if len(D) else np.zeros(0)
    if np.any((s > 1e-9) & (s < 1e-5)):
        raise Doubt("the tangent space is not clear")
    rank = int((s > 1e-7).sum())
    basis = np.linalg.svd(D, full_matrices=True)[2][rank:].T if len(D) else np.eye(N)
    if data["freedom"] != N - rank:
        raise Finding("freedom", N - rank, data["freedom"])
    ours = basis.T @ slopes.motion[:, :N] @ basis
    theirs = np.array(data["reduced_A"], float).reshape(ours.shape)
    scale = max(size, 1.0)
    a, b = np.eye(len(ours)), np.eye(len(ours))
    for k in range(1, len(ours) + 1):
        a, b = a @ ours / scale, b @ theirs / scale
        if abs(np.trace(a) - np.trace(b)) > 10 * k * (bound / scale + 1e-8) * len(ours):
            raise Finding("reduced_A (trace of its power %d)" % k, np.linalg.eigvals(ours).tolist(), np.linalg.eigvals(theirs).tolist())


# ---- check ----

def constraint_rank(subject):
    """Of the constraints at the start, without what friction holds."""
    numbers = subject.numbers
    if not numbers.model.frictions:
        return subject.start["rank"]
    eq = numbers.at([state_of(subject.start)])[0]
    rows = [r.index for r in numbers.model.rows if not r.is_control and numbers.active[r.index]]
    return Solver(eq.M, eq.A[rows], None, numbers.any_sign).rank


def judge_check(subject):
    """Rank and freedom at the start, and what kind each row is."""
    model = subject.model
    rc, text, err = subject.ask("check", subject.path, "--json")
    if rc != 0:
        word = word_of(first_error(err))
        if word == "law not unique" and model.events and subject.start and subject.start["rank"] < len(model.rows):
            return "refused alike"  # an event's, which eval does not look at
        if word == "off path" and (subject.start is None or subject.numbers.at([state_of(subject.start)])[0].off_path()[1]):
            return "refused alike"
        if subject.start is not None and is_far_out(state_of(subject.start), 1e4):
            raise Doubt("a start far out")
        if subject.start is not None and word != "not realisable":  # a run has an edge more
            raise Finding("check", "the start that eval finds", first_error(err))
        return "refused alike"
    data = json.loads(text)
    for row, said in zip(model.rows, data["rows"]):
        level = row.level
        held = model.g.leaves(row.r)
        moves = [rate for z, rate in zip(model.state_place, model.rate) if z in held]
        if level == "holonomic" and any(model.order(rate) > 0 for rate in moves):
            level = "nonholonomic"  # by states whose rates hold velocities
        if said["name"] != row.name or not said["level"].startswith(level) or said["control"] != row.is_control:
            raise Finding("rows", (row.name, row.level, row.is_control), said)
    if subject.start is None:
        return None
    first = data["initial"]
    held = subject.start["rank"] - constraint_rank(subject)  # rows of friction: eval counts those that hold, check the constraints alone
    for word, ours in (("rank", subject.start["rank"] - held), ("degrees_of_freedom", subject.start["degrees_of_freedom"] + held)):
        if first[word] != ours:
            raise Finding("check's " + word, ours, first[word])
    redundant = sorted(r["name"] for c in subject.start["constraints"] if c["kind"] != "friction" for r in c["rows"] if r["redundant"])
    if sorted(first.get("redundant", [])) != redundant:
        raise Finding("check's redundant rows", redundant, first["redundant"])
    return 2


# ---- exported code ----

def judge_export(subject, out):
    model, numbers = subject.model, subject.numbers
    folder = os.path.join(subject.folder, "exported")
    rc, text, err = subject.ask("export", "c", subject.path, "-o", folder, "--name", "made", "--quiet")
    if rc != 0:
        raise Refuses(first_error(err))
    here = os.path.dirname(os.path.abspath(__file__))
    small = os.path.join(subject.folder, "small.o")
    if not os.path.exists(small):
        subprocess.run(["cc", "-O1", "-c", "-I", folder, os.path.join(folder, "fundamental", "small.c"), "-o", small], check=True)
    program = os.path.join(folder, "program")
    with open(os.path.join(folder, "made.h")) as f:
        header = f.read()
    flags = ["-D" + flag for flag, name in (("SETTLES", "made_settle("), ("SLOPES", "made_jacobian(")) if name in header]
    p = subprocess.run(["cc", "-O0", "-DNAME=made"] + flags + ["-include", os.path.join(folder, "made.h"), "-I", folder, os.path.join(here, "export_main.c"),
                        os.path.join(folder, "made.c"), small, "-o", program, "-lm"], stderr=subprocess.PIPE)
    if p.returncode:
        raise Finding("exported code", "compiles", p.stderr.decode()[:300])
    states = subject.states + ([state_of(subject.start)] if subject.start else [])
    lines = []
    signals = Tape(model.g, [p for u in model.inputs for p in u[1:]])
    for s in states:
        u = np.array([x[0] for x in signals(numbers.values([s]))]).reshape(-1, 3).T.ravel() if model.inputs else []
        lines.append(" ".join("%.17g" % x for x in [s.t] + list(s.q) + list(s.v) + list(s.z) + list(u)))
    p = subprocess.run([program], input="\n".join(lines).encode(), stdout=subprocess.PIPE, timeout=60)
    for s, line in zip(states, p.stdout.decode().strip().split("\n")):
        attempt("export", out, judge_exported, numbers, s, line)


def judge_exported(numbers, state, line):
    n, ny, nz = numbers.n, len(numbers.model.outputs), len(state.z)
    x = np.array([float(w) for w in line.split()[1:]])
    status = int(line.split()[0])
    qdd, force, y, rate = x[:n], x[n:2 * n], x[2 * n:2 * n + ny], x[2 * n + ny:2 * n + ny + nz]
    rng = np.random.default_rng(1)
    eqs = numbers.at([state] + [shake(state, rng) for _ in range(2)], gains="control")
    try:
        main = solve(numbers, eqs[0])
    except Refusal:
        if status >= 0:
            raise
        return "refused alike"
    if main.conflict > 1e-8 or status == 2:
        raise Doubt("constraints in conflict")
    if status < 0:
        raise Finding("refused", main.qdd.tolist(), "status %d" % status)
    pairs = [(e, solve(numbers, e, rank=main.rank)) for e in eqs]
    judge = Judge(pairs[0], pairs[1:])
    judge.same("qdd", qdd, lambda p: p[1].qdd)
    if not numbers.model.frictions:  # what holds is no row of the code
        judge.same("A' lambda", force, lambda p: p[1].Qi, size=np.abs(eqs[0].Q).max(initial=0.0))
    judge.same("rate", rate, lambda p: p[0].rate, size=1e-3)
    if main.rank == numbers.m:  # else multipliers are one choice of many
        for k, (name, _) in enumerate(numbers.model.outputs):
            judge.same("output " + name, y[k], lambda p: p[1].output[k], size=1e-3)
    if len(x) == 2 * n + ny + nz:
        return judge.count
    slopes, off, _ = slopes_of(numbers, state, gains=False)
    size = np.abs(slopes.motion).max(initial=0.0)
    N = slopes.size
    J = x[2 * n + ny + nz:].reshape(N, N).T
    if off < 1e-5 * size and main.rank == numbers.m and not np.all(np.abs(J - slopes.motion[:, :N]) <= 1e-7 * size + 100 * off):
        raise Finding("Jacobian", slopes.motion[:, :N].tolist(), J.tolist())
    return judge.count


def sweep(build, made, folder, only=None, motions=1.0):
    """Outcomes of a model by all ways, or by one. motions: the share of models that are run by the other integrator too."""
    out = []
    try:
        subject = Subject(build, made, folder)
    except (Refused, Unknown) as x:
        return [Outcome("reader refuses", "reader", str(x))]
    dice = np.random.default_rng(made.seed + 1).random(4)
    if only in (None, "eval", "check", "instant", "run", "motion", "lanes", "native", "export", "rows", "refused run"):
        for s in [None] + subject.states:
            attempt("eval", out, eval_at, subject, s)
    if only in (None, "check"):
        attempt("check", out, judge_check, subject)
    if only in (None, "instant", "run", "motion", "lanes", "native"):
        attempt("paths", out, judge_paths, subject, out, native=only == "native" or dice[0] < 0.1)
    if only in (None, "linearize"):
        for s in ([state_of(subject.start)] if subject.start else []) + subject.states[:1]:
            attempt("linearize", out, judge_linear, subject, s)
    if only == "export" or only is None and dice[1] < 0.1:
        attempt("exporting", out, judge_export, subject, out)
    if only in (None, "rows", "row", "refused run") or only and only.startswith("trajectory"):
        attempt("rows", out, rows_of_run, subject, out, only.split()[0] if only else None, dice[2] < motions)
    return out
