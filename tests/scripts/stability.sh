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
printf 'param L = 2, k = 0.6, w = 1/L\ncoord x\nkinetic x%s^2/2\npotential (k - sin(w))*x^2/2\nforce -x%s on x%s\n' "'" "'" "'" >"$work/sine.mech"
contains "asymptotically stable (eigenvalues and Routh agree)" "$mech" stability "$work/sine.mech" --symbols k,L # 0.6 > sin(1/2) = 0.48
printf 'param a = 1, b = 2, c = 3, d = 4\ncoord x\nkinetic x%s^2/2\nstate z: z%s = -(a + b)*z - c*x%s - d*x\nforce z on x%s\n' "'" "'" "'" "'" >"$work/third.mech"
contains "(a*c + b*c - d)/(a + b)" "$mech" stability "$work/third.mech" --symbols a,b,c,d # s^3 + (a + b) s^2 + c s + d
printf 'param m = 2, k = 3\ncoord x, y\nkinetic m*y%s^2/2\npotential k*x^2/2 + 5*x\nconstraint tie: x = y\n' "'" >"$work/massless.mech"
contains "s^2 + k/m" "$mech" stability "$work/massless.mech" --symbols k,m # the first coordinate has no mass of its own
contains "20            100" "$mech" gains $bar
contains "unstable with these gains" "$mech" gains $bar --decay 1000 --step 0.01

# --state of a joint that is a constraint, which its body follows
printf '%s\n' "gravity [0, -9.81]" "body a: rod [0, 0] to [1, 0], mass 1" "joint A: ground to a, revolute" "guess A = -1.4" "output y = norm(reaction(A))" >"$work/joint.mech"
contains "a.angle = 1.570796, A = 1.570796" "$mech" stability "$work/joint.mech" --state A=1.5
contains "a.angle = -1.570796, A = -1.570796" "$mech" stability "$work/joint.mech" --state a.angle=-1.5
contains "a.angle = 0.5, A = 0.5" "$mech" stability "$work/joint.mech" --here --state A=0.5
contains "moved onto the constraints: a.angle from -1.4 to -1" "$mech" eval "$work/joint.mech" --state A=-1
contains "moved onto the constraints: A from -1.4 to -1" "$mech" eval "$work/joint.mech" --state a.angle=-1

# --here stands where a run begins, also where `initial` gives expressions or velocities of joints: v = 2 th' = 2
printf '%s\n' "coord th" "let v = 2*th'" "kinetic th'^2/2" "force -th'^3 on th'" "initial v = 2" >"$work/speed.mech"
contains "th = 0, th' = 1" "$mech" linearize "$work/speed.mech" --here
contains "              0           -3" "$mech" linearize "$work/speed.mech" --here # -3 th'^2
contains "0        -6.75" "$mech" linearize "$work/speed.mech" --here --state "th'=1.5"
contains "0           -3" "$mech" linearize "$work/speed.mech" --here --state th=1
contains "th = 0, th' = 1" "$mech" stability "$work/speed.mech" --here
printf '%s\n' "gravity [0, -9.81]" "body a: rod [0, 0] to [1, 0], mass 1" "joint A: ground to a, revolute" "initial a.angle = 0.5, a.w = 2" >"$work/angle.mech"
contains "A = 0.5, A' = 2" "$mech" stability "$work/angle.mech" --here
# the search begins there as well: the rest of (x^2 - 1)^2 at the side that d = 2 x - 1 = 2 is on, not where x = 0 rests
printf '%s\n' "param c = 1" "coord x" "let d = 2*x - 1" "kinetic x'^2/2" "potential (x^2 - c)^2" "initial d = 2" >"$work/side.mech"
contains "equilibrium: x = 1" "$mech" stability "$work/side.mech"
contains '"others": [false, false, false]' "$mech" stability "$work/side.mech" --sweep c=0.5:2:3 --json
"$mech" report "$work/side.mech" --until 1 -o "$work/side.html" >/dev/null
contains "equilibrium: x = 1" cat "$work/side.html"

