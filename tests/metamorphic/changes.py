"""Changes of a model's text that must not change its answers, and how the new answers are read as the old ones.

Each takes (statements, facts) and gives (statements, Reading), or raises NotApplicable with the reason. facts: what the unchanged model says at its start.
"""
import re

from text import OF_CONSTRAINT, expressions, flat, map_statement, rebuild, show, within

RESERVED = set('''t pi and or not in for if else where sin cos tan asin acos atan sinh cosh tanh exp log sqrt abs sign atan2 pow min max sum d force lambda reaction
active dot norm cross transpose diag identity zeros skew rotx roty rotz quaternion omega omega_body control'''.split())


class NotApplicable(Exception):
    pass


class Reading:
    """t_old = s t + t0;  q_old = C q + shift;  forces_old = forces / mass;  names: new to old."""

    def __init__(self):
        self.names, self.C, self.shift, self.s, self.t0, self.mass = {}, None, {}, 1.0, 0.0, 1.0
        self.again = None    # ending of the names of rows that repeat others
        self.level = {}      # of rows, old names: 0 positions, 1 velocities, 2 accelerations
        self.skips = []      # (what, why) that cannot be compared
        self.loads = set()   # outputs that are forces

    def skip(self, what, why):
        self.skips.append((what, why))


def num(x):
    return ('num', x) if not x.startswith('-') else ('un', '-', ('num', x[1:]))


def name(x):
    return ('name', x)


def bin_(op, a, b):
    return ('bin', op, a, b)


def fresh(statements):
    """Names nobody has used: a prefix that no name begins with."""
    text = ' '.join(show(e) for s in flat(statements) for e in expressions(s)) + ' '.join(declared_names(statements))
    prefix = 'w'
    while re.search(r'\b%s' % prefix, text):
        prefix += 'w'
    return prefix


# ---- what a text declares ----

def declared(s):
    """{name: kind} of one statement (not those of its block)."""
    k = s[0]
    if k in ('param', 'coord', 'output'):
        return {i[0][0]: k for i in s[1]}
    if k == 'let':
        return {d[0]: 'function' if d[1] else 'let' for d in s[1]}
    if k == 'state':
        return {s[1][0]: k}
    if k == 'input':
        return {s[1]: k}
    if k in ('constraint', 'control', 'event'):
        return {s[1][0]: k}
    if k == 'actuator':
        return {s[1][0]: k} if s[1] else {}
    return {}


def declared_names(statements):
    found = {}
    for s in flat(statements):
        for n, k in declared(s).items():
            found.setdefault(n, k)
    return found


def local_names(statements):
    """Arguments, where-names and loop variables."""
    found = set()
    for s in flat(statements):
        if s[0] == 'let':
            for _, arguments, _, where in s[1]:
                found |= set(arguments or []) | {w[0] for w in where}
        if s[0] == 'for':
            found.add(s[1])
        for e in expressions(s):
            for x in within(e):
                if x[0] == 'listfor':
                    found.add(x[2])
                elif x[0] == 'sumfor':
                    found.add(x[1])
    return found


def coords_of(statements):
    """{name: title indices or None}"""
    return {t[0]: t[1] for s in statements if s[0] == 'coord' for t, _ in s[1]}


def used_names(s):
    found = set()

    def look(e):
        if e[0] == 'name':
            found.add(e[1])
        elif e[0] == 'call':
            found.add(e[1])
        for p in _parts(e):
            look(p)
    for e in expressions(s):
        look(e)
    for x in flat([s]):
        if x[0] in ('nonideal', 'friction'):
            found |= {t[0] for t in (x[2] if x[0] == 'nonideal' else x[1])}
        if x[0] == 'event':
            for a in x[6]:
                if a[0] in ('release', 'impose'):
                    found |= {t[0] for t in a[1]}
                elif a[0] == 'impact':
                    found.add(a[1][0])
        if x[0] in ('initial',) and x[1] == 'release':
            found |= {t[0] for t in x[2]}
        if x[0] == 'stabilize' and x[2]:
            found |= {t[0] for t in x[2]}
        if x[0] == 'output':
            found |= {t[0] for t, e, _ in x[1] if e is None}
    return found


def _parts(e):
    got = []
    rebuild(e, lambda x: (got.append(x), x)[1])
    return got


