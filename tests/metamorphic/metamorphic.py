#!/usr/bin/env python3
"""Changes of a text that must not change its answers: usage: metamorphic.py MECH [--only CHANGE] [--verbose] MODEL...

Each model meets each change of changes.py, and runs in two halves and with rows at other times. Compared are one instant (mech eval) at the start, at a state
within the run and at a state off the constraints, and the run (mech run). Bounds, in parts of the largest value of their kind:
  instants   1e-9: rounding, no more;
  runs       100 times what the run itself changes by when its tolerance is 100 times tighter, or 1000 times its tolerance where that is more.
What a change does not apply to is listed with the reason.
"""
import csv
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import changes  # noqa: E402
import text  # noqa: E402

RTOL, ATOL, ROWS = 1e-9, 1e-12, 21
ROUNDING = 1e-9
# Where a whole run would be long, or so sensitive that no digit is left to compare: another end, or other sizes. Folder/file: (until, {param: value})
SHORTER = {
    'four-bar-ladder/model': (1, {'N': '2'}), 'chain/model': (0.5, {'N': '4'}), 'routh-sphere/model': (0.3, {}), 'spatial-slider-crank/model': (0.5, {}),
    'bricard/model': (0.5, {}), 'bricard/model-angles': (1, {}), 'heavy-top/model': (0.2, {}), 'kovalevskaya-top/model': (3, {}),
    'flyball-governor/model': (1, {}), 'flyball-governor/model-rigid': (2, {}), 'ball-in-cylinder/model': (0.3, {}), 'bicycle/model': (1, {}),
    'tumbling-body/model': (8, {}), 'turntable-sphere/model': (3, {}), 'andrews/model': (0.01, {}), 'suslov/model': (4, {}), 'figure-eight/model': (2, {}),
    'double-pendulum/model': (4, {}), 'double-pendulum/model-cartesian': (4, {}), 'cart-pendulum-n/model': (2, {}), 'sympy-facts/model': (4, {}),
}


class Facts:
    """What the unchanged model says."""


class Failed(Exception):
    pass


class Mech:
    def __init__(self, path, work):
        self.path, self.work, self.calls, self.has_actuators = path, work, 0, False

    def call(self, *words):
        self.calls += 1
        return subprocess.run([self.path] + list(words), capture_output=True, text=True)

    def file(self, statements, where):
        path = os.path.join(where, 'changed.mech')
        with open(path, 'w') as f:
            f.write(text.write(statements))
        return path

    def eval(self, path, *more):
        done = self.call('eval', path, '--json', *more)
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            answer = {}
        return done.returncode, instant_values(answer, self.has_actuators) if 'equation' in answer else None, done.stderr

    def run(self, path, first, last, rtol=RTOL, rows=ROWS):
        out = os.path.join(self.work, 'rows.csv')
        if os.path.exists(out):
            os.remove(out)
        done = self.call('run', path, '-o', out, '--json', '--no-native', '--from', '%.17g' % first, '--until', '%.17g' % last, '--points', str(rows), '--rtol', '%g' % rtol,
                         '--atol', '%g' % (ATOL * rtol / RTOL), '--columns', 'accelerations,multipliers,forces', '--allow-imbalance') # which has tests of its own
        try:
            account = json.loads(done.stdout)
        except ValueError:
            raise Failed('run gives no account: %s' % (done.stderr.strip() or done.stdout.strip())[:300])
        return done.returncode, account, table_of(out) if os.path.exists(out) else ([], [])


# ---- answers as {key: number} ----

def key_of(column):
    """('v', 'x') of "x'", ('lambda', 'rod') of "lambda(rod)" ..."""
    m = re.fullmatch(r"(lambda|reaction|control)\((.*?)\)(\[\d+\])?", column)
    if m:
        return (m.group(1), m.group(2) + (m.group(3) or ''))
    m = re.fullmatch(r'(force|nonideal|friction)\((.*), (.*)\)', column)
    if m:
        return (m.group(1), m.group(2), m.group(3))
    m = re.fullmatch(r'equation\.(Qi|Qni|Qc|Q)\((.*)\)', column)
    if m:
        return (m.group(1), m.group(2))
    if column.startswith('equation.'):
        return (column[9:],)
    return ('column', column)


