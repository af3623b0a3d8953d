"""Dry friction at a state: modes tried, the total reaction solved for exactly where it enters by its size alone.

V = S q' is what friction acts along. A constraint whose row lies in the range of S' presses on V with w lambda, S' w = A_row;
any other presses with its multiplier, and so does one whose text has a coordinate that V has not, be it by `if` or with
a factor that is 0 here. N is the length of all that.
"""
import itertools

import numpy as np

from solve import Answer, Doubt, Refusal, Solver, conflict_of, laws_of, uniqueness

REST = 1e-9


class Contact:
    """One statement of friction at a state."""

    def __init__(self, eq, k, rows):
        model = eq.numbers.model
        self.k = k
        self.V, self.S, self.rest = eq.slip[k]
        self.mu, self.static = eq.mu[k]
        mine = [r.index for c in model.frictions[k][0] for r in c.rows]
        self.rows = [j for j, i in enumerate(rows) if i in mine]  # among the rows in force
        self.is_on = bool(self.rows)
        self.speed = float(np.linalg.norm(self.V))
        self.w = np.zeros((len(self.V), len(rows)))
        self.unseen = []
        St = self.S.T
        own = set().union(*(S for _, S, _ in model.friction_rows[k]))
        for j in self.rows:
            if not own.issuperset(model.rows[rows[j]].A):
                self.unseen.append(j)
                continue
            a = eq.A[rows[j]]
            w = np.linalg.lstsq(St, a, rcond=1e-12)[0]
            left = np.linalg.norm(St @ w - a) / max(np.linalg.norm(a), 1e-300)
            if 1e-10 < left < 1e-6:
                raise Doubt("whether a row shows in a velocity")
            if left <= 1e-10 and len(self.V) > 1:  # a single speed has no component to tell
                self.w[:, j] = w
            else:
                self.unseen.append(j)
        seen = self.w[:, [j for j in self.rows if j not in self.unseen]]
        P = np.zeros((len(self.V), len(self.V)))
        if seen.size:
            U, s, _ = np.linalg.svd(seen, full_matrices=False)
            U = U[:, s > 1e-10 * max(s[0], 1e-300)]
            P = U @ U.T
        self.free = np.eye(len(self.V)) - P  # I - P

    def load(self, total):
        """What presses, as a vector; total: multipliers of the rows in force."""
        return np.concatenate([self.w @ total[:self.w.shape[1]], total[self.unseen]])


def contacts_of(numbers, eq, rows):
    """Frictions in force; their coefficients must make sense."""
    contacts = [c for c in (Contact(eq, k, rows) for k in range(len(numbers.model.frictions))) if c.is_on]
    for c in contacts:
        if c.mu < 0 or c.static < 0:
            raise Refusal("negative mu")
    return contacts


def solve(numbers, eq, rows, rank, modes, light=False):
    """modes: of a run, 'holds' or a direction for each friction in force (None: that of its velocity); None: they are found."""
    model = numbers.model
    if any(r.is_control for r in model.rows):
        return _with_control(numbers, eq, rows, rank, modes)
    contacts = contacts_of(numbers, eq, rows)
    if modes is not None:
        return _try(numbers, eq, rows, rank, contacts, modes, light)
    for c in contacts:
        if REST > c.speed > 1e-13:
            raise Doubt("whether friction rests")
    resting = [c for c in contacts if c.speed <= 1e-13]
    for c in resting:
        if c.static < c.mu * (1 - 1e-12):
            raise Refusal("static below mu")
    for c in contacts:
        # the loads of friction must be unique; a speed that the constraints fix anyway is nothing to hold
        w = Solver(eq.M, eq.A[rows], rank, numbers.any_sign).nothing()
        if w.size and "leastnorm" not in model.allows and any(np.abs(c.load(w[:, k])).max() > 1e-9 for k in range(w.shape[1])):
            raise Refusal("law not unique")
        if c in resting and np.any(np.abs(c.free) > 0.1) and len(rows):
            F = c.free @ c.S
            inside = np.linalg.lstsq(eq.A[rows].T, F.T, rcond=1e-10)[0]
            if np.abs(eq.A[rows].T @ inside - F.T).max() < 1e-9 * np.abs(F).max(initial=0.0):
                raise Doubt("friction along a speed that the constraints fix")
    return choose(numbers, eq, rows, rank, contacts, resting, {}, light)


