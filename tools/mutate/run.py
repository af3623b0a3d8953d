#!/usr/bin/env python3
"""Do the tests notice a wrong library? Mutants (sites.py) are put into a copy of the tree, compiled once, and met one by one by a fast suite.

    tools/mutate/run.py [--mutants N] [--seed TEXT] [--jobs J] [--budget SECONDS] [--only K,K,...] [--suite FILE] [--list] [--left] [--rest] [TREE]

TREE is the tree to mutate (this one unless given; its own tests meet the mutants). A mutant is met only by the tests that come by its place, in the order
of tools/mutate/suite, until one fails (killed), takes far longer than without it (killed) or the budget of processor time is spent (survived).
--left: mutants that an earlier run killed stay killed, only the others are met (after a run that was ended, or with new tests).
--rest: the survivors of the last run meet all other tests too. The report: build/mutate/report.txt; each result is kept at once (build/mutate/results.json).
"""
import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import sites  # noqa: E402

ROOMS = ['model', 'compile', 'system', 'motion', 'dynamics', 'integrate', 'assemble', 'simulate', 'analyze'] # those the tree has
MOST = 65536


def rooms_of(tree):
    return [r for r in ROOMS if os.path.isdir(os.path.join(tree, 'src', r))]


def sh(words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more).stdout


def write_if_other(path, text):
    """Keeps the time of files that stay the same: the build goes on from where it was."""
    if os.path.exists(path):
        with open(path, encoding='utf-8', errors='surrogateescape') as f:
            if f.read() == text:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8', errors='surrogateescape') as f:
        f.write(text)


def copy_tree(tree, copy):
    """Every file of the tree that git knows or would take; what is gone there goes here too."""
    names = [n for n in sh(['git', 'ls-files', '-co', '--exclude-standard', '-z'], cwd=tree).split('\0') if n and os.path.isfile(os.path.join(tree, n))]
    for name in names:
        source, target = os.path.join(tree, name), os.path.join(copy, name)
        if re.fullmatch(r'src/(%s)/[^/]*\.c' % '|'.join(ROOMS), name):
            continue
        with open(source, 'rb') as f:
            data = f.read()
        if name == 'cmake/embed.cmake': # code that is handed out as text stays as it is: it is compiled without mutant.h
            data = data.replace(b'${PROJECT_SOURCE_DIR}/src/', os.path.abspath(tree).encode() + b'/src/')
        if os.path.exists(target):
            with open(target, 'rb') as f:
                if f.read() == data:
                    continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, 'wb') as f:
            f.write(data)
        shutil.copymode(source, target)
    known = set(names)
    for room in ('src', 'tests'):
        for folder, _, files in os.walk(os.path.join(copy, room)):
            for f in files:
                path = os.path.join(folder, f)
                if os.path.relpath(path, copy) not in known and f != 'mutant.c':
                    os.remove(path)
    return names


def configure(copy, build):
    flags = '-include %s/mutant.h' % HERE
    launcher = ['-DCMAKE_C_COMPILER_LAUNCHER=ccache'] if shutil.which('ccache') else []
    sh(['cmake', '-S', copy, '-B', build, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=RelWithDebInfo', '-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1', '-DCMAKE_C_FLAGS=' + flags,
        '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON'] + launcher)


