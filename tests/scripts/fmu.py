#!/usr/bin/env python3
"""Units by an importer of our own, FMI 2.0 and 3.0, co-simulation and model exchange. Usage: fmu.py MECH FOLDER [SCHEMAS]
SCHEMAS: a folder with fmi2/ and fmi3/, the schemas of the standard, for xmllint."""
import csv
import glob
import math
import os
import shutil
import subprocess
import sys
import threading
import xml.etree.ElementTree
import zipfile

from fmi import Unit

mech, folder = sys.argv[1], sys.argv[2]
schemas = sys.argv[3] if len(sys.argv) > 3 else None
failures = []


quick = os.path.join(folder, 'quick-cc')  # a compiler that does not optimize: the tests have many units
with open(quick, 'w', encoding='utf-8') as f:
    f.write('#!/bin/sh\nexec cc "$@" -O0\n')
os.chmod(quick, 0o755)


def expect(what, found, wanted):
    if not (abs(found - wanted[0]) <= wanted[1] if isinstance(wanted, tuple) else found == wanted):
        failures.append(f'{what}: found {found!r}, expected {wanted!r}')


def export(text_or_path, name, fmi, *more, cc=None):
    path = text_or_path
    if '\n' in text_or_path:
        path = os.path.join(folder, name + '.mech')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text_or_path)
    unit = os.path.join(folder, f'{name}{fmi}.fmu')
    done = subprocess.run([mech, 'export', 'fmu', path, '-o', unit, '--name', 'unit', '--fmi', str(fmi), *more],
                          capture_output=True, text=True, env=dict(os.environ, MECH_CC=cc or quick))
    return unit if done.returncode == 0 else None, done.stderr + done.stdout


def by_command(path, *more):
    """Column names and the last row of `mech run`."""
    rows = os.path.join(folder, 'rows.csv')
    subprocess.run([mech, 'run', path, '-o', rows, *more], check=True, capture_output=True)
    with open(rows, newline='', encoding='utf-8') as f:
        lines = list(csv.reader(f))
    return dict(zip(lines[0], map(float, lines[-1])))


def sources_of(description, built):
    """Names of the sources, by a description of FMI 2.0 or the one of the build by FMI 3.0."""
    root = xml.etree.ElementTree.parse(built or description).getroot()
    return [f.get('name') for f in root.iter('SourceFile' if built else 'File')]


def is_valid(path, fmi, what='ModelDescription'):
    if not schemas:
        return True
    schema = f'{schemas}/fmi{fmi}/fmi{fmi}{what}.xsd'
    return subprocess.run(['xmllint', '--noout', '--schema', schema, path], capture_output=True).returncode == 0


# Every example: exported or refused with the reason, and what is exported is valid.
models, units, reasons = sorted(glob.glob('examples/*/model*.mech')), {'cs': 0, 'me': 0}, []
for number, model in enumerate(models):
    fmi = 2 + number % 2
    for kinds in (['cs', 'me'], ['cs']):
        unit, words = export(model, 'example', fmi, '--kind', 'both' if len(kinds) == 2 else 'cs')
        if not unit:
            reasons.append(words.strip().split('\n')[-1])
            continue
        for kind in kinds:
            units[kind] += 1
        with zipfile.ZipFile(unit) as z:
            inside = z.extract('modelDescription.xml', folder)
        if not is_valid(inside, fmi):
            failures.append(f'{model}: its description is not valid by FMI {fmi}')
        break
print(f'figure: units: {units["cs"]} for co-simulation and {units["me"]} for model exchange of {len(models)} example models')
# In C: sources are made without a compiler, which takes its time.
in_c = 0
for number, model in enumerate(models):
    fmi = 2 + (number + 1) % 2
    unit, words = export(model, 'example_c', fmi, '--kind', 'me', '--over', 'c', cc='/nowhere')
    if not unit:
        expect(f'{model} is refused in C', 'is not for a unit over C: ' in words, True)
        continue
    in_c += 1
    with zipfile.ZipFile(unit) as z:
        names = z.namelist()
        inside = z.extract('modelDescription.xml', folder)
        built = z.extract('sources/buildDescription.xml', folder) if fmi == 3 else None
    expect('no binary', [n for n in names if n.startswith('binaries')], [])
    expect('the sources are there', all(f'sources/{n}' in names for n in sources_of(inside, built)), True)
    if not is_valid(inside, fmi) or (built and not is_valid(built, fmi, 'BuildDescription')):
        failures.append(f'{model}: its description in C is not valid by FMI {fmi}')