def choose(numbers, eq, rows, rank, contacts, resting, modes, light=False):
    """Modes of those at rest: all hold, or the one choice of holding and directions that contradicts itself nowhere.

    modes: of the others. The answer has .modes, of all.
    """
    def attempt(of_resting):
        all_modes = {**modes, **{c.k: m for c, m in zip(resting, of_resting)}}
        found = _try(numbers, eq, rows, rank, contacts, all_modes, light)
        found.modes = all_modes
        return found
    first = found = attempt(["holds"] * len(resting))

    def margins(found):
        for c in resting:
            if c.k in found.asked and abs(found.asked[c.k] - found.allowed[c.k]) < 1e-9 * (1e-9 + found.allowed[c.k]):
                raise Doubt("friction on its edge")
        # rows that contradict one another hold nothing
        return [found.conflict <= 1e-8 and found.asked[c.k] <= found.allowed[c.k] for c in resting if c.k in found.asked]
    if all(margins(found)):
        return found
    if found.conflict > 1e-8 and len(resting) == 1:
        raise Doubt("friction along a speed that the constraints fix")
    if any(len(c.V) > 1 for c in resting) and len(resting) > 1:
        raise Doubt("several contacts at rest, not all hold")
    if len(resting) == 1:
        c = resting[0]
        d = -found.stick[c.k] / np.linalg.norm(found.stick[c.k])
        found = attempt([d])
        for _ in range(200 if len(c.V) > 1 else 0):  # it slides the way it is accelerated, against the friction of that way
            speed = c.S @ found.qdd + c.rest
            if np.linalg.norm(speed) < 1e-9:
                raise Doubt("friction on its edge")
            step = speed / np.linalg.norm(speed) - d
            if np.abs(step).max() < 1e-14:
                break
            d = (d + step) / np.linalg.norm(d + step)
            found = attempt([d])
        else:
            if len(c.V) > 1 and np.abs(step).max() > 1e-12:
                raise Doubt("the way in which friction gives way")
        good = [found]
    else:
        good = []
        for choice in itertools.product(("holds", 1.0, -1.0), repeat=len(resting)):
            if all(isinstance(m, str) for m in choice):
                continue
            try:
                found = attempt([m if isinstance(m, str) else np.array([m]) for m in choice])
            except Refusal:
                continue
            if not all(margins(found)):
                continue
            speeds = [float(m * (c.S @ found.qdd + c.rest)[0]) for c, m in zip(resting, choice) if not isinstance(m, str)]
            if any(abs(s) < 1e-9 for s in speeds):
                raise Doubt("friction on its edge")
            if all(s > 0 for s in speeds):
                good.append(found)
        sliders = [sum(not isinstance(found.modes[c.k], str) for c in resting) for found in good]
        good = [found for found, count in zip(good, sliders) if count == min(sliders)]  # what can stay at rest does
    if len(good) != 1:
        raise Doubt("several contacts at rest, %s" % ("no choice of modes" if not good else "more than one choice of modes"))
    found = good[0]
    for c in resting:
        if c.k not in found.asked:
            found.asked[c.k], found.allowed[c.k] = first.asked[c.k], first.allowed[c.k]
            found.mode[c.k] = "gives way"
            found.turns = len(c.V) > 1
    return found


def _with_control(numbers, eq, rows, rank, modes):
    raise Doubt("friction beside control")


def _try(numbers, eq, rows, rank, contacts, modes, light=False):
    """modes: 'holds' or a direction for each contact at rest."""
    model, n = numbers.model, numbers.n
    A, b, owner = [eq.A[rows]], [eq.b[rows]], []
    slides = []
    for c in contacts:
        mode = modes.get(c.k)
        if isinstance(mode, str):
            # the directions that the constraints leave, and no others
            U, s, _ = np.linalg.svd(c.free)
            for e in U[:, s > 0.5].T:
                if np.linalg.norm(e @ c.S) > 1e-12:
                    A.append((e @ c.S)[None, :])
                    b.append(np.array([-(e @ c.rest)]))
                    owner.append((c, e))
        else:
            d = c.V / c.speed if mode is None else mode
            slides.append((c, d))
    A, b = np.vstack(A), np.concatenate(b)
    s = Solver(eq.M, A, rank if not owner else None, numbers.any_sign)
    C, lam, _ = laws_of(numbers, eq, Solver(eq.M, eq.A[rows], None, numbers.any_sign), rows, eq.Q)
    if numbers.laws_look:
        raise Doubt("friction beside laws of reactions")
    c0 = C.sum(axis=0) if len(C) else np.zeros(n)
    ideal = eq.M @ s.motion(eq.Q, b) - eq.Q
    lam_all = s.multipliers(ideal)

    def delta(c):
        return s.multipliers(s.through(c) - c)
    base = lam_all + delta(c0)
    push = [-(c.S.T @ d) * c.mu for c, d in slides]
    moves = np.array([delta(p) for p in push]).T.reshape(len(base), len(push))
    N = _loads([c for c, _ in slides], base, moves)
    total = base + moves @ N
    out = Answer()
    friction_C = np.array([p * x for p, x in zip(push, N)]).reshape(len(push), n)
    c = c0 + friction_C.sum(axis=0) if len(push) else c0
    out.qdd = s.motion(eq.Q + c, b)
    out.Qi, out.Qni, out.Qc, out.u = ideal, s.through(c), np.zeros(n), None
    out.C = np.vstack([C, friction_C]) if len(push) or len(C) else C
    out.lam, out.total = np.zeros(numbers.m), np.zeros(numbers.m)
    out.lam[rows], out.total[rows] = lam_all[:len(rows)], total[:len(rows)]
    out.rank, out.servo_rank, out.dof = s.rank, 0, n - s.rank
    out.normal = {c.k: float(np.linalg.norm(c.load(total))) for c in contacts}
    out.mode = {c.k: "slides" for c, _ in slides}
    out.asked, out.allowed, out.stick = {}, {}, {}
    for c in contacts:
        if isinstance(modes.get(c.k), str):
            f = sum((e * total[len(rows) + j] for j, (o, e) in enumerate(owner) if o is c), np.zeros(len(c.V)))
            out.stick[c.k], out.asked[c.k] = f, float(np.linalg.norm(f))
            out.allowed[c.k] = c.static * out.normal[c.k]
            out.mode[c.k] = "holds"
    out.conflict = 0.0
    if len(b):
        out.conflict = conflict_of(A, out.qdd, b, A @ out.qdd - b)
    if light:
        return out
    # uniqueness is that of all rows in force
    uniqueness(numbers, eq, s, rows, out) if not owner else _uniqueness(numbers, eq, s, rows, out)
    out.output, out.energy = numbers.outputs(eq.state, out.qdd, out.lam, out.total, eq.shift)
    return out


