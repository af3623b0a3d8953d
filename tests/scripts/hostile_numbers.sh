#!/usr/bin/env bash
# Parameters of absurd size, masses that are zero or negative, tolerances at their ends. Whatever comes, it is a finite answer
# or a message that says what is wrong: no crash, no run that cannot be stopped, no nan in a file that says it is good.
. tests/scripts/lib.sh
mech=$(cd "$1" && pwd)/mech
answers=0 refusals=0
# try WORDS...: ends with 0 and only finite numbers, or with a message. A run that would take steps without end (a frequency of
# 1e150) goes on until it is asked to stop, and then does so at once.
try() {
    checks=$((checks + 1))
    local limit got
    for limit in 2 4 8 16 32 64 128; do
        [ "$2" = run ] || limit=300
        timeout --preserve-status -k 120 $limit "$@" >"$work/out" 2>"$work/err" </dev/null
        got=$?
        [ "$2 $got" = "run 143" ] && [ ! -s "$work/err" ] || break # asked before it watched for signals: the machine is slow, once more with patience
    done
    case $got in
    0) answers=$((answers + 1))
       grep -qiE '(^|[^a-z_])-?(nan|inf)([^a-z_(]|$)' "$work/out" && { fail "'$*' answers with what is no number"; grep -m 3 -niE '(^|[^a-z_])-?(nan|inf)([^a-z_(]|$)' "$work/out" >&2; };;
    1|2|3|4|143) refusals=$((refusals + 1)); [ -s "$work/err" ] || fail "'$*' fails without a word";;
    137) fail "'$*' does not stop when it is asked to";;
    *) fail "'$*' ends with $got"; head -n 5 "$work/err" >&2;;
    esac
}
parameters=4; ! grep -q '^MECH_SANITIZE:STRING=.' "$1/CMakeCache.txt" || parameters=2 # of each model; sanitizers take long to start
for model in examples/*/model.mech; do
    case $model in */chain/*|*ladder*|*/bricard/*) continue;; esac # the same equations many times over
    for name in $("$mech" check "$model" --dump model | sed -n 's/^param *\([A-Za-z_0-9]*\) .*/\1/p' | head -n $parameters); do
        for value in 1e-300 1e300 0 -1; do
            try "$mech" eval "$model" --set "$name=$value"
            case $value in 0|-1) continue;; esac
            try "$mech" run "$model" --set "$name=$value" --until 0.01 --points 3 --no-native --quiet -o -
        done
    done
done
figure="$checks of absurd parameters: $answers finite answers, $refusals refusals in words"
methods="rk8 rk5 irk bdf adams"; [ $parameters -eq 4 ] || methods="rk8 bdf"; ! grep -q '^MECH_CORE:BOOL=ON' "$1/CMakeCache.txt" || methods="rk8 rk5" # the others are SUNDIALS'

# zero and negative masses are refused by name
cat >"$work/masses.mech" <<'MODEL'
param m1 = 1, m2 = 1, k = 10
coord first, second
kinetic m1/2*first'^2 + m2/2*second'^2
potential k/2*(first - second)^2
initial first = 1
simulate until 1
MODEL
for command in "eval" "run -o - --quiet" "run -o - --quiet --native on"; do
    set -- $command; word=$1; shift
    for value in -1 -1e300 -1e-300; do
        code 1 "$mech" $word "$work/masses.mech" --set m1=$value "$@"
        contains "'allow negative mass' would take it): " "$mech" $word "$work/masses.mech" --set m1=$value "$@"
        contains "first" "$mech" $word "$work/masses.mech" --set m1=$value "$@"
    done
    code 1 "$mech" $word "$work/masses.mech" --set m2=0 "$@"
    contains "second" "$mech" $word "$work/masses.mech" --set m2=0 "$@"
done
# a motion does not hang on the unit of mass: the same path for 1e-300 and 1e300 (a free flight is exact)
sed "/^potential/d; s/^initial.*/initial first = 1, first' = 3, second' = -2/" "$work/masses.mech" >"$work/free.mech"
for m in 1e-300 1e-150 1 1e150 1e300; do
    "$mech" run "$work/free.mech" --set m1=$m --set m2=$m -o - --quiet | cut -d, -f1-5 >"$work/free-$m"
done
for m in 1e-300 1e-150 1e150 1e300; do
    checks=$((checks + 1))
    cmp -s "$work/free-1" "$work/free-$m" || fail "a free flight hangs on the mass: $m"
done
checks=$((checks + 1))
tail -n 1 "$work/free-1" | awk -F, '{far = ($2 - 4)^2 + ($3 + 2)^2 + ($4 - 3)^2 + ($5 + 2)^2} END {exit !(NR && far < 1e-24)}' || fail "a free flight ends elsewhere: $(tail -n 1 "$work/free-1")"
# a mass that carries no force may be zero where constraints hold it
printf "coord x, y\nmass x = 1\nconstraint rod: y = 2*x\nforce 3 on x'\nsimulate until 1\n" >"$work/held.mech"
code 0 "$mech" eval "$work/held.mech"

