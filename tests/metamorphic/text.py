"""A reader and writer of the model language, apart from the library's: text to statements and trees of expressions, and back.

Expressions are tuples: ('num', '2'), ('name', 'x'), ('call', 'sin', [e]), ('bin', '+', a, b), ('un', '-', a), ('prime', a), ('index', a, [i, ...]),
('list', [e, ...]), ('listfor', e, 'i', range), ('sumfor', 'i', range, e), ('range', a, b, step or None). Statements are [keyword, fields...].
"""
import re

TOKEN = re.compile(r'''(?P<space>[ \t\r]+|\#[^\n]*) | (?P<newline>\n) | (?P<str>"[^"\n]*") | (?P<num>(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][-+]?\d+)?)
  | (?P<name>[^\W\d]\w*) | (?P<op>->|\.\.|==|!=|<=|>=|[-+*/^'=<>(),;:\[\]{}])''', re.X)
CONTINUES = set('+ - * / ^ = == != < <= > >= , : -> ( ['.split())
ORDER = [['or'], ['and']]
COMPARISONS = ['==', '!=', '<', '<=', '>', '>=']
# functions whose first argument is the name of a constraint
OF_CONSTRAINT = {'lambda', 'reaction', 'force', 'active'}


class NotRead(Exception):
    pass


def tokens_of(text):
    found, at, depth = [], 0, 0
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            raise NotRead('at %r' % text[at:at + 20])
        kind, word = m.lastgroup, m.group()
        at = m.end()
        if kind == 'space':
            continue
        if kind == 'newline' or word == ';':
            if word != ';' and (depth or (found and found[-1][1] in CONTINUES) or not found):
                continue
            if found and found[-1] != ('end', '') and found[-1][1] != '{':
                found.append(('end', ''))
            continue
        if kind == 'op':
            depth += word in '([' and len(word) == 1
            depth -= word in ')]' and len(word) == 1
            if word == '}' and found and found[-1] != ('end', '') and found[-1][1] != '{':
                found.append(('end', ''))
        found.append((kind, word))
    if found and found[-1] != ('end', ''):
        found.append(('end', ''))
    return found


