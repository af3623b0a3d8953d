#!/usr/bin/env bash
# `mech eval` from outside: what it prints, what it exits with. Numbers are checked in tests/unit/dynamics/instant*.c.
set -eu
mech=$1/mech
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
# expect CODE PATTERN... -- arguments: the exit code, and every pattern in what is printed
expect() {
    local code=$1 got=0
    shift
    local patterns=()
    while [ "$1" != -- ]; do patterns+=("$1"); shift; done
    shift
    "$mech" eval "$@" >"$work/out" 2>&1 || got=$?
    if [ $got -ne "$code" ]; then echo "mech eval $*: exit code $got, want $code"; cat "$work/out"; failed=1; fi
    for pattern in "${patterns[@]}"; do
        grep -qE -e "$pattern" "$work/out" || { echo "mech eval $*: no '$pattern' in"; cat "$work/out"; failed=1; }
    done
}
never() { if grep -qE -e "$1" "$work/out"; then echo "'$1' should not stand in"; cat "$work/out"; failed=1; fi; }

# document 002's hoop with both weights: 4.08333 and 7.94595 times sin(0.01)
hoop=examples/hoop-on-cylinder/model-two-coordinates.mech
expect 0 'theta +[0-9.]+ +0\.0408327' 'Qi 0 |Qi [0-9.]+e-[0-9]+ \(an ideal' '1 degree of freedom' -- $hoop --weight nature
expect 0 'theta +[0-9.]+ +0\.0794581' 'Weight identity' 'Qi 0\.0927012 \(not nature' -- $hoop --weight identity
printf '# M^-1\n0.34722222222222222, 0\n0 12.5\n' >"$work/weight"
expect 0 'theta +[0-9.]+ +0\.0408327' 'Weight given' -- $hoop --weight "$work/weight"
echo '1 2 3' >"$work/weight"
expect 2 'not a matrix of 2 x 2' -- $hoop --weight "$work/weight"
printf '1 2\n3 4\n' >"$work/weight"
expect 2 'symmetric' -- $hoop --weight "$work/weight"

# the sliding rod, and Painleve
rod=examples/sliding-rod/model.mech
expect 0 'theta +0 +0\.645945' 'friction on ground slides: normal load 9\.98279' 'acc = 0\.645945 rad/s\^2' -- $rod
expect 4 "no reaction of 'ground'" 'Painleve' -- $rod --set mu=1.8
expect 0 '"theta'"''"'|"qdd": \[2\.99[0-9]+, 0\.17[0-9]+, 0\.6459451948' '"mode": "slides"' '"equation": \{' -- $rod --json

# three frictions on one constraint of two rows, which press together: sliding as below N = |a + b N| with a = (0.25, -0.5), b = (-0.69978, 0.73011) has the roots
# 0.29 and 47.2, as 0.0227 N^2 - 1.0800 N + 0.3125 = 0 says. At rest it stays: any L = reaction(track[1]) above 0.48 will do, as |1 - L| <= 1.118 L and 0.528 L <= 0.564 L
cat >"$work/three.mech" <<'END'
coord theta, phi, x
kinetic 2*theta'^2 + phi'^2 + x'^2
force -1 on theta'
constraint track: [phi + x, x] = [0.21, theta]
friction on track: 0.293, along theta'
friction on track: 0.2 + 1/9, along 1.6*theta'
friction on track: 0.399, along (phi - 2 - x)*phi'
END
expect 0 'theta +-0\.25 +(-?[0-9.]+e-[23][0-9]|0) ' -- "$work/three.mech"
expect 4 "more than one reaction of 'track'" -- "$work/three.mech" --start as-given --state theta=-0.2946 --state phi=1.1293 --state x=0.8071 --state "theta'=-1.2508" --state "phi'=-0.8362" --state "x'=1.8061"

# what a pin bears beside a friction that holds along the same way is not known: a law of it is refused
printf "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 10*z\nforce 1 on y'\nconstraint floor: z = 0\nconstraint pin: y = 0\nfriction on floor: 0.3, along y'\n" >"$work/pin.mech"
expect 0 'friction on floor holds' 'pin .* least-norm' -- "$work/pin.mech"
echo "nonideal on pin: x = 0.1*reaction(pin)" >>"$work/pin.mech"
expect 1 "a law uses the reaction of 'pin', which is not unique" -- "$work/pin.mech"