def plan(tree, copy, build, count, seed):
    """Chooses the mutants and writes the files; returns them, numbered from 1."""
    with open(os.path.join(build, 'compile_commands.json')) as f:
        commands = {os.path.relpath(c['file'], copy): c for c in json.load(f)}
    files = []
    for room in rooms_of(tree):
        for name in sorted(os.listdir(os.path.join(tree, 'src', room))):
            path = 'src/%s/%s' % (room, name)
            if name.endswith('.c') and path in commands:
                files.append((path, '%s/%s' % (room, name)))
    found = {}
    for path, name in files:
        with open(os.path.join(tree, path), encoding='utf-8') as f:
            text = f.read()
        command = commands[path]
        words = command['command'].split() if 'command' in command else command['arguments']
        words = [w.replace('\\"', '"').replace("'", '') for w in words]
        finder, kept = sites.candidates(name, text, words, command['directory'], os.path.join(copy, os.path.dirname(path)), seed)
        found[path] = (finder, kept, words, command['directory'])
    weight = {p: len(f.text.splitlines()) if kept else 0 for p, (f, kept, _, _) in found.items()}
    total = sum(weight.values())
    mutants = []
    for path, name in files:
        finder, kept, words, directory = found[path]
        quota = max(1, round(count * weight[path] / total)) if kept else 0
        numbers, text = {}, finder.text
        while True: # a mutant that the compiler does not take is left out, and another comes in its place
            chosen = sorted(sites.choose(kept, quota, finder), key=lambda s: finder.t[s.first].start)
            numbers = {s: len(mutants) + 1 + i for i, s in enumerate(chosen)}
            text = sites.rewritten(finder, chosen, numbers)
            errors = sites.compile_errors(words, text, directory, os.path.join(copy, os.path.dirname(path)))
            lines = {int(m.group(1)) for m in re.finditer(r'<stdin>:(\d+):\d+: error', errors)}
            bad = [s for s in chosen if any(s.line <= l <= s.line + s.original.count('\n') for l in lines)]
            if not bad and errors.strip():
                sys.exit('%s: the mutated file does not compile:\n%s' % (path, errors[:2000]))
            if not bad:
                break
            kept = [s for s in kept if s not in bad]
        write_if_other(os.path.join(copy, path), text)
        for s in chosen:
            change = s.changed if s.changed is not None else 'left out' if s.kind == 'skip' else 'exchanged'
            mutants.append({'number': numbers[s], 'place': '%s:%d' % (path, s.line), 'function': s.function, 'kind': s.kind, 'from': s.original, 'to': change, 'rank': s.rank})
    return mutants


