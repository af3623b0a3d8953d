"""Places of C files where a mutant can be put, and the text with the mutants in it.

A mutant is a changed expression or a statement left out. The original stays beside it:

    (MUTANT(17) ? (a - b) : (a + b))          { if (!MUTANT(18)) s->t = t; }

so that all of them are compiled once and MECH_MUTANT=17 chooses. Kinds:

    sign      + for -, - for +, a unary minus left out, += for -=       (real numbers only)
    drop      a term or a factor left out                              (real numbers only)
    clause    a part of a condition left out
    compare   a comparison turned round
    logic     and for or, a `not` left out, a flag negated
    range     a loop that begins one later or ends one earlier; an index or a count off by one
    constant  a whole factor one greater
    swap      two arguments of one type exchanged
    skip      a statement left out: setters, calls, updates

Left out, because such a mutant changes no number (or only crashes, which says nothing about the tests):
  - what decides only the order or the speed of things: SPEED_FILES, SPEED_FUNCTIONS;
  - messages: functions and statements that make text (MESSAGES, TEXT_FUNCTIONS), files that do nothing else (TEXT_FILES);
  - memory: sizes, capacities, allocation, release, statuses that hand a failure on (MEMORY);
  - whether a pointer is NULL;
  - addresses: signs and terms of expressions that are pointers; overruns of a loop: they read what is not there;
  - arguments of functions that are symmetric in them (SYMMETRIC), and NULL stored as a default;
  - preprocessor lines, constant tables, sizes of arrays, cases of a switch, asserts, declarations without a value.
"""
import hashlib
import re
import subprocess

TOKEN = re.compile(r'''
    (?P<space>\s+|//[^\n]*|/\*.*?\*/|\\\n)
  | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<str>L?"(?:\\.|[^"\\])*")
  | (?P<char>'(?:\\.|[^'\\])+')
  | (?P<num>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[uUlLfF]*)
  | (?P<id>[A-Za-z_]\w*)
  | (?P<op><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]])
''', re.X | re.S | re.M)
OPENING = {'(': ')', '[': ']', '{': '}'}
ASSIGNMENTS = {'=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>='}
COMPARED = {'<': '>=', '>': '<=', '<=': '>', '>=': '<', '==': '!=', '!=': '=='}
# how tightly an operator binds; what is left out with it goes on to the next that binds no tighter
TIGHT = {'?': 0, ':': 0, '||': 1, '&&': 2, '|': 3, '^': 3, '&': 3, '==': 4, '!=': 4, '<': 5, '>': 5, '<=': 5, '>=': 5, '<<': 6, '>>': 6,
         '+': 7, '-': 7, '*': 8, '/': 8, '%': 8}
TYPE_WORDS = {'const', 'unsigned', 'signed', 'int', 'char', 'double', 'float', 'long', 'short', 'void', 'struct', 'enum', 'union', 'volatile', 'register'}
KEYWORDS = {'if', 'while', 'for', 'switch', 'return', 'sizeof', 'else', 'do', 'case', 'default', 'goto', 'break', 'continue', 'static', 'typedef'}
IS_TYPE = re.compile(r'.*_t$|^size_t$|^mech_(expr|status)$')

TEXT_FILES = {'compile/dump.c', 'system/describe.c', 'dynamics/instant_explain.c', 'simulate/log.c'}
SPEED_FILES = {'compile/emit_schedule.c'}
SPEED_FUNCTIONS = re.compile(r'(^|_)hash($|_)')
TEXT_FUNCTIONS = re.compile(r'(^|_)(names?|describe|text|message|error_text|explain|print|dump|format|free|destroy|allocate)($|_)')
MESSAGES = re.compile(r'\b(model_error|sim_fail|sim_log_add|instant_refuse|instant_fail|arena_format|snprintf|fprintf|vsnprintf|text_\w+|diagnostics_\w+|sim_note_\w+|sim_audit_note)\b')
MEMORY = re.compile(r'\b(mem_\w+|arena_\w+|system_array|sizeof|capacity\w*|\w+_capacity|room|assert|MECH_ERR_\w+|MECH_OK|SIZE_MAX|status|out_of_memory|\w+_free|free|NULL|memory|\w+_create)\b')
# text is what these files make: their strings are code
EMITTERS = re.compile(r'compile/(emit|shapes|load_native|cache_native)|motion/source')
SYMMETRIC = {'fmax', 'fmin', 'hypot', 'mech_add', 'mech_mul', 'memcmp', 'strcmp', 'friction_dot', 'dot', 'mpz_gcd', 'max', 'min', 'memset'}