# the least singular value is the true one: B B' = [[2, 1.3], [1.3, 2.09]], 2.045 - sqrt(2.045^2 - 2*2.09 + 1.69) = 0.862683^2
printf "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint one: x + y = 0\nconstraint two: x + y*0.3 - z = 0\n" >"$work/two.mech"
expect 0 'smallest kept singular value of B = A M\^\(-1/2\) 0\.862683, ' -- "$work/two.mech"
expect 0 '"smallest_singular_value": 0\.86268266878' -- "$work/two.mech" --json

# a block on two feet that press with 3.5 and 6.5: they hold 3, whatever the share of each, so that 2.5 does not move it and 3.5 moves it by 0.5
feet="coord x, z, p\nkinetic (x'^2 + z'^2 + p'^2)/2\npotential 10*z\nforce 3 on p'\nconstraint left: z + p = 0\nconstraint right: z - p = 0\nfriction on left: 0.3, along x'\nfriction on right: 0.3, along x'\n"
printf "${feet}force 2.5 on x'\n" >"$work/feet.mech"
expect 0 '  x +2\.5 +(-?[0-9.]+e-[23][0-9]|0) ' -- "$work/feet.mech"
printf "${feet}force 3.5 on x'\n" >"$work/feet.mech"
expect 0 '  x +3\.5 +0\.5 ' -- "$work/feet.mech"

# masses given directly have kinetic energy: (2 + 2)/2*1 + 0.3*1*2 + 1/2*4
cat >"$work/masses.mech" <<'END'
coord x, y
mass [x, y] = [[2, 0.3], [0.3, 1]]
kinetic x'^2
initial x' = 1, y' = 2
END
expect 0 '"kinetic": 4\.(6|59999999999999[0-9]*), .*"h": 4\.(6|59999999999999[0-9]*),' -- "$work/masses.mech" --json

# eval and check count alike what control leaves: two coordinates, a path for one of them
path=examples/path-following/model.mech
expect 0 '"control_rank": 1,' '"degrees_of_freedom": 1,' -- $path --json
"$mech" check $path --json | grep -q '"rank": 0, "control_rank": 1, "degrees_of_freedom": 1,' || { echo "check $path: what control holds"; failed=1; }

# a given bound is no load: a bar held level by 4.905 slips at 0.5
printf "gravity [0,-9.81]\nbody b: rod [0,0] to [1,0], mass 1\njoint J: ground to b, revolute\nfriction on J: torque 0.5\n" >"$work/given.mech"
expect 0 'friction on J gives way: given bound 0\.5, friction 0\.5, speed 0$' -- "$work/given.mech"
never 'normal load'
"$mech" eval "$work/given.mech" --json | grep -q '"normal": null, "tangential": 0.5, "bound": 0.5' || { echo "eval --json: a given bound"; failed=1; }
printf "initial J = -pi/2\n" >>"$work/given.mech"
"$mech" equilibrium "$work/given.mech" | grep -q 'friction on J holds 0 of at most 0\.5, which is given$' || { echo "equilibrium: a given bound"; failed=1; }

# of rows that contradict one another check says that alone; one that follows from another is redundant beside them
printf 'coord x, y\nkinetic (x'"'^2 + y'^2"')/2\nconstraint a: x'"'' = 1"'\nconstraint b: x'"'' = 2"'\nconstraint c: y'"'' = 3"'\nconstraint d: y'"'' = 3"'\n' >"$work/both.mech"
"$mech" check "$work/both.mech" 2>/dev/null | grep -E 'redundant|in conflict' >"$work/out" || :
printf '    d is redundant here: it follows from c\n    in conflict: a, b\n' | cmp -s - "$work/out" || { echo 'check: what is in conflict'; cat "$work/out"; failed=1; }

# large models, whose diagnosis is left out, are no exception: x'' = 1 and 2 x'' = 3
printf "coord x[1..160]\nfor i in 1..160 { kinetic x[i]'^2/2 }\nconstraint a: x[1]'' = 1\nconstraint b: 2*x[1]'' = 3\n" >"$work/large.mech"
"$mech" check "$work/large.mech" 2>/dev/null | grep -qxF '    in conflict: a, b' || { echo 'check: what is in conflict in a large model'; failed=1; }

