"""Random models, compared: differ.py BUILD [--seconds S] [--models N] [--first SEED] [--jobs J] [--motions PART] [--one SEED]

Prints the seeds it takes, what was compared by feature, and each finding with the shortest text that shows it. Exit 1: findings.
"""
import argparse
import collections
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import compare  # noqa: E402
import coverage  # noqa: E402
import generate  # noqa: E402
import shrink  # noqa: E402


def one(job):
    """Outcomes of a seed, findings shrunk."""
    build, folder, seed, budget, motions = job
    folder = os.path.join(folder, str(os.getpid()))
    made = generate.generate(seed)
    outcomes = compare.sweep(build, made, folder, motions=motions)
    findings = {}
    for o in outcomes:
        if o.kind == "FINDING" and o.key() not in findings:
            findings[o.key()] = o
    shown = []
    for key, o in findings.items():
        def fails(text, key=key):
            trial = generate.Generated(made.seed, text, made.tags, made.files, made.start)
            return any(p.kind == "FINDING" and p.key() == key for p in compare.sweep(build, trial, folder, only=o.path))
        shown.append((seed, o.path, o.what, shrink.shrink(made.text, fails, budget) if budget else made.text))
    return seed, made.tags + sorted(coverage.features(made)), [(o.kind, o.path, o.what if o.kind != "compared" else o.what) for o in outcomes], shown


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build")
    p.add_argument("--seconds", type=float)
    p.add_argument("--models", type=int, default=300)
    p.add_argument("--first", type=int)
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--budget", type=int, default=300, help="calls of the shrinker")
    p.add_argument("--motions", type=float, default=1.0, help="the part of the models that are run by the other integrator")
    p.add_argument("--known", help="a file of findings that have their reason: a seed and words on each line")
    p.add_argument("--one", type=int, help="this seed alone, with all that came of it")
    a = p.parse_args()
    build = os.path.abspath(a.build)
    folder = tempfile.mkdtemp(prefix="differential.")
    try:
        if a.one is not None:
            print(generate.generate(a.one).text)
            seed, tags, outcomes, shown = one((build, folder, a.one, a.budget, 1.0))
            for o in outcomes:
                print(*o)
            for s in shown:
                print("\n%s" % s[3])
            return 1 if shown else 0
        first = a.first if a.first is not None else int(time.time()) % 1000000 * 1000
        return sweep(a, build, folder, first)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep(a, build, folder, first):
    begin = time.time()
    kinds, by_tag, paths, doubts, refused = (collections.Counter() for _ in range(5))
    findings, models, last, states = [], 0, first, 0

    def seeds():
        k = first
        while (a.seconds is not None and time.time() - begin < a.seconds) or (a.seconds is None and k < first + a.models):
            yield (build, folder, k, a.budget, a.motions)
            k += 1
    print("seeds from %d" % first, flush=True)
    with multiprocessing.Pool(a.jobs) as pool:
        done = [0]
        for seed, tags, outcomes, shown in pool.imap_unordered(one, throttle(seeds(), done, 2 * a.jobs), 1):
            done[0] += 1
            models, last = models + 1, max(last, seed)
            good = [o for o in outcomes if o[0] in ("compared", "refused alike")]
            for kind, path, what in outcomes:
                kinds[kind] += 1
                if kind in ("compared", "refused alike"):
                    states += path in ("eval", "row")
                    paths[path] += 1
                elif kind == "doubt":
                    doubts[what] += 1
                elif kind != "FINDING":
                    refused[kind + ": " + re.sub(r"^.*error: ", "error: ", re.sub(r"[-\d.e]*\d", "#", compare.word_of(what)))[:90]] += 1
            for tag in tags if good else []:
                by_tag[tag] += 1
            for s in shown:
                findings.append(s)
                print("\nFINDING at seed %d (%s): %s\n%s" % s, flush=True)
    summary(first, last, models, states, time.time() - begin, kinds, by_tag, paths, doubts, refused, findings)
    reasons = known(a.known)
    for seed, path, what, text in findings:
        if seed in reasons:
            print("known: seed %d: %s" % (seed, reasons[seed]))
    return 1 if any(f[0] not in reasons for f in findings) else 0


def known(path):
    """Reasons by seed; they hold for the generator as it is, which gives each seed its model."""
    reasons = {}
    if path:
        with open(path, encoding="utf-8") as f:
            for line in f:
                if line.strip() and not line.startswith("#"):
                    seed, words = line.split(None, 1)
                    reasons[int(seed)] = words.strip()
    return reasons


def throttle(jobs, done, most):
    """The pool takes jobs as fast as they come, hundreds of them: hand out few at a time, so that the clock can end it."""
    for k, job in enumerate(jobs):
        yield job
        while k + 1 - done[0] >= most:
            time.sleep(0.005)


def summary(first, last, models, states, seconds, kinds, by_tag, paths, doubts, refused, findings):
    print("\nseeds %d to %d: %d models, %d states of them, in %.0f s" % (first, last, models, states, seconds))
    print("outcomes: " + ", ".join("%s %d" % k for k in kinds.most_common()))
    print("compared by path: " + ", ".join("%s %d" % k for k in paths.most_common()))
    words = set(coverage.ALL)
    print("models by feature: " + ", ".join("%s %d" % k for k in sorted(by_tag.items()) if k[0] not in words and not k[0].endswith("()")))
    print("models by statement and form: " + ", ".join("%s %d" % (w.replace("statement ", ""), by_tag[w]) for w in coverage.ALL))
    print("never: " + (", ".join(w for w in coverage.ALL if not by_tag[w]) or "nothing"))
    print("not compared: " + ", ".join("%s %d" % k for k in doubts.most_common(12)))
    print("refused: " + ", ".join("%s %d" % k for k in refused.most_common(12)))
    print("findings: %d" % len(findings))


if __name__ == "__main__":
    sys.exit(main())