def table_of(path):
    with open(path, newline='') as f:
        rows = list(csv.reader(f))
    return rows[0], [[float(x) for x in r] for r in rows[1:]]


def instant_values(j, has_actuators):
    """The numbers of an instant; what is a matter of taste (bases, singular values) is left out."""
    values, e = {}, j['equation']
    names = [c['name'] for c in j['coordinates']]
    for c in j['coordinates']:
        values['q', c['name']], values['v', c['name']] = c['q'], c['v']
    for kind in ('qdd', 'Q', 'Qi', 'Qni', 'Qc', 'C'):
        if e.get(kind) is not None:
            for n, x in zip(names, e[kind]):
                values['a' if kind == 'qdd' else kind, n] = x
    for group in j['constraints']:
        for n, x in zip(names, group['force']):
            values['force' if group['unique_force'] else 'share', group['name'], n] = x
        for r in group['rows']:
            for kind in ('lambda', 'reaction'):
                values[kind if r['unique'] else 'share ' + kind, r['name']] = r[kind]
    for o in j['outputs']:
        values['out' if o.get('unique', True) else 'share out', o['name']] = o['value']
    for s in j['states']:
        values['z', s['name']] = s['value']
    for s in j['inputs']:
        values['input', s['name']] = s['value']
    if e.get('u') is not None:
        for i, x in enumerate(e['u']): # along actuators, or along coordinates where there are none
            values['u', str(i) if has_actuators else names[i]] = x
    for k in ('kinetic', 'potential', 'dissipation', 'h', 'power'):
        values['energy', k] = j['energy'][k]
    values['count', 'rank'], values['count', 'freedom'] = j['rank'], j['degrees_of_freedom']
    return {k: x for k, x in values.items() if x is not None}


def solve(A, b):
    """Gauss, for the few numbers of a change of coordinates."""
    n, A = len(b), [row[:] + [x] for row, x in zip(A, b)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(A[i][k]))
        A[k], A[p] = A[p], A[k]
        for i in range(n):
            if i != k and A[i][k]:
                f = A[i][k] / A[k][k]
                A[i] = [x - f * y for x, y in zip(A[i], A[k])]
    return [A[i][n] / A[i][i] for i in range(n)]


SHARES = {'share': 'force', 'share lambda': 'lambda', 'share reaction': 'reaction', 'share out': 'out'}
FORCES = ('share', 'share lambda', 'share reaction', 'Q', 'Qi', 'Qni', 'Qc', 'C', 'force', 'nonideal', 'friction', 'control', 'lambda', 'reaction', 'u')


def turn_round(reading, names):
    """For each old coordinate: its force as a sum of new ones."""
    if all(len(reading.C[a]) == 1 for a in names):
        reading.back = {n: {n: 1 / reading.C[n][n]} for n in names}
        return
    back = [[reading.C[b].get(a, 0.0) for b in names] for a in names]
    columns = [solve(back, [float(i == k) for i in range(len(names))]) for k in range(len(names))] # of the inverse
    reading.back = {n: {m: columns[k][i] for k, m in enumerate(names) if columns[k][i]} for i, n in enumerate(names)}


def old_name(reading, n):
    return re.sub(r'[^\W\d]\w*(\.[^\W\d]\w*)?', lambda m: reading.names.get(m.group(), m.group()), n)