# check names all joints whose forces are shared. Three parallel cranks: what is added to them as 1, -2, 1 does nothing, in every joint of all loops.
# A bar on three rods that are parallel: the same, and its free joint bears nothing. A pin that is there twice: T bears the same whatever the two share,
# but along the bar T and the pins share too. Two four-bars in space: each by itself.
shares() { "$mech" check "$work/shares.mech" | grep -F 'not unique' >"$work/out"; printf '%s\n' "$@" | cmp -s - "$work/out" || { echo "check: who shares forces"; cat "$work/out"; failed=1; }; }
printf "gravity [0,-9.81]\nbody c1: rod [0,0] to [0,1], mass 1\nbody c2: rod [0,0] to [0,1], mass 1\nbody c3: rod [0,0] to [0,1], mass 1\nbody k: rod [-1,0] to [1,0], mass 3
joint A1: ground at [-1,0] to c1, revolute\njoint A2: ground at [0,0] to c2, revolute\njoint A3: ground at [1,0] to c3, revolute\njoint B1: c1 at [0,1] to k at [-1,0], revolute
joint B2: c2 at [0,1] to k at [0,0], revolute\njoint B3: c3 at [0,1] to k at [1,0], revolute\ninitial A1 = 0.3\n" >"$work/shares.mech"
shares '    not unique: the forces and torques of A2 A3 B2 B3; where they do not cancel, of A1 B1 too'
printf "gravity [0,-9.81]\nbody p: box [2,0.1], mass 3, at [0.2,0]\njoint base: ground at [0,1] to p, free\njoint d1: ground at [-1,0] to p at [-1,0], distance 1
joint d2: ground at [1,0] to p at [1,0], distance 1\njoint d3: ground at [0,0] to p at [0,0], distance 1\n" >"$work/shares.mech"
shares '    not unique: the forces and torques of d1 d2 d3'
printf "gravity [0,-9.81]\nbody b: rod [0,0] to [1,0], mass 1\njoint T: ground to b, revolute\njoint D1: ground at [1,0] to b at [1,0], revolute\njoint D2: ground at [1,0] to b at [1,0], revolute\n" >"$work/shares.mech"
shares '    not unique: the forces and torques of T D1 in these directions' '    not unique: the forces and torques of D1 D2; where they do not cancel, of T too'
echo 'gravity [0,-9.81,0]' >"$work/shares.mech"
for side in a b; do
    printf "body ${side}1: rod [0,0,0] to [0,1,0], mass 1\nbody ${side}2: rod [0,0,0] to [2,0,0], mass 1\nbody ${side}3: rod [0,0,0] to [0,1,0], mass 1
joint ${side}A: ground at [0,0,0] to ${side}1, revolute about [0,0,1]\njoint ${side}B: ${side}1 at [0,1,0] to ${side}2, revolute about [0,0,1]
joint ${side}C: ${side}2 at [2,0,0] to ${side}3 at [0,1,0], revolute about [0,0,1]\njoint ${side}D: ground at [2,0,0] to ${side}3, revolute about [0,0,1]\n"
done >>"$work/shares.mech"
shares '    not unique: the forces and torques of aA aB aC aD in these directions' '    not unique: the forces and torques of bA bB bC bD in these directions'

# a block on a slope of 30 degrees: with the row as a distance its normal load is g cos(a) = 8.49571; a row whose gradient has length 1/cos(a) is told,
# and along the whole velocity it does not matter
slope="param a = pi/6\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\ninitial x' = cos(a), y' = -sin(a)\n"
told="friction on slope: its normal load takes |reaction(slope)|, and the gradient of slope has length 1.1547: write the row as a distance, or name the whole velocity (along [x', y'])"
along="along x'*cos(a) - y'*sin(a)"
printf "${slope}constraint slope: y*cos(a) + x*sin(a) = 0\nfriction on slope: 0.2, $along\n" >"$work/slope.mech"
expect 0 'slope slides: normal load 8\.49571,' -- "$work/slope.mech"
never 'note:'
printf "${slope}constraint slope: y = -x*tan(a)\nfriction on slope: 0.2, along [x', y']\n" >"$work/slope.mech"
expect 0 'slope slides: normal load 8\.49571,' -- "$work/slope.mech"
never 'note:'
printf "${slope}constraint slope: y = -x*tan(a)\nfriction on slope: 0.2, $along\n" >"$work/slope.mech"
expect 0 -- "$work/slope.mech"
grep -qxF "    note: $told" "$work/out" || { echo "eval: no note about the slope"; cat "$work/out"; failed=1; }
"$mech" check "$work/slope.mech" | grep -qxF "note          $told" || { echo "check: no note about the slope"; failed=1; }
"$mech" eval "$work/slope.mech" --json | grep -qF "\"note\": \"$told\"" || { echo "eval --json: no note about the slope"; failed=1; }
"$mech" check "$work/slope.mech" --json | grep -qF "\"friction\": \"$told\"" || { echo "check --json: no note about the slope"; failed=1; }
"$mech" run "$work/slope.mech" --until 0.1 -o "$work/slope.csv" | grep -qxF "note: at t = 0: $told" || { echo "run: no note about the slope"; failed=1; }
"$mech" run "$work/slope.mech" --until 0.1 -o "$work/slope.csv" --json | grep -qF "$told" || { echo "run --json: no note about the slope"; failed=1; }
# every way to write the friction of a block on a floor: the deceleration is 0.3*10/m = 3/2 times what the note says, over what it says of the row
floor="coord x, y, z\nkinetic x'^2 + y'^2 + z'^2\npotential 10*y\ninitial x' = 1\n"
while IFS='|' read -r row way speed note; do
    printf "${floor}constraint floor: $row\nfriction on floor: 0.3, along $way\n" >"$work/floor.mech"
    "$mech" run "$work/floor.mech" --until 0.1 -o "$work/floor.csv" >"$work/out"
    awk -F, -v want="$speed" 'END { exit !(($5 - want)^2 < 1e-18) }' "$work/floor.csv" || { echo "$row along $way: not $speed"; failed=1; }
    found=$(sed -n "s/^note: .*, and the gradient of floor has length \([0-9.]*\): .*/row \1/p; s/^note: .*: its velocity is \([0-9.]*\) times a speed.*/speed \1/p" "$work/out")
    [ "$found" = "$note" ] || { echo "$row along $way: note '$found', not '$note'"; failed=1; }