class Reader:
    def __init__(self, text):
        self.t, self.i = tokens_of(text), 0

    # ---- tokens ----
    def peek(self, ahead=0):
        return self.t[self.i + ahead] if self.i + ahead < len(self.t) else ('end', '')

    def word(self, ahead=0):
        return self.peek(ahead)[1] if self.peek(ahead)[0] in ('op', 'name') else None

    def take(self, word=None):
        kind, got = self.peek()
        if word is not None and got != word:
            raise NotRead('%r where %r was expected' % (got, word))
        self.i += 1
        return got

    def maybe(self, word):
        if self.word() == word:
            self.i += 1
            return True
        return False

    def unit(self):
        return self.take() if self.peek()[0] == 'str' else None

    def end(self):
        if self.peek() == ('end', ''):
            self.i += 1
        elif self.word() != '}':
            raise NotRead('%r after a statement' % self.peek()[1])

    # ---- expressions ----
    def expression(self, level=0):
        if level < 2:
            a = self.expression(level + 1)
            while self.word() in ORDER[level]:
                op = self.take()
                a = ('bin', op, a, self.expression(level + 1))
            return a
        if self.word() == 'not':
            self.take()
            return ('un', 'not', self.expression(2))
        a = self.sums()
        if self.word() in COMPARISONS:
            op = self.take()
            a = ('bin', op, a, self.sums())
        return a

    def sums(self):
        a = self.products()
        while self.word() in ('+', '-'):
            op = self.take()
            a = ('bin', op, a, self.products())
        return a

    def products(self):
        a = self.prefix()
        while self.word() in ('*', '/'):
            op = self.take()
            a = ('bin', op, a, self.prefix())
        return a

    def prefix(self):
        if self.word() in ('-', '+'):
            op = self.take()
            return ('un', op, self.prefix())
        return self.power()

    def power(self):
        a = self.postfix()
        if self.maybe('^'):
            a = ('bin', '^', a, self.prefix() if self.word() in ('-', '+') else self.power())
        return a

    def postfix(self):
        a = self.primary()
        while True:
            if self.maybe("'"):
                a = ('prime', a)
            elif self.word() == '[':
                a = ('index', a, self.indices())
            else:
                return a

    def indices(self):
        self.take('[')
        items = [self.index()]
        while self.maybe(','):
            items.append(self.index())
        self.take(']')
        return items

    def index(self):
        a = self.expression()
        return ('range', a, self.expression(), None) if self.maybe('..') else a

    def range(self):
        a = self.expression()
        self.take('..')
        b = self.expression()
        return ('range', a, b, self.expression() if self.maybe('step') else None)

    def primary(self):
        kind, word = self.peek()
        if kind == 'num':
            return ('num', self.take())
        if kind == 'name':
            self.take()
            if self.word() != '(':
                return ('name', word)
            self.take('(')
            if word == 'sum' and self.peek()[0] == 'name' and self.word(1) == 'in':
                var = self.take()
                self.take('in')
                r = self.range()
                self.take(':')
                a = ('sumfor', var, r, self.expression())
                self.take(')')
                return a
            arguments = []
            while self.word() != ')':
                arguments.append(self.expression())
                if not self.maybe(','):
                    break
            self.take(')')
            return ('call', word, arguments)
        if self.maybe('('):
            a = self.expression()
            self.take(')')
            return a
        if self.maybe('['):
            a = self.expression()
            if self.maybe('for'):
                var = self.take()
                self.take('in')
                r = self.range()
                self.take(']')
                return ('listfor', a, var, r)
            items = [a]
            while self.maybe(','):
                items.append(self.expression())
            self.take(']')
            return ('list', items)
        raise NotRead('%r in an expression' % word)

    # ---- statements ----
    def title(self):
        name = self.take()
        return (name, self.indices() if self.word() == '[' else None)

    def names(self):
        found = [self.title()]
        while self.maybe(','):
            found.append(self.title())
        return found

    def equation(self):
        a = self.expression()
        self.take('=')
        return a, self.expression()

    def statements(self, closing=None):
        found = []
        while self.i < len(self.t) and self.word() != closing:
            found.append(self.statement())
        return found

    def block(self):
        self.take('{')
        body = self.statements('}')
        self.take('}')
        if self.peek() == ('end', '') and self.word(1) != 'else':
            self.i += 1
        return body

    def statement(self):
        word = self.take()
        s = getattr(self, 's_' + word, None)
        if not s:
            raise NotRead('statement %r' % word)
        result = s()
        if word not in ('for', 'if'):
            self.end()
        return [word] + result

    def several(self, one):
        found = [one()]
        while self.maybe(','):
            found.append(one())
        return [found]

    def s_param(self):
        def one():
            title = self.title()
            self.take('=')
            return [title, self.expression(), self.unit()]
        return self.several(one)

    def s_coord(self):
        return self.several(lambda: [self.title(), self.unit()])

    def s_let(self):
        def one():
            name, arguments, where = self.take(), None, []
            if self.maybe('('):
                arguments = [self.take()]
                while self.maybe(','):
                    arguments.append(self.take())
                self.take(')')
            self.take('=')
            value = self.expression()
            if self.maybe('where'):
                while True:
                    local = self.take()
                    self.take('=')
                    where.append([local, self.expression()])
                    if not (self.word() == ',' and self.peek(1)[0] == 'name' and self.word(2) == '='):
                        break
                    self.take(',')
            return [name, arguments, value, where]
        return self.several(one)

    def s_state(self):
        title, unit = self.title(), self.unit()
        self.take(':')
        left, right = self.equation()
        return [title, unit, left, right]

    def s_input(self):
        name = self.take()
        self.take('=')
        if self.word() == 'file':
            self.take()
            path = self.take()
            self.take('column')
            return [name, ('file', path, self.take()), self.unit()]
        return [name, self.expression(), self.unit()]

    def s_kinetic(self):
        return [self.expression()]
    s_potential = s_dissipation = s_kinetic

    def s_mass(self):
        return list(self.equation())

    def s_force(self):
        f = self.expression()
        self.take('on')
        return [f, self.expression()]

    def s_constraint(self):
        title = self.title()
        self.take(':')
        return [title] + list(self.equation())

    def s_nonideal(self):
        z = self.maybe('z')
        self.take('on')
        names = self.names()
        self.take(':')
        return [z, names] + list(self.equation())

    def s_friction(self):
        self.take('on')
        names = self.names()
        self.take(':')
        mu = self.expression()
        self.take(',')
        self.take('along')
        v, static = self.expression(), None
        if self.maybe(','):
            self.take('static')
            static = self.expression()
        return [names, mu, v, static]

    def s_control(self):
        title = self.title()
        self.take(':')
        left, right = self.equation()
        weight = None
        if self.maybe('weight'):
            weight = self.take() if self.word() in ('nature', 'identity') and self.peek(1) == ('end', '') else self.expression()
        return [title, left, right, weight]

    def s_actuator(self):
        save, title = self.i, None
        if self.peek()[0] == 'name':
            try:
                title = self.title()
                self.take(':')
            except NotRead:
                self.i, title = save, None
        return [title, self.expression()]

    def s_output(self):
        return self.several(lambda: [self.title(), self.expression() if self.maybe('=') else None, self.unit()])

    def s_initial(self):
        if self.word() == 'release' and self.peek(1)[0] == 'name':
            self.take()
            return ['release', self.names()]
        return ['values'] + self.several(lambda: list(self.equation()))
    s_guess = s_steady = s_initial

    def s_event(self):
        title = self.title()
        self.take(':')
        e, way = self.expression(), self.take()
        self.take('through')
        level, when = self.expression(), None
        if self.maybe('when'):
            when = self.expression()
        self.take('->')
        actions = []
        while True:
            word = self.take()
            if word in ('release', 'impose'):
                names = [self.title()]
                while self.word() == ',' and self.word(1) not in ('stop', 'record', 'release', 'impose', 'impact', 'set'):
                    self.take(',')
                    names.append(self.title())
                actions.append([word, names])
            elif word == 'impact':
                name = self.title()
                self.take('restitution')
                actions.append([word, name, self.expression()])
            elif word == 'set':
                actions.append([word] + list(self.equation()))
            else:
                actions.append([word])
            if not self.maybe(','):
                return [title, e, way, level, when, actions]

    def s_stabilize(self):
        word, names, gains = self.take(), None, []
        if word == 'excess':
            if self.maybe('on'):
                names = [self.title()]
                while self.word() == ',' and self.word(1) not in ('B', 'K'):
                    self.take(',')
                    names.append(self.title())
            while self.maybe(',') or self.word() in ('B', 'K'):
                which = self.take()
                self.take('=')
                gains.append([which, self.expression()])
        return [word, names, gains]

    def s_simulate(self):
        options = []
        while self.peek() != ('end', '') and self.word() != '}':
            self.maybe(',')
            word = self.take()
            options.append([word, self.take() if word == 'method' else self.expression()])
        return [options]

    def s_allow(self):
        words = []
        while self.peek() != ('end', '') and self.word() != '}':
            words.append(self.take())
        return [words]

    def s_include(self):
        return [self.take()]

    def s_for(self):
        var = self.take()
        self.take('in')
        r = self.range()
        return [var, r, self.block()]

    def s_if(self):
        condition, then, other = self.expression(), self.block(), None
        if self.peek() == ('end', '') and self.word(1) == 'else':
            self.i += 1
        if self.maybe('else'):
            other = [self.statement()] if self.word() == 'if' else self.block()
        return [condition, then, other]


