#!/usr/bin/env bash
# `mech equilibrium`, `linearize`, `stability`, `gains` from outside. Numbers are checked in tests/unit/analyze.
. tests/scripts/lib.sh
hoop=examples/hoop-on-cylinder/model-holonomic.mech bar=examples/four-bar-spring/model.mech
cat >"$work/bead.mech" <<'END'
param m = 1, R = 1, g = 9.81, Omega = 2
coord x, z
kinetic m/2*(x'^2 + z'^2 + (Omega*x)^2)
potential m*g*z
constraint hoop: x^2 + z^2 = R^2
initial x = 0, z = -R
END

contains "2.23433101901758" "$mech" equilibrium $bar
contains "unique" "$mech" equilibrium $bar
contains "least-norm choice" "$mech" equilibrium examples/pendulum-redundant/model.mech
contains "(s^2 + B*s + K) (s^2 - 49/12)" "$mech" stability $hoop --symbols K,B
contains "never asymptotically stable, because of the factor s^2 - 49/12; the others need K > 0, B > 0" "$mech" stability $hoop --symbols K,B
contains "was a row of zeros" "$mech" stability $hoop --symbols K,B
contains '\frac{49}{12}' "$mech" stability $hoop --symbols K,B --format latex
contains "1 right, 1 left, 0 on the axis: unstable" "$mech" stability $hoop
contains "s^2 - 5/12*g" "$mech" stability $hoop --symbols g
contains "asymptotically stable" "$mech" stability $bar
contains "-10   (2 times)" "$mech" stability $hoop --gains 20,100
contains "frozen, depends on coordinates" "$mech" stability $hoop --here --state theta=0.3 --state phi=1.8
contains "on the axis, marginal, where -Omega^2 + g > 0" "$mech" stability "$work/bead.mech" --symbols Omega,g
contains "20            100" "$mech" gains $bar
contains "unstable with these gains" "$mech" gains $bar --decay 1000 --step 0.01

# charts, where there is a gnuplot
if command -v gnuplot >/dev/null; then
    contains "0 disagreements" "$mech" stability $hoop --map K=-20:20:9,B=-5:5:9 -o "$work/map.svg"
    contains "0 disagreements" "$mech" stability "$work/bead.mech" --map Omega=0:6:13,g=1:25:13 -o "$work/bead.svg"
    contains "2 eigenvalues at 21 values of k" "$mech" stability $bar --sweep k=15:60:21 -o "$work/locus.svg"
    contains "linear answer" "$mech" stability $bar --state a3=2.4 --response 2 -o "$work/answer.svg"
    for chart in map bead locus answer; do grep -q "</svg>" "$work/$chart.svg" || fail "$chart.svg is not whole"; done
    grep -q "Routh boundary" "$work/bead.svg" || fail "the map does not show the boundary"
else
    echo "skipped: no gnuplot, no charts"
fi

# programs
for words in "equilibrium $bar" "linearize $bar" "stability $bar" "stability $hoop --symbols K,B" "gains $bar" "stability $hoop"; do
    "$mech" $words --json >"$work/out.json" || fail "mech $words --json"
    if command -v python3 >/dev/null; then python3 -m json.tool "$work/out.json" >/dev/null || fail "mech $words: not JSON"; fi
    checks=$((checks + 1))
done

# the state space in Octave: the same poles
code 0 "$mech" linearize $bar -o "$work/sys.mat"
if command -v octave >/dev/null; then
    contains "same poles" octave --quiet --eval "s = load('$work/sys.mat'); p = eig(s.Ar); \
        if norm(sort(real(p)) - [-1;-1]*0.2423858093105051) < 1e-10 && abs(max(imag(p)) - 2.13395502834838) < 1e-10, disp('same poles'), end"
else
    echo "skipped: no octave, the .mat file is only read back by size"
    [ -s "$work/sys.mat" ] || fail "no state space was written"
fi

# the command line
code 2 "$mech" stability $hoop --map K=0:1 -o "$work/x.svg"
code 2 "$mech" stability $hoop --map K=0:1:5,Q=0:1:5 -o "$work/x.svg"
code 2 "$mech" stability $hoop --symbols nobody
code 2 "$mech" stability $hoop --sweep g=1:2:5
code 2 "$mech" stability $hoop --gains 3
code 2 "$mech" equilibrium $hoop --state thta=1
code 4 "$mech" stability examples/rough-circle/model.mech
contains "dry friction" "$mech" stability examples/incline-block/model.mech
code 1 "$mech" stability examples/incline-block/model.mech
finish