def definitions(statements):
    return {d[0]: d for s in flat(statements) if s[0] == 'let' for d in s[1]}


def reaches(e, lets, wanted, seen=None):
    """Does the expression, or a named value in it, hold a part that is wanted?"""
    seen = seen if seen is not None else set()
    for x in within(e):
        if wanted(x):
            return True
        n = x[1] if x[0] in ('name', 'call') else None
        if n in lets and n not in seen:
            seen.add(n)
            _, _, value, where = lets[n]
            if any(reaches(y, lets, wanted, seen) for y in [value] + [w[1] for w in where]):
                return True
    return False


def is_load(x):
    return x[0] == 'call' and x[1] in ('lambda', 'reaction', 'force', 'control')


def order_of(e, lets, seen=()):
    """How many time derivatives an expression holds: 0, 1 or 2."""
    most = max([order_of(x, lets, seen) for x in _parts(e)] + [0])
    n = e[1] if e[0] in ('name', 'call') else None
    if n in lets and n not in seen:
        _, _, value, where = lets[n]
        most = max([most] + [order_of(x, lets, seen + (n,)) for x in [value] + [w[1] for w in where]])
    return most + 1 if e[0] == 'prime' or (e[0] == 'call' and n in ('omega', 'omega_body')) else most


def levels_of(statements):
    """{constraint: 0 of positions, 1 of velocities, 2 of accelerations}"""
    lets = definitions(statements)
    found = {s[1][0]: max(order_of(s[2], lets), order_of(s[3], lets)) for s in flat(statements) if s[0] in ('constraint', 'control')}
    for s in flat(statements):
        if s[0] == 'friction': # a row of stick: V = 0, V weighed by s below
            found['friction on ' + ', '.join(t[0] for t in s[1])] = 0
    return found


def outputs_too(statements):
    """Named values: lets and outputs, which later statements may use."""
    lets = definitions(statements)
    for s in flat(statements):
        if s[0] == 'output':
            for t, e, _ in s[1]:
                if e and t[0] not in lets:
                    lets[t[0]] = [t[0], None, e, []]
    return lets


def has_tables(statements):
    return any(s[0] == 'input' and s[2][0] == 'file' for s in flat(statements))


def each(statements, f):
    return [map_statement(s, f) for s in statements]


# ---- rename ----

def rename(statements, facts):
    names = declared_names(statements)
    words = sorted(set(names) | local_names(statements))
    prefix, reading, new = fresh(statements), Reading(), {}
    for i, w in enumerate(words): # other lengths, and in another order
        new[w] = '%s%s%d' % (prefix, 'zyxwv'[i % 5] * (1 + i % 3), len(words) - i)
        reading.names[new[w]] = w

    def other(n, is_call=False):
        if n in RESERVED and is_call and n not in definitions(statements):
            return n
        return new.get(n, n)

    def tree(e):
        if e[0] == 'name':
            return ('name', other(e[1]))
        if e[0] == 'call':
            return ('call', other(e[1], True), [tree(x) for x in e[2]])
        if e[0] == 'listfor':
            return ('listfor', tree(e[1]), other(e[2]), tree(e[3]))
        if e[0] == 'sumfor':
            return ('sumfor', other(e[1]), tree(e[2]), tree(e[3]))
        return rebuild(e, tree)

    def title(t):
        return (other(t[0]), t[1]) if t else None

    def words_of(s):
        k = s[0]
        if k in ('param', 'output'):
            return [k, [[title(t), e, u] for t, e, u in s[1]]]
        if k == 'coord':
            return [k, [[title(t), u] for t, u in s[1]]]
        if k == 'let':
            return [k, [[other(n), [other(x) for x in a] if a else None, e, [[other(x), y] for x, y in w]] for n, a, e, w in s[1]]]
        if k in ('state', 'constraint', 'control', 'actuator'):
            return [k, title(s[1])] + s[2:]
        if k == 'input':
            return [k, other(s[1])] + s[2:]
        if k == 'nonideal':
            return [k, s[1], [title(t) for t in s[2]]] + s[3:]
        if k == 'friction':
            return [k, [title(t) for t in s[1]]] + s[2:]
        if k == 'initial' and s[1] == 'release':
            return [k, 'release', [title(t) for t in s[2]]]
        if k == 'event':
            actions = [[a[0], [title(t) for t in a[1]]] if a[0] in ('release', 'impose') else [a[0], title(a[1]), a[2]] if a[0] == 'impact' else a for a in s[6]]
            return [k, title(s[1])] + s[2:6] + [actions]
        if k == 'stabilize' and s[2]:
            return [k, s[1], [title(t) for t in s[2]], s[3]]
        if k == 'for':
            return [k, other(s[1]), s[2], [words_of(x) for x in s[3]]]
        if k == 'if':
            return [k, s[1], [words_of(x) for x in s[2]], [words_of(x) for x in s[3]] if s[3] is not None else None]
        return s
    return [words_of(s) for s in each(statements, lambda e, role: tree(e))], reading


