#!/usr/bin/env bash
# Every wrong model in tests/lang/bad gives exactly the message that NAME.expected holds, and its exit code. The first line
# of that file says how the command is called: 'mech check NAME.mech => 1'. With a second argument 'show' the cases that
# differ are printed; with 'write' their files are rewritten, to be read before they are kept.
. tests/scripts/lib.sh
mech=$(cd "$1" && pwd)/mech
mode=${2:-test}
exact=0 cases=0
unset LC_ALL LANG; export LC_ALL=C
cd tests/lang/bad || exit 1
for model in *.mech; do
    name=${model%.mech}
    case "$name" in part-*) continue;; esac # files that others include
    checks=$((checks + 1)); cases=$((cases + 1))
    [ -f "$name.expected" ] || { fail "$name has no expected message"; continue; }
    read -r first <"$name.expected"
    call=${first% => *} want=${first##* => }
    read -r -a words <<<"${call#mech }"
    timeout 300 "$mech" "${words[@]}" >/dev/null 2>"$work/message" </dev/null
    got=$?
    # where a run ends hangs on rounding: four digits of its time, and the last good state is only seen to be there
    { echo "$call => $got"; sed -E 's/(t = [0-9]+\.[0-9]{4})[0-9]+/\1/g; s/^(  last good state: ).*/\1.../; s/(crossed [0-9]+ times within ).*(: the motion)/\1...\2/; s/(took the clock only )[^ ,:]*/\1.../' "$work/message"; } >"$work/whole"
    if cmp -s "$work/whole" "$name.expected"; then exact=$((exact + 1)); continue; fi
    if [ "$mode" = write ]; then cp "$work/whole" "$name.expected"; echo "== $name"; cat "$model" "$name.expected"; continue; fi
    fail "$name (exit $got, want $want)"
    diff "$name.expected" "$work/whole" >&2
done
[ "$cases" -ge 150 ] || fail "only $cases wrong models"
echo "figure: wrong models: $exact of $cases messages exact"
finish