def read_as_old(values, reading, facts):
    """Answers of the changed model in the terms of the unchanged one."""
    found = {}
    for key, x in values.items():
        key = (key[0],) + tuple(old_name(reading, n) for n in key[1:])
        kind, s = key[0], reading.s
        if kind == 'v':
            x /= s
        elif kind == 'a':
            x /= s * s
        elif kind == 'energy' and key[1] in ('power', 'dissipation'):
            x /= s
        if kind in FORCES or kind in ('energy', 'h', 'balance') or (kind == 'out' and key[1].split('[')[0] in reading.loads):
            x /= reading.mass
        if kind in ('lambda', 'reaction', 'share lambda', 'share reaction'):
            x /= s ** reading.level.get(key[1].split('[')[0], 0)
        found[key] = x
    if reading.again: # of two that share a force each has half; what is unique is the sum
        found = {(SHARES.get(k[0], k[0]),) + k[1:]: x for k, x in found.items()}
        for key in [k for k in found if len(k) > 1 and reading.again in k[1]]:
            twin = (key[0], key[1].replace(reading.again, '')) + key[2:]
            if key[0] in ('lambda', 'reaction', 'force', 'nonideal') and twin in found:
                found[twin] += found[key]
            del found[key]
    if reading.C:
        names, back = facts.coords, reading.back
        for kind in ('q', 'v', 'a'):
            if all((kind, n) in found for n in names):
                x = {n: found[kind, n] for n in names}
                for n in names:
                    found[kind, n] = sum(c * x[m] for m, c in reading.C[n].items()) + (reading.shift.get(n, 0.0) if kind == 'q' else 0.0)
        heads = {k[:-1] for k in found if k[0] in ('Q', 'Qi', 'Qni', 'Qc', 'C', 'force', 'share', 'nonideal', 'friction', 'control') and k[-1] in reading.C}
        for head in heads: # forces: Q = C' Q_old. Columns that are not there are 0
            x = {n: found.get(head + (n,), 0.0) for n in names}
            for n in names:
                y = sum(c * x[m] for m, c in back[n].items())
                if head + (n,) in found or y:
                    found[head + (n,)] = y
    return found


# ---- comparing ----

GROUPS = {'Q': 'F', 'Qi': 'F', 'Qni': 'F', 'Qc': 'F', 'C': 'F', 'force': 'F', 'nonideal': 'F', 'friction': 'F', 'control': 'F', 'reaction': 'lambda'}


def group_of(key):
    return GROUPS.get(key[0], key[0]) if key[0] not in ('out', 'z', 'input') else key[0]


def scales_of(list_of_values, span=None):
    """The largest of each kind. Outputs and energies have their own, but not less than what the motion makes likely: an energy is force times way, and what is
    0 by cancelling is known to the roundings of what cancelled."""
    largest = {}
    for values in list_of_values:
        for key, x in values.items():
            g = key if key[0] in ('out', 'share out', 'z', 'input', 'energy', 'h') else group_of(key)
            largest[g] = max(largest.get(g, 0.0), abs(x) if math.isfinite(x) else 0.0)
    if span: # rates of what moves that far in the time
        largest['v'] = max(largest.get('v', 0.0), largest.get('q', 0.0) / span)
        largest['a'] = max(largest.get('a', 0.0), largest['v'] / span)
    motion = max([largest.get(g, 0.0) for g in ('q', 'v', 'a', 'F')] + [1e-300])
    energy = max([x for g, x in largest.items() if isinstance(g, tuple) and g[0] in ('energy', 'h')] + [largest.get('F', 0.0) * largest.get('q', 0.0), 1e-300])
    for g in largest:
        if isinstance(g, tuple):
            largest[g] = max(largest[g], energy if g[0] in ('energy', 'h') else 1e-3 * motion)
        else:
            largest[g] = max(largest[g], 1e-3 * motion)
    return largest


def scale_of(key, scales):
    return scales.get(key) or scales.get(group_of(key), 1.0)


def differences(old, new, scales):
    """(largest difference in parts of its scale, its key); what is lacking counts as infinite."""
    worst, where = 0.0, None
    for key, x in old.items():
        if key not in new:
            part = math.inf if abs(x) > 1e-9 * scale_of(key, scales) else 0.0 # columns that are 0 throughout may be left out
        else:
            y = new[key]
            part = 0.0 if x == y else abs(x - y) / scale_of(key, scales) if math.isfinite(x) and math.isfinite(y) else math.inf
        if part > worst:
            worst, where = part, key
    return worst, where


# ---- a model ----

