#!/usr/bin/env python3
"""Units by an importer of our own, FMI 2.0 and 3.0, co-simulation. Usage: fmu.py MECH FOLDER [SCHEMAS]
SCHEMAS: a folder with fmi2/ and fmi3/, the schemas of the standard, for xmllint."""
import csv
import glob
import math
import os
import subprocess
import sys
import threading
import zipfile

from fmi import Unit

mech, folder = sys.argv[1], sys.argv[2]
schemas = sys.argv[3] if len(sys.argv) > 3 else None
failures = []
def expect(what, found, wanted):
    if not (abs(found - wanted[0]) <= wanted[1] if isinstance(wanted, tuple) else found == wanted):
        failures.append(f'{what}: found {found!r}, expected {wanted!r}')


def export(text_or_path, name, fmi, *more):
    path = text_or_path
    if '\n' in text_or_path:
        path = os.path.join(folder, name + '.mech')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text_or_path)
    unit = os.path.join(folder, f'{name}{fmi}.fmu')
    done = subprocess.run([mech, 'export', 'fmu', path, '-o', unit, '--name', 'unit', '--fmi', str(fmi), *more],
                          capture_output=True, text=True)
    return unit if done.returncode == 0 else None, done.stderr


def by_command(path, *more):
    """Column names and the last row of `mech run`."""
    rows = os.path.join(folder, 'rows.csv')
    subprocess.run([mech, 'run', path, '-o', rows, *more], check=True, capture_output=True)
    with open(rows, newline='', encoding='utf-8') as f:
        lines = list(csv.reader(f))
    return dict(zip(lines[0], map(float, lines[-1])))


def is_valid(path, fmi):
    if not schemas:
        return True
    schema = f'{schemas}/fmi{fmi}/fmi{fmi}ModelDescription.xsd'
    return subprocess.run(['xmllint', '--noout', '--schema', schema, path], capture_output=True).returncode == 0


# Every example: exported or refused with the reason, and what is exported is valid.
models, units, reasons = sorted(glob.glob('examples/*/model*.mech')), 0, []
for model in models:
    fmi = 2 + units % 2
    unit, words = export(model, 'example', fmi)
    if not unit:
        reasons.append(words.strip().split('\n')[-1])
        continue
    units += 1
    with zipfile.ZipFile(unit) as z:
        inside = z.extract('modelDescription.xml', folder)
    if not is_valid(inside, fmi):
        failures.append(f'{model}: its description is not valid by FMI {fmi}')
print(f'figure: units: {units} of {len(models)} example models become units')
if units < 0.95 * len(models):
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

# Two instances in two threads.
path = export('examples/pendulum-two-coordinates/model.mech', 'threads', 2)[0]
alone, ends = None, []


def swing(unit):
    unit.begin(1e-10)
    for _ in range(200):
        unit.step(0.05)
    ends.append(unit.get('x_G', 'y_G'))
    unit.close()


swing(Unit(path, 2))
threads = [threading.Thread(target=swing, args=(Unit(path, 2),)) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
expect('two threads', ends, [ends[0]] * 3)

print('\n'.join(failures))
sys.exit(1 if failures else 0)
