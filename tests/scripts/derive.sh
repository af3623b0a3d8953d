#!/usr/bin/env bash
# What `mech derive` and `mech check` must show: the documents' examples, the README's output, the command line.
. tests/scripts/lib.sh

# document 003, example 1: three coordinates
m=examples/pendulum-three-coordinates/model.mech
contains "a_1k = [1, 0, -L/2*cos(theta)], a_10 = 0" "$mech" derive $m
contains "a_2k = [0, 1, L/2*sin(theta)], a_20 = 0" "$mech" derive $m
# example 2: two coordinates, as written and divided
m=examples/pendulum-two-coordinates/model.mech
contains "a_1k = [2*x_G, 2*y_G], a_10 = 0" "$mech" derive $m
contains "a_1k = [x_G, y_G], a_10 = 0" "$mech" derive $m --normalize

printf "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x^2/6 + y^2/6 = 1\n" >"$work/sixth.mech"
contains "A = [x, y]" "$mech" derive "$work/sixth.mech" --normalize

# document 004: the generalized Appell problem with an arbitrary g(x, y, z, t)
cat >"$work/appell.mech" <<'MODEL'
param alpha = 1/2
coord x, y, z
let g(x, y, z, t) = x*sin(y) + z^2*t + exp(x*z)
let G = g(x, y, z, t)
kinetic (x'^2 + y'^2 + z'^2)/2
constraint cone: x'^2 + y'^2 - z'^2 = 2*alpha*G
output whole = 2*alpha*G', half = alpha*G'
MODEL
contains "A = [2*x', 2*y', -2*z']" "$mech" derive "$work/appell.mech"
contains "A = [x', y', -z']" "$mech" derive "$work/appell.mech" --normalize
checks=$((checks + 2))
b=$("$mech" derive "$work/appell.mech" --only b | sed -n 's/^    b = //p')
whole=$("$mech" check "$work/appell.mech" --dump=model | sed -n 's/^output whole = \(.*\)   #.*/\1/p')
[ -n "$b" ] && [ "$b" = "$whole" ] || fail "b is not 2*alpha*g': $b / $whole"
b=$("$mech" derive "$work/appell.mech" --only b --normalize | sed -n 's/^    b = //p')
half=$("$mech" check "$work/appell.mech" --dump=model | sed -n 's/^output half = \(.*\)   #.*/\1/p')
[ -n "$b" ] && [ "$b" = "$half" ] || fail "b is not alpha*g' when divided: $b / $half"

# document 002's hoop in three and in two coordinates
m=examples/hoop-on-cylinder/model.mech
contains "M[theta, theta] = m*rho^2" "$mech" derive $m
contains "Q[theta] = m*g*rho*sin(theta) - 2*m*rho*rho'*theta'" "$mech" derive $m
contains "A = [0, -rho, r]" "$mech" derive $m
contains "1 degree of freedom" "$mech" check $m
code 0 "$mech" derive examples/hoop-on-cylinder/model-two-coordinates.mech

# the README's output is what the command prints
checks=$((checks + 1))
"$mech" derive $m --only M,Q,A,b >"$work/derived"
awk '/prints$/ {found=1} found && /^```$/ {n++; next} n==1 {print}' README.md >"$work/readme"
diff "$work/readme" "$work/derived" >&2 || fail "the README shows another output of mech derive"

# formats
code 0 "$mech" derive $m --format latex
contains "\\begin{pmatrix}" "$mech" derive $m --format latex
checks=$((checks + 1))
if command -v python3 >/dev/null; then
    "$mech" derive $m --json | python3 -c 'import json,sys; d=json.load(sys.stdin); assert d["coordinates"]==["rho","theta","phi"]; assert d["equation"]["A"][0]==[1,1,"1"]' || fail "derive --json"
    "$mech" check $m --json | python3 -c 'import json,sys; d=json.load(sys.stdin); assert d["initial"]["rank"]==2' || fail "check --json"
fi
for dump in tokens syntax model equations program; do code 0 "$mech" check $m --dump=$dump; done

# long equations name what they share; another reader finds the same numbers in both forms
bicycle=examples/bicycle/model.mech
contains "where, shared by what follows" "$mech" derive $bicycle
contains "c_{" "$mech" derive $bicycle --format latex
checks=$((checks + 3))
size=$("$mech" derive $bicycle | wc -c)
[ "$size" -lt 100000 ] || fail "the bicycle's equations take $size bytes"
"$mech" derive $bicycle --only M,h --expand | grep -q "^where" && fail "derive --expand names shared parts"
"$mech" derive examples/chain/model.mech | grep -q "^where" && fail "short entries that share little are given names"
if command -v python3 >/dev/null; then
    for name in heavy-top spatial-slider-crank flyball-governor; do
        checks=$((checks + 1))
        "$mech" derive examples/$name/model.mech --json >"$work/named.json"
        "$mech" derive examples/$name/model.mech --json --expand >"$work/full.json"
        python3 tests/scripts/same_equations.py "$work/named.json" "$work/full.json" || fail "$name: names change the equations"
    done
fi

# --set, also of a structural parameter
contains "coordinates   9:" "$mech" check examples/four-bar-ladder/model.mech --set N=1
contains "m = 7 kg" "$mech" check $m --set m=7
printf "coord x, y\nkinetic x'^2/2 - y'^2/2\nallow negative mass\n" >"$work/negative.mech"
contains "the mass matrix is indefinite: a mass is negative, as the model allows" "$mech" check "$work/negative.mech"
contains '"indefinite_mass": true' "$mech" check "$work/negative.mech" --json
contains "did you mean 'theta0'" "$mech" check examples/bouncing-pendulum/model.mech --set theat0=1
code 1 "$mech" check examples/four-bar-ladder/model.mech --set zzz=1

# the command line
code 2 "$mech" chek $m
contains "did you mean 'check'" "$mech" chek $m
code 2 "$mech" derive $m --formt json
contains "did you mean '--format'" "$mech" derive $m --formt json
code 2 "$mech" derive
code 2 "$mech" derive $m --only X
code 2 "$mech" derive $m --format xml
code 2 "$mech" check $m --set m
code 2 "$mech" check $m --set m=abc
code 1 "$mech" check "$work/no-such-file.mech"
code 0 "$mech"
code 0 "$mech" help derive
code 0 "$mech" --version
printf 'coord x\nkinetic m/2*x'"'"'^2\n' >"$work/bad.mech"
code 1 "$mech" check "$work/bad.mech"
contains "bad.mech:2:9: error: unknown name 'm'" "$mech" check "$work/bad.mech"
finish