class Token:
    __slots__ = ('kind', 'text', 'start', 'end', 'mate')

    def __init__(self, kind, text, start, end):
        self.kind, self.text, self.start, self.end, self.mate = kind, text, start, end, None


def tokens_of(text):
    found, at = [], 0
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            raise ValueError('not C at %d: %r' % (at, text[at:at + 20]))
        if m.lastgroup not in ('space', 'directive'):
            found.append(Token(m.lastgroup, m.group(), m.start(), m.end()))
        elif m.lastgroup == 'directive':
            found.append(Token('directive', '', m.start(), m.end()))
        at = m.end()
    stack = []
    for i, t in enumerate(found):
        if t.kind != 'op':
            continue
        if t.text in OPENING:
            stack.append(i)
        elif t.text in ')]}' and stack:
            t.mate = stack.pop()
            found[t.mate].mate = i
    return found


class Site:
    """One possible mutant: tokens first..last (inclusive) are replaced. `wants` says what the compiler must find out first."""

    def __init__(self, kind, first, last, changed, wants=None, pair=None):
        self.kind, self.first, self.last, self.changed, self.wants, self.pair = kind, first, last, changed, wants, pair


class Finder:
    def __init__(self, name, text):
        self.name, self.text, self.t = name, text, tokens_of(text)
        self.sites, self.function = [], ''
        self.functions()

    # ---- helpers on tokens ----
    def source(self, i, j):
        return self.text[self.t[i].start:self.t[j].end]

    def is_op(self, i, *texts):
        return 0 <= i < len(self.t) and self.t[i].kind == 'op' and self.t[i].text in texts

    def level(self, i, j):
        """Indices of the tokens of i..j that stand in no bracket of their own; brackets show as their opening."""
        k = i
        while k <= j:
            yield k
            k = self.t[k].mate + 1 if self.t[k].kind == 'op' and self.t[k].text in OPENING and self.t[k].mate is not None else k + 1

    def split(self, i, j, sign):
        parts, begin = [], i
        for k in self.level(i, j):
            if self.is_op(k, sign):
                parts.append((begin, k - 1))
                begin = k + 1
        parts.append((begin, j))
        return [p for p in parts if p[0] <= p[1]]

    def is_cast(self, i):
        """Does the bracket that opens at i hold a type?"""
        inner = self.t[i + 1:self.t[i].mate]
        if not inner or (i and (self.t[i - 1].kind == 'id' and self.t[i - 1].text not in KEYWORDS)):
            return False
        if any(x.kind != 'id' and x.text != '*' for x in inner):
            return False
        words = [x.text for x in inner if x.kind == 'id']
        return inner[-1].text == '*' or any(w in TYPE_WORDS or IS_TYPE.match(w) for w in words) or \
            (len(words) == 1 and self.t[i].mate + 1 < len(self.t) and self.t[self.t[i].mate + 1].text == '{')

    def is_binary(self, k, i):
        """Does the operator at k have something on its left within the expression that begins at i?"""
        if k <= i:
            return False
        before = self.t[k - 1]
        if before.kind in ('num', 'str', 'char') or (before.kind == 'id' and before.text not in KEYWORDS):
            return True
        if before.kind == 'op' and before.text in (')', ']', '}'):
            return not (before.text == ')' and self.is_cast(before.mate))
        return before.kind == 'op' and before.text in ('++', '--')

    def add(self, kind, i, j, replacements, wants=None, pair=None):
        """replacements: {token index: text}; a token left out is ''."""
        parts, at = [], self.t[i].start
        for k in range(i, j + 1):
            parts.append(self.text[at:self.t[k].start])
            parts.append(replacements[k] if k in replacements else self.t[k].text)
            at = self.t[k].end
        changed = re.sub(r'\s+', ' ', re.sub(r'/\*.*?\*/|//[^\n]*', ' ', ''.join(parts), flags=re.S)).strip()
        site = Site(kind, i, j, changed, wants, pair)
        site.function = self.function
        self.sites.append(site)

    # ---- the file ----
    def functions(self):
        k = 0
        while k < len(self.t):
            t = self.t[k]
            if t.kind == 'op' and t.text == '{':
                if self.is_op(k - 1, ')'):
                    name = self.t[self.t[k - 1].mate - 1].text
                    self.function = name
                    if not TEXT_FUNCTIONS.search(name) and not SPEED_FUNCTIONS.search(name):
                        self.statements(k + 1, t.mate - 1)
                k = t.mate + 1
            else:
                k += 1

    def barred(self, i, j):
        """Is it about messages or memory?"""
        source = self.source(i, j)
        if any(self.t[k].kind == 'directive' for k in range(i, j + 1)) or MEMORY.search(source):
            return True
        if EMITTERS.search(self.name):
            return False
        return bool(MESSAGES.search(source)) or any(self.t[k].kind == 'str' for k in range(i, j + 1))

    # ---- statements ----
    def end_of(self, i, j):
        for k in self.level(i, j):
            if self.is_op(k, ';'):
                return k
        return j

    def statements(self, i, j):
        while i <= j:
            t = self.t[i]
            if t.kind == 'directive' or self.is_op(i, ';'):
                i += 1
            elif self.is_op(i, '{'):
                self.statements(i + 1, t.mate - 1)
                i = t.mate + 1
            elif t.text in ('if', 'while', 'switch', 'for') and self.is_op(i + 1, '('):
                close = self.t[i + 1].mate
                if t.text == 'for':
                    self.loop(i + 2, close - 1)
                elif t.text == 'if' or t.text == 'while':
                    self.condition(i + 2, close - 1, t.text == 'if')
                i = close + 1
            elif t.text in ('else', 'do'):
                i += 1
            elif t.text in ('case', 'default'):
                while not self.is_op(i, ':'):
                    i += 1
                i += 1
            else:
                end = self.end_of(i, j)
                self.simple(i, end - 1)
                i = end + 1

    def is_declaration(self, i, j):
        t = self.t[i]
        if t.kind != 'id':
            return False
        if t.text in TYPE_WORDS:
            return True
        k = i + 1
        while k <= j and self.is_op(k, '*'):
            k += 1
        return k <= j and self.t[k].kind == 'id' and (k + 1 > j or self.is_op(k + 1, '=', ',', '[', ';'))

    def simple(self, i, j):
        if i > j or self.t[i].text in ('static', 'typedef', 'break', 'continue', 'goto', '_Static_assert') or self.t[i].kind == 'directive':
            return
        if self.t[i].text == 'enum' and self.is_op(i + 1, '{'):
            return
        if self.t[i].text == 'return':
            if i < j and not self.barred(i + 1, j):
                self.expression(i + 1, j)
            return
        if self.is_declaration(i, j):
            for a, b in self.split(i, j, ','):
                self.value_of(a, b)
            return
        if self.is_op(i, '(') and self.is_cast(i) and self.source(i, self.t[i].mate) == '(void)':
            return
        if not self.barred(i, j) or (self.t[i].text == 'MECH_TRY' and not re.search(r'_create|mem_|arena_|"', self.source(i, j))):
            self.add('skip', i, j, {})
            self.sites[-1].changed = None
        if not self.barred(i, j):
            self.assignment(i, j)

    def value_of(self, i, j):
        for k in self.level(i, j):
            if self.is_op(k, '='):
                if not self.barred(i, j):
                    if self.is_op(k + 1, '{'):
                        self.list_of(k + 1)
                    else:
                        self.expression(k + 1, j)
                return

    def list_of(self, opening):
        for a, b in self.split(opening + 1, self.t[opening].mate - 1, ','):
            begin = a
            if self.is_op(a, '.', '['):
                for k in self.level(a, b):
                    if self.is_op(k, '='):
                        begin = k + 1
                        break
                else:
                    continue
            if self.is_op(begin, '{'):
                self.list_of(begin)
            else:
                self.expression(begin, b)

    def assignment(self, i, j):
        last = None
        for k in self.level(i, j):
            if self.t[k].kind == 'op' and self.t[k].text in ASSIGNMENTS:
                last = k
        if last is None:
            self.groups(i, j)
            return
        if self.t[last].text in ('+=', '-='):
            self.add('sign', i, j, {last: '-=' if self.t[last].text == '+=' else '+='}, 'real', (last + 1, j))
            self.sites[-1].is_statement = True
        self.groups(i, last - 1)
        self.expression(last + 1, j)

    def loop(self, i, j):
        parts, begin = [], i
        for k in self.level(i, j):
            if self.is_op(k, ';'):
                parts.append((begin, k - 1))
                begin = k + 1
        if len(parts) < 2:
            return
        (a, b), (c, d) = parts[0], parts[1]
        for p, q in self.split(a, b, ',') if a <= b else []:
            if self.is_op(q - 1, '=') and self.t[q].text == '0' and not self.barred(c, d):
                self.add('range', q, q, {q: '1'}, 'integer')
        if c > d or self.barred(c, d):
            return
        first = self.split(c, d, '&&')[0]
        if first[1] - first[0] >= 2 and self.t[c].kind == 'id' and self.is_op(c + 1, '<'):
            self.add('range', c, d, {c: self.t[c].text + ' + 1'}, 'integer')
        self.expression(c, d, is_loop=True)

    def condition(self, i, j, may_negate):
        if self.barred(i, j):
            return
        if may_negate and not any(self.t[k].kind == 'op' and self.t[k].text in ('&&', '||', '!', '=') or self.t[k].text in COMPARED for k in self.level(i, j)):
            self.add('logic', i, j, {i: '!(' + self.t[i].text, j: self.t[j].text + ')'} if i != j else {i: '!' + self.t[i].text}, 'integer')
        self.expression(i, j)

    # ---- expressions ----
    def groups(self, i, j):
        for k in self.level(i, j):
            t = self.t[k]
            if t.kind != 'op' or t.text not in OPENING or t.mate == k + 1:
                continue
            if t.text == '[':
                self.expression(k + 1, t.mate - 1)
            elif t.text == '{':
                self.list_of(k)
            elif self.is_cast(k):
                continue
            elif k > i and (self.t[k - 1].kind == 'id' or self.is_op(k - 1, ')', ']')) and self.t[k - 1].text not in KEYWORDS:
                arguments = self.split(k + 1, t.mate - 1, ',')
                for a, b in arguments:
                    self.expression(a, b)
                if self.t[k - 1].text not in SYMMETRIC:
                    for (a, b), (c, d) in zip(arguments, arguments[1:]):
                        if self.source(a, b) != self.source(c, d):
                            self.exchange(a, b, c, d)
            elif k > i and self.t[k - 1].text == 'sizeof':
                continue
            else:
                self.expression(k + 1, t.mate - 1)

    def exchange(self, a, b, c, d):
        """Two neighbouring arguments: each becomes a choice, so one site with two pieces."""
        site = Site('swap', a, d, None, 'alike', (a, b, c, d))
        site.function = self.function
        self.sites.append(site)

    def right_end(self, k, j, tightness):
        """The last token of what stands right of the operator at k."""
        last = k
        for x in self.level(k + 1, j):
            t = self.t[x]
            if x > k + 1 and t.kind == 'op' and t.text in TIGHT and self.is_binary(x, k + 1) and TIGHT[t.text] <= tightness:
                return last
            last = t.mate if t.kind == 'op' and t.text in OPENING else x
        return last

    def bare(self, i, j):
        """What a `not` stands before: whether that is a pointer is asked."""
        while i < j and self.is_op(i, '!'):
            i += 1
        return i, j

    def expression(self, i, j, is_loop=False):
        if i > j or self.barred(i, j):
            return
        self.groups(i, j)
        at = list(self.level(i, j))
        # within an assignment only its value
        for k in at:
            if self.t[k].kind == 'op' and self.t[k].text in ASSIGNMENTS:
                return
        for k in at:
            t = self.t[k]
            if t.kind == 'num' and k + 1 <= j + 1 and (self.is_op(k + 1, '*') or self.is_op(k - 1, '*', '/')) and re.fullmatch(r'\d+', t.text) and k >= i:
                self.add('constant', i, j, {k: str(int(t.text) + 1)}, 'real')
            if t.kind != 'op':
                continue
            if t.text in ('+', '-', '*', '/'):
                if self.is_binary(k, i):
                    end = self.right_end(k, j, TIGHT[t.text])
                    if t.text in '+-':
                        self.add('sign', i, j, {k: '-' if t.text == '+' else '+'}, 'real')
                    self.add('drop', i, j, {x: '' for x in range(k, end + 1)}, 'real')
                    if t.text in '+-' and self.t[end].text == '1' and end == k + 1:
                        self.add('range', i, j, {k: '', end: ''}, 'integer')
                elif t.text == '-' and self.t[min(k + 1, j)].kind != 'num':
                    self.add('sign', i, j, {k: ''}, 'real')
            elif t.text in COMPARED and not (is_loop and t.text != '==') and self.is_binary(k, i):
                self.add('compare', i, j, {k: COMPARED[t.text]}, 'integer' if not any(self.is_op(x, '?') for x in at) else None)
            elif t.text in ('&&', '||'):
                end = self.right_end(k, j, TIGHT[t.text])
                self.add('logic', i, j, {k: '||' if t.text == '&&' else '&&'}, 'integer', self.bare(k + 1, end))
                self.add('clause', i, j, {x: '' for x in range(k, end + 1)}, 'integer', self.bare(k + 1, end))
            elif t.text == '!':
                self.add('logic', i, j, {k: ''}, 'integer', self.bare(k, self.right_end(k, j, 9)))
            elif t.text == '?' and self.t[k - 1].kind == 'id' and (k - 1 == i or self.is_op(k - 2, '.', '->')):
                self.add('logic', i, j, {i: '!' + self.t[i].text}) if all(self.t[x].kind == 'id' or self.is_op(x, '.', '->') for x in range(i, k)) else None

    # ---- what the compiler knows ----
    def probes(self, sites):
        """The text with questions on types in it: an error 'probe K no' for each that does not want to be."""
        inserts = []
        for number, s in enumerate(sites):
            if s.kind == 'skip' or not s.wants:
                continue
            first, last = (s.pair[0], s.pair[1]) if s.pair and s.kind != 'swap' else (s.first, s.last)
            if s.kind == 'swap':
                a, b, c, d = s.pair
                check = '__builtin_types_compatible_p(__typeof__(({ __auto_type x_ = (%s); x_; })), __typeof__(({ __auto_type y_ = (%s); y_; })))' % (
                    self.source(a, b), self.source(c, d))
                first, last = a, b
            else:
                classes = {'real': 'double: 1, float: 1, default: 0',
                           'integer': 'int: 1, unsigned: 1, long: 1, unsigned long: 1, unsigned char: 1, unsigned short: 1, signed char: 1, default: 0'}[s.wants]
                check = '_Generic((%s), %s)' % (self.source(first, last), classes)
            inserts.append((first, last, '({ _Static_assert(%s, "probe %d no"); (' % (check, number)))
        # a place may be asked several times: nest the questions there
        by_start = {}
        for first, last, head in inserts:
            by_start.setdefault((first, last), []).append(head)
        edits = []
        for (first, last), heads in by_start.items():
            edits.append((self.t[first].start, -self.t[last].end, ''.join(heads), 0))
            edits.append((self.t[last].end, -self.t[first].start, '); })' * len(heads), 1))
        return edits