# ---- all of it as one part ----

def as_part(statements, facts):
    outside, part, reading = ('param', 'simulate'), fresh(statements), Reading()
    for s in statements:
        if s[0] in outside:
            continue
        for word in declared_names([s]):
            reading.names['%s.%s' % (part, word)] = word
    return [s for s in statements if s[0] == 'param'] + [['component', 'c' + part, [s for s in statements if s[0] not in outside]]] + [
        s for s in statements if s[0] == 'simulate'], reading


# ---- reorder ----

def apart(statements):
    """Lists of several become several statements; every coordinate has its unit."""
    found = []
    for s in statements:
        if s[0] == 'coord':
            unit, items = None, []
            for t, u in reversed(s[1]):
                unit = u or unit
                items.append([t, unit])
            found += [['coord', [i]] for i in reversed(items)]
        elif s[0] in ('param', 'let', 'output'):
            found += [[s[0], [i]] for i in s[1]]
        elif s[0] in ('initial', 'guess', 'steady') and s[1] == 'values':
            found += [[s[0], 'values', [i]] for i in s[2]]
        else:
            found.append(s)
    return found


def reorder(statements, facts):
    """As far backwards as names allow: the last statement that waits for nothing comes first."""
    items = apart(statements)
    declares = [set(n for x in flat([s]) for n in declared(x)) for s in items]
    uses = [used_names(s) for s in items]
    whole_force = [any(x[0] == 'call' and x[1] == 'force' and len(x[2]) == 1 for e in expressions(s) for x in within(e)) for s in items]
    before = [set() for _ in items]
    for j in range(len(items)):
        for i in range(j):
            if declares[i] & uses[j] or (items[i][0] == 'event' and items[j][0] == 'event'):
                before[j].add(i)
            if (whole_force[j] and items[i][0] == 'coord') or (whole_force[i] and items[j][0] == 'coord'): # over the coordinates so far
                before[j].add(i)
            if items[i][0] == items[j][0] == 'input' or items[i][0] == items[j][0] == 'actuator': # answers go by number
                before[j].add(i)
    order, placed = [], set()
    while len(order) < len(items):
        k = max(j for j in range(len(items)) if j not in placed and before[j] <= placed)
        order.append(items[k])
        placed.add(k)
    if order == items:
        raise NotApplicable('every statement needs the one before it')
    return order, Reading()


# ---- split ----

def split(statements, facts):
    """Named values are made of two, functions of a local name, sums of energies of several, and what is said goes by a name."""
    prefix, count = fresh(statements), [0]

    def another():
        count[0] += 1
        return '%s%d' % (prefix, count[0])

    def pieces(e):
        return pieces(e[2]) + [(e[1], e[3])] if e[0] == 'bin' and e[1] in '+-' else [('+', e)]

    def one(s):
        if s[0] == 'let':
            found = []
            for n, a, e, w in s[1]:
                if a or w:
                    local = another()
                    found.append(['let', [[n, a, name(local), w + [[local, e]]]]])
                elif e[0] == 'bin' and e[1] in '+-*/':
                    x, y = another(), another()
                    found += [['let', [[x, None, e[2], []]]], ['let', [[y, None, e[3], []]]], ['let', [[n, None, bin_(e[1], name(x), name(y)), []]]]]
                else:
                    x = another()
                    found += [['let', [[x, None, e, []]]], ['let', [[n, None, name(x), []]]]]
            return found
        if s[0] in ('kinetic', 'potential', 'dissipation'):
            found = []
            for sign, e in pieces(s[1]):
                x = another()
                found += [['let', [[x, None, e, []]]], [s[0], name(x) if sign == '+' else ('un', '-', name(x))]]
            return found
        if s[0] == 'force':
            x, y = another(), another()
            return [['let', [[x, None, s[1], []], [y, None, s[2], []]]], ['force', name(x), name(y)]]
        if s[0] == 'constraint' and s[2][0] != 'num':
            x = another()
            return [['let', [[x, None, s[2], []]]], ['constraint', s[1], name(x), s[3]]]
        if s[0] == 'for':
            return [['for', s[1], s[2], [y for x in s[3] for y in one(x)]]]
        if s[0] == 'if':
            return [['if', s[1], [y for x in s[2] for y in one(x)], [y for x in s[3] for y in one(x)] if s[3] is not None else None]]
        return [s]
    return [y for s in statements for y in one(s)], Reading()


