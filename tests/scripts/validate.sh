#!/usr/bin/env bash
# The published problems hold their bounds and stand on docs/validation.md. Builds with sanitizers leave the slow ones out.
. tests/scripts/lib.sh
how=check
grep -q '^MECH_SANITIZE:STRING=.' "$1/CMakeCache.txt" && how=quick
checks=$((checks + 1))
tools/validate "$1" $how >"$work/rows" 2>"$work/errors" || { fail "tools/validate"; cat "$work/errors" >&2; }
sed -n 's/^\([0-9]* problems\), \([0-9]* rows\), 0 .*/figure: published problems reproduced: \1, \2 within their bounds/p' "$work/rows"
# a wrong value is seen: one digit changed, a column that is not there, a quantity that the page does not have
sed -n '/^group Nonh/p; /^problem rolling-coin/,/^row/p' tests/reference/problems.txt >"$work/coin.txt"
code 0 tools/validate "$1" check "$work/coin.txt"
sed 's/0\.5631227609091668/0.5631227709091668/' "$work/coin.txt" >"$work/wrong.txt"
code 1 tools/validate "$1" check "$work/wrong.txt"
contains "1 outside their bounds" tools/validate "$1" check "$work/wrong.txt"
sed 's/ x y theta | / x y thta | /' "$work/coin.txt" >"$work/wrong.txt"
contains "1 outside their bounds" tools/validate "$1" check "$work/wrong.txt"
sed 's/run model.mech/run model.mech --no-such-option/' "$work/coin.txt" >"$work/wrong.txt"
contains "1 outside their bounds" tools/validate "$1" check "$work/wrong.txt"
sed 's/x, y, theta at t = 1/x, y, theta after a second/' "$work/coin.txt" >"$work/wrong.txt"
contains "1 not on the page" tools/validate "$1" check "$work/wrong.txt"
finish