# states that are no equilibria, and what is said of them
contains "hoop is violated by 0.21" "$mech" stability "$work/bead.mech" --here --state z=-1.1
contains "none: the state is not on its constraints" "$mech" stability "$work/bead.mech" --here --state z=-1.1
contains '"violations": [{"row": "hoop"' "$mech" linearize "$work/bead.mech" --here --state z=-1.1 --json
contains "leave" "$mech" linearize "$work/bead.mech" --here --state z=-1.1
cat >"$work/norm.mech" <<'END'
coord x, y
input F = sin(t)
kinetic (x'^2 + y'^2)/2
potential x^2 + y^2
force F on x'
output speed = sqrt(x'^2 + y'^2)
END
contains "output speed = sqrt(x'^2 + y'^2) has no derivative here" "$mech" linearize "$work/norm.mech"
contains "the input F changes with time" "$mech" stability "$work/norm.mech"
contains "the input F changes with time: the forces balance at t = 0 only" "$mech" equilibrium "$work/norm.mech"
contains "[null, null, null, null]" "$mech" linearize "$work/norm.mech" --json
printf 'coord theta, phi\nkinetic (theta%s^2 + sin(theta)^2*phi%s^2)/2\npotential -cos(theta)\ninitial theta = 1e-20\n' "'" "'" >"$work/pole.mech"
contains "phi loses its inertia within a millionth of theta" "$mech" stability "$work/pole.mech"
contains "none: the mass matrix is all but singular here" "$mech" stability "$work/pole.mech"
printf 'coord x, y\nkinetic (x%s^2 + y%s^2)/2\nconstraint pin: [x, y] = [1, 0]\nconstraint wall: x = 2\n' "'" "'" >"$work/conflict.mech"
code 3 "$mech" equilibrium "$work/conflict.mech"
contains "together: pin[1], wall; the nearest misses pin[1] by 0.5" "$mech" equilibrium "$work/conflict.mech"
contains "pin[1]" "$mech" check "$work/conflict.mech"
contains "pin[1]" "$mech" eval "$work/conflict.mech"
printf 'coord x\nkinetic x%s^2/2\npotential x^2/2 - log(x)\ninitial x = -5\n' "'" >"$work/log.mech"
code 4 "$mech" equilibrium "$work/log.mech"
contains "the potential energy is not a finite number" "$mech" equilibrium "$work/log.mech"

# dry friction: what it holds, and that gains do not depend on it
contains "holds 4.905 of at most 5.097426" "$mech" equilibrium examples/incline-block/model.mech --set mu=0.6
contains "4.905 is asked of it, 2.54871 is the most it bears" "$mech" equilibrium examples/incline-block/model.mech
code 4 "$mech" equilibrium examples/incline-block/model.mech
contains "slides at 0.5 even where all coordinates rest" "$mech" equilibrium examples/belt-block/model.mech
contains "asymptotically stable" "$mech" gains examples/incline-block/model.mech

# friction that is 0 is none: the answers are those of the model without it
printf 'param mu = 0, s = 0, k = 4\ncoord x, y\nkinetic (x%s^2 + y%s^2)/2\npotential 9.81*y + k/2*x^2\nconstraint floor: y = 0\n' "'" "'" >"$work/smooth.mech"
{ cat "$work/smooth.mech"; echo "friction on floor: mu, along x', static 2*s"; } >"$work/zero.mech"
for word in stability linearize equilibrium; do
    checks=$((checks + 1))
    for model in smooth zero; do "$mech" $word "$work/$model.mech" 2>&1 | sed 's/[^ ]*mech$/MODEL/' >"$work/$model.txt"; done
    [ -s "$work/zero.txt" ] && cmp -s "$work/smooth.txt" "$work/zero.txt" || fail "mech $word sees friction whose coefficient is 0"
done
code 1 "$mech" stability "$work/zero.mech" --set s=0.1
code 1 "$mech" stability "$work/zero.mech" --set mu=0.1
code 2 "$mech" stability "$work/zero.mech" --symbols mu
code 2 "$mech" stability "$work/zero.mech" --map s=0:1:3,k=1:2:3 -o "$work/x.svg"
code 0 "$mech" stability "$work/zero.mech" --symbols k

# a kink at the equilibrium has no linear system; beside it, or with one slope on both sides, there is one
printf "coord x\nkinetic x'^2/2\npotential abs(x)\n" >"$work/kink.mech"
contains "abs(x) in line 3" "$mech" stability "$work/kink.mech"
contains "Verdict      none: the equations have a kink" "$mech" stability "$work/kink.mech"
contains "abs(x) in line 3" "$mech" equilibrium "$work/kink.mech"
"$mech" equilibrium "$work/kink.mech" | grep -q Family && fail "a kink is called a family of equilibria"
contains '"kinks": ["abs(x) in line 3"]' "$mech" stability "$work/kink.mech" --json
printf "coord x\nkinetic x'^2/2\nforce -x - x*abs(x) - x' on x'\n" >"$work/smooth.mech"
contains "asymptotically stable" "$mech" stability "$work/smooth.mech"