# the tolerance of the rank: its ends are refused, and inside it is the answer that stands still
redundant=examples/pendulum-redundant/model.mech
for value in 0 1 nan -1 -0 inf 2 -1e-300 1e-400x ''; do
    code 2 "$mech" eval $redundant --rank-tol "$value"
    code 2 "$mech" run $redundant --rank-tol "$value" -o - --quiet
done
for value in 1e-300 1e-15 1e-8 1e-3 0.9 0.999999; do
    try "$mech" eval $redundant --rank-tol $value
    try "$mech" run $redundant --rank-tol $value --until 0.1 -o - --quiet
done

# the first value that is no number stops the run with its time, its place and its expression
cat >"$work/stops.mech" <<'MODEL'
param a = 1
coord x, y
kinetic x'^2/2 + y'^2/2
force sqrt(a - x) on y'
initial x' = 1
simulate until 3
MODEL
says() { # PATTERN OPTIONS...: of a run that ends with 4
    local what=$1 got; shift; checks=$((checks + 1))
    "$mech" run "$@" -o - --quiet >"$work/out" 2>"$work/err"; got=$?
    [ $got -eq 4 ] && grep -q -e "$what" "$work/err" || { fail "'mech run $*' ends with $got and does not say: $what"; cat "$work/err" >&2; }
}
for method in $methods; do says 'Q\[y\] is nan at t = 1[.0-9]*: sqrt(a - x)$' "$work/stops.mech" --method $method; done
says 'Q\[y\] is nan at t = 1[.0-9]*: sqrt(a - x)$' "$work/stops.mech" --native on
# stops WHAT LINES...: so does a law, friction, a mass, a rate, a dissipation, a motion asked for, an output, the value of an event, what it sets
stops() {
    local what=$1 method; shift
    printf '%s\n' "coord x, y" "kinetic (x'^2 + y'^2)/2" "potential 10*y" "constraint floor: y = 0" "initial x' = 3" "simulate until 3" "$@" >"$work/part.mech"
    for method in $methods; do says "$what" "$work/part.mech" --method $method; done
}
stops 'C\[x, law 1\] is [a-z]* at t = 0[.0-9]*: -log(1 - x)\*lambda(floor)' "nonideal on floor: x = -log(1 - x)*force(floor, y)"
stops 'friction\[1\] is nan at t = 0.10[0-9]*: sqrt(0.3 - x)' "friction on floor: sqrt(0.3 - x), along x'"
stops 'rate\[z\] is nan at t = 0.61370[0-9]*: sqrt(1 - z) + 1' "state z: z' = sqrt(1 - z) + 1"
stops 'Q\[x\] is nan at t = 0[.0-9]*: -2\*x'"'"'\*sqrt(1 - x)' "dissipation x'^2*sqrt(1 - x)"
stops 'r\[path\] is nan at t = 1[.0-9]*: w - sqrt(1 - t)' "coord w" "mass w = 1" "control path: w = sqrt(1 - t)" "stabilize excess on path, B = 2, K = 1"
stops 'output\[o\] is nan at t = 0[.0-9]*: log(1 - x)\*lambda(floor)' "output o = log(1 - x)*lambda(floor)"
stops 'event\[e\] is nan at t = [0-9.]*: log(1 - x) + 100' "event e: log(1 - x) falls through -100 -> record"
stops 'in event e: action\[1\] is nan at t = 0.333[0-9]*: sqrt(1/2 - x)' "event e: x rises through 1 -> set x' = sqrt(1/2 - x)"
while IFS='|' read -r part what; do
    printf "param a = 1\ncoord x, y\nmass y = 1\nmass x = 1\n%s\nsimulate until 1\n" "$part" >"$work/part.mech"
    code 4 "$mech" run "$work/part.mech" -o - --quiet
    contains "$what" cat "$work/out"
done <<'PARTS'
mass x = 1/(a - 1)|M[x, x] is inf at t = 0: 1/(a - 1) + 1
constraint c: x/(a - 1) = y|r[c] is inf at t = 0: x/(a - 1) - y
constraint c: y = 1/(a - 1)|r[c] is -inf at t = 0: y - 1/(a - 1)
potential x/(a - 1)|Q[x] is -inf at t = 0: -1/(a - 1)
dissipation x'^2/(a - 1)|Q[x] is nan at t = 0: -2*x'/(a - 1)
state z: z' = 1/(a - 1)|rate[z] is inf at t = 0: 1/(a - 1)
PARTS
[ $parameters -lt 4 ] || echo "figure: hostile numbers: $checks checks ($figure), $failures failed"
finish