# ---- constants and parameters ----

def to_params(statements, facts):
    """Every number that stands in a formula is a parameter; exponents, indices, bounds and a 0 that stands for a whole side stay."""
    prefix, found = fresh(statements), []

    def tree(e):
        if e[0] == 'num':
            found.append(e[1])
            return name('%s%d' % (prefix, len(found)))
        if e[0] == 'bin' and e[1] == '^':
            return ('bin', '^', tree(e[2]), e[3])
        if e[0] == 'index':
            return ('index', tree(e[1]), e[2])
        if e[0] == 'call' and e[1] in ('identity', 'zeros'):
            return e
        if e[0] == 'call' and e[1] == 'd':
            return ('call', 'd', [tree(e[2][0])] + e[2][1:])
        if e[0] == 'call' and e[1] in OF_CONSTRAINT:
            return e
        if e[0] == 'listfor':
            return ('listfor', tree(e[1]), e[2], e[3])
        if e[0] == 'sumfor':
            return ('sumfor', e[1], e[2], tree(e[3]))
        return rebuild(e, tree)
    whole = {'constraint', 'control', 'initial', 'guess', 'steady', 'state', 'mass'}

    def one(s):
        if s[0] == 'for':
            return ['for', s[1], s[2], [one(x) for x in s[3]]]
        if s[0] == 'if':
            return ['if', s[1], [one(x) for x in s[2]], [one(x) for x in s[3]] if s[3] is not None else None]
        return map_statement(s, lambda e, role: e if role or (s[0] in whole and e[0] == 'num') or s[0] == 'simulate' else tree(e))
    changed = [one(s) for s in statements]
    if not found:
        raise NotApplicable('no number stands in a formula')
    return [['param', [[('%s%d' % (prefix, i + 1), None), num(v), None]]] for i, v in enumerate(found)] + changed, Reading()


def to_constants(statements, facts):
    """No parameter is left: each is a named value."""
    names = {n for n, k in declared_names(statements).items() if k == 'param'}
    if not names:
        raise NotApplicable('it has no parameters')
    for s in flat(statements):
        for e in expressions(s):
            if any(x[0] == 'call' and x[1] == 'd' and len(x[2]) > 1 and x[2][1][0] == 'name' and x[2][1][1] in names for x in within(e)):
                raise NotApplicable('a derivative by a parameter')
    found = []
    for s in statements:
        if s[0] != 'param':
            found.append(s)
            continue
        for t, e, _ in s[1]:
            if t[1] and e[0] != 'list':
                e = ('listfor', e, fresh(statements), ('range', t[1][0][1], t[1][0][2], None)) if len(t[1]) == 1 else e
            found.append(['let', [[t[0], None, e, []]]])
    return found, Reading()


# ---- units ----