def read(text):
    return Reader(text).statements()


# ---- back to text ----

def show(e):
    kind = e[0]
    if kind in ('num', 'name'):
        return e[1]
    if kind == 'call':
        return '%s(%s)' % (e[1], ', '.join(show(x) for x in e[2]))
    if kind == 'bin':
        return '(%s %s %s)' % (show(e[2]), e[1], show(e[3]))
    if kind == 'un':
        return '(%s %s)' % (e[1], show(e[2])) if e[1] == 'not' else '(%s%s)' % (e[1], show(e[2]))
    if kind == 'prime':
        return show(e[1]) + "'"
    if kind == 'index':
        return '%s[%s]' % (show(e[1]), ', '.join(show(x) for x in e[2]))
    if kind == 'range':
        return '%s..%s%s' % (show(e[1]), show(e[2]), ' step ' + show(e[3]) if e[3] else '')
    if kind == 'list':
        return '[%s]' % ', '.join(show(x) for x in e[1])
    if kind == 'listfor':
        return '[%s for %s in %s]' % (show(e[1]), e[2], show(e[3]))
    if kind == 'sumfor':
        return 'sum(%s in %s: %s)' % (e[1], show(e[2]), show(e[3]))
    raise ValueError(kind)


def show_title(t):
    return t[0] + ('[%s]' % ', '.join(show(x) for x in t[1]) if t[1] else '')


def show_names(names):
    return ', '.join(show_title(t) for t in names)


def with_unit(text, unit):
    return text + (' ' + unit if unit else '')


