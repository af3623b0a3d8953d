#!/usr/bin/env bash
# Every model of bodies and joints in absolute coordinates, with joints as constraints or from their other side, bodies in two parts, other
# cuts: the same motion and the same forces (tests/metamorphic/bodies.py). `make bodies` runs them all to their ends.
set -u
command -v python3 >/dev/null || { echo "bodies: no python3"; exit 1; }
mapfile -t models < <(grep -l '^gravity ' examples/*/model*.mech)
python3 tests/metamorphic/bodies.py "$1/mech" "${models[@]}" || exit 1
# random mechanisms beside Newton's and Euler's equations of each body, always the same ones
exec tools/differential "$1" --bodies --models 150