def mass_unit(statements, facts):
    """Grams for kilograms: energies and forces are 1000 times as large, motions are the same."""
    lets, reading, c = outputs_too(statements), Reading(), num('1000')
    reading.mass = 1000.0
    reading.loads = {t[0] for s in flat(statements) if s[0] == 'output' for t, e, _ in s[1] if reaches(e or name(t[0]), lets, is_load)}

    def one(s):
        k = s[0]
        if k in ('kinetic', 'potential', 'dissipation'):
            return [k, bin_('*', c, s[1])]
        if k == 'mass':
            return [k, s[1], bin_('*', c, s[2])]
        if k == 'force':
            if reaches(s[1], lets, is_load):
                return s
            return [k, bin_('*', c, s[1]), s[2]]
        if k == 'nonideal':
            if s[1]:
                raise NotApplicable('a law in z is weighed by M')
            return s if reaches(s[4], lets, is_load) else [k, s[1], s[2], s[3], bin_('*', c, s[4])]
        if k == 'state' and reaches(s[4], lets, is_load):
            raise NotApplicable('a state follows a force')
        if k == 'event':
            if reaches(s[2], lets, is_load):
                return [k, s[1], s[2], s[3], bin_('*', c, s[4])] + s[5:]
        if k == 'control' and s[4] is not None and not isinstance(s[4], str):
            return s
        if k == 'for':
            return [k, s[1], s[2], [one(x) for x in s[3]]]
        if k == 'if':
            return [k, s[1], [one(x) for x in s[2]], [one(x) for x in s[3]] if s[3] is not None else None]
        return s
    return [one(s) for s in statements], reading


def is_variable(e, variables):
    """Is it x, x', x[i] or x[i]' of a coordinate or a state? Then (name, indices, primes)."""
    primes = 0
    while e[0] == 'prime':
        e, primes = e[1], primes + 1
    index = None
    if e[0] == 'index':
        e, index = e[1], e[2]
    return (e[1], index, primes) if e[0] == 'name' and e[1] in variables else None


def time_unit(statements, facts):
    """Milliseconds for seconds: t = s tau. Derivatives are by tau, so each in the text is one over s of them."""
    if has_tables(statements):
        raise NotApplicable('an input from a table has its own times')
    s_, coords, reading = bin_('/', num('1'), num('1000')), coords_of(statements), Reading()
    reading.s, reading.level = 1e-3, levels_of(statements)
    states = {s[1][0] for s in flat(statements) if s[0] == 'state'}
    if local_names(statements) & {'t'}:
        raise NotApplicable('t is a local name')

    def factor(n):
        return s_ if n == 1 else bin_('^', s_, num(str(n)))

    def over(e, n=1):
        return bin_('/', e, factor(n))

    def tree(e):
        if e == ('name', 't'):
            return bin_('*', s_, e)
        if e[0] == 'prime':
            n, inner = 1, e[1]
            while inner[0] == 'prime':
                n, inner = n + 1, inner[1]
            result = tree(inner)
            for _ in range(n):
                result = ('prime', result)
            return over(result, n)
        if e[0] == 'call' and e[1] in ('omega', 'omega_body'):
            return over(rebuild(e, tree))
        if e[0] == 'call' and e[1] in ('lambda', 'reaction'):
            target = e[2][0][1] if e[2][0][0] == 'name' else e[2][0][1][1]
            return over(e, reading.level[target]) if reading.level[target] else e
        if e[0] == 'call' and e[1] in OF_CONSTRAINT:
            return e
        if e[0] == 'call' and e[1] == 'd':
            if not is_variable(e[2][1], set(coords) | states) and e[2][1] != ('name', 't'):
                if e[2][1][0] != 'name':
                    raise NotApplicable('a derivative by an expression')
            variable = is_variable(e[2][1], set(coords) | states)
            inner = ('call', 'd', [tree(e[2][0]), e[2][1]])
            if e[2][1] == ('name', 't'):
                return over(inner)
            return bin_('*', inner, factor(variable[2])) if variable and variable[2] else inner
        return rebuild(e, tree)

    def given(pair):
        variable = is_variable(pair[0], set(coords) | states)
        if variable:
            return [pair[0], bin_('*', tree(pair[1]), factor(variable[2])) if variable[2] else tree(pair[1])]
        return [tree(pair[0]), tree(pair[1])]

    def one(s):
        k = s[0]
        if k == 'state':
            return [k, s[1], s[2], s[3], bin_('*', s_, tree(s[4]))]
        if k == 'force':
            return [k, bin_('*', s_, tree(s[1])), tree(s[2])]
        if k == 'dissipation':
            return [k, bin_('*', s_, tree(s[1]))]
        if k == 'mass':
            return [k, s[1], over(tree(s[2]), 2)]
        if k == 'actuator':
            return [k, s[1], bin_('*', s_, tree(s[2]))]
        if k == 'friction':
            return [k, s[1], tree(s[2]), bin_('*', s_, tree(s[3])), tree(s[4]) if s[4] else None]
        if k in ('initial', 'guess', 'steady') and s[1] == 'values':
            return [k, 'values', [given(p) for p in s[2]]]
        if k == 'event':
            actions = [['set'] + given(a[1:]) if a[0] == 'set' else [a[0], a[1], tree(a[2])] if a[0] == 'impact' else a for a in s[6]]
            return [k, s[1], tree(s[2]), s[3], tree(s[4]), tree(s[5]) if s[5] else None, actions]
        if k == 'stabilize':
            return [k, s[1], s[2], [[w, bin_('*', tree(e), factor(1 if w == 'B' else 2))] for w, e in s[3]]]
        if k == 'simulate':
            return [k, [[w, v if w in ('method', 'points', 'rtol', 'atol') else over(tree(v))] for w, v in s[1]]]
        if k == 'nonideal' and s[1]:
            raise NotApplicable('a law in z is weighed by M')
        if k in ('param', 'coord'):
            return s
        if k == 'for':
            return [k, s[1], s[2], [one(x) for x in s[3]]]
        if k == 'if':
            return [k, s[1], [one(x) for x in s[2]], [one(x) for x in s[3]] if s[3] is not None else None]
        return map_statement(s, lambda e, role: e if role == 'title' else tree(e))
    return [one(s) for s in statements], reading