def _uniqueness(numbers, eq, s, rows, out):
    """With rows of friction behind those of the model."""
    model = numbers.model
    w = s.nothing()
    size = np.sqrt((s.A ** 2).sum(axis=1))
    out.unique, out.force, out.unique_force = {}, {}, {}
    for k, i in enumerate(rows):
        left = np.abs(w[k] * size[k]).max(initial=0.0) if w.size else 0.0
        out.unique[i] = None if 1e-9 < left < 1e-4 else left <= 1e-9
    for c in model.constraints:
        mine = [k for k, i in enumerate(rows) if model.rows[i].constraint is c]
        if not mine:
            continue
        Ak = eq.A[rows[mine]]
        out.force[c.index] = Ak.T @ out.lam[rows[mine]]
        left = np.abs(Ak.T @ w[mine]).max(initial=0.0) if w.size else 0.0
        out.unique_force[c.index] = None if 1e-9 < left < 1e-4 else left <= 1e-9


def _loads(contacts, base, moves):
    """N with N_k = |load_k(base + moves N)|: all solutions are looked for; none and several are refusals."""
    k = len(contacts)
    if k == 0:
        return np.zeros(0)
    alpha = [c.load(base) for c in contacts]
    beta = [np.array([c.load(moves[:, j]) for j in range(k)]).T for c in contacts]
    found = []

    def keep(N):
        if np.all(np.isfinite(N)) and np.all(N >= 0) and not any(np.allclose(N, o, rtol=1e-7, atol=1e-12) for o in found):
            found.append(N)
    if k == 1:
        a, b = alpha[0], beta[0][:, 0]
        p = np.array([b @ b - 1.0, 2 * a @ b, a @ a])
        if abs(p[0]) < 1e-9:
            raise Doubt("friction on the edge of Painleve's paradox")
        disc = p[1] ** 2 - 4 * p[0] * p[2]
        scale = p[1] ** 2 + abs(4 * p[0] * p[2])
        if abs(disc) < 1e-10 * scale:
            disc = 0.0
        if disc >= 0:
            q = -0.5 * (p[1] + np.copysign(np.sqrt(disc), p[1]))
            for x in ([q / p[0]] if q == 0 else [q / p[0], p[2] / q]):
                keep(np.array([x]))
    else:
        flat = all((np.abs(a) + np.abs(b).max(axis=1) > 1e-13).sum() <= 1 for a, b in zip(alpha, beta))
        starts = [np.array([np.linalg.norm(a) for a in alpha]) * f for f in (1.0, 0.1, 3.0)]
        for signs in itertools.product((1, -1), repeat=k):
            starts.append(np.array([s * np.linalg.norm(a) for s, a in zip(signs, alpha)]))
        far = 1e3 * max(np.linalg.norm(a) for a in alpha)  # a second solution may lie far out
        starts += [far * e for e in np.eye(k)] + [far * np.ones(k)]
        if flat:
            rows = [int(np.argmax(np.abs(a) + np.abs(b).max(axis=1))) for a, b in zip(alpha, beta)]
            for signs in itertools.product((1, -1), repeat=k):
                K = np.array([s * b[r] for s, b, r in zip(signs, beta, rows)])
                x = np.array([s * a[r] for s, a, r in zip(signs, alpha, rows)])
                try:
                    N = np.linalg.solve(np.eye(k) - K, x)
                except np.linalg.LinAlgError:
                    raise Doubt("friction on the edge of Painleve's paradox")
                keep(N)
        else:
            for N in starts:
                for _ in range(60):
                    loads = [a + b @ N for a, b in zip(alpha, beta)]
                    size = np.array([np.linalg.norm(x) for x in loads])
                    J = np.eye(k) - np.array([(x @ b) / max(s, 1e-300) for x, b, s in zip(loads, beta, size)])
                    try:
                        step = np.linalg.solve(J, N - size)
                    except np.linalg.LinAlgError:
                        break
                    N = N - step
                    if np.abs(step).max() < 1e-14 * (1 + np.abs(N).max()):
                        keep(N)
                        break
    if not found:
        raise Refusal("no reaction")
    if len(found) > 1:
        raise Refusal("many reactions")
    return found[0]