def digest(*parts):
    return hashlib.sha256('|'.join(str(p) for p in parts).encode()).hexdigest()


def line_of(text, at):
    return text.count('\n', 0, at) + 1


def compile_errors(command, text, folder, source):
    """Messages of the compiler on a text that stands in for a file; the includes are seen from the file's folder."""
    flags = [w for w in command if not w.endswith('.c') and not w.endswith('.o') and w not in ('-c', '-o', 'ccache')]
    done = subprocess.run(flags + ['-I', source, '-w', '-fsyntax-only', '-fmax-errors=0', '-Werror=int-conversion', '-Werror=incompatible-pointer-types',
                                   '-x', 'c', '-'], input=text, capture_output=True, text=True, cwd=folder, env={'LC_ALL': 'C', 'PATH': '/usr/bin:/bin'})
    return done.stderr


def known_types(finder, command, folder, source, sites):
    """Which sites have the type they want. One question a run for each place, so that questions do not stand within questions."""
    refused = set()
    todo = [(n, s) for n, s in enumerate(sites) if s.wants and s.kind != 'skip']
    while todo:
        taken, later, used = [], [], []
        for n, s in todo:
            if s.kind == 'swap':
                first, last = s.pair[0], s.pair[3]
            elif s.pair:
                first, last = s.pair
            else:
                first, last = s.first, s.last
            if any(first <= b and a <= last and (first, last) != (a, b) for a, b in used):
                later.append((n, s))
            else:
                used.append((first, last))
                taken.append((n, s))
        numbers = {i: n for i, (n, _) in enumerate(taken)}
        edits = finder.probes([s for _, s in taken])
        text, at = [], 0
        for place, _, piece, _ in sorted(edits, key=lambda e: (e[0], 0 if e[3] else 1)):
            text.append(finder.text[at:place])
            text.append(piece)
            at = place
        text.append(finder.text[at:])
        messages = compile_errors(command, ''.join(text), folder, source)
        for m in re.finditer(r'probe (\d+) no', messages):
            refused.add(numbers[int(m.group(1))])
        others = [l for l in messages.splitlines() if ' error: ' in l and 'static assertion failed' not in l]
        if others: # a question that is no C there: ask those lines no more
            bad = {int(m.group(1)) for l in others for m in [re.match(r'<stdin>:(\d+):', l)] if m}
            for n, s in taken:
                if line_of(finder.text, finder.t[s.first].start) in bad or line_of(finder.text, finder.t[s.last].end) in bad:
                    refused.add(n)
        todo = later
    return refused