# an event at its threshold acts however near the motion stays: x' doubles twice a period and falls to exp(-0.2 pi) = 0.53
# of it. Beside the threshold the verdict is that of the matrix.
printf "param at = 0\ncoord x\nkinetic x'^2/2\npotential x^2/2\ndissipation 0.1*x'^2\nevent a: x crosses through at -> set x' = 2*x'\n" >"$work/event.mech"
contains "Event        a: at its threshold at this very point" "$mech" stability "$work/event.mech"
contains "Verdict      none: an event stands at its threshold" "$mech" stability "$work/event.mech"
contains '"events_at_threshold": ["a"]' "$mech" stability "$work/event.mech" --json
contains '"doubt": "an event stands at its threshold' "$mech" linearize "$work/event.mech" --json
contains "Modes are of the motion without it" "$mech" linearize "$work/event.mech"
contains "Verdict      asymptotically stable" "$mech" stability "$work/event.mech" --set at=0.1
contains '"events_at_threshold": []' "$mech" stability "$work/event.mech" --set at=0.1 --json
code 1 "$mech" stability "$work/event.mech" --sweep at=0:1:3 -o "$work/x.svg"
# in polar coordinates a bowl has its equilibrium, for w^2 < 2 a g, where psi has no inertia: it is found, and has no modes
cat >"$work/bowl.mech" <<'END'
param a = 1, w = 3, g = 9.81
coord r, z, psi
kinetic (r'^2 + z'^2 + r^2*psi'^2)/2
potential g*z
constraint bowl: z = a*r^2
steady psi' = w
guess r = 0.5
END
checks=$((checks + 1))
"$mech" stability "$work/bowl.mech" --sweep w=1:4:3 -o "$work/x.svg" >"$work/out" 2>&1 || :
grep -qF 'the sweep: the mass matrix and the constraints leave coordinates undetermined' "$work/out" || { echo 'a sweep without inertia'; cat "$work/out"; failures=$((failures + 1)); }
# so of a loop that samples: u = -x, and x' doubles
printf "param at = 0\ncoord x\nkinetic x'^2/2\ndissipation x'^2/2\nsampled u = 0\nevery 0.1 { set u = -x }\nforce u on x'\nevent a: x crosses through at -> set x' = 2*x'\n" >"$work/event.mech"
contains "Event        a: at its threshold" "$mech" stability "$work/event.mech"
contains "Verdict      none: an event stands at its threshold" "$mech" stability "$work/event.mech"
contains '"events_at_threshold": ["a"]' "$mech" stability "$work/event.mech" --json
contains "Verdict      stable: all lie inside" "$mech" stability "$work/event.mech" --set at=1
# at t = 0 the gain is 0 and all looks well; at every second sample it is 1e4
printf "coord x\nkinetic x'^2/2\npotential x^2/2\ndissipation x'^2/2\nsampled u = 0\nevery 0.1 { set u = -x*mod(t, 0.2)*1e5 }\nforce u on x'\n" >"$work/gain.mech"
contains "Verdict      of the frozen matrix: all lie inside" "$mech" stability "$work/gain.mech"
contains '"frozen": true' "$mech" stability "$work/gain.mech" --json

# a shift that the modes leave out and Routh's array holds is said to be so, by both
printf "coord x\nkinetic x'^2/2\ndissipation x'^2/2\n" >"$work/shift.mech"
contains "1 at 0, 1 of them the shift above" "$mech" stability "$work/shift.mech"
contains "asymptotically stable but for the shift above" "$mech" stability "$work/shift.mech"

# charts as numbers; polynomials in full: both against rationals of another arithmetic
if command -v python3 >/dev/null; then
    printf "param k = 1/7, c = 1/13\ncoord x, y\nkinetic (x'^2 + 3*y'^2/17)/2\npotential k*x^2/2 + c*(x - y)^2/11 + y^2/123456789\ndissipation c*x'^2/2\n" >"$work/long.mech"
    "$mech" stability "$work/long.mech" --json >"$work/long.json"
    printf "param m = 1, k = 1\ncoord x\nkinetic m*x'^2/2\npotential k*x^2/2\ndissipation x'^2/2\n" >"$work/mass.mech"
    "$mech" stability "$work/mass.mech" --map m=-1:1:5,k=1:2:3 --json >"$work/map.json"
    "$mech" stability "$work/mass.mech" --sweep k=0:1:3 --format json >"$work/sweep.json"
    checks=$((checks + 1))
    python3 - "$work" <<'P' || fail "JSON of charts or polynomials"
import json, sys
from fractions import Fraction as F
work = sys.argv[1]
load = lambda name: json.load(open(work + "/" + name))
k, c = F(1, 7), F(1, 13)
m2, k11, k12, k22 = F(3, 17), k + 2*c/11, -2*c/11, 2*c/11 + F(2, 123456789)
want = [F(1), c, (k11*m2 + k22)/m2, c*k22/m2, (k11*k22 - k12*k12)/m2]   # (s^2 + c s + k11)(m2 s^2 + k22) - k12^2
long = load("long.json")
text = long["symbolic"]["polynomial"]
got = [F(1)] + [F(t.split("*s")[0]) for t in text.split(" + ")[1:]]
assert long["symbolic"]["exact"] and got == want, text
first = [[F(e) for e in row["entries"]] for row in long["routh"]["array"]]
assert first[0] == [want[0], want[2], want[4]] and first[1][:2] == [want[1], want[3]]
assert first[2][0] == want[2] - want[3]/want[1]
m = load("map.json")
assert m["disagreements"] == 0 and m["compared"] == 6 and m["x"]["values"] == [-1, -0.5, 0, 0.5, 1]
assert m["region"] == [["none"]*3 + ["stable"]*2]*3
s = load("sweep.json")
for k, roots in zip(s["axis"]["values"], s["eigenvalues"]):
    a, b = (complex(*r) for r in roots)
    assert abs(a + b + 1) < 1e-12 and abs(a*b - k) < 1e-12
P
fi

# charts
    contains "0 disagreements" "$mech" stability $hoop --map K=-20:20:9,B=-5:5:9 -o "$work/map.svg"
    contains "0 disagreements" "$mech" stability "$work/bead.mech" --map Omega=0:6:13,g=1:25:13 -o "$work/bead.svg"
    contains "2 eigenvalues at 21 values of k" "$mech" stability $bar --sweep k=15:60:21 -o "$work/locus.svg"
    contains "linear answer" "$mech" stability $bar --state a3=2.4 --response 2 -o "$work/answer.svg"
    for chart in map bead locus answer; do grep -q "</svg>" "$work/$chart.svg" || fail "$chart.svg is not whole"; done
    grep -q "Routh boundary" "$work/bead.svg" || fail "the map does not show the boundary"

# a governor opens where w^2 > 20. It is followed from the present speed, and where that leads to another equilibrium than
# a run of one value alone finds, it is said
printf "param w = 5, c = 1\ncoord th\nkinetic (th'^2 + w^2*sin(th)^2)/2\npotential -20*cos(th)\ndissipation c*th'^2/2\nguess th = 1\n" >"$work/governor.mech"
contains '"others": [false, false, false, false]' "$mech" stability "$work/governor.mech" --sweep w=2:8:4 --json
contains '"others": [false, false, true, true]' "$mech" stability "$work/governor.mech" --set w=3 --sweep w=2:8:4 --json
contains '"others": [false, false, false, false]' "$mech" stability "$work/governor.mech" --set w=3 --state th=0 --sweep w=2:8:4 --json
contains '{"x": 6, "y": 2, "equilibrium": [0, 0]}' "$mech" stability "$work/governor.mech" --set w=3 --map w=2:8:4,c=1:2:2 --json
contains "at 2 values a run of that value alone finds another equilibrium than the one followed from the model's values, and other eigenvalues: first at w = 6; followed there: th = 0" "$mech" stability "$work/governor.mech" --set w=3 --sweep w=2:8:4 -o "$work/governor.svg"
contains "at 4 points a run of that point alone finds another equilibrium than the one followed from the model's values, and another region: first at w = 6, c = 1; followed there: th = 0" "$mech" stability "$work/governor.mech" --set w=3 --map w=2:8:4,c=1:2:2 -o "$work/governor.svg"

# programs
for words in "equilibrium $bar" "linearize $bar" "stability $bar" "stability $hoop --symbols K,B" "gains $bar" "stability $hoop"; do
    "$mech" $words --json >"$work/out.json" || fail "mech $words --json"
    if command -v python3 >/dev/null; then python3 -m json.tool "$work/out.json" >/dev/null || fail "mech $words: not JSON"; fi
    checks=$((checks + 1))
done

# outputs that are one choice of many: what two rows that say the same give is, what they give together is not
printf '%s\n' "param m = 1" "coord x, y" "input F = 0" "kinetic m/2*(x'^2 + y'^2)" "potential m*9.81*y + x^2" "constraint floor: y = 0" "constraint again: 2*y = 0" \
    "force F on x' + y'" "output share = force(floor, y), both = force(floor, y) + force(again, y)" >"$work/shared.mech"
contains "output share uses multipliers that are not unique: its row of C and D is one choice of many" "$mech" linearize "$work/shared.mech"
contains '"least_norm_outputs": ["share"]' "$mech" linearize "$work/shared.mech" --json
contains "one choice of many" "$mech" linearize "$work/shared.mech" --step "$work/step.csv"
lacks "one choice of many" "$mech" linearize $bar
contains '"least_norm_outputs": []' "$mech" linearize $bar --json

# the state space in Octave: the same poles
code 0 "$mech" linearize $bar -o "$work/sys.mat"
if command -v octave >/dev/null; then
    contains "same poles" octave --quiet --eval "s = load('$work/sys.mat'); p = eig(s.Ar); \
        if norm(sort(real(p)) - [-1;-1]*0.2423858093105051) < 1e-10 && abs(max(imag(p)) - 2.13395502834838) < 1e-10, disp('same poles'), end"
    # a spring and damper driven by a force: the transfer function C (sI - A)^-1 B + D in Octave against 1/(s^2 + 0.4 s + 4)
    printf 'coord x, y\ninput F = 0\nkinetic (x%s^2 + y%s^2)/2\npotential 2*x^2\nforce F - 0.4*x%s on x%s\nconstraint rail: y = 0\noutput place = x, acc = x%s%s\n' \
        "'" "'" "'" "'" "'" "'" >"$work/driven.mech"
    code 0 "$mech" linearize "$work/driven.mech" -o "$work/driven.mat"
    contains "same transfer" octave --quiet --eval "m = load('$work/driven.mat'); s = 0.3 + 1.7i; h = 1/(s^2 + 0.4*s + 4); \
        G = m.C*((s*eye(4) - m.A)\\m.B) + m.D; R = m.Cr*((s*eye(2) - m.Ar)\\m.Br) + m.D; \
        if norm(G - [h; s^2*h]) < 1e-12 && norm(R - G) < 1e-12 && strcmp(m.inputs{1}, 'F') && strcmp(m.outputs{2}, 'acc'), disp('same transfer'), end"
else
    echo "skipped: no octave, the .mat file is only read back by size"
    [ -s "$work/sys.mat" ] || fail "no state space was written"
fi

# a constraint that waits for an event is not in force: x is a spring and damper of its own
contains "k > 0, c > 0" "$mech" stability tests/app/waiting.mech --symbols k,c
contains "rank 0 in position, 0 in velocity" "$mech" stability tests/app/waiting.mech --set k=-4
contains "(s^2 + s + 4) (s^2 + s - 4)" "$mech" stability tests/app/waiting.mech --set k=-4
contains "1 right, 3 left" "$mech" stability tests/app/waiting.mech --set k=-4
contains "clamp        not in force: it waits for an event" "$mech" equilibrium tests/app/waiting.mech
# exact where it is exact: the angle of (-1, 0) is pi, and no rational; and why it is never stable, in every format
printf "param k = 2\ncoord x\nkinetic x'^2/2\ndissipation x'^2/2\npotential k*x^2/2 + atan2(0, -1)*x^2/pi\n" >"$work/turn.mech"
contains "s^2 + s + k + 2" "$mech" stability "$work/turn.mech" --symbols k
printf "param k = 2\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\n" >"$work/spring.mech"
contains '"never": "s^2 + k"' "$mech" stability "$work/spring.mech" --symbols k --json
# a law on several constraints stays while one of them is in force, as in runs: s^2 + 3 s + 4
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 2*x^2 + 10*y\nconstraint floor: y = 0\nconstraint wall: x = 10\n\
nonideal on floor, wall: x = -3*x'\nevent e: x rises through 10 -> impose wall\n" >"$work/both.mech"
contains "-1.5 +- 1.322876 i" "$mech" stability "$work/both.mech"

# the command line
code 2 "$mech" stability $hoop --map K=0:1 -o "$work/x.svg"
code 2 "$mech" stability $hoop --map K=0:1:5,Q=0:1:5 -o "$work/x.svg"
code 2 "$mech" stability $hoop --map K=0:1:5,K=0:1:5 -o "$work/x.svg"
code 2 "$mech" stability $hoop --symbols nobody
code 2 "$mech" stability $hoop --sweep g=1:2:5
code 2 "$mech" stability $hoop --gains 3
code 2 "$mech" equilibrium $hoop --state thta=1
code 4 "$mech" stability examples/rough-circle/model.mech
contains "dry friction" "$mech" stability examples/incline-block/model.mech
code 1 "$mech" stability examples/incline-block/model.mech
# a base that the input moves: (50 + i w)/(50 - w^2 + i w), in the figures and by the matrices of JSON
printf "coord xb, x\ninput u = 0\nkinetic x'^2/2\npotential 25*(x - xb)^2\ndissipation (x' - xb')^2/2\n\
constraint base: xb = u\noutput y = x\n" >"$work/base.mech"
contains "u' and u'' act as well as u: u;" "$mech" linearize "$work/base.mech" --bode "$work/bode.csv" --step "$work/step.csv"
contains '"rates_of_inputs": ["u"]' "$mech" linearize "$work/base.mech" --json
contains '"rates_of_inputs": []' "$mech" linearize $bar --json
checks=$((checks + 2))
python3 -c '
import cmath, csv, sys
for row in list(csv.reader(open(sys.argv[1])))[1:]:
    w, amplitude, phase = map(float, row)
    want = (50 + 1j*w)/(50 - w*w + 1j*w)
    assert abs(cmath.rect(amplitude, phase*cmath.pi/180) - want) < 1e-9*(1 + abs(want)), row' "$work/bode.csv" || fail "the figure of a base that moves"
"$mech" linearize "$work/base.mech" --json | python3 -c '
import json, sys
l = json.load(sys.stdin)
(a, b), (c, d) = l["reduced_A"]
(e,), (f,) = l["reduced_B"]
for w in (0, 1, 7, 50):
    s = 1j*w
    det = (s - a)*(s - d) - b*c
    x = ((s - d)*e + b*f)/det, (c*e + (s - a)*f)/det
    y = l["reduced_C"][0][0]*x[0] + l["reduced_C"][0][1]*x[1] + l["reduced_D"][0][0]
    assert abs(y - (50 + s)/(50 + s + s*s)) < 1e-12 and l["reduced_D1"] == l["reduced_D2"] == [[0]], y' || fail "the matrices of a base that moves"
# branches of equilibria: the figure, the text, the numbers; beside a coordinate that nothing depends on, too
printf "param R = 0.5, g = 9.81, W = 3\ncoord th, psi\nkinetic R^2/2*(th'^2 + sin(th)^2*psi'^2) + psi'^2/10\npotential -g*R*cos(th)\n\
steady psi' = W\n" >"$work/free.mech"
contains "3 branches of equilibria over W" "$mech" stability "$work/free.mech" --branches W=2:8:13
contains "to 1.25922, psi = 0" "$mech" stability "$work/free.mech" --branches W=2:8:13
turning=examples/rotating-hoop/model-turning.mech
contains "3 branches of equilibria over Omega" "$mech" stability $turning --set theta0=0 --set Omega=2 --branches Omega=1:6:26
contains "unstable from 3.13209 to 6; theta = 0" "$mech" stability $turning --set theta0=0 --set Omega=2 --branches Omega=1:6:26 -o "$work/branches.svg"
checks=$((checks + 2))
grep -q stroke-dasharray "$work/branches.svg" || fail "nothing is dashed in the diagram"
"$mech" stability $turning --set theta0=0 --set Omega=2 --branches Omega=1:6:26 --json | python3 -c '
import json, math, sys
for b in json.load(sys.stdin)["branches"]:
    for p in b: assert abs(math.sin(p["q"][0])) < 1e-9 or abs(math.cos(p["q"][0]) - 9.81/p["value"]**2) < 1e-9' || fail "numbers of branches"
finish
