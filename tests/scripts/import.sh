#!/usr/bin/env bash
# Every wrong file in tests/import/bad gives exactly the message that NAME.expected holds, and its exit code; its first line says how
# the command is called. With a second argument 'write' those that differ are rewritten, to be read before they are kept.
. tests/scripts/lib.sh
mech=$(cd "$1" && pwd)/mech
exact=0 cases=0
export LC_ALL=C
cd tests/import/bad || exit 1
for expected in *.expected; do
    checks=$((checks + 1)); cases=$((cases + 1))
    read -r first <"$expected"
    call=${first% => *}
    read -r -a words <<<"${call#mech }"
    timeout 60 "$mech" "${words[@]}" >"$work/out" 2>"$work/message" </dev/null
    { echo "$call => $?"; cat "$work/message"; } >"$work/whole"
    [ ! -s "$work/out" ] || fail "$expected: a wrong file gives a text"
    if cmp -s "$work/whole" "$expected"; then exact=$((exact + 1)); continue; fi
    if [ "${2:-}" = write ]; then cp "$work/whole" "$expected"; continue; fi
    fail "$expected"
    diff "$expected" "$work/whole" >&2
done
cd .. || exit 1

# files that are right give the text that stands beside them
for text in *.mech; do
    checks=$((checks + 1))
    file=$(ls "${text%.mech}".urdf "${text%.mech}".xml 2>/dev/null)
    "$mech" import "$file" 2>"$work/notes" | cmp -s - "$text" || { fail "$file"; "$mech" import "$file" 2>/dev/null | diff "$text" - >&2; }
    # all that the head says is said by notes and warnings, too
    [ "$(sed -n 's/^# //p' "$text" | tail -n +2 | sort)" = "$(sed -nE 's/^[^ ]*: (note|warning): //p' "$work/notes" | sort)" ] || fail "$file: notes are not the head of the text"
done
contains "friction on shoulder: torque 0.1" "$mech" import --friction arm.urdf
contains "friction on crank_joint: torque 0.3" "$mech" import --friction machine.xml
contains "joint root_joint: ground to base, free" "$mech" import --free arm.urdf
contains "turned [[4.8965888601467475e-12, 0, -1], [0, 1, 0], [1, 0, 4.8965888601467475e-12]]" "$mech" import --exact-angles off arm.urdf
cd ../.. || exit 1
[ "$cases" -ge 70 ] || fail "only $cases wrong files"
echo "figure: wrong files to import: $exact of $cases messages exact"
finish
