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
    [ "$text" = turns.mech ] || code 0 "$mech" check "$text" # there nothing moves
    # all that the head says is said by notes and warnings, too
    [ "$(sed -n 's/^# //p' "$text" | tail -n +2 | sort)" = "$(sed -nE 's/^[^ ]*: (note|warning): //p' "$work/notes" | sort)" ] || fail "$file: notes are not the head of the text"
done
contains "friction on shoulder: torque 0.1" "$mech" import --friction arm.urdf
contains "friction on crank_joint: torque 0.3" "$mech" import --friction machine.xml
contains "constraint shoulder_low: shoulder >= -1" "$mech" import --limits arm.urdf
contains "constraint slider_joint_high: slider_joint <= 1" "$mech" import --limits arm.urdf
contains "joint root_joint: ground to base, free" "$mech" import --free arm.urdf
contains "turned [[4.8965888601467475e-12, 0, -1], [0, 1, 0], [1, 0, 4.8965888601467475e-12]]" "$mech" import --exact-angles off arm.urdf
# forces in a joint of an imported arm, and its inverse dynamics (KDL)
names="shoulder_pan_joint shoulder_lift_joint elbow_joint wrist_1_joint wrist_2_joint wrist_3_joint"
{
    printf 'gravity [0, 0, -9.81]\nimport arm: "%s/arm6.urdf"\noutput F = arm.shoulder_pan_joint.force, T = arm.shoulder_pan_joint.torque\n' "$PWD"
    paste <(printf '%s\n' $names) <(printf '%s\n' 0.3 0.5 0.2 0.4 0.1 0.3) <(printf '%s\n' 0.05 -0.4 0.2 -0.25 0.35 -0.1) |
        sed -E "s/(.*)\t(.*)\t(.*)/initial arm.\1 = \2, arm.\1' = \3/"
} >"$work/arm.mech"
for value in -39.084 -19.9233 80.8799 2.44053 0.754945; do contains "$value" "$mech" eval "$work/arm.mech"; done
given=$(printf ',arm.%s=0' $names)
for value in 0.0809168 -49.9877 -11.8201 0.153541 -0.00483517 0.000528323; do contains "$value" "$mech" eval "$work/arm.mech" --inverse "${given#,}"; done
cd ../.. || exit 1
[ "$cases" -ge 70 ] || fail "only $cases wrong files"
echo "figure: wrong files to import: $exact of $cases messages exact"
finish