def later(statements, facts):
    """Everything happens 7 s later."""
    if has_tables(statements):
        raise NotApplicable('an input from a table has its own times')
    reading = Reading()
    reading.t0 = -7.0

    def tree(e):
        if e == ('name', 't'):
            return bin_('-', e, num('7'))
        if e[0] == 'call' and e[1] == 'd' and len(e[2]) > 1:
            return ('call', 'd', [tree(e[2][0])] + e[2][1:])
        return rebuild(e, tree)

    def one(s):
        if s[0] == 'simulate':
            options = [[w, bin_('+', v, num('7')) if w in ('from', 'until') else v] for w, v in s[1]]
            return [s[0], options if any(w == 'from' for w, _ in options) else [['from', num('7')]] + options]
        return map_statement(s, lambda e, role: e if role == 'title' else tree(e))
    return [one(s) for s in statements], reading


# ---- constraints ----

def repeat(statements, facts):
    """Every constraint is said twice. Its force is that of both together."""
    lets, reading = outputs_too(statements), Reading()
    if any(s[0] == 'friction' for s in flat(statements)):
        raise NotApplicable('friction takes the reaction of its constraint: of two that share it each has a choice of it')
    if any(s[0] == 'nonideal' and (s[1] or reaches(s[4], lets, is_load)) for s in flat(statements)):
        raise NotApplicable('a law takes the reaction of its constraint: of two that share it each has a choice of it')
    titles = {s[1][0] for s in flat(statements) if s[0] == 'constraint'}
    if not titles:
        raise NotApplicable('it has no constraints')
    if any(a[0] in ('impact', 'impose') for s in flat(statements) if s[0] == 'event' for a in s[6]):
        raise NotApplicable('events put its constraints in force')
    reading.again = '_again'

    def other(t):
        return (t[0] + '_again', t[1])

    def tree(e):
        if e[0] == 'call' and e[1] in ('lambda', 'reaction', 'force') and e[2]:
            first = e[2][0]
            twin = name(first[1] + '_again') if first[0] == 'name' and first[1] in titles else \
                ('index', name(first[1][1] + '_again'), first[2]) if first[0] == 'index' and first[1][1] in titles else None
            if twin:
                return bin_('+', e, ('call', e[1], [twin] + e[2][1:]))
        return rebuild(e, tree)

    def one(s):
        if s[0] == 'constraint':
            return [s, [s[0], other(s[1])] + s[2:]]
        if s[0] == 'nonideal':
            return [s[:2] + [s[2] + [other(t) for t in s[2] if t[0] in titles]] + s[3:]]
        if s[0] == 'event':
            s = map_statement(s, lambda e, role: tree(e))
            return [s[:6] + [[[a[0], a[1] + [other(t) for t in a[1] if t[0] in titles]] if a[0] == 'release' else a for a in s[6]]]]
        if s[0] == 'initial' and s[1] == 'release':
            return [[s[0], 'release', s[2] + [other(t) for t in s[2] if t[0] in titles]]]
        if s[0] == 'stabilize' and s[2]:
            return [[s[0], s[1], s[2] + [other(t) for t in s[2] if t[0] in titles], s[3]]]
        if s[0] == 'for':
            return [[s[0], s[1], s[2], [y for x in s[3] for y in one(x)]]]
        if s[0] == 'if':
            return [[s[0], s[1], [y for x in s[2] for y in one(x)], [y for x in s[3] for y in one(x)] if s[3] is not None else None]]
        return [map_statement(s, lambda e, role: tree(e))]
    changed = [y for s in statements for y in one(s)]
    if any(reaches(e, lets, is_load) for s in flat(statements) if s[0] == 'event' for e in (s[2], s[5]) if e):
        changed.append(['allow', ['leastnorm']]) # each share is a choice, their sum is not
    return changed, reading


