#!/usr/bin/env bash
# Fails when a small number stands in the code of the back half by itself: tolerances are in src/base/tolerances.h, each with its
# meaning and where it comes from. What is no tolerance (times, bytes, coefficients) is named here. Constants of step control
# (integrate) and what the command takes from its options (app) may stay as a #define with its meaning behind or above it.
set -eu
cd "$(dirname "$0")/.."
rooms="src/contact src/system src/dynamics src/integrate src/simulate src/assemble src/motion src/analyze src/output app"
other='^src/(simulate/settings|motion/code|integrate/rk_tables|output/export_forces|analyze/(gains|routh_float|[a-z_]*_gmp))\.c:'
named='^(src/integrate|app)/[a-z_]*\.[ch]:[0-9]+:#define [A-Z_0-9]+ '
found=$(for room in $rooms; do grep -HnE '[0-9]e-[0-9]+' "$room"/*.[ch] || true; done |
    sed -E 's,"([^"\\]|\\.)*",,g; s,/\*.*,,' | grep -E '[0-9]e-[0-9]+' | grep -vE "$other" | grep -vE "$named" |
    grep -vE ':[0-9]+:   [a-z]' || true)
[ -z "$found" ] && { echo "tolerances: ok"; exit 0; }
echo "$found"
echo "a tolerance without a name: put it into src/base/tolerances.h"
exit 1
