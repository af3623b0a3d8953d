#!/usr/bin/env bash
# Fails when a small number stands in the code of the back half by itself: tolerances are in src/base/tolerances.h, each with its
# meaning and where it comes from. What is no tolerance (times, bytes, coefficients) is named here.
set -eu
cd "$(dirname "$0")/.."
rooms="contact dynamics simulate assemble motion analyze"
other='^src/(simulate/settings|motion/code|analyze/(gains|routh_float|[a-z_]*_gmp))\.c:'
found=$(for room in $rooms; do grep -HnE '[0-9]e-[0-9]+' "src/$room"/*.[ch]; done | sed 's,/\*.*,,' | grep -E '[0-9]e-[0-9]+' | grep -vE "$other" | grep -vE ':[0-9]+:   [a-z]' || true)
[ -z "$found" ] && { echo "tolerances: ok"; exit 0; }
echo "$found"
echo "a tolerance without a name: put it into src/base/tolerances.h"
exit 1