# ---- coordinates ----

FACTORS = ['3/2', '2/5', '7/3', '5/4', '3/5']


def scale(statements, facts):
    """x = c X + d for each coordinate, with factors of its own (one for all where forces of several coordinates are weighed against one another)."""
    coords, reading = coords_of(statements), Reading()
    if not facts.coords:
        raise NotApplicable('it has no instant at its start')
    one_for_all = any(s[0] == 'control' for s in flat(statements)) or \
        any(x[0] == 'call' and x[1] == 'force' and len(x[2]) == 1 for s in flat(statements) for e in expressions(s) for x in within(e))
    if any(s[0] == 'nonideal' and s[1] for s in flat(statements)):
        raise NotApplicable('a law in z is weighed by M')
    hidden = local_names(statements) & set(coords)
    if hidden:
        raise NotApplicable('a local name hides a coordinate: %s' % ', '.join(sorted(hidden)))
    factors, shifts = {}, {}
    for i, (n, index) in enumerate(coords.items()):
        factors[n] = '5/2' if one_for_all else FACTORS[i % len(FACTORS)]
        shifts[n] = None if index else '1/%d' % (4 + i % 3)

    def value(text):
        a, b = text.split('/')
        return float(a) / float(b)
    reading.C = {}
    for full in facts.coords:
        base = full.split('[')[0]
        reading.C[full] = {full: value(factors[base])}
        reading.shift[full] = value(shifts[base]) if shifts[base] else 0.0

    def ratio(text):
        a, b = text.split('/')
        return bin_('/', num(a), num(b))

    def tree(e):
        if e[0] == 'name' and e[1] in coords:
            scaled = bin_('*', ratio(factors[e[1]]), e)
            return bin_('+', scaled, ratio(shifts[e[1]])) if shifts[e[1]] else scaled
        if e[0] == 'call' and e[1] == 'd':
            variable = is_variable(e[2][1], coords)
            inner = ('call', 'd', [tree(e[2][0])] + e[2][1:])
            return bin_('/', inner, ratio(factors[variable[0]])) if variable else inner
        if e[0] == 'call' and e[1] == 'force':
            if len(e[2]) == 1:
                return bin_('/', e, ratio('5/2'))
            variable = is_variable(e[2][1], coords)
            if not variable:
                raise NotApplicable('a force along an expression')
            return bin_('/', e, ratio(factors[variable[0]]))
        if e[0] == 'call' and e[1] in OF_CONSTRAINT:
            return e
        return rebuild(e, tree)

    def given(pair):
        variable = is_variable(pair[0], coords)
        if not variable:
            return [tree(pair[0]), tree(pair[1])]
        n, _, primes = variable
        right = tree(pair[1])
        if shifts[n] and not primes:
            right = bin_('-', right, ratio(shifts[n]))
        return [pair[0], bin_('/', right, ratio(factors[n]))]

    def one(s):
        k = s[0]
        if k in ('initial', 'guess', 'steady') and s[1] == 'values':
            return [k, 'values', [given(p) for p in s[2]]]
        if k == 'mass':
            variables = [is_variable(x, coords) for x in (s[1][1] if s[1][0] == 'list' else [s[1]])]
            if len(variables) != 1 or not variables[0]:
                raise NotApplicable('masses of several coordinates at once')
            f = ratio(factors[variables[0][0]])
            return [k, s[1], bin_('*', tree(s[2]), bin_('*', f, f))]
        if k == 'event':
            actions = [['set'] + given(a[1:]) if a[0] == 'set' else [a[0], a[1], tree(a[2])] if a[0] == 'impact' else a for a in s[6]]
            return [k, s[1], tree(s[2]), s[3], tree(s[4]), tree(s[5]) if s[5] else None, actions]
        if k in ('param', 'coord', 'simulate'):
            return s
        if k == 'for':
            return [k, s[1], s[2], [one(x) for x in s[3]]]
        if k == 'if':
            return [k, s[1], [one(x) for x in s[2]], [one(x) for x in s[3]] if s[3] is not None else None]
        return map_statement(s, lambda e, role: e if role == 'title' else tree(e))
    changed = [one(s) for s in statements]
    told = {v[0] for s in flat(statements) if s[0] in ('initial', 'guess') and s[1] == 'values' for p in s[2] for v in [is_variable(p[0], coords)] if v and v[2] == 0}
    guesses = [[name(n), bin_('/', ('un', '-', ratio(shifts[n])), ratio(factors[n]))] for n in coords if shifts[n] and n not in told]
    return changed + ([['guess', 'values', guesses]] if guesses else []), reading


