"""All methods, with generated code and without, on random models: agree.py BUILD [--models N] [--first SEED]

Writes the texts and hands them to test_property.agree_native, which compares. Exit 1: outliers.
"""
import argparse
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generate  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--models", type=int, default=500)
    parser.add_argument("--first", type=int, default=1)
    given = parser.parse_args()
    program = os.path.join(given.build, "test_property.agree_native")
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for seed in range(given.first, given.first + given.models):
            made = generate.generate(seed)
            place = os.path.join(folder, str(seed))
            os.mkdir(place)
            for name, text in made.files.items():
                with open(os.path.join(place, name), "w", encoding="utf-8") as file:
                    file.write(text)
            paths.append(os.path.join(place, "model.mech"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(made.text)
        print("seeds %d to %d" % (given.first, given.first + given.models - 1), flush=True)
        return subprocess.call([program] + paths)


if __name__ == "__main__":
    sys.exit(main())