def candidates(name, text, command, folder, source, seed):
    """All sites of a file that have the right types, each with a rank that depends on what stands there and not on its line."""
    finder = Finder(name, text)
    if name in TEXT_FILES or name in SPEED_FILES:
        return finder, []
    refused = known_types(finder, command, folder, source, finder.sites)
    kept, seen = [], {}
    for n, s in enumerate(finder.sites):
        if n in refused:
            continue
        s.original = re.sub(r'\s+', ' ', finder.source(s.first, s.last))
        key = (name, s.function, s.kind, s.original, s.changed)
        seen[key] = seen.get(key, 0) + 1
        s.rank = digest(seed, *key, seen[key])
        s.line = line_of(text, finder.t[s.first].start)
        kept.append(s)
    return finder, kept


def choose(sites, count, finder):
    """Those of lowest rank, the kinds in turn, no two that overlap or stand on one line."""
    by_kind = {}
    for s in sorted(sites, key=lambda s: s.rank):
        by_kind.setdefault(s.kind, []).append(s)
    order = sorted(by_kind, key=lambda k: digest(finder.name, k))
    chosen, lines = [], set()
    while len(chosen) < count and any(by_kind.values()):
        for kind in order:
            while by_kind[kind] and len(chosen) < count:
                s = by_kind[kind].pop(0)
                if s.line in lines or any(s.first <= c.last and c.first <= s.last for c in chosen):
                    continue
                chosen.append(s)
                lines.add(s.line)
                break
    return chosen