class Model:
    def __init__(self, mech, path, work):
        self.mech, self.path, self.work = mech, path, work
        self.name = os.path.basename(os.path.dirname(path)) + '/' + os.path.basename(path)[:-5]
        with open(path) as f:  # drawings have no part in the motion
            self.statements = text.read(re.sub(r'(?m)^\s*draw .*$', '', f.read()))
        self.until, sizes = SHORTER.get(self.name, (None, {}))
        for s in self.statements:
            if s[0] == 'param':
                for item in s[1]:
                    if item[0][0] in sizes:
                        item[1] = ('num', sizes[item[0][0]])
        mech.has_actuators = any(s[0] == 'actuator' for s in text.flat(self.statements))
        self.file = mech.file(self.statements, work)
        self.facts = Facts()
        self.look()

    def look(self):
        f = self.facts
        self.code, self.start, self.words = self.mech.eval(self.file)
        f.coords, f.q, f.v = [], {}, {}
        if self.start:
            f.coords = [k[1] for k in self.start if k[0] == 'q']
            f.q = {n: self.start['q', n] for n in f.coords}
            f.v = {n: self.start['v', n] for n in f.coords}
        options = [o for s in self.statements if s[0] == 'simulate' for o in s[1]]
        first = [show_number(self, v) for w, v in options if w == 'from']
        last = [show_number(self, v) for w, v in options if w == 'until']
        self.first = first[0] if first else 0.0
        self.last = self.until if self.until is not None else last[0] if last else self.first + 1
        self.run_code, self.account, self.table = self.mech.run(self.file, self.first, self.last)
        if self.run_code == 0:
            _, _, tight = self.mech.run(self.file, self.first, self.last, RTOL / 100)
            self.rows = self.keyed(self.table, changes.Reading())
            self.times = [r[0] for r in self.rows]
            self.states()
            self.scales = scales_of([v for _, v in self.rows], self.last - self.first)
            energies = [abs(x) for _, values, _ in self.at_points for k, x in (values or {}).items() if k[0] == 'energy' and k[1] in ('kinetic', 'potential')]
            self.scales['h',] = max(energies + [self.scales.get(('h',), 0.0)])
            self.errors = self.error_so_far(self.keyed(tight, changes.Reading()))
            seen = [self.start] + [values for _, values, _ in self.at_points]
            self.shared = {(SHARES[k[0]],) + k[1:] for values in seen for k in values or {} if k[0] in SHARES} # what was a choice somewhere

    def keyed(self, table, reading):
        """Rows at the times asked for, as (time, values) in the old terms; those at events are left out."""
        header, rows = table
        names = set(self.facts.coords)
        keys = []
        for column in header[1:]:
            old = old_name(reading, column)
            key = key_of(column)
            if key[0] == 'column':
                base = old.rstrip("'")
                primes = len(old) - len(base)
                key = ('qva'[primes], column.rstrip("'")) if base in names and primes < 3 else ('out', column)
            keys.append(key)
        found = []
        for row in rows:
            t = reading.s * row[0] + reading.t0
            values = {k: x for k, x in zip(keys, row[1:]) if k[0] not in ('phi', "phi'", 'psi', 'balance')}
            found.append((t, read_as_old(values, reading, self.facts)))
        return found

    def error_so_far(self, tight):
        """For each row asked for: the largest difference of the two runs up to there."""
        grid, worst, found = dict((round_time(t), v) for t, v in tight), 0.0, {}
        for t, values in self.rows:
            if round_time(t) in grid:
                worst = max(worst, differences(values, grid[round_time(t)], self.scales)[0])
            found[round_time(t)] = worst
        return found

    def states(self):
        """States to look at: the start, one within the run, one off the constraints."""
        chance = random.Random(7)
        header, rows = self.table
        middle = rows[len(rows) // 2]
        columns = {c: x for c, x in zip(header, middle)}
        q = {n: columns[n] for n in self.facts.coords}
        v = {n: columns[n + "'"] for n in self.facts.coords}
        z = {k[1]: columns.get(k[1], 0.0) for k in self.start or {} if k[0] == 'z'}
        size = max([abs(x) for x in list(q.values()) + [1e-3]])
        speed = max([abs(x) for x in list(v.values()) + [1e-3]])
        off_q = {n: x + 0.05 * size * chance.uniform(-1, 1) for n, x in q.items()}
        off_v = {n: x + 0.2 * speed * chance.uniform(-1, 1) for n, x in v.items()}
        self.points = [(middle[0], q, v, z), (self.first + 0.3 * (self.last - self.first), off_q, off_v, z)]
        self.at_points = [self.mech.eval(self.file, *self.asked(p, changes.Reading())) for p in self.points]

    def asked(self, point, reading):
        """Options that put the changed model into a state of the unchanged one."""
        t, q, v, z = point
        names, new = self.facts.coords, {x: n for n, x in reading.names.items()}
        if reading.C: # the inverse of C is the transpose of that of C'
            forth = {n: [(m, c[n]) for m, c in reading.back.items() if n in c] for n in names}
            q = {n: sum(c * (q[m] - reading.shift.get(m, 0.0)) for m, c in forth[n]) for n in names}
            v = {n: sum(c * v[m] for m, c in forth[n]) for n in names}
        words = ['--at', '%.17g' % ((t - reading.t0) / reading.s), '--start', 'as-given']
        for n in names:
            other = re.sub(r'[^\W\d]\w*', lambda m: new.get(m.group(), m.group()), n)
            words += ['--state', '%s=%.17g' % (other, q[n]), '--state', "%s'=%.17g" % (other, v[n] * reading.s)]
        for n, x in z.items():
            words += ['--state', '%s=%.17g' % (re.sub(r'[^\W\d]\w*', lambda m: new.get(m.group(), m.group()), n), x)]
        return words


def round_time(t):
    return float('%.9g' % t) if abs(t) > 1e-12 else 0.0


def show_number(model, e):
    """The value of an option: numbers and parameters that are numbers."""
    params = {t[0]: x for s in model.statements if s[0] == 'param' for t, x, _ in s[1]}

    def value(x):
        if x[0] == 'num':
            return float(x[1])
        if x[0] == 'name':
            return math.pi if x[1] == 'pi' else value(params[x[1]])
        if x[0] == 'un':
            return -value(x[2]) if x[1] == '-' else value(x[2])
        a, b = value(x[2]), value(x[3])
        return {'+': a + b, '-': a - b, '*': a * b, '/': a / b if b else 0, '^': a ** b}[x[1]]
    return value(e)


def is_other_units(reading):
    """Then a choice among many (of multipliers that are not unique) may be another one."""
    return bool(reading.C or reading.again or reading.s != 1 or reading.mass != 1)


class Judge:
    def __init__(self, verbose):
        self.checks = self.failures = 0
        self.left, self.verbose, self.largest = {}, verbose, {}

    def leave(self, what, model, why):
        self.left.setdefault((what, why), []).append(model)

    def fail(self, model, change, words):
        self.failures += 1
        print('FAILED: %s, %s: %s' % (model.name, change, words), file=sys.stderr)

    def instants(self, model, change, which, old, new, reading):
        self.checks += 1
        code, before, words = old
        code2, after, words2 = new
        if code != code2 or (before is None) != (after is None):
            return self.fail(model, change, '%s: exit code %d, was %d: %s' % (which, code2, code, (words2 or words).strip()[:300]))
        if before is None:
            return
        after = read_as_old(after, reading, model.facts)
        units = is_other_units(reading)
        if units and which == 'off' and any(k[0] in SHARES for k in before):
            return self.leave('%s off the constraints' % change, model.name, 'rows that depend on others contradict them there, and what is least depends on units')
        before = {k: x for k, x in before.items() if not (units and k[0] in SHARES) and not (k[0] == 'u' and reading.C)}
        if not units:
            missing = [k for k in after if k not in before and k[0] != 'count']
            if missing:
                return self.fail(model, change, '%s: %s was not there, or not unique' % (which, missing[0]))
        worst, where = differences(before, after, scales_of([before]))
        self.largest['instant', change] = max(self.largest.get(('instant', change), (0.0, '')), (worst, model.name))
        if self.verbose:
            print('  %-22s %-8s %.1e %s' % (change, which, worst, where))
        if worst > ROUNDING:
            self.fail(model, change, '%s: %s is %r, was %r (%.1e of the largest)' % (which, where, after.get(where), before[where], worst))

    def runs(self, model, change, result, reading):
        self.checks += 1
        code, account, table = result
        if code != model.run_code:
            return self.fail(model, change, 'run: exit code %d, was %d: %s' % (code, model.run_code, account.get('error', '')))
        if code != 0:
            return
        self.rows(model, change, model.keyed(table, reading), reading=reading)
        old = [(h['kind'], h['name'], h['t']) for h in model.account['happenings'] if h['kind'] not in ('method', 'note')]
        new = [(h['kind'], old_name(reading, h['name']) if h['name'] else None, reading.s * h['t'] + reading.t0) for h in account['happenings'] if h['kind'] not in ('method', 'note')]
        if reading.again:
            new = [h for h in new if not (h[1] and reading.again in h[1])]
        self.checks += 1
        if [h[:2] for h in old] != [h[:2] for h in new]:
            return self.fail(model, change, 'run: what happened is %s, was %s' % (new[:12], old[:12]))
        span, bound = model.last - model.first, self.bound(model, model.last)
        for (kind, name, t), (_, _, t2) in zip(old, new):
            if kind != 'singular' and abs(t - t2) > bound * span: # a passage has no instant of its own
                return self.fail(model, change, 'run: %s %s at %.15g, was at %.15g' % (kind, name, t2, t))

    def bound(self, model, t):
        return max(100 * model.errors.get(round_time(t), max(model.errors.values())), 1000 * RTOL)

    def rows(self, model, change, new, since=-math.inf, reading=None):
        """Compares at the times that both have once: rows at events come in twos."""
        grid, seen = {}, {}
        for t, values in new:
            seen[round_time(t)] = seen.get(round_time(t), 0) + 1
            grid[round_time(t)] = values
        for t, _ in model.rows:
            seen[round_time(t)] = max(seen.get(round_time(t), 0), sum(1 for u in model.times if round_time(u) == round_time(t)))
        compared, top = 0, (0.0, 0.0, None, 0.0)
        for t, values in model.rows:
            at = round_time(t)
            if at not in grid or seen[at] != 1 or t < since:
                continue
            compared += 1
            if reading and is_other_units(reading):
                values = {k: x for k, x in values.items() if k not in model.shared and not (k[0] == 'nonideal' and reading.again)}
            worst, where = differences(values, grid[at], model.scales)
            if worst / self.bound(model, t) > top[0]:
                top = (worst / self.bound(model, t), worst, where, t)
        if self.verbose:
            print('  %-22s run      %.1e of its bound (%.1e) at t = %g: %s' % (change, top[0], top[1], top[3], top[2]))
        self.largest['run', change] = max(self.largest.get(('run', change), (0.0, '')), (top[0], model.name))
        if compared < (5 if since == -math.inf else 2):
            return self.fail(model, change, 'run: only %d rows to compare' % compared)
        if top[0] > 1:
            self.fail(model, change, 'run: %s at t = %g differs by %.1e of the largest; bound %.1e' % (top[2], top[3], top[1], self.bound(model, top[3])))


def meet(model, judge, only, mech):
    for change, f in changes.CHANGES:
        if only and change != only:
            continue
        try:
            statements, reading = f(model.statements, model.facts)
        except changes.NotApplicable as why:
            judge.leave(change, model.name, str(why))
            continue
        if reading.C:
            turn_round(reading, model.facts.coords)
        path = mech.file(statements, model.work)
        judge.instants(model, change, 'start', (model.code, model.start, model.words), mech.eval(path), reading)
        if model.run_code == 0:
            for which, point, old in zip(('within', 'off'), model.points, model.at_points):
                judge.instants(model, change, which, old, mech.eval(path, *model.asked(point, reading)), reading)
        judge.runs(model, change, mech.run(path, (model.first - reading.t0) / reading.s, (model.last - reading.t0) / reading.s), reading)
    if model.run_code != 0:
        for change in ('two halves', 'other rows'):
            judge.leave(change, model.name, 'its run ends with a message')
        return
    if not only or only == 'other rows':
        path = mech.file(model.statements, model.work)
        judge.runs(model, 'other rows', mech.run(path, model.first, model.last, rows=4 * (ROWS - 1) + 1), changes.Reading())
        judge.runs(model, 'other rows', mech.run(path, model.first, model.last, rows=(ROWS - 1) // 2 + 1), changes.Reading())
    if not only or only == 'two halves':
        halves(model, judge, mech)


def without(statements, kinds):
    return [['for', s[1], s[2], without(s[3], kinds)] if s[0] == 'for' else ['if', s[1], without(s[2], kinds), without(s[3], kinds) if s[3] is not None else None] if s[0] == 'if' else s
            for s in statements if s[0] not in kinds]


def halves(model, judge, mech):
    """A second run begins at a row of the first."""
    change = 'two halves'
    if any(h['kind'] in ('release', 'contact', 'impose') or h['kind'] == 'event' and any(a[0] in ('release', 'impose') for s in text.flat(model.statements) if s[0] == 'event' for a in s[6])
           for h in model.account['happenings']):
        return judge.leave(change, model.name, 'constraints come into force or go out of it: a row does not say which')
    header, rows = model.table
    at = max(i for i, r in enumerate(rows) if r[0] <= model.first + 0.5 * (model.last - model.first) + 1e-12 and sum(1 for x in rows if x[0] == r[0]) == 1)
    row = dict(zip(header, rows[at]))
    values = []
    for n in model.facts.coords + [k[1] for k in model.start if k[0] == 'z']:
        if n not in row:
            return judge.leave(change, model.name, 'a row does not hold the whole state')
        m = re.fullmatch(r'(\w+)(?:\[(.*)\])?', n)
        e = ('name', m.group(1))
        if m.group(2):
            e = ('index', e, [('num', x) for x in m.group(2).split(',')])
        values.append([e, changes.num('%.17g' % row[n])])
        if n + "'" in row:
            values.append([('prime', e), changes.num('%.17g' % row[n + "'"])])
    statements = without(model.statements, ('initial', 'guess', 'simulate')) + [['guess', 'values', [v]] for v in values] + \
        [s for s in model.statements if s[0] == 'simulate']
    first = row['t']
    rest = sum(1 for r in rows[at:] if abs((r[0] - model.first) / (model.last - model.first) * (ROWS - 1) - round((r[0] - model.first) / (model.last - model.first) * (ROWS - 1))) < 1e-9)
    code, account, table = mech.run(mech.file(statements, model.work), first, model.last, rows=rest)
    judge.checks += 1
    if code != 0:
        return judge.fail(model, change, 'the second half ends with: %s' % account.get('error', ''))
    judge.rows(model, change, model.keyed(table, changes.Reading()), first)


def main():
    arguments, only, verbose = sys.argv[1:], None, False
    if '--only' in arguments:
        i = arguments.index('--only')
        only = arguments[i + 1]
        del arguments[i:i + 2]
    if '--verbose' in arguments:
        verbose = True
        arguments.remove('--verbose')
    judge, models = Judge(verbose), 0
    with tempfile.TemporaryDirectory() as work:
        mech = Mech(arguments[0], work)
        for path in arguments[1:]:
            model = Model(mech, path, work)
            models += 1
            if verbose:
                print(model.name)
            meet(model, judge, only, mech)
    for (change, why), names in sorted(judge.left.items()):
        print('%s: not for %d of %d models (%s): %s' % (change, len(names), models, why, ', '.join(names) if len(names) < 8 else ', '.join(names[:6]) + ', ...'))
    if verbose:
        for (what, change), (part, name) in sorted(judge.largest.items()):
            print('%s, %s: %.1e%s (%s)' % (what, change, part, ' of its bound' if what == 'run' else '', name))
    print('figure: metamorphic: %d models, %d checks, %d fail; not applicable: %d' % (models, judge.checks, judge.failures, sum(len(n) for n in judge.left.values())))
    return 1 if judge.failures else 0


sys.exit(main())