done <<END
y = 0|x'|0.85|
y = 0|2*x'|0.7|speed 2
y = 0|[x', z']|0.85|
y = 0|[2*x', z']|0.7|speed 2
y = 0|[2*x', 2*y', 2*z']|0.85|
2*y = 0|x'|0.925|row 2
2*y = 0|[x', z']|0.925|row 2
2*y = 0|[x', y', z']|0.85|
END
# the same on a wedge that slides freely, of three times its mass: N = m g cos(a)/(1 + m/M sin(a) (sin(a) - mu cos(a))); the row is measured in the block's coordinates
wedge="param a = 0.5\ncoord x, y, X\nkinetic (x'^2 + y'^2)/2 + 3/2*X'^2\npotential 9.81*y\ninitial x = 1, y = tan(a), X' = 0, x' = -cos(a), y' = -sin(a)\n"
beside="along (x' - X')*cos(a) + y'*sin(a)"
printf "${wedge}constraint slope: y*cos(a) = (x - X)*sin(a)\nfriction on slope: 0.2, $beside\n" >"$work/wedge.mech"
expect 0 'slope slides: normal load 8\.2103[0-9]*,' -- "$work/wedge.mech"
never 'note:'
printf "${wedge}constraint slope: y = (x - X)*tan(a)\nfriction on slope: 0.2, $beside\n" >"$work/wedge.mech"
expect 0 'note: .*the gradient of slope has length 1\.13949: ' -- "$work/wedge.mech"
printf "${wedge}constraint slope: y = (x - X)*tan(a)\nfriction on slope: 0.2, along [x' - X', y']\n" >"$work/wedge.mech"
expect 0 'slope slides: normal load 8\.2103[0-9]*,' -- "$work/wedge.mech"
never 'note:'
# two blocks of the same mass: of a row between them the difference counts
same=${wedge/3\/2/1\/2}
printf "${same}constraint slope: y*cos(a) = (x - X)*sin(a)\nfriction on slope: 0.2, $beside\n" >"$work/wedge.mech"
expect 0 -- "$work/wedge.mech"
never 'note:'
printf "${same}constraint slope: y = (x - X)*tan(a)\nfriction on slope: 0.2, $beside\n" >"$work/wedge.mech"
expect 0 'note: .*the gradient of slope has length 1\.13949: ' -- "$work/wedge.mech"
# a velocity that is not along the slope presses on it: sin(a), sin(0.5)
for made in "${slope}constraint slope: y*cos(a) + x*sin(a) = 0|x'|0.5 " "${wedge}constraint slope: y*cos(a) = (x - X)*sin(a)|(x' - X')|0.479426 "; do
    IFS='|' read -r -d '' text way part < <(printf '%s\0' "$made") || :
    printf "$text\nfriction on slope: 0.2, along $way\n" >"$work/slope.mech"
    expect 0 "note: friction on slope: ${part}of its velocity is across slope," -- "$work/slope.mech"
done
# R*J' of a journal is a speed: nothing is said; J'' = -mu m g R/I = -0.2*10*9.81*0.05/0.45
printf 'gravity [0, -9.81]\nbody a: disc 0.3, mass 10\njoint sh: ground to a, revolute\nfriction on sh: 0.2, along 0.05*sh'"'"'\ninitial sh'"'"' = 20\n' >"$work/journal.mech"
expect 0 'sh +0 +-2\.18 ' -- "$work/journal.mech"
never 'times a speed'
# Euler parameters of a body with coordinates of its own: a turn by 0.4 about x, R[3,2] = sin 0.4
printf 'gravity [0, 0, -9.81]\ncoordinates absolute\nbody a: box [1, 1, 1], mass 1\njoint j: ground to a, spherical\ninitial a.e = [cos(0.2), sin(0.2), 0, 0]\noutput s = a.R[3,2]\n' >"$work/own.mech"
expect 0 's = 0\.389418' -- "$work/own.mech"
# a planet on a fixed wheel: 1 N between the teeth, 3 N in the pin (2 kg * 1 m/s^2 + 1 N), 3.5 N in the bearing; an equation of joints does not know these, which check notes
planet="gravity [0, 0]\nbody arm: rod [0, 0] to [0.3, 0], mass 1\nbody planet: disc 0.1, mass 2\njoint c: ground to arm, revolute\njoint p: arm at [0.3, 0] to planet, revolute\n"
rest="motor m on c: torque 1\noutput pin = p.force[2], bearing = c.force[2], shaft = c.load.torque\n"
printf "${planet}let across = arm.R*[0, 1]\nconstraint mesh: dot(across, planet.c') - 0.1*planet.w = 0\n$rest" >"$work/teeth.mech"
expect 0 '^  c +[0-9.]+ +3\.33333' 'pin = 3$' 'bearing = 3\.5$' 'shaft = 1$' -- "$work/teeth.mech"
printf "${planet}constraint mesh: 0.1*p = 0.2*c\n$rest" >"$work/gear.mech"
expect 0 '^  c +[0-9.]+ +3\.33333' -- "$work/gear.mech"
"$mech" check "$work/gear.mech" | grep -q '^note  *mesh ties coordinates of joints: ' || { echo "check: no note about the gear"; failed=1; }
"$mech" check "$work/teeth.mech" | grep -q 'ties coordinates' && { echo "check: a note about teeth"; failed=1; }
# a spring of length 0 whose ends lie on one another: y = -m g/k (1 - cos 10 t)
printf 'gravity [0, -9.81]\nbody a: disc 0.1, mass 1\njoint p: ground to a, free\nspring s: ground to a, stiffness 100, length 0\n' >"$work/rest.mech"
"$mech" run "$work/rest.mech" --until 1 -o "$work/rest.csv" >/dev/null
awk -F, 'END { exit !(($3 + 0.0981*(1 - cos(10)))^2 < 1e-12) }' "$work/rest.csv" || { echo "a spring of length 0: not its motion"; failed=1; }
# Euler parameters: M has no mass along them, and a term that is 0 on the constraint gives it one without any other effect
body="param A = 0.02, C = 0.01\ncoord %s\nlet e = %s\nlet w = omega_body(quaternion(e))\nkinetic dot(w, diag(A, A, C)*w)/2\nconstraint unit: dot(e, e) = 1\ninitial e = [1, 0, 0, 0], w = [0.1, 0, 20]\n"
for written in 'x[1..4]|x|x' 'a, b, c, d|[a, b, c, d]|[a, b, c, d]'; do
    IFS='|' read -r coords vector shown <<<"$written"
    primed=$(sed "s/\([a-dx]\)\b/\1'/g" <<<"$shown")
    told="M has no mass along $shown, whose length unit keeps, so that a slower solve takes over: add kinetic 2*J*dot($shown, $primed)^2 with a moment of inertia J; on the constraint it is 0 and changes nothing"
    printf "$body" "$coords" "$vector" >"$work/body.mech"
    "$mech" check "$work/body.mech" | grep -qxF "note          $told" || { echo "check: no note about Euler parameters"; failed=1; }
    "$mech" check "$work/body.mech" --json | grep -qF "\"no_mass\": \"$told\"" || { echo "check --json: no note about Euler parameters"; failed=1; }
    "$mech" eval "$work/body.mech" | awk '/^Checks/ {exit} on && NF == 5 {print $1, $3} /^Motion/ {on = 1}' >"$work/bare"
    echo "kinetic 2*0.02*dot(e, e')^2" >>"$work/body.mech"
    "$mech" check "$work/body.mech" | grep -qF 'has no mass' && { echo "check: a note about Euler parameters that have a mass"; failed=1; }
    "$mech" eval "$work/body.mech" | awk '/^Checks/ {exit} on && NF == 5 {print $1, $3} /^Motion/ {on = 1}' | cmp -s - "$work/bare" || { echo "the term of Euler parameters changes the motion"; failed=1; }
done
# other masses along x and y may be other units: nothing is said
printf "${slope}kinetic y'^2\nconstraint slope: y = -x*tan(a)\nfriction on slope: 0.2, $along\n" >"$work/slope.mech"
expect 0 'slope slides' -- "$work/slope.mech"
never 'note:'

# redundant constraints
expect 0 'rod .* least-norm +x -0\.5' 'redundant: its row is rod' -- examples/pendulum-redundant/model.mech
expect 0 'redundant: its row is 2\*rod' 'redundant: its row is 0\.5\*rod' -- examples/pendulum-redundant/model-three-ways.mech

# off the constraints: equal rows that no position, velocity or acceleration meets together; what they miss by is read off
head="coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
printf "${head}constraint left: x = 1\nconstraint free: y = 3\nconstraint right: x = 2\ninitial x = 1/2\n" >"$work/off.mech"
expect 3 'no position meets them together: left \(missed here by -0\.5\), right \(missed here by -1\.5\)$' \
    'NOT MET TOGETHER: its row is left, but no position was found that meets them all' -- "$work/off.mech" --start as-given
never redundant
expect 3 '"contradicts_in": "position"' -- "$work/off.mech" --start as-given --json
expect 3 'cannot meet these positions together: left, right' -- "$work/off.mech"
printf "${head}constraint a: x + y = 1\nconstraint b: x - y = 0\nconstraint c: x = t\nconstraint d: z' = 1\nconstraint e: 2*z' = 3\ninitial x = 5\n" >"$work/off.mech"
expect 3 'no position .*: a \(missed here by 4\), b \(missed here by 5\), c \(missed here by 5\)$' 'its row is 0.5\*a \+ 0.5\*b, but no position was found' \
    'its row is 2\*d, but no velocity' -- "$work/off.mech" --start as-given
expect 3 'no velocity .*: a .* 0\), b .* 0\), c \(missed here by -1\)$' -- "$work/off.mech" --start as-given --at 0.5 --state x=0.5 --state y=0.5
printf "${head}constraint a: x = 0\nconstraint b: x'' = 1\nconstraint c: y = 1\ninitial y = 3\n" >"$work/off.mech"
expect 3 'no acceleration .*: a \(right side 0\), b \(right side 1\)$' -- "$work/off.mech" --start as-given
printf "${head}constraint a: x^2 + y^2 = 1\nconstraint b: y^2 + x^2 = 0.6\ninitial x = 0.7, y = 0.3\n" >"$work/off.mech" # circles about one centre
expect 3 'no position was found that meets these constraints together: a \(missed here by -0\.42\), b \(missed here by -0\.02\)$' \
    'NOT MET TOGETHER: its row is a' -- "$work/off.mech" --start as-given
# ... and rows that say the same in another way, or that depend on one another at this place alone: sqrt(3)/2 and 1/2 meet p and q
printf "${head}constraint rod: x^2 + y^2 = 1\nconstraint again: sqrt(x^2 + y^2) = 1\ninitial x = 0.8\n" >"$work/off.mech"
expect 0 'redundant: its row is 0\.625\*rod' -- "$work/off.mech" --start as-given
never TOGETHER
printf "${head}constraint p: (z - 1)^2 + y^2 = 1\nconstraint q: z^2 + y^2 = 1\ninitial z = 0.3\n" >"$work/off.mech"
expect 0 'redundant: its row is' -- "$work/off.mech" --start as-given
never TOGETHER

# what does not fit on the page is counted
{ printf "coord x\nkinetic x'^2/2\ninitial x = 1\n"; for i in $(seq 30); do echo "output y$i = $i*x"; done; } >"$work/many.mech"
expect 0 'y24 = 24' 'and 6 more \(--json has them all\)' -- "$work/many.mech"

# a contradiction: both are named, the third is not
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint first: x' = t\nconstraint innocent: y' = 0\nconstraint second: x' = 2*t\n" >"$work/bad.mech"
expect 3 "'first' and 'second' contradict" 'IN CONFLICT with second' 'IN CONFLICT with first' -- "$work/bad.mech"
never "CONFLICT with.*innocent|'innocent'"
expect 3 '"conflicts": \[\["first", "second"\]\]' -- "$work/bad.mech" --json

# the start is moved onto the constraints, and what cannot be met is named: x = 0 and x = 1, but not y = 0
expect 0 "moved onto the constraints: q2' from 0 to -0\.179637" 'q1 +[-0-9.e]+ +0\.00487581' 'q1 0\.216273' -- examples/four-bar-sympy/model.mech
expect 0 'initial values as written' 'its velocity by 0\.[0-9]+' -- examples/four-bar-sympy/model.mech --start as-given
expect 0 '"moved": \[\{"name": "q2'"'"'"' -- examples/four-bar-sympy/model.mech --json
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint left: x = 0\nconstraint innocent: y = 0\nconstraint right: x = 1\n" >"$work/apart.mech"
expect 3 'left, right' -- "$work/apart.mech"
never 'innocent'

# control and inverse dynamics
expect 3 "cannot produce 'path'" 'relative degree above 2' -- examples/path-following/model-crane.mech
expect 0 'u on x1 = ' 'Qc \(control\)' -- examples/path-following/model-two-carts.mech --at 0.5
expect 0 'q1 +[-0-9.e]+ +1 ' 'q2 +[-0-9.e]+ +-2 ' '0 degrees of freedom' -- examples/path-following/model.mech --inverse "q1=1,q2''=-2"

# least for the friction that acts: (6, 0) beside 5 of friction. (4.8, 2.4) lifts, leaves 7.6 of load and 3.8 of friction, and does it with 28.8 < 36
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint f: y = 0\nfriction on f: 0.5, along x'\ncontrol p: x = t + t^2/2\nactuator a: x'\nactuator b: y'\ninitial x = 0, x' = 1\n" >"$work/least.mech"
expect 0 'u on a = 6$' 'u on b = 0$' 'beside the forces of laws and friction that act' 'is not looked for' -- "$work/least.mech"
grep -v friction "$work/least.mech" >"$work/smooth.mech"
expect 0 'u on a = 1$' 'Control, of least .* identity \(Qc' -- "$work/smooth.mech"
never 'looked for'

# a square says more than its row: check claims no rank and no degrees of freedom
got=0; "$mech" check tests/lang/bad/a-constraint-written-as-a-square.mech >"$work/out" 2>&1 || got=$?
[ $got -eq 3 ] && grep -q "a is met at x = 0, y = 0, where its gradient vanishes" "$work/out" || { echo "check of a square: $got"; cat "$work/out"; failed=1; }
never 'redundant|degrees? of freedom'

# a control row that no actuator reaches, and of which nothing is asked
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\nactuator x'\ncontrol path: y = 0\n" >"$work/reach.mech"
expect 0 'weight identity' 'reach 0 of 1 control row at' -- "$work/reach.mech"
sed -i 's/y = 0$/y = t^2/' "$work/reach.mech"
expect 3 "path.*not realisable" -- "$work/reach.mech"

# a law that uses what is not unique
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\nconstraint again: x^2 + y^2 = 1\nnonideal on rod: x = -lambda(rod)*x'\ninitial x = 0.6, y = 0.8, x' = 0.8, y' = -0.6\n" >"$work/law.mech"
expect 1 "reaction of 'rod'" 'leastnorm' -- "$work/law.mech"

# a mass matrix without inverse: what does not exist is said, not invented
printf "coord x, s\nkinetic x'^2/2\nconstraint tie: s = 2*x\nforce 1 on x'\n" >"$work/light.mech"
expect 0 'undefined' 'M has no inverse' -- "$work/light.mech"
expect 0 '"a": \[null, null\]' '"undefined": "M has no inverse' '"T": null' -- "$work/light.mech" --json

# the command line
expect 2 "did you mean 'theta'" -- $rod --state thta=1
expect 2 'wants a number' -- $rod --at soon
expect 2 'NAME=VALUE' -- $rod --state theta
expect 2 'between 0 and 1' -- $rod --rank-tol 2
expect 2 'assemble or as-given' -- $rod --start now
expect 2 'something is missing' --
expect 1 'error' -- "$work/none.mech"
expect 0 'theta +1 +0 ' -- $rod --state theta=1 --state "y=0.8414709848078965" --state "x'=-2" --start as-given

# --state reaches coordinates, velocities and states alike, assembled or not: x'' = u - x' - x = 4 - 2 - 1, u' = 0
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\nstate u: u' = 0\nforce u - x' - x on x'\nconstraint level: y = 0\ninitial u = 7\n" >"$work/states.mech"
for start in assemble as-given; do
    expect 0 '"name": "u", "unit": null, "value": 4}' '"qdd": \[1, -?0\]' -- "$work/states.mech" --state u=4 --state "x'=2" --state x=1 --start $start --json
    expect 0 '"name": "u", "unit": null, "value": 4}' '"qdd": \[4, -?0\]' 'hanged by --state' -- "$work/states.mech" --state u=4 --start $start --json
done

# --state changes the start that the model gives, also where that is of expressions: v = 2 th' = 2
printf "coord th\nlet v = 2*th'\nkinetic th'^2/2\nforce -th'^3 on th'\ninitial v = 2\n" >"$work/speed.mech"
expect 0 'th +1 +1$' 'changed by --state' -- "$work/speed.mech" --state th=1
expect 0 'th +0 +1.5$' -- "$work/speed.mech" --state "th'=1.5"
# ... and beside coordinates without mass: s = 2 x = 4, x' = 1 as it was
printf "coord x, s\nkinetic x'^2/2\npotential x^2\nconstraint g: s = 2*x\ninitial x' = 1\n" >"$work/follows.mech"
expect 0 'x +2 +1$' 's +4 +2$' 'onto the constraints: x from 0 to 2$' -- "$work/follows.mech" --state s=4
# ... and where the model has no start of its own, values as they are written: x = 3 is not on it, x = 1 is
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint g: x^2 + y^2 = 1\ninitial x = 3\n" >"$work/beyond.mech"
expect 3 'g' -- "$work/beyond.mech"
expect 0 'x +1 +0$' 'y +0 +0$' -- "$work/beyond.mech" --state x=1

# gains of excess variables are matrices: off the rows, r'' = -B r' - K r, each row with both
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: [x, y] = [0, 0]\nstabilize excess on a, B = [[20, 3], [5, 30]], K = [[100, 7], [11, 200]]\n" >"$work/gains.mech"
expect 0 '"qdd": \[-14\.(9|90+[0-9]*|89999[0-9]*), -50\.(1|10+[0-9]*|09999[0-9]*)\]' -- "$work/gains.mech" --start as-given --state x=0.1 --state "x'=0.2" --state y=0.3 --state "y'=-0.4" --json

# negative masses, where they are allowed: x = 2 y with x'^2/2 - y'^2/2 moves by 3 y'' = 2 X + Y
printf "coord x, y\nkinetic x'^2/2 - y'^2/2\nforce 4 on x'\nforce 1 on y'\nconstraint tie: x = 2*y\n" >"$work/refused.mech"
{ cat "$work/refused.mech"; echo "allow negative mass"; } >"$work/allowed.mech"
expect 1 "'allow negative mass' would take it" -- "$work/refused.mech"
expect 0 'M is indefinite, as allowed' 'x +4 +6 +4 +2' 'y +-1 +3 +1 +-4' 'tie +-6 +2 ' -- "$work/allowed.mech"
expect 0 'M is indefinite, as allowed' '"qdd": \[6(\.0*)?, 3|"qdd": \[(5\.9999|6)' '"zwang": null' -- "$work/allowed.mech" --json
expect 0 'control' -- "$work/allowed.mech" --inverse y=5 --weight identity

# every example has an instant (the crane's is that it has none)
for model in examples/*/*.mech; do
    case $model in */model-crane.mech) continue;; esac
    expect 0 'Motion M q' -- "$model"
    expect 0 '^\}$' -- "$model" --json
    cp "$work/out" "$work/${model//\//,}.json"
done
if command -v python3 >/dev/null; then python3 tests/scripts/are_json.py "$work"/*.json || failed=1; fi
# a rod with a point mass at its end: 9.81 (2/2 + 0.5) / (2/3 + 0.5) = 12.612857
printf 'gravity [0, -9.81]\nbody arm: mass 0.5, center [1, 0], rod [0, 0] to [1, 0], mass 2\njoint j: ground to arm, revolute\n' >"$work/arm.mech"
"$mech" eval "$work/arm.mech" | grep -q "^  j  *-12.6129 " || { echo "FAILED: a rod with a point mass"; failed=1; }
[ $failed -eq 0 ]
echo "eval: ok"