def shear(statements, facts):
    """x = X + Y/3, y = Y + Z/3, ...: coordinates mixed, so that masses and constraints are too."""
    coords, reading = coords_of(statements), Reading()
    if not facts.coords:
        raise NotApplicable('it has no instant at its start')
    plain = [n for n, index in coords.items() if not index]
    if len(plain) < 2:
        raise NotApplicable('fewer than two coordinates that are single numbers')
    if any(s[0] == 'control' and s[4] is not None for s in flat(statements)) or any(s[0] == 'nonideal' and s[1] for s in flat(statements)):
        raise NotApplicable('forces are weighed along coordinates')
    hidden = local_names(statements) & set(coords)
    if hidden:
        raise NotApplicable('a local name hides a coordinate: %s' % ', '.join(sorted(hidden)))
    if any(s[0] == 'mass' for s in flat(statements)):
        raise NotApplicable('masses are given along coordinates')
    if any(x[0] == 'call' and x[1] in ('d', 'force') for s in flat(statements) for e in expressions(s) for x in within(e)):
        raise NotApplicable('a derivative or a force along a coordinate')
    if any(a[0] == 'set' for s in flat(statements) if s[0] == 'event' for a in s[6]):
        raise NotApplicable('an event sets a coordinate')
    follows = {a: b for a, b in zip(plain, plain[1:])}
    third = bin_('/', num('1'), num('3'))
    reading.C = {full: {full: 1.0} for full in facts.coords}
    for a, b in follows.items():
        reading.C[a][b] = 1 / 3

    def tree(e):
        if e[0] == 'name' and e[1] in follows:
            return bin_('+', e, bin_('*', third, name(follows[e[1]])))
        if e[0] == 'call' and e[1] in OF_CONSTRAINT:
            return e
        return rebuild(e, tree)

    def one(s):
        k = s[0]
        if k == 'guess' and s[1] == 'values':
            return [k, 'values', [p for p in s[2] if is_variable(p[0], coords) is None or is_variable(p[0], coords)[0] not in plain]]
        if k in ('param', 'coord', 'simulate'):
            return s
        if k == 'for':
            return [k, s[1], s[2], [one(x) for x in s[3]]]
        if k == 'if':
            return [k, s[1], [one(x) for x in s[2]], [one(x) for x in s[3]] if s[3] is not None else None]
        return map_statement(s, lambda e, role: e if role == 'title' else tree(e))
    changed = [x for x in (one(s) for s in statements) if not (x[0] == 'guess' and x[1] == 'values' and not x[2])]
    guesses = []
    for old, primed in ((facts.q, False), (facts.v, True)): # where the search begins: at what it found
        new = {}
        for n in reversed(plain):
            new[n] = old[n] - (new[follows[n]] / 3 if n in follows else 0)
        guesses += [[('prime', name(n)) if primed else name(n), num('%.17g' % new[n])] for n in plain]
    return changed + [['guess', 'values', guesses]], reading


CHANGES = [('rename', rename), ('as a part', as_part), ('reorder', reorder), ('split', split), ('to params', to_params), ('to constants', to_constants), ('grams', mass_unit),
           ('milliseconds', time_unit), ('later', later), ('repeat constraints', repeat), ('scale coordinates', scale), ('mix coordinates', shear)]