print(f'figure: units in C: {in_c} for model exchange of {len(models)} example models')
expect('half of the models and more', in_c > len(models) / 2, True)
if units['cs'] < 0.95 * len(models) or units['me'] < 0.85 * len(models):
    failures.append(f'{units} of {len(models)} models: {set(reasons)}')
if schemas:  # a spoilt description is refused
    with open(inside, encoding='utf-8') as f:
        text = f.read()
    with open(inside, 'w', encoding='utf-8') as f:
        f.write(text.replace('causality="independent"', 'causality="none"'))
    expect('a spoilt description', is_valid(inside, fmi), False)
else:
    print('fmu: without schemas descriptions are not validated')

for fmi in (2, 3):
    # A hoop that rolls down a cylinder and leaves it: the time is told in the log.
    u = Unit(export('examples/hoop-on-cylinder/model.mech', 'hoop', fmi)[0], fmi, logging=True)
    u.begin(1e-9)
    for _ in range(300):
        u.step(0.01)
    lifts = [w for w in u.words if 't = 2.65' in w]
    expect(f'the hoop lifts, FMI {fmi}', float(lifts[0].split('t = ')[1].split()[0].rstrip(':,;')) if lifts else math.nan,
           (2.65631890, 1e-7))
    u.close()

    # An input that steps: x'' = u, u = 1 from t = 1 on.
    u = Unit(export("coord x\ninput u = 0\nkinetic x'^2/2\nforce u on x'\noutput twice = 2*x\n", 'cart', fmi)[0], fmi)
    u.begin()
    u.step(1.0)
    u.set('u', 1.0)
    u.step(1.0)
    expect('x(2)', u.get('x'), (0.5, 1e-12))
    expect('the output', u.get('twice'), (1.0, 1e-12))
    expect('time', u.get('time'), (2.0, 0))
    u.close()

    # Names that are one word in C stay apart, and a model may have its own `time`: 3 for x_1, 5 for x[1].
    text = "component pair(c) { coord x; param k = c; kinetic x'^2/2; force k on x'; output N = k }\n" \
           "part a: pair(7)\nparam time = 2, a_k = 11, k_1 = 3, k[1..1] = [5]\ncoord a_x, x_1, x[1..1]\n" \
           "kinetic (a_x'^2 + x_1'^2 + x[1]'^2)/2\nforce a_k on a_x'\nforce k_1 on x_1'\nforce k[1] on x[1]'\n" \
           "output a_N = 2*a_k\n"
    for more in ([], ['--kind', 'me', '--over', 'library'], ['--kind', 'me', '--over', 'c']):
        u = Unit(export(text, 'alike', fmi, *more)[0], fmi, exchange=bool(more))
        expect('the own time', u.variables['time'].get('causality'), 'parameter')
        expect('the time', u.variables['t'].get('causality'), 'independent')
        u.begin()
        if not more:
            u.step(1.0)
            for name, value in {'a.x': 3.5, 'a_x': 5.5, 'x_1': 1.5, 'x[1]': 2.5, 't': 1, 'time': 2}.items():
                expect(name, u.get(name), (value, 1e-12))
        for name, value in {'a.k': 7, 'a_k': 11, 'k_1': 3, 'k[1]': 5, 'a.N': 7, 'a_N': 22}.items():
            expect(name, u.get(name), (value, 1e-12))
        u.close()

    # Parameters: derived ones follow, structural ones are constants; --set goes into the unit.
    text = "param N = 2, m = 1, J = m*3 \"kg\", k = 4\ncoord x[1..N]\nkinetic J*sum(i in 1..N: x[i]'^2)/2\n" \
           "potential k*x[1]^2/2\ninitial x[1] = 1, x[2] = 0\n"
    u = Unit(export(text, 'params', fmi, '--set', 'k=12')[0], fmi)
    roles = {n: [v.get('causality'), v.get('variability')] for n, v in u.variables.items()}
    expect('structural', roles['N'], ['local', 'constant'])
    expect('derived', roles['J'], ['calculatedParameter', 'tunable'])
    expect('set at export', u.get('k'), (12.0, 0))
    u.set('m', 4.0)
    u.begin(1e-10)
    expect('derived follows', u.get('J'), (12.0, 0))
    u.step(1.0)
    expect('cos(1)', u.get('x[1]'), (math.cos(1), 1e-8))
    try:
        u.set('x[1]', 1.0)
        failures.append('a coordinate was set')
    except RuntimeError as error:
        expect('a coordinate is refused', 'cannot be set' in str(error), True)
    u.close()

    # Another unit's token.
    u = Unit(export('examples/pendulum-two-coordinates/model.mech', 'token', fmi)[0], fmi, token='{wrong}')
    expect('a wrong token is refused', u.it is None and 'was asked for' in u.words[0], True)

