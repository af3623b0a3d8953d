#!/usr/bin/env bash
# The tables of docs/motion.md, with a shorter pendulum: projection holds, excess holds less, nothing drifts.
. tests/scripts/lib.sh
tools/motion_tables "$1" 60 >"$work/tables" || fail "tools/motion_tables"
checks=$((checks + 4))
awk -F'|' '$2 ~ /^ project/ && $4 < 1e-12 && $5 < 1e-11 {ok=1} END {exit !ok}' "$work/tables" || fail "projection drifts"
awk -F'|' '$2 ~ /^ excess/ && $4 < 1e-6 {ok=1} END {exit !ok}' "$work/tables" || fail "excess drifts"
awk -F'|' '$2 ~ /^ none/ && $4 > 1e-8 {ok=1} END {exit !ok}' "$work/tables" || fail "without stabilization nothing drifts: the table shows nothing"
awk -F'|' '$2 ~ /^ rk8/ && $3 ~ /1e-9/ && $6 < 1e-9 {ok=1} END {exit !ok}' "$work/tables" || fail "Andrews' mechanism is off by more than 1e-9"

# document 002's Figure 3 for the right equations: B = K = 100 from x0 = (0.0001, 0, 0.0001, 0) as given. The excess r = r*phi - rho*theta
# obeys r'' = -B r' - K r exactly, from r0 = -1e-4: r(t) = r0 (s1 e^(s2 t) - s2 e^(s1 t))/(s1 - s2)
cat >"$work/figure3.mech" <<'MODEL'
param m = 2, r = 0.2, R = 1, g = 9.8
let rho = R + r
coord theta, phi
kinetic   m/2*((rho*theta')^2 + (r*phi')^2)
potential m*g*rho*cos(theta)
constraint rolling: r*phi = rho*theta
stabilize excess B = 100, K = 100
initial theta = 0.0001, phi = 0.0001
output e = r*phi - rho*theta
simulate until 2, points 21
MODEL
code 0 "$mech" run "$work/figure3.mech" -o "$work/f.csv" --start as-given --rtol 1e-11 --atol 1e-14 --max-step 0.01
checks=$((checks + 1))
awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "e") c = i; next}
    {d = sqrt(100^2 - 400); s1 = (-100 + d)/2; s2 = (-100 - d)/2
     want = -1e-4*(s1*exp(s2*$1) - s2*exp(s1*$1))/(s1 - s2); e = $c - want; if (e < 0) e = -e; if (e > worst) worst = e}
    END {exit !(worst < 1e-14)}' "$work/f.csv" || fail "the excess variable of Figure 3"
# Bricard's mechanism: published reduction, point P3 at t = 1 (model in joint angles and in maximal coordinates)
for model in model model-angles; do
    code 0 "$mech" run examples/bricard/$model.mech --until 1 --points 2 --rtol 1e-10 --atol 1e-12 -o "$work/b.csv"
    checks=$((checks + 1))
    tail -n 1 "$work/b.csv" | awk -F, '{ # P3x, P3y, P3z stand before the five columns of the account
        split("0.51050146118721974 -1.6491675993948063 0.14012311455318583", want, " ")
        for (i = 1; i <= 3; i++) {e = $(NF - 8 + i) - want[i]; if (e < 0) e = -e; if (!(e < 1e-9)) exit 1}}' || fail "Bricard's P3 at t = 1 ($model)"
done
finish
