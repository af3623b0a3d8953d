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
# so is a page that says another thing than the table: a value, a bound, our value, a row too many
page() { sed "$1" docs/validation.md >"$work/page.md"; checks=$((checks + 1)); cmp -s docs/validation.md "$work/page.md" && fail "the page has nothing like $1"; }
page 's/0\.5631227609091668 (x) | 0\./0.5631227609091669 (x) | 0./'
contains "1 not on the page" tools/validate "$1" check "$work/coin.txt" "$work/page.md"
page '/Upright coin/s/| 1e-11 |/| 1e-10 |/'
contains "1 not on the page" tools/validate "$1" check "$work/coin.txt" "$work/page.md"
page '/Upright coin/s/(x) | 0\.56312/(x) | 0.56313/'
contains "1 not on the page" tools/validate "$1" check "$work/coin.txt" "$work/page.md"
sed 's/0\.8089982233197047 2\.103682434988109/0.8089982233197047/' "$work/coin.txt" >"$work/wrong.txt" # a name without a value
contains "1 outside their bounds" tools/validate "$1" check "$work/wrong.txt"

# figures of tests that did not run stay on the page, and say so; those that ran are new
mkdir -p "$work/build/release/Testing/Temporary"
printf '%s\n' '1/1 Testing: a' 'figure: wrong models: 12 of 12' 'figure: quite new: 3' 'Test Passed.' '2/2 Testing: b' 'figure: failing: 9' 'Test Failed.' >"$work/build/release/Testing/Temporary/LastTest.log"
printf '%s\n' '# Validation' '' '## Faults and hostile input' '' '| what | figure |' '|---|---|' '| hostile names | 78 names |' '| wrong models | 7 of 7 |' >"$work/figures.md"
for turn in once twice; do # and writing the page twice marks once
    tools/validate "$work/build/release" figures tests/reference/problems.txt "$work/figures.md"
    checks=$((checks + 1))
    [ "$(grep '^| [^w|]*\| | wrong models' "$work/figures.md" | sed 1d | tr -d '\n')" = '| hostile names | 78 names (kept) || wrong models | 12 of 12 || quite new | 3 |' ] || fail "figures, $turn: $(cat "$work/figures.md")"
done
finish