class Suite:
    def __init__(self, build, work):
        self.work = work
        listing = json.loads(sh(['ctest', '--test-dir', build, '--show-only=json-v1']))
        self.tests = {}
        for t in listing['tests']:
            if 'command' not in t:
                continue
            properties = {p['name']: p['value'] for p in t.get('properties', [])}
            self.tests[t['name']] = {'command': t['command'], 'cwd': properties.get('WORKING_DIRECTORY', build),
                                     'environment': dict(e.split('=', 1) for e in properties.get('ENVIRONMENT', []))}

    def run(self, name, mutant, cache, met, cpu, wall):
        """(passed, seconds of processor time, how it ended)"""
        test = self.tests[name]
        environment = dict(os.environ, **test['environment'])
        environment.update({'XDG_CACHE_HOME': cache, 'MECH_MUTANT': str(mutant), 'TMPDIR': cache})
        if met:
            environment['MECH_MUTANTS_MET'] = met

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        log = open(os.path.join(cache, 'log'), 'wb')
        child = subprocess.Popen(test['command'], cwd=test['cwd'], env=environment, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                 preexec_fn=limits, start_new_session=True)
        timer = threading.Timer(wall, lambda: os.killpg(child.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        try:
            os.killpg(child.pid, signal.SIGKILL) # what it may have left behind
        except ProcessLookupError:
            pass
        log.close()
        return child.returncode == 0, usage.ru_utime + usage.ru_stime, child.returncode


def read_suite(path, suite, copy, build):
    """Names of tests, or `name: command`, run in the tree, BUILD in it stands for the folder of the build."""
    with open(path) as f:
        lines = [l.split('#')[0].strip() for l in f]
    for line in lines:
        if ':' in line:
            name, command = line.split(':', 1)
            suite.tests[name] = {'command': ['bash', '-c', 'exec ' + command.replace('BUILD', build)], 'cwd': copy, 'environment': {}}
    names = [l.split(':')[0] for l in lines]
    return [n for n in names if n in suite.tests]


def fingerprint(command, build, mutants):
    """What a test's own measure depends on: the programs and scripts it runs, and the mutants."""
    files = [w for part in command for w in part.split() if os.path.isfile(w)] + [os.path.join(build, 'mech')]
    digest = hashlib.sha256(' '.join(m['rank'] for m in mutants).encode())
    for name in files + command:
        if os.path.isfile(name):
            with open(name, 'rb') as f:
                digest.update(f.read())
        else:
            digest.update(name.encode())
    return digest.hexdigest()


def baseline(suite, names, work, build, mutants, budget):
    """Without a mutant every test passes; how long it takes, and which places it comes by. Kept from run to run."""
    cache, kept, known = os.path.join(work, 'cache'), os.path.join(work, 'baseline.json'), {}
    os.makedirs(cache, exist_ok=True)
    if os.path.exists(kept):
        with open(kept) as f:
            known = json.load(f)
    result = {}
    for name in names:
        mark = fingerprint(suite.tests[name]['command'], build, mutants)
        if mark not in known:
            met = os.path.join(work, 'met')
            with open(met, 'wb') as f:
                f.write(bytes(MOST))
            passed, seconds, how = suite.run(name, 0, cache, met, 600, 1200) # warm: code that is compiled is kept
            with open(met, 'rb') as f:
                places = f.read()
            if not passed:
                with open(os.path.join(cache, 'log'), errors='replace') as f:
                    sys.exit('%s fails without any mutant (%s):\n%s' % (name, how, f.read()[-2000:]))
            if seconds < 3 * budget:
                passed, seconds, _ = suite.run(name, 0, cache, None, 600, 1200)
            known[mark] = {'name': name, 'seconds': seconds, 'meets': [m['number'] for m in mutants if places[m['number']]]}
            with open(kept, 'w') as f:
                json.dump(known, f)
        result[name] = {'seconds': known[mark]['seconds'], 'meets': set(known[mark]['meets'])}
    return result


# Tests that look at a room's work, by their names.
NEAR = {'model': 'model|derive|lang', 'compile': 'compile|native|lanes|tape', 'system': 'system|places|units|eval', 'motion': 'motion|native|lanes', 'dynamics': 'dynamics|instant|slopes|eval|friction|law',
        'integrate': 'integrate|simulate', 'assemble': 'assemble|simulate|system', 'simulate': 'simulate|checkpoint', 'analyze': 'analyze|stability|routh'}


def nearest_first(names, place):
    near = re.compile(NEAR[place.split('/')[1]])
    return sorted(names, key=lambda n: not near.search(n))


def meet(suite, names, base, m, budget, work):
    """Which test kills it, and how; None when all that could are content."""
    mutant = m['number']
    cache = os.path.join(work, 'm%d' % mutant)
    shutil.rmtree(cache, ignore_errors=True)
    shutil.copytree(os.path.join(work, 'cache'), cache, copy_function=os.link, symlinks=True)
    if os.path.exists(os.path.join(cache, 'log')):
        os.remove(os.path.join(cache, 'log'))
    spent, met = 0.0, 0
    try:
        for name in nearest_first(names, m['place']):
            if mutant not in base[name]['meets']:
                continue
            if spent + base[name]['seconds'] > budget:
                continue
            met += 1
            usual = base[name]['seconds']
            passed, seconds, how = suite.run(name, mutant, cache, None, 5 * usual + 3, 20 * usual + 60)
            spent += min(seconds, usual)
            if not passed:
                return {'by': name, 'how': 'time' if how in (-24, -9, 152, 137) else 'crash' if how < 0 else 'fails', 'met': met}
        return {'by': None, 'met': met}
    finally:
        shutil.rmtree(cache, ignore_errors=True)


def keep(path, mutants, lock=threading.Lock()):
    with lock:
        with open(path + '.new', 'w') as f:
            json.dump([m for m in mutants if 'result' in m], f, indent=1)
        os.replace(path + '.new', path)


def in_parallel(jobs, items, work_on):
    lock, todo = threading.Lock(), list(items)

    def worker():
        while True:
            with lock:
                if not todo:
                    return
                item = todo.pop(0)
            work_on(item)
    threads = [threading.Thread(target=worker) for _ in range(jobs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def report(mutants, base, names, path, seed):
    kinds, rooms = {}, {}
    for m in mutants:
        for table, key in ((kinds, m['kind']), (rooms, m['place'].split('/')[1])):
            all_, dead = table.get(key, (0, 0))
            table[key] = (all_ + 1, dead + (m['result']['by'] is not None))
    killed = [m for m in mutants if m['result']['by']]
    lines = ['%d mutants, %d killed, %d survive (%d of them at places that no test of the suite comes by); seed %s, suite of %d tests, %.1f s of processor time' % (
        len(mutants), len(killed), len(mutants) - len(killed), sum(1 for m in mutants if m['result']['met'] == 0), seed, len(names), sum(base[n]['seconds'] for n in names))]
    lines += ['by room: ' + ', '.join('%s %d of %d' % (k, d, a) for k, (a, d) in sorted(rooms.items()))]
    lines += ['by kind: ' + ', '.join('%s %d of %d' % (k, d, a) for k, (a, d) in sorted(kinds.items()))]
    by = {}
    for m in killed:
        by[m['result']['by']] = by.get(m['result']['by'], 0) + 1
    lines += ['first killed by: ' + ', '.join('%s %d' % (k, v) for k, v in sorted(by.items(), key=lambda x: -x[1]))]
    lines += ['', 'survivors:']
    for m in mutants:
        if not m['result']['by']:
            rest = m.get('rest')
            lines.append('%4d %s %s() %s%s\n       %s\n    -> %s' % (m['number'], m['place'], m['function'], m['kind'], '' if m['result']['met'] else ' (never met)' if not rest else '',
                                                                  m['from'], m['to']) + ('\n       of the other tests: %s' % (rest['by'] or 'none') if rest else ''))
    text = '\n'.join(lines) + '\n'
    with open(path, 'w') as f:
        f.write(text)
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('tree', nargs='?', default=os.path.dirname(os.path.dirname(HERE)))
    parser.add_argument('--mutants', type=int, default=300)
    parser.add_argument('--seed', default='1')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--budget', type=float, default=20)
    parser.add_argument('--only', default='')
    parser.add_argument('--suite', default=os.path.join(HERE, 'suite'))
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--left', action='store_true')
    parser.add_argument('--rest', action='store_true')
    parser.add_argument('--work', default='')
    a = parser.parse_args()
    tree = os.path.abspath(a.tree)
    work = os.path.abspath(a.work) if a.work else os.path.join(tree, 'build', 'mutate')
    copy, build = os.path.join(work, 'tree'), os.path.join(work, 'build')
    os.makedirs(copy, exist_ok=True)
    copy_tree(tree, copy)
    shutil.copyfile(os.path.join(HERE, 'mutant.c'), os.path.join(copy, 'src', 'base', 'mutant.c'))
    for room in rooms_of(tree): # the build needs the files there before it can say how they are compiled
        for name in os.listdir(os.path.join(tree, 'src', room)):
            target = os.path.join(copy, 'src', room, name)
            if name.endswith('.c') and not os.path.exists(target):
                shutil.copyfile(os.path.join(tree, 'src', room, name), target)
    configure(copy, build)
    mutants = plan(tree, copy, build, a.mutants, a.seed)
    if a.list:
        for m in mutants:
            print('%4d %s %s() %s\n       %s\n    -> %s' % (m['number'], m['place'], m['function'], m['kind'], m['from'], m['to']))
        return
    print('%d mutants in %d files; building' % (len(mutants), len({m['place'].split(':')[0] for m in mutants})), flush=True)
    done = subprocess.run(['cmake', '--build', build, '-j', str(a.jobs)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout[-4000:])
    suite = Suite(build, work)
    names = read_suite(a.suite, suite, copy, build)
    begin = time.time()
    base = baseline(suite, names, work, build, mutants, a.budget)
    print('suite: %d tests, %.1f s of processor time' % (len(names), sum(base[n]['seconds'] for n in names)), flush=True)
    state = os.path.join(work, 'results.json')
    old = {}
    if a.rest or a.left:
        with open(state) as f:
            old = {m['rank']: m for m in json.load(f)}
    if a.rest:
        for m in mutants:
            m['result'] = old[m['rank']]['result'] if m['rank'] in old else {'by': None, 'met': 0}
        others = [n for n in suite.tests if n not in names and not re.search(r'hostile|soak|symbols|install|headers|man$|layers|faults', n)]
        left = [m for m in mutants if not m['result']['by']]
        print('%d survivors, %d other tests' % (len(left), len(others)), flush=True)
        more = baseline(suite, others, work, build, mutants, 1e9)
        others.sort(key=lambda n: more[n]['seconds'])

        def again(m):
            m['rest'] = meet(suite, others, more, m, 1e9, work)
        in_parallel(a.jobs, left, again)
    else:
        only = {int(k) for k in a.only.split(',') if k}
        for m in mutants:
            if m['rank'] in old and old[m['rank']]['result']['by']:
                m['result'] = old[m['rank']]['result']
        chosen = [m for m in mutants if (not only or m['number'] in only) and 'result' not in m]
        chosen.sort(key=lambda m: m['rank'] in old) # what was not tried yet comes first
        counter = [0]

        def one(m):
            m['result'] = meet(suite, names, base, m, a.budget, work)
            counter[0] += 1
            keep(state, mutants)
            if not m['result']['by'] or counter[0] % 25 == 0:
                print('%d of %d after %.0f s%s' % (counter[0], len(chosen), time.time() - begin, '' if m['result']['by'] else ': survives: %d %s %s() %s: %s -> %s' % (
                    m['number'], m['place'], m['function'], m['kind'], m['from'], m['to'])), flush=True)
        in_parallel(a.jobs, chosen, one)
        mutants = [m for m in mutants if 'result' in m]
    keep(state, mutants)
    print(report(mutants, base, names, os.path.join(work, 'report.txt'), a.seed), end='')


main()