# The pendulum written twice, 1000 s: it stays on its circle.
text = "param m = 1, l = 1, g = 9.81\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n" \
       "constraint rod: x^2 + y^2 = l^2\nconstraint again: 2*x^2 + 2*y^2 = 2*l^2\ninitial x = l, y = 0\n"
u = Unit(export(text, 'twice', 2)[0], 2)
u.begin(1e-6)
worst = 0
for _ in range(1000):
    u.step(1.0)
    x, y = u.get('x', 'y')
    worst = max(worst, abs(math.hypot(x, y) - 1))
expect('drift of the pendulum written twice', worst, (0, 1e-9))
u.close()

# What a small integrator inside the unit gets wrong, and what only events do: as `mech run`.
for path, step, more in (('examples/four-bar-ladder/model.mech', 0.1, ('--set', 'N=10')),
                                ('examples/bouncing-pendulum/model.mech', 0.05, ()),
                                ('examples/belt-block/model.mech', 0.05, ())):
    unit, words = export(path, 'compared', 3, *more)
    u = Unit(unit, 3)
    until = float(u.description.find('DefaultExperiment').get('stopTime', 1))
    last = by_command(path, '--rtol', '1e-9', *more)
    u.begin(1e-9)
    steps = max(1, round(until / step))
    for _ in range(steps):
        u.step(until / steps)
    for name in [n for n in last if n in u.references and n != 't']:
        expect(f'{path}, {name}', u.get(name), (last[name], 1e-5 * max(1, abs(last[name]))))
    u.close()

# Save, go on, restore: the same bytes; through a file's worth of bytes too.
for fmi in (2, 3):
    u = Unit(export('examples/bouncing-pendulum/model.mech', 'saved', fmi)[0], fmi)
    names = [n for n, v in u.variables.items() if v.get('causality') in ('local', 'output')]
    u.begin(1e-9)
    u.step(0.3)
    kept = u.serialized(u.save())
    u.step(0.4)
    first = u.get(*names)
    u.restore(kept, 0.3)
    u.step(0.4)
    expect('after restoring', u.get(*names), first)
    u.close()

# A delay goes on from step to step, and from what was saved: x' = -x(t - 1) is a polynomial on each unit of time.
u = Unit(export("coord y\nkinetic y'^2/2\nstate x: x' = -delay(x, 1)\ninitial x = 1\nsimulate until 3\n", 'late', 3)[0], 3)
u.begin(1e-11)
for _ in range(8):
    u.step(0.2)
kept = u.serialized(u.save())
for turn in range(2):
    for _ in range(4):
        u.step(0.2)
    s = 0.4
    expect('a delay', u.get('x'), (-0.5 + s ** 2 / 2 - s ** 3 / 6, 1e-10))
    u.restore(kept, 1.6)
u.close()