def show_action(a):
    if a[0] in ('release', 'impose'):
        return '%s %s' % (a[0], show_names(a[1]))
    if a[0] == 'impact':
        return 'impact %s restitution %s' % (show_title(a[1]), show(a[2]))
    if a[0] == 'set':
        return 'set %s = %s' % (show(a[1]), show(a[2]))
    return a[0]


def show_statement(s):
    k = s[0]
    if k == 'param':
        return 'param ' + ', '.join(with_unit('%s = %s' % (show_title(t), show(e)), u) for t, e, u in s[1])
    if k == 'coord':
        return 'coord ' + ', '.join(with_unit(show_title(t), u) for t, u in s[1])
    if k == 'let':
        return 'let ' + ', '.join('%s%s = %s%s' % (n, '(%s)' % ', '.join(a) if a else '', show(e),
                                                   ' where ' + ', '.join('%s = %s' % (x, show(y)) for x, y in w) if w else '') for n, a, e, w in s[1])
    if k == 'state':
        return 'state %s: %s = %s' % (with_unit(show_title(s[1]), s[2]), show(s[3]), show(s[4]))
    if k == 'input':
        return with_unit('input %s = %s' % (s[1], 'file %s column %s' % s[2][1:] if s[2][0] == 'file' else show(s[2])), s[3])
    if k in ('kinetic', 'potential', 'dissipation'):
        return '%s %s' % (k, show(s[1]))
    if k == 'mass':
        return 'mass %s = %s' % (show(s[1]), show(s[2]))
    if k == 'force':
        return 'force %s on %s' % (show(s[1]), show(s[2]))
    if k == 'constraint':
        return 'constraint %s: %s = %s' % (show_title(s[1]), show(s[2]), show(s[3]))
    if k == 'nonideal':
        return 'nonideal %son %s: %s = %s' % ('z ' if s[1] else '', show_names(s[2]), show(s[3]), show(s[4]))
    if k == 'friction':
        return 'friction on %s: %s, along %s%s' % (show_names(s[1]), show(s[2]), show(s[3]), ', static ' + show(s[4]) if s[4] else '')
    if k == 'control':
        weight = '' if s[4] is None else ' weight ' + (s[4] if isinstance(s[4], str) else show(s[4]))
        return 'control %s: %s = %s%s' % (show_title(s[1]), show(s[2]), show(s[3]), weight)
    if k == 'actuator':
        return 'actuator %s%s' % (show_title(s[1]) + ': ' if s[1] else '', show(s[2]))
    if k == 'output':
        return 'output ' + ', '.join(with_unit(show_title(t) + (' = ' + show(e) if e else ''), u) for t, e, u in s[1])
    if k in ('initial', 'guess', 'steady'):
        if s[1] == 'release':
            return '%s release %s' % (k, show_names(s[2]))
        return '%s ' % k + ', '.join('%s = %s' % (show(a), show(b)) for a, b in s[2])
    if k == 'event':
        return 'event %s: %s %s through %s%s -> %s' % (show_title(s[1]), show(s[2]), s[3], show(s[4]), ' when ' + show(s[5]) if s[5] else '', ', '.join(show_action(a) for a in s[6]))
    if k == 'stabilize':
        return 'stabilize %s%s%s' % (s[1], ' on ' + show_names(s[2]) if s[2] else '', ''.join(', %s = %s' % (w, show(e)) for w, e in s[3]))
    if k == 'simulate':
        return 'simulate ' + ', '.join('%s %s' % (w, v if w == 'method' else show(v)) for w, v in s[1])
    if k == 'allow':
        return 'allow ' + ' '.join(s[1])
    if k == 'include':
        return 'include ' + s[1]
    if k == 'component':
        return 'component %s() {\n%s}\npart %s: %s' % (s[1], write(s[2]), s[1][1:], s[1])
    if k == 'for':
        return 'for %s in %s {\n%s}' % (s[1], show(s[2]), write(s[3]))
    if k == 'if':
        return 'if %s {\n%s}' % (show(s[1]), write(s[2])) + (' else {\n%s}' % write(s[3]) if s[3] is not None else '')
    raise ValueError(k)


def write(statements):
    return ''.join(show_statement(s) + '\n' for s in statements)


# ---- going through ----

