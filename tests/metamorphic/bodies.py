"""Models of bodies and joints, written in other ways that must not change their answers:

    absolute        coordinates absolute
    by constraint   every other joint as a constraint
    reversed        every joint from its other side
    split           every body as two that are fixed to one another
    bolted          likewise, the joint between the two as a constraint
    other cuts      the joints in the other order, so that the tree hangs otherwise

    bodies.py MECH [--all] [--rtol E] MODEL...

Compared are the places, attitudes and velocities of all bodies and the forces and torques of all joints, in all rows,
and which of them are unique. Without --all the runs are short, and large models are run in absolute coordinates only.
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

TOLERANCE = 1e-9   # of the largest entry of its kind
SHORT, ROWS = 0.1, 11
LARGE = 8          # bodies


class NotApplicable(Exception):
    pass


# ---- a text as statements, each one line ----

def without_comment(line):
    quoted = False
    for i, c in enumerate(line):
        if c == '"':
            quoted = not quoted
        elif c == '#' and not quoted:
            return line[:i]
    return line


def statements(text):
    lines, open_ = [], ''
    for line in text.splitlines():
        open_ = (open_ + ' ' + without_comment(line)).strip()
        if not open_:
            continue
        depth = sum(open_.count(c) for c in '([') - sum(open_.count(c) for c in ')]')
        if depth > 0 or open_.endswith((',', '+', '*', '=')):
            continue
        lines.append(open_)
        open_ = ''
    return lines


def split(text, mark=','):
    """At marks outside of brackets."""
    parts, depth, last = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in '([') - (c in ')]')
        if c == mark and depth == 0:
            parts.append(text[last:i].strip())
            last = i + 1
    return parts + [text[last:].strip()]


JOINT = re.compile(r'joint\s+([\w.]+(?:\[\w+\])?)\s*:\s*(.*?)\s+to\s+(.*)$')
BODY = re.compile(r'body\s+([\w.]+(?:\[\w+\])?)\s*(?::\s*(.*))?$')


class Joint:
    def __init__(self, line):
        m = JOINT.match(line)
        self.name, self.before = m.group(1), m.group(2)
        parts = split(m.group(3))
        self.after, kind = parts[0], ', '.join(parts[1:])
        self.by_constraint = kind.endswith('by constraint')
        kind = re.sub(r'\s*by constraint$', '', kind)
        self.kind, self.rest = (kind.split(None, 1) + [''])[:2]

    def text(self):
        return 'joint %s: %s to %s, %s%s%s' % (self.name, self.before, self.after, self.kind, ' ' + self.rest if self.rest else '',
                                               ' by constraint' if self.by_constraint else '')


def joints_of(lines):
    return [Joint(line) for line in lines if JOINT.match(line)]


# ---- the changes ----

def absolute(lines, facts):
    out = []
    for line in lines:
        out.append(named_by_body(line, lines))
        if line.startswith('gravity'):
            out.append('coordinates absolute')
    return out


def named_by_body(line, lines):
    """initial ball.e = ... becomes that of the body: the joint has no coordinates then."""
    for j in joints_of(lines):
        if j.kind == 'spherical' and re.match(r'(initial|guess)\b.*\b%s\.e\b' % re.escape(j.name), line):
            if j.before != 'ground':
                raise NotApplicable('Euler parameters of a joint are given')
            line = line.replace(j.name + '.e', j.after.split()[0].split('.')[0] + '.e')
    return line


def given_of(lines, kinds):
    """Is a start given of a joint that would be a constraint, by coordinates that it has not then?"""
    names = [j.name for j in joints_of(lines) if j.kind in kinds]
    return any(re.match(r'(initial|guess)\b.*(?<![\w.])%s\.' % re.escape(n), line) for n in names for line in lines)


def by_constraint(lines, facts):
    out, count = [], 0
    for line in lines:
        if JOINT.match(line):
            j = Joint(line)
            j.by_constraint = count % 2 == 0 and j.kind != 'free'
            count += 1
            line = j.text()
        out.append(named_by_body(line, lines))
    if not count:
        raise NotApplicable('no joint')
    return out


ONE_WAY = ('free', 'planar')   # their coordinates are others from the other side


def reversed_(lines, facts):
    turned = {j.name: j for j in joints_of(lines) if j.kind not in ONE_WAY}
    if not turned:
        raise NotApplicable('no joint that has another side')
    out = []
    for line in lines:
        if JOINT.match(line):
            j = Joint(line)
            if j.name in turned:
                if j.kind == 'slot':
                    raise NotApplicable('a slot has one side')
                j.before, j.after = j.after, j.before
                if j.kind == 'universal':
                    j.rest = 'about ' + ', '.join(reversed(split(re.sub(r'^about', '', j.rest))))
                line = j.text()
        elif not BODY.match(line):
            line = seen_from_there(line, turned)
        out.append(line)
    return out


def which(name, turned):
    """The turned joint that a name begins with, and the name of that coordinate from there."""
    m = re.match(r"([\w]+(?:\[\w+\])?)((?:\.(?:angle|slide))?(?:\[[12]\])?)('*)$", name)
    if not m or m.group(1) not in turned:
        return None
    part = m.group(2)
    if turned[m.group(1)].kind == 'universal':
        part = {'.angle[1]': '.angle[2]', '.angle[2]': '.angle[1]'}.get(part)
        if part is None:
            raise NotApplicable('both angles of a universal joint at once')
    return m.group(1) + part + m.group(3)


def turned_names(text, turned):
    return re.sub(r"(?<![\w.])([A-Za-z_]\w*(?:\[\w+\])?)(?![\w(]|\.(?:force|torque|load))",
                  lambda m: '(-%s)' % m.group(1) if m.group(1) in turned and turned[m.group(1)].kind != 'universal' else m.group(1), text)


def seen_from_there(line, turned):
    word = line.split(None, 1)[0]
    if word in ('initial', 'guess'):
        items = []
        for item in split(line[len(word):].strip()):
            if '=' not in item:
                items.append(item)
                continue
            left, right = (x.strip() for x in item.split('=', 1))
            there = which(left, turned)
            if there is None and any(re.match(r'%s\b' % re.escape(n), left) for n in turned):
                raise NotApplicable('Euler parameters of a joint are given')
            items.append('%s = -(%s)' % (there, right) if there else item)
        return '%s %s' % (word, ', '.join(items))
    m = re.match(r'(motor|spring|damper)\s+(\S+)\s+on\s+([^:]+?)\s*:\s*(.*)$', line)
    if m:
        there = which(m.group(3), turned)
        if there is None:
            return line
        items = []
        for item in split(turned_names(m.group(4), turned)):
            item = re.sub(r'^(torque|force|angle|length)\s+(?!=)(.*)$', r'\1 -(\2)', item)
            item = re.sub(r'^(angle|length|speed)\s*=\s*(.*)$', r'\1 = -(\2)', item)
            items.append(item)
        return '%s %s on %s: %s' % (m.group(1), m.group(2), there, ', '.join(items))
    if word in ('friction', 'event', 'part', 'component', '}', 'for', 'param', 'gravity', 'simulate', 'point'):
        if word == 'event' and any(re.search(r'(?<![\w.])%s(?![\w.])' % re.escape(n), line.split('->')[0]) for n in turned):
            raise NotApplicable('an event looks at a joint')
        return line
    return turned_names(line, turned)


SHIFT = {2: '[0.1, -0.2]', 3: '[0.1, -0.2, 0.3]'}


def part_of(item, share, shift):
    """One property of a body whose mass is a share of it, and whose origin is moved."""
    item = re.sub(r'^(mass|density|inertia)\s+(.*)$', lambda m: '%s %s*(%s)' % (m.group(1), share, m.group(2)), item)
    if shift is None:
        return item
    item = re.sub(r'^(center|at)\s+(.*)$', lambda m: '%s (%s) - %s' % (m.group(1), m.group(2), shift), item)
    return re.sub(r'^rod\s+(.*?)\s+to\s+(.*)$', lambda m: 'rod (%s) - %s to (%s) - %s' % (m.group(1), shift, m.group(2), shift), item)


SOLID = re.compile(r'(box|cylinder|sphere|disc)\b')


def moved(items, shift):
    """What a body is made of, seen from an origin that is moved."""
    out, open_ = [], None     # open_: where `at` is missing, behind which items
    def close():
        if open_ is not None and not any(x.startswith(('at ', 'center ')) for x in out[open_:]):
            out.append('%s -%s' % ('center' if out[open_].startswith('mass') else 'at', shift))
    for item in items:
        if SOLID.match(item) or (item.startswith('mass') and open_ is None and not any(re.match(r'rod\b', x) for x in out)):
            close()
            open_ = len(out)
        elif re.match(r'rod\b', item):
            close()
            open_ = None
        out.append(part_of(item, '0.75', shift))
    close()
    return out


def split_bodies(lines, facts, joint='fixed'):
    shift, out, bolts = SHIFT[facts['dimension']], [], []
    if joint != 'fixed' and given_of(lines, ('spherical',)):
        raise NotApplicable('Euler parameters of a joint are given')
    for line in lines:
        m = BODY.match(line)
        if line == '}':
            out, bolts = out + bolts, []   # behind the joints of the block
        if not m or not m.group(2) or m.group(2) == 'mass 0':
            if line.startswith(('component', 'for', 'control')):
                out, bolts = out + bolts, []
            out.append(line)
            continue
        items, name = split(m.group(2)), m.group(1)
        if any(x.startswith('at ') and re.match(r'rod\b', y) for x in items for y in items):
            raise NotApplicable('a rod that is moved')
        other = re.sub(r'^(\w+)', r'\1_too', name)
        out.append('body %s: %s' % (name, ', '.join(part_of(x, '0.25', None) for x in items)))
        out.append('body %s: %s' % (other, ', '.join(moved(items, shift))))
        bolts.append('joint %s: %s at %s to %s, %s' % (re.sub(r'^(\w+)', r'\1_bolt', name), name, shift, other, joint))
    if len(out) == len(lines):
        raise NotApplicable('no body that weighs something')
    return out + bolts


def bolted(lines, facts):
    return split_bodies(lines, facts, 'fixed by constraint')


def other_cuts(lines, facts):
    if any(line.startswith(('component', 'for')) for line in lines):
        raise NotApplicable('joints within components')
    places = [i for i, line in enumerate(lines) if JOINT.match(line)]
    if len(places) < 2:
        raise NotApplicable('one joint')
    if not all(JOINT.match(line) for line in lines[places[0]:places[-1]]):
        raise NotApplicable('other statements between joints')
    out = list(lines)
    for i, j in zip(places, reversed(places)):
        out[i] = lines[j]
    if given_of(lines, ('spherical', 'free')):
        raise NotApplicable('coordinates are given that a constraint has not')
    return out


CHANGES = [('absolute', absolute), ('by constraint', by_constraint), ('reversed', reversed_), ('split', split_bodies), ('bolted', bolted),
           ('other cuts', other_cuts)]


# ---- running ----

def ask(mech, *arguments):
    done = subprocess.run([mech, *arguments], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


QUANTITIES = (('r', '%s.r', 'place'), ('R', '%s.R', 'attitude'), ('v', "%s.r'", 'velocity'), ('w', '%s.w', 'turning'))
WRENCHES = (('f', '%s.force', 'force'), ('t', '%s.torque', 'torque'), ('lf', '%s.load.force', 'force'), ('lt', '%s.load.torque', 'torque'))


def with_outputs(lines, facts):
    """The same with outputs for everything that is compared, and without those of its own."""
    out = [line for line in lines if not line.startswith('output')]
    for i, body in enumerate(facts['bodies']):
        out.append('output ' + ', '.join('wb%d_%s = %s' % (i, tag, form % body) for tag, form, _ in QUANTITIES))
    for i, (joint, kind) in enumerate(facts['joints']):
        if kind != 'free':
            out.append('output ' + ', '.join('wj%d_%s = %s' % (i, tag, form % joint) for tag, form, _ in WRENCHES))
    return '\n'.join(out) + '\n'


def facts_of(mech, path, lines):
    rc, text, err = ask(mech, 'check', path, '--json')
    if rc:
        raise SystemExit('bodies: check %s: %s' % (path, err))
    bodies = json.loads(text)['bodies']
    gravity = next(line for line in lines if line.startswith('gravity'))
    return {'bodies': [b['name'] for b in bodies['list']], 'joints': [(j['name'], j['kind']) for j in bodies['joints']],
            'dimension': len(split(gravity.split('[', 1)[1].rsplit(']', 1)[0]))}


def run(mech, text, folder, name, until, rtol):
    path, rows = os.path.join(folder, name + '.mech'), os.path.join(folder, name + '.csv')
    with open(path, 'w') as f:
        f.write(text)
    rc, account, err = ask(mech, 'run', path, '-o', rows, '--json', '--no-native', '--points', str(ROWS), '--until', repr(until), '--rtol', repr(rtol),
                           '--atol', repr(rtol*0.01), '--allow-imbalance')
    if rc:
        return None, None, err
    with open(rows) as f:
        table = list(csv.reader(f))
    columns = {title: [float(x) for x in column] for title, *column in zip(*table)}
    return columns, set(json.loads(account)['least_norm_outputs']), None


def kind_of(title):
    tag = title.split('_', 1)[1].split('[')[0]
    return next(kind for t, _, kind in QUANTITIES + WRENCHES if t == tag)


APART = ('prismatic', 'screw', 'cylindrical', 'distance', 'slot')   # the two points lie apart: torques are about others


def compare(facts, change, old, new, choice, other_choice):
    """(worst, its title), and where uniqueness differs."""
    scale, worst = {}, (0.0, '')
    for title, column in old.items():
        if re.match(r'w[bj]\d+_', title):
            scale[kind_of(title)] = max(scale.get(kind_of(title), 0), *(abs(x) for x in column))
    differs = []
    for title, column in old.items():
        if not re.match(r'w[bj]\d+_', title):
            continue
        sign = 1
        if change == 'reversed' and title[1] == 'j':
            kind = facts['joints'][int(re.match(r'wj(\d+)', title).group(1))][1]
            if kind in APART and kind_of(title) == 'torque':
                continue
            sign = 1 if kind in ONE_WAY else -1
        if (title in choice) != (title in other_choice):
            differs.append(title)
        if title in choice or title in other_choice:
            continue
        size = max(scale.get(kind_of(title), 0), max(scale["place"], 0.1)*scale.get("force", 0) if kind_of(title) == "torque" else 1e-3)
        error = max(abs(a - sign*b) for a, b in zip(column, new[title]))/size
        worst = max(worst, (error, title))
    return worst, differs


def spoken(facts, title):
    m = re.match(r'w([bj])(\d+)_([a-zA-Z]+)(.*)$', title)
    if not m:
        return title
    form = next(form for t, form, _ in QUANTITIES + WRENCHES if t == m.group(3))
    return (form % (facts['bodies'][int(m.group(2))] if m.group(1) == 'b' else facts['joints'][int(m.group(2))][0])) + m.group(4)


def until_of(text):
    m = re.search(r'^simulate until ([0-9.e+-]+)', text, re.M)
    return float(m.group(1)) if m else 1.0


def main():
    words = sys.argv[1:]
    mech, everything, rtol, models = words.pop(0), False, 1e-12, []
    while words:
        word = words.pop(0)
        if word == '--all':
            everything = True
        elif word == '--rtol':
            rtol = float(words.pop(0))
        else:
            models.append(word)
    failures = compared = skipped = 0
    overall = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for path in models:
            with open(path) as f:
                text = f.read()
            lines = statements(text)
            facts = facts_of(mech, path, lines)
            until = until_of(text) if everything else min(until_of(text), SHORT)
            old, choice, err = run(mech, with_outputs(lines, facts), folder, 'old', until, rtol)
            if err:
                print('%s: %s' % (path, err))
                failures += 1
                continue
            for name, change in CHANGES:
                if not everything and len(facts['bodies']) > LARGE and name != 'absolute':
                    skipped += 1
                    continue
                try:
                    changed = with_outputs(change(lines, facts), facts)
                except NotApplicable as why:
                    skipped += 1
                    if everything:
                        print('%s, %s: left out (%s)' % (path, name, why))
                    continue
                new, other_choice, err = run(mech, changed, folder, 'new', until, rtol)
                if err:
                    print('%s, %s: %s' % (path, name, err))
                    failures += 1
                    continue
                (error, title), differs = compare(facts, name, old, new, choice, other_choice)
                compared, overall = compared + 1, max(overall, error)
                if everything:
                    print('%s, %s: %.1e (%s)' % (path, name, error, spoken(facts, title)))
                if not error <= TOLERANCE:
                    print('%s, %s: %s differs by %.1e of its kind' % (path, name, spoken(facts, title), error))
                    failures += 1
                if differs:
                    print('%s, %s: unique in one of the two only: %s' % (path, name, ', '.join(spoken(facts, t) for t in differs[:8])))
                    failures += 1
    print('figure: bodies written otherwise: %d runs of %d models, %d left out, largest difference %.1e' % (compared, len(models), skipped, overall))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