def in_threads(what, units, move):
    """What `move` finds is the same in one instance alone and in two at once, in two threads."""
    ends = []

    def whole(unit):
        ends.append(move(unit))
        unit.close()

    whole(units[0])
    threads = [threading.Thread(target=whole, args=(unit,)) for unit in units[1:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect(f'two threads of {what}', ends, [ends[0]] * 3)


def swing(unit):
    unit.begin(1e-10)
    for _ in range(200):
        unit.step(0.05)
    return unit.get('x_G', 'y_G')


path = export('examples/pendulum-two-coordinates/model.mech', 'threads', 2)[0]
in_threads('co-simulation', [Unit(path, 2) for _ in range(3)], swing)

# ---- model exchange ----

def exchange(text_or_path, name, fmi, *more, kind='me', over='auto', logging=False, cc=None):
    unit, words = export(text_or_path, name, fmi, '--kind', kind, '--over', over, *more, cc=cc)
    if not unit:
        failures.append(f'{name}: {words}')
    return Unit(unit, fmi, exchange=True, logging=logging)


for fmi, over in ((2, 'library'), (3, 'library'), (2, 'c'), (3, 'c')):
    # The hoop again: the importer finds the event.
    u = exchange('examples/hoop-on-cylinder/model.mech', 'hoop_me', fmi, kind='both' if over == 'library' else 'me', over=over,
                 logging=True)
    u.begin(1e-9)
    u.integrate(3.0, 1e-9)
    expect(f'the hoop lifts by model exchange, FMI {fmi}', u.events[0], (2.65631890, 1e-7))
    expect('once', len(u.events), 1)
    expect('it is logged', any('event lift' in w for w in u.words), True)
    expect('its contact force is gone', u.get('N'), (0, 1e-12))
    u.close()

for fmi in (2, 3):
    # A unit that was made for co-simulation alone.
    u = Unit(export('examples/knife-edge/model.mech', 'cs_only', fmi)[0], fmi, exchange=True)
    expect('a unit for co-simulation', u.it is None and 'for co-simulation' in u.words[0], True)

for fmi, over in ((2, 'library'), (3, 'library'), (2, 'c'), (3, 'c')):
    # The input that steps, set by the importer between two integrations; derivatives by state and input.
    u = exchange("param k = 1\ncoord x\ninput u = 0\nkinetic x'^2/2\nforce u on x'\noutput twice = 2*x, push = x''\n",
                 'cart_me', fmi, over=over)
    u.begin(1e-9)
    u.integrate(1.0, 1e-9)
    u.set('u', 1.0)
    u.at(u.t, u.x)
    u.event()
    u.integrate(2.0, 1e-9)
    expect('x(2) by model exchange', u.get('x'), (0.5, 1e-8))
    expect('the outputs', [round(v, 7) for v in u.get('twice', 'push')], [1.0, 1.0])
    expect('by x, v and u', u.slopes(["x'", "x''", 'twice', 'push'], ['x', "x'", 'u']),
           [[0, 1, 0], [0, 0, 1], [2, 0, 0], [0, 0, 1]])
    u.close()

    # A pendulum: theta'' = -g/l sin(theta) - c theta', and what the rod pulls with; a state that follows it.
    u = exchange("param l = 2, g = 9.81, c = 0.3\ncoord r, theta\nkinetic (r'^2 + (r*theta')^2)/2\n"
                 "potential -g*r*cos(theta)\nforce -c*r^2*theta' on theta'\nconstraint rod: r = l\n"
                 "state s: s' = sin(theta)*s\ninitial theta = 0.7, theta' = 0.4, s = 2\n"
                 "output pull = -force(rod, r)\n", 'angle_me', fmi, over=over)
    u.begin(1e-9)
    expect('the rate of a state', u.get("s'"), (2 * math.sin(0.7), 1e-15))
    found = u.slopes(["theta''", 'pull', "s'"], ['theta', "theta'", 's'])
    for row, wanted in zip(found, ([-9.81 / 2 * math.cos(0.7), -0.3, 0], [-9.81 * math.sin(0.7), 2 * 2 * 0.4, 0],
                                   [2 * math.cos(0.7), 0, math.sin(0.7)])):
        for value, exact in zip(row, wanted):
            expect('a directional derivative', value, (exact, 1e-12))
    # off its constraint: r'' = -2 g r' - g^2 (r - l) with the excess gain, also in its derivative
    u.set('excess gain', 3.0)
    rates = u.rates(0.0, [2.01, 0.7, 0.02, 0.4, 2])
    expect('excess variables', rates[2], (-2 * 3 * 0.02 - 9 * 0.01, 1e-12))
    for value, exact in zip(u.slopes(["r''"], ['r', "r'"])[0], (-9.0, -6.0)):
        expect('a derivative of excess variables', value, (exact, 1e-12))
    try:
        u.set('excess gain', -1.0)
        failures.append('a negative gain was set')
    except RuntimeError as error:
        expect('a negative gain', 'is not negative' in str(error), True)
    u.close()

    # Parameters: derived ones follow, one from the other; the start follows them; a new one in the midst of a motion puts
    # the state back onto its constraint, the nearest in the mass metric.
    u = exchange("param N = 2, l = 1, d = 2*l, e = d + 1\ncoord x[1..N]\nkinetic (x[1]'^2 + x[2]'^2)/2\n"
                 "constraint rod: x[1]^2 + x[2]^2 = l^2\ninitial x[1] = l, x[2]' = e\n", 'params_me', fmi, over=over)
    u.set('l', 3.0)
    u.begin(1e-9)
    expect('derived ones follow', u.get('d', 'e', 'x[1]', "x[2]'"), [6.0, 7.0, 3.0, 7.0])
    u.set('l', 2.0)
    u.at(0.0, u.x)
    u.event()
    expect('onto the constraint', [round(v, 12) for v in u.x], [2.0, 0.0, 0.0, 7.0])
    for name, value, words in (('N', 3.0, ''), ('x[1]', 1.0, 'cannot be set'), ('l', math.nan, 'not finite')):
        try:
            u.set(name, value)
            failures.append(f'{name} was set')
        except RuntimeError as error:
            expect(f'{name} is refused', words in str(error), True)
    u.close()

    # Initial values of expressions, at new parameters: x y = 1, x - y = 2; x' y' = -2 with x' + y' + z' = 0 of the constraint.
    u = exchange("param l = 1.5\ncoord x, y, z\nkinetic (x'^2 + 2*y'^2 + z'^2)/2\nconstraint c: x + y + z = 4\n"
                 "initial x*y = 1, x - y = l, x'*y' = -2\n", 'expression_me', fmi, over=over)
    u.set('l', 2.0)
    u.begin(1e-9)
    for value, exact in zip(u.x, (1 + math.sqrt(2), math.sqrt(2) - 1, 4 - 2 * math.sqrt(2))):
        expect('an expression of positions', value, (exact, 1e-12))
    expect('an expression of velocities', u.x[3] * u.x[4], (-2, 1e-12))
    expect('the constraint', sum(u.x[3:]), (0, 1e-12))
    u.close()

    # A start that no parameter allows is told.
    u = exchange("param l = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = l^2\ninitial x = 1\n",
                 'far_me', fmi, over=over)
    u.set('l', 0.5)
    try:
        u.begin()
        failures.append('a start that cannot be')
    except RuntimeError:
        expect('the reason is told', len(u.words) > 0, True)

    # Another unit's token; bytes that are no state of it.
    u = Unit(export('examples/knife-edge/model.mech', 'token_me', fmi, '--kind', 'me', '--over', over)[0], fmi,
             token='{wrong}', exchange=True)
    expect('a wrong token is refused', u.it is None and 'was asked for' in u.words[0], True)

    # Save, go on over bounces, restore: the same bytes.
    u = exchange('examples/bouncing-pendulum/model.mech', 'saved_me', fmi, over=over)
    u.begin(1e-9)
    u.integrate(1.0, 1e-9)
    kept, before = u.serialized(u.save()), (u.t, u.x)
    u.set('g', 5.0)
    u.integrate(2.0, 1e-9)
    u.restore(kept, before[0])
    expect('what was set', u.get('g') != 5.0, True)
    ends = []
    for _ in range(2):
        u.restore(kept, before[0])
        u.x = before[1]
        u.integrate(2.0, 1e-9)
        ends.append(u.x)
    expect('after restoring', ends[0], ends[1])
    u.close()

    def slide(unit):
        unit.begin(1e-8)
        unit.integrate(1.0, 1e-8)
        return unit.x

    path = export('examples/pendulum-redundant/model.mech', 'threads_c', fmi, '--kind', 'me', '--over', over)[0]
    in_threads(f'model exchange over {over}', [Unit(path, fmi, exchange=True) for _ in range(3)], slide)

# Events in C, by hand: bounces that are set, kinks of the motion, of the clock and of whole numbers, tables.
drop = math.sqrt(2 / 9.81)
with open(os.path.join(folder, 'points.csv'), 'w', encoding='utf-8') as f:
    f.write('t,u\n0,0\n1,2\n1.5,-1\n3,0.5\n')
head = "coord x\nkinetic x'^2/2\n"
for number, (text, until, wanted) in enumerate((
        (head + "potential 9.81*x\ninitial x = 1\nevent hit: x falls through 0 -> set x' = -0.5*x'\n", 1.5 * drop,
         (0.25, 0.0)),  # up to a quarter
        (head + "potential abs(x)\ninitial x = 1\n", 4 * math.sqrt(2), (1.0, 0.0)),
        (head + "force if(t < 1, 0, 1) on x'\n", 2.0, (0.5, 1.0)),
        (head + "force floor(x) on x'\ninitial x = 0.5, x' = 1\n", 0.5 + math.sqrt(3) - 1, (2.0, math.sqrt(3))),
        (head + "input u = file \"points.csv\" column \"u\"\nforce u on x'\n", 3.0, (109 / 48, 0.875)),
        (head + "input u = file \"points.csv\" column \"u\" held\nforce u on x'\n", 3.0, (0.625, -0.5)),
        (head + "state z: z' = 1\nevent tick: z rises through 1 when t > 1.5 -> set z = 0\nevent late: t rises through 3 -> stop\n",
         4.0, None),
        ("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint ring: x^2 + y^2 = 1\ninitial release ring\n"
         "initial x = 3, y = 4, x' = 1\nevent grip: t rises through 0.5 -> set x = 3, set y = 4, impose ring\n", 0.5 + 1e-9,
         (0.6, 0.8, 0.64, -0.48)),  # the nearest point, and what is left of the velocity along the ring
        ("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint tie: x' = y'\n"
         "event part: t rises through 0.5 -> set x' = 4, release tie\n", 1.0, (1.0, 1.0, 2.0, 2.0)))):  # shared, then let go
    unit = exchange(text, f'hand_{number}', 2 + number % 2, over='auto' if wanted is None else 'c')
    unit.begin(1e-9)
    unit.integrate(until, 1e-9)
    if wanted is None:  # two that may set one another off are for the library
        expect('a stop', [unit.ended, round(unit.t, 9)], [True, 3.0])
        continue
    for value, exact in zip(unit.x, wanted):
        expect(f'by hand, {text}', value, (exact, 5e-7))  # stages of the importer's steps look beyond kinks
    unit.close()

# What the command says of it.
for words, more in (('over          C: sources, and a binary', ('--kind', 'me')), ('over          the library\n', ('--kind', 'both')),
                    ('over          the library, not C: there is friction', ('--kind', 'me')),
                    ('is not for a unit over C: there is friction', ('--kind', 'me', '--over', 'c')),
                    ('the library, not C: an event sets a coordinate that others follow', ('--kind', 'me', 'led')),
                    ('is not for a unit over C: co-simulation is over the library', ('--kind', 'both', '--over', 'c'))):
    text = 'examples/belt-block/model.mech' if 'friction' in words else 'examples/knife-edge/model.mech'
    if more[-1] == 'led':
        text, more = "coord x, s\nkinetic x'^2/2\nconstraint c: s = 2*x\nevent k: t rises through 1 -> set s' = 6\nsimulate until 2\n", more[:-1]
    said = export(text, 'said', 2, *more)
    expect(f'{more}: {words}', words in said[1], True)
said = export('examples/knife-edge/model.mech', 'said', 2, '--kind', 'me', cc='/nowhere')[1]
expect('without a compiler', 'the library, not C: the compiler was not found' in said, True)

# The sources: plain C99 for every compiler that is there; every name begins with that of the unit; nothing but C's library.
for fmi in (2, 3):
    unit, words = export("param l = 1, d = 2*l\ncoord x, y\ninput u = sin(t)\nstate s: s' = abs(x)\nkinetic (x'^2 + y'^2)/2\n"
                         "potential 9.81*y\nforce u on x'\nconstraint rod: x^2 + y^2 = l^2\ninitial x = l\n"
                         "output pull = lambda(rod)\nevent cut: pull falls through -20 -> release rod, stop\n"
                         if fmi == 2 else head, 'sources', fmi, '--kind', 'me', '--over', 'c', cc='cc')
    inside = os.path.join(folder, f'sources_{fmi}')
    with zipfile.ZipFile(unit) as z:
        z.extractall(inside)
    sources = sources_of(f'{inside}/modelDescription.xml', f'{inside}/sources/buildDescription.xml' if fmi == 3 else None)
    library = glob.glob(f'{inside}/binaries/*/unit.so')[0]
    names = subprocess.run(['nm', '-D', '--defined-only', library], capture_output=True, text=True).stdout.split('\n')
    by_library = subprocess.run(['nm', '-D', '--defined-only', os.path.join(os.path.dirname(mech), 'fmu.so')], capture_output=True,
                                text=True).stdout.split('\n')
    expect('the names that are given out', [n.split()[-1] for n in names if n],
           [n.split()[-1] for n in by_library if f' fmi{fmi}' in n])
    needs = subprocess.run(['ldd', library], capture_output=True, text=True).stdout.split('\n')
    expect('what is needed', [n for n in needs if n and not any(k in n for k in ('vdso', 'libm.so', 'libc.so', 'ld-linux'))], [])
    for compiler in ('gcc', 'clang', 'aarch64-linux-gnu-gcc', 'x86_64-w64-mingw32-gcc'):
        if not shutil.which(compiler):
            print(f'fmu: without {compiler} its reading of the sources is left out')
            continue
        done = subprocess.run([compiler, '-std=c99', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-O1', '-c', *sources],
                              cwd=f'{inside}/sources', capture_output=True, text=True)
        expect(f'{compiler} reads the sources', done.stderr, '')
        if compiler == 'gcc':
            objects = [n[:-2] + '.o' for n in sources]
            names = subprocess.run(['nm', '-g', '--defined-only', *objects], cwd=f'{inside}/sources', capture_output=True,
                                   text=True).stdout.split('\n')
            expect('names within a program', [n for n in names if len(n.split()) == 3 and not n.split()[2].startswith('unit_')], [])
        if 'mingw' in compiler:
            done = subprocess.run([compiler, '-shared', f'-DFMI{fmi}_OVERRIDE_FUNCTION_PREFIX', *sources, '-o', 'unit.dll'],
                                  cwd=f'{inside}/sources', capture_output=True, text=True)
            expect('a DLL', done.stderr, '')

# The pendulum written twice, 1000 s at 1e-6, by the excess gain; and 100 s by projection at steps.
text = "param m = 1, l = 1, g = 9.81\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n" \
       "constraint rod: x^2 + y^2 = l^2\nconstraint again: 2*x^2 + 2*y^2 = 2*l^2\ninitial x = l, y = 0\n"
drift = [0.0]


def note_drift(unit):
    drift[0] = max(drift[0], abs(math.hypot(*unit.x[:2]) - 1))


u = exchange(text, 'twice_me', 2, over='c', cc='cc')
expect('the default of the excess gain, about sqrt(g/l)', u.get('excess gain'), (math.sqrt(9.81), 2))
u.begin(1e-6)
u.integrate(1000.0, 1e-6, note_drift)
print(f'figure: drift of the pendulum written twice by model exchange in C: {drift[0]:.1e} in {u.evaluations} evaluations')
expect('drift with the excess gain', drift[0], (0, 1e-3))
u.close()
for over in ('library', 'c'):
    u, drift[0] = exchange(text, 'twice_me', 3, over=over), 0.0
    u.set('excess gain', 0.0)
    u.set('projection at steps', 1.0)
    u.begin(1e-6)
    u.integrate(50.0, 1e-6, note_drift)
    expect('drift with projection', drift[0], (0, 1e-9))
    u.close()
u, drift[0] = exchange(text, 'twice_me', 2, over='library'), 0.0
u.begin(1e-6)
u.integrate(200.0, 1e-6, note_drift)
expect('drift with the excess gain, over the library', drift[0], (0, 1e-3))
u.close()

# As `mech run`: bounces, stick and slip, one-sided constraints, clocks, redundant loops, events that impose.
waits = "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\ninitial x = 0, x' = 1, y = 1\n" \
        "constraint rail: y = 0\ninitial release rail\nevent land: y falls through 0 -> impose rail\nsimulate until 1\n"
for path, until in (('examples/bouncing-pendulum/model.mech', 5), ('examples/bouncing-pendulum/model-one-sided.mech', 5),
                    ('examples/belt-block/model.mech', 10), ('examples/rough-bead/model.mech', 10),
                    ('examples/sampled-cart-pole/model.mech', 1.9937), ('examples/four-bar-bodies/model-space.mech', 2),
                    ('examples/bricard/model-bodies.mech', 3), (waits, 1)):
    u = exchange(path, 'compared_me', 2)
    if path == waits:
        path = os.path.join(folder, 'compared_me.mech')
    last = by_command(path, '--rtol', '1e-10', '--until', str(until))
    u.begin(1e-9)
    u.integrate(until, 1e-9)
    names = [n for n in last if n in u.references and n != 't']
    for name, value in zip(names, u.get(*names)):
        expect(f'{path} by model exchange, {name}', value, (last[name], 1e-6 * max(1, abs(last[name]))))
    u.close()

# Save, go on, restore: the same bytes.
for fmi in (2, 3):
    u = exchange('examples/belt-block/model.mech', 'saved_me', fmi)
    u.begin(1e-9)
    u.integrate(3.0, 1e-9)
    kept, before = u.serialized(u.save()), (u.t, u.x, u.next)
    u.integrate(6.0, 1e-9)
    first = u.x
    u.restore(kept, before[0])
    _, u.x, u.next = before
    u.integrate(6.0, 1e-9)
    expect('after restoring', u.x, first)
    u.close()


def roll(unit):
    unit.begin(1e-8)
    unit.integrate(2.9, 1e-8)
    return unit.x


path = export('examples/hoop-on-cylinder/model.mech', 'threads_me', 2, '--kind', 'me')[0]
in_threads('model exchange with an event', [Unit(path, 2, exchange=True) for _ in range(3)], roll)

# Refused, with the reason: a momentum that jumps with the clock; the slope of an input that an importer does not tell.
driven = "coord x\nkinetic (x' + abs(t - 1))^2/2\n"
expect('momentum that jumps', 'not for model exchange' in export(driven, 'driven', 2, '--kind', 'me')[1], True)
stepped = "coord x\ninput u = if(t < 1, 0, 1)\nkinetic x'^2/2\nforce u' on x'\n"
expect('slope of a jump', 'uses the slope of an input that may jump' in export(stepped, 'stepped', 2, '--kind', 'me')[1], True)
u = exchange("coord x\ninput u = sin(t)\nkinetic x'^2/2\nconstraint follow: x = u\n", 'led', 2)
u.begin(1e-9)
try:
    u.set('u', 1.0)
    failures.append('an input whose slope the model uses was set')
except RuntimeError as error:
    expect('the slope of an input', 'uses the slope of input u' in str(error), True)
u.integrate(1.0, 1e-9)
expect('it keeps its own signal', u.get('x'), (math.sin(1), 1e-7))
u.close()

print('\n'.join(failures))
sys.exit(1 if failures else 0)