def rebuild(e, f):
    """e with f applied to its parts."""
    kind = e[0]
    if kind in ('num', 'name'):
        return e
    if kind == 'call':
        return ('call', e[1], [f(x) for x in e[2]])
    if kind == 'bin':
        return ('bin', e[1], f(e[2]), f(e[3]))
    if kind == 'un':
        return ('un', e[1], f(e[2]))
    if kind == 'prime':
        return ('prime', f(e[1]))
    if kind == 'index':
        return ('index', f(e[1]), [f(x) for x in e[2]])
    if kind == 'range':
        return ('range', f(e[1]), f(e[2]), f(e[3]) if e[3] else None)
    if kind == 'list':
        return ('list', [f(x) for x in e[1]])
    if kind == 'listfor':
        return ('listfor', f(e[1]), e[2], f(e[3]))
    return ('sumfor', e[1], f(e[2]), f(e[3]))


def parts(e):
    found = []
    rebuild(e, lambda x: (found.append(x), x)[1])
    return found


def within(e):
    yield e
    for x in parts(e):
        yield from within(x)


def map_statement(s, f):
    """s with f(expression, role) in place of every expression; role is 'title' for indices of names, 'left' for what initial or set gives a value, '' else."""
    def title(t):
        return (t[0], [f(x, 'title') for x in t[1]] if t[1] else None)

    def names(list_):
        return [title(t) for t in list_]
    k = s[0]
    if k == 'param':
        return [k, [[title(t), f(e, ''), u] for t, e, u in s[1]]]
    if k == 'coord':
        return [k, [[title(t), u] for t, u in s[1]]]
    if k == 'let':
        return [k, [[n, a, f(e, ''), [[x, f(y, '')] for x, y in w]] for n, a, e, w in s[1]]]
    if k == 'state':
        return [k, title(s[1]), s[2], f(s[3], 'left'), f(s[4], '')]
    if k == 'input':
        return [k, s[1], s[2] if s[2][0] == 'file' else f(s[2], ''), s[3]]
    if k in ('kinetic', 'potential', 'dissipation'):
        return [k, f(s[1], '')]
    if k == 'mass':
        return [k, f(s[1], 'left'), f(s[2], '')]
    if k == 'force':
        return [k, f(s[1], ''), f(s[2], '')]
    if k == 'constraint':
        return [k, title(s[1]), f(s[2], ''), f(s[3], '')]
    if k == 'nonideal':
        return [k, s[1], names(s[2]), f(s[3], ''), f(s[4], '')]
    if k == 'friction':
        return [k, names(s[1]), f(s[2], ''), f(s[3], ''), f(s[4], '') if s[4] else None]
    if k == 'control':
        return [k, title(s[1]), f(s[2], ''), f(s[3], ''), s[4] if s[4] is None or isinstance(s[4], str) else f(s[4], '')]
    if k == 'actuator':
        return [k, title(s[1]) if s[1] else None, f(s[2], '')]
    if k == 'output':
        return [k, [[title(t), f(e, '') if e else None, u] for t, e, u in s[1]]]
    if k in ('initial', 'guess', 'steady'):
        return [k, 'release', names(s[2])] if s[1] == 'release' else [k, 'values', [[f(a, 'left'), f(b, '')] for a, b in s[2]]]
    if k == 'event':
        actions = []
        for a in s[6]:
            if a[0] in ('release', 'impose'):
                actions.append([a[0], names(a[1])])
            elif a[0] == 'impact':
                actions.append([a[0], title(a[1]), f(a[2], '')])
            elif a[0] == 'set':
                actions.append([a[0], f(a[1], 'left'), f(a[2], '')])
            else:
                actions.append(a)
        return [k, title(s[1]), f(s[2], ''), s[3], f(s[4], ''), f(s[5], '') if s[5] else None, actions]
    if k == 'stabilize':
        return [k, s[1], names(s[2]) if s[2] else None, [[w, f(e, '')] for w, e in s[3]]]
    if k == 'simulate':
        return [k, [[w, v if w == 'method' else f(v, 'option')] for w, v in s[1]]]
    if k == 'for':
        return [k, s[1], f(s[2], 'title'), [map_statement(x, f) for x in s[3]]]
    if k == 'if':
        return [k, f(s[1], 'title'), [map_statement(x, f) for x in s[2]], [map_statement(x, f) for x in s[3]] if s[3] is not None else None]
    return s


def expressions(s):
    found = []
    map_statement(s, lambda e, role: (found.append(e), e)[1])
    return found


def flat(statements):
    """All statements, those of blocks too."""
    for s in statements:
        yield s
        if s[0] == 'for':
            yield from flat(s[3])
        elif s[0] == 'if':
            yield from flat(s[2])
            yield from flat(s[3] or [])