def rewritten(finder, chosen, numbers):
    """The file with its mutants; lines keep their numbers."""
    edits = []
    for s in chosen:
        k, t = numbers[s], finder.t
        if s.kind == 'skip':
            edits.append((t[s.first].start, t[s.last + 1].end, '{ if (!MUTANT(%d)) %s; }' % (k, finder.source(s.first, s.last))))
        elif getattr(s, 'is_statement', False):
            edits.append((t[s.first].start, t[s.last + 1].end, '{ if (MUTANT(%d)) %s; else %s; }' % (k, s.changed, finder.source(s.first, s.last))))
        elif s.kind == 'swap':
            a, b, c, d = s.pair
            one, two = finder.source(a, b), finder.source(c, d)
            flat = lambda x: re.sub(r'\s+', ' ', x)
            edits.append((t[a].start, t[b].end, '(MUTANT(%d) ? (%s) : (%s))' % (k, flat(two), one)))
            edits.append((t[c].start, t[d].end, '(MUTANT(%d) ? (%s) : (%s))' % (k, flat(one), two)))
        else:
            edits.append((t[s.first].start, t[s.last].end, '(MUTANT(%d) ? (%s) : (%s))' % (k, s.changed, finder.source(s.first, s.last))))
    out, at = [], 0
    for start, end, piece in sorted(edits):
        out.append(finder.text[at:start])
        out.append(piece)
        at = end
    out.append(finder.text[at:])
    return ''.join(out)
