"""All methods, with generated code and without, on random models: agree.py BUILD [--models N] [--first SEED] [--seconds S]

Writes each text and hands it to test_property.agree_native, which compares; a model that takes more than S seconds by all methods is told as
too slow, with its seed. Exit 1: outliers.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generate  # noqa: E402

WORDS = ("models", "runs", "outliers", "ended early", "with other events", "warned of")


def one(program, seed, folder, seconds):
    """Lines of the program, or None: too slow."""
    made = generate.generate(seed)
    for name, text in list(made.files.items()) + [("%d.mech" % seed, made.text)]:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    try:
        p = subprocess.run([program, os.path.join(folder, "%d.mech" % seed)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    if p.returncode < 0:
        return ["crash, signal %d" % -p.returncode]
    return p.stdout.decode().replace(folder + "/", "").strip().split("\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--models", type=int, default=500)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20, help="for a model")
    given = parser.parse_args()
    program = os.path.join(given.build, "test_property.agree_native")
    begin, slow, total, crashes = time.time(), [], collections.Counter(), 0
    last = given.first + given.models - 1
    print("seeds %d to %d" % (given.first, last), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(given.first, last + 1):
            lines = one(program, seed, folder, given.seconds)
            if lines is None:
                slow.append(seed)
                continue
            crashes += lines[0].startswith("crash")
            for line in lines:
                if not re.search(r"of what is allowed$|no reference|is warned of|^\d+ models, |^\d+ checks, ", line):
                    print("%d: %s" % (seed, line), flush=True)
            account = " ".join(line for line in lines if re.match(r"\d+ models, ", line))
            for word in WORDS:
                found = re.search(r"(\d+) %s" % word, account)
                total[word] += int(found.group(1)) if found else 0
    print("too slow: %s" % (", ".join(map(str, slow)) or "none"))
    print(", ".join("%d %s" % (total[w], w) for w in WORDS) + "; %d too slow, %d crashes, %.0f s" % (len(slow), crashes, time.time() - begin))
    return 1 if total["outliers"] or total["with other events"] or crashes else 0


if __name__ == "__main__":
    sys.exit(main())
