#!/usr/bin/env bash
# `mech run` and `mech plot` as a person uses them: files that are never lost, exit codes, signals, figures.
. tests/scripts/lib.sh
hoop=examples/hoop-on-cylinder/model.mech

# a run writes its rows, and the same run the same bytes
code 0 "$mech" run $hoop -o "$work/a.csv"
code 0 "$mech" run $hoop -o "$work/b.csv"
checks=$((checks + 3))
cmp -s "$work/a.csv" "$work/b.csv" || fail "two runs differ"
[ ! -e "$work/a.csv.part" ] || fail "a good run leaves its .part"
head -n 1 "$work/a.csv" | grep -q "^t,rho,theta,phi,rho',theta',phi',N," || fail "header of the CSV"
# the hoop leaves where cos(theta) = cos(theta0)/2: closed form by quadrature, examples/hoop-on-cylinder
checks=$((checks + 1))
"$mech" run $hoop -o "$work/a.csv" --json >"$work/a.json"
sed -n 's/.*"t": \([0-9.]*\), "kind": "event", "name": "lift".*/\1/p' "$work/a.json" |
    awk '{d = $1 - 2.6563189000354} END {exit !(NR == 1 && d < 1e-8 && d > -1e-8)}' || { fail "the hoop does not leave at t = 2.6563189"; cat "$work/a.json" >&2; }

# the account: three lines, or all of it
contains "reached t = 3 in" "$mech" run $hoop -o "$work/a.csv"
contains "1 event (lift at t = 2.6563189)" "$mech" run $hoop -o "$work/a.csv"
contains "in $work/a.csv" "$mech" run $hoop -o "$work/a.csv"
lacks "least singular value" "$mech" run $hoop -o "$work/a.csv"
contains "least singular value" "$mech" run $hoop -o "$work/a.csv" --verbose
checks=$((checks + 1))
[ "$("$mech" run $hoop -o "$work/a.csv" | wc -l)" -eq 3 ] || fail "the account of a run is not three lines"
# columns that are one choice of many: in the file beside the rows and in legends, read back by plot
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0\nconstraint twice: 2*y = 0\noutput one = lambda(floor) \"N\", all = lambda(floor) + 2*lambda(twice)\nsimulate until 1\n" >"$work/twice.mech"
code 0 "$mech" run "$work/twice.mech" -o "$work/twice.csv" --plot "$work/twice.svg"
code 0 "$mech" plot "$work/twice.csv" one all -o "$work/again.svg"
checks=$((checks + 3))
[ "$(grep -c 'not unique' "$work/twice.csv-metadata.json")" -eq 1 ] && grep -q '"titles": "one", "schema:unitText": "N", "dc:description": "not unique: one choice of many"' "$work/twice.csv-metadata.json" || { fail "the mark beside a CSV file"; cat "$work/twice.csv-metadata.json" >&2; }
for figure in twice again; do
    grep -q 'one (not unique)' "$work/$figure.svg" && ! grep -q 'all (not unique)' "$work/$figure.svg" || fail "the mark in the legend of $figure.svg"
done
# options
code 2 "$mech" run $hoop -o "$work/c.csv" --method rk9
code 2 "$mech" run $hoop -o "$work/c.csv" --until soon
code 2 "$mech" run $hoop -o "$work/c.csv" --gains 3
code 2 "$mech" run $hoop -o "$work/c.csv" --columns nothing
code 0 "$mech" run $hoop -o "$work/c.csv" --until 1 --points 11 --columns accelerations,multipliers,forces,residuals
checks=$((checks + 2))
[ "$(wc -l <"$work/c.csv")" -eq 12 ] || fail "--points 11 gives $(wc -l <"$work/c.csv") lines"
[ "$("$mech" run $hoop --until 1 --points 11 -o - --quiet | wc -l)" -eq 12 ] || fail "-o - does not write the rows"
for method in rk5 rk8 adams bdf irk; do code 0 "$mech" run examples/pendulum-redundant/model.mech --until 1 -o "$work/c.csv" --method $method; done
for how in project excess none; do code 0 "$mech" run examples/pendulum-redundant/model.mech --until 1 -o "$work/c.csv" --stabilize $how; done

# constraints that cannot be met together: both are named, the innocent one is not
cat >"$work/conflict.mech" <<'MODEL'
coord x, y, z
kinetic (x'^2 + y'^2 + z'^2)/2
constraint here:  x = 1
constraint there: x = 2
constraint floor: z = 0
simulate until 1
MODEL
code 3 "$mech" run "$work/conflict.mech" -o "$work/c.csv"
contains "here" "$mech" run "$work/conflict.mech" -o "$work/c.csv"
contains "there" "$mech" run "$work/conflict.mech" -o "$work/c.csv"
lacks "floor" "$mech" run "$work/conflict.mech" -o "$work/c.csv"

# a run that fails leaves the earlier result as it was
echo "earlier" >"$work/keep.csv"
cat >"$work/blow.mech" <<'MODEL'
coord x
kinetic x'^2/2
force x'^2 on x'
initial x' = 1
simulate until 2
MODEL
code 4 "$mech" run "$work/blow.mech" -o "$work/keep.csv"
checks=$((checks + 2))
[ "$(cat "$work/keep.csv")" = earlier ] || fail "a failed run touched the earlier result"
[ -s "$work/keep.csv.part" ] || fail "a failed run leaves no rows"
code 4 "$mech" run $hoop -o "$work/no/such/folder.csv"

# killed at random moments: whole rows, and the earlier result
# as many fields in each row as in the first; a row that was cut may be left as a last line that begins with '#'
rows_are_whole() { awk -F, 'NR == 1 {n = NF} after || (NF != n && !/^#/) {bad=1} /^#/ {after=1} END {exit bad}' "$1"; }
swing until 1e5, step 0.001 >"$work/long.mech"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    echo "earlier" >"$work/killed.csv"
    rm -f "$work/killed.csv.part"
    "$mech" run "$work/long.mech" -o "$work/killed.csv" --quiet &
    child=$!
    sleep "0.$((10 + RANDOM % 40))"
    kill -KILL $child
    wait $child 2>/dev/null
    checks=$((checks + 2))
    [ "$(cat "$work/killed.csv")" = earlier ] || fail "a killed run touched the earlier result"
    if [ -s "$work/killed.csv.part" ]; then
        rows_are_whole "$work/killed.csv.part" || fail "a killed run leaves half a row"
        tail -n 1 "$work/killed.csv.part" | grep -q '^#' || [ "$(tail -c 1 "$work/killed.csv.part" | od -An -c | tr -d ' ')" = '\n' ] || fail "a killed run's last row is not whole"
    fi
done
# two runs to one file: the second is refused, the rows of the first are whole
checks=$((checks + 1))
"$mech" run "$work/long.mech" -o "$work/shared.csv" --quiet 2>/dev/null &
child=$!
while [ ! -s "$work/shared.csv.part" ] && kill -0 $child 2>/dev/null; do sleep 0.05; done
code 4 "$mech" run $hoop -o "$work/shared.csv"
kill -KILL $child
wait $child 2>/dev/null
rows_are_whole "$work/shared.csv.part" || fail "two runs mix their rows"
echo "figure: runs killed at random moments, rows whole and earlier result intact: 20"
# restitution above 1 is told with each impact, and not below
contains "restitution 1.5 adds energy" "$mech" run --verbose tests/lang/bad/a-restitution-above-one.mech -o "$work/up.csv"
lacks "adds energy" "$mech" run --verbose tests/lang/bad/a-restitution-above-one.mech --set e=1 -o "$work/up.csv"
# interrupted: ends cleanly, says where the rows are
rows_stand() { [ "$(head -n 3 "$1" 2>/dev/null | wc -l)" -eq 3 ]; }
checks=$((checks + 2))
rm -f "$work/killed.csv.part"
"$mech" run "$work/long.mech" -o "$work/killed.csv" --quiet 2>"$work/err" &
child=$!
await rows_stand "$work/killed.csv.part"
kill -INT $child
wait $child
[ $? -eq 130 ] || fail "a run interrupted by SIGINT does not exit with 130"
grep -q "killed.csv.part" "$work/err" || { fail "an interrupted run does not say where its rows are"; cat "$work/err" >&2; }
# also where the first step takes long and would fail: asked to stop is what it says, not how the step would have ended
checks=$((checks + 2))
"$mech" run examples/four-bar-ladder/model.mech --set N=1500 --set g=1e300 -o "$work/long.csv" --quiet 2>"$work/err" &
child=$!
while [ ! -e "$work/long.csv.part" ] && kill -0 $child 2>/dev/null; do sleep 0.05; done
kill -TERM $child
wait $child
[ $? -eq 143 ] || fail "a run interrupted by SIGTERM before its first step does not exit with 143"
grep -q "mech run: .*interrupted" "$work/err" || { fail "a run is not given up within its first step"; cut -c1-200 "$work/err" >&2; }

# a reader that closes the pipe early ends the run, not with a crash
checks=$((checks + 1))
"$mech" run "$work/long.mech" -o - --quiet 2>/dev/null | head -n 3 >"$work/three"
[ "$(wc -l <"$work/three")" -eq 3 ] || fail "piping the rows"

# a disk that is full: clean error, earlier file intact
checks=$((checks + 2))
echo "earlier" >"$work/full.csv"
(ulimit -f 8; trap '' XFSZ; "$mech" run "$work/long.mech" -o "$work/full.csv" --quiet) >"$work/err" 2>&1
[ $? -eq 4 ] || { fail "a full disk does not exit with 4"; cat "$work/err" >&2; }
[ "$(cat "$work/full.csv")" = earlier ] || fail "a full disk touched the earlier result"

# found by fresh eyes: stick leaves the load to its constraint; an action may move its own trigger back; given
# accelerations that contradict one another; files that are not ours to replace; a full disk under .mat and .svg
cat >"$work/stick.mech" <<'MODEL'
coord x, y
mass [x, y] = 1
force -9.81 on y'
force 2 on x'
constraint wire: y = 0
friction on wire: 1/2, along [x, y]'
output N = force(wire, y)
simulate until 1, points 2
MODEL
checks=$((checks + 1))
"$mech" run "$work/stick.mech" -o - --quiet | tail -n 1 | awk -F, '{d = $6 - 9.81} END {exit !(d < 1e-9 && d > -1e-9)}' || fail "stick shares the load of its wire"
printf "coord x\nkinetic x'^2/2\ninitial x' = 1\nevent wrap: x rises through 1 -> set x = 0, record\nsimulate until 4.5\n" >"$work/wrap.mech"
contains '"events": 4' "$mech" run "$work/wrap.mech" -o "$work/c.csv" --json
printf "coord x\nkinetic x'^2/2\nconstraint a: x'' = 1\nconstraint b: x'' = 2\nsimulate until 1\n" >"$work/given.mech"
code 3 "$mech" run "$work/given.mech" -o "$work/c.csv"
contains "together: a, b" "$mech" run "$work/given.mech" -o "$work/c.csv"
code 3 "$mech" check "$work/conflict.mech"
mkfifo "$work/pipe.csv"
code 4 "$mech" run $hoop -o "$work/pipe.csv"
checks=$((checks + 1)); [ -p "$work/pipe.csv" ] || fail "a pipe was replaced by a file"
mkdir "$work/folder.csv"
code 4 "$mech" run $hoop -o "$work/folder.csv"
cp $hoop "$work/own.mech"
code 2 "$mech" run "$work/own.mech" -o "$work/own.mech"
checks=$((checks + 1)); cmp -s $hoop "$work/own.mech" || fail "a run overwrote its model"
code 2 "$mech" run $hoop -o "$work/same.svg" --plot "$work/same.svg"
code 2 "$mech" run $hoop -o "$work/c.csv" --plot "$work/c.bmp"
code 2 "$mech" run $hoop -o - --json
echo earlier >"$work/full.mat"; echo earlier >"$work/full.svg"
(ulimit -f 4; trap '' XFSZ; "$mech" run "$hoop" -o "$work/full.mat" --quiet) >/dev/null 2>&1
checks=$((checks + 2)); [ "$(cat "$work/full.mat")" = earlier ] || fail "a full disk lost the earlier .mat"
(ulimit -f 4; trap '' XFSZ; "$mech" plot "$work/a.csv" theta -o "$work/full.svg") >/dev/null 2>&1
[ "$(cat "$work/full.svg")" = earlier ] || fail "a full disk lost the earlier figure"
printf "coord x\nkinetic x'^2/2\nsimulate until 5, method foo\n" >"$work/method.mech"
contains "there is no method 'foo'" "$mech" check "$work/method.mech"

# what is refused, where, and with which words
printf "coord x\nkinetic x'^2/2\nsimulate from 2 until 1\n" >"$work/span.mech"
code 1 "$mech" run "$work/span.mech" -o "$work/c.csv"
contains "span.mech:3:17: error: the run would end (until 1) before it begins (from 2)" "$mech" run "$work/span.mech" -o "$work/c.csv"
code 2 "$mech" run $hoop -o "$work/c.csv" --from 5
contains "the run would end (until 3) before it begins (from 5)" "$mech" run $hoop -o "$work/c.csv" --from 5
code 2 "$mech" run $hoop -o "$work/c.csv" --points 1e9
contains "GB of text" "$mech" run $hoop -o "$work/c.csv" --until 1e300 --step 1
printf "coord x\nkinetic x'^2/2\ninitial x = 1, x' = -1\noutput s = sqrt(x)\nsimulate until 2, step 0.5\n" >"$work/nan.mech"
echo earlier >"$work/keep.csv"
code 4 "$mech" run "$work/nan.mech" -o "$work/keep.csv"
contains "output[s] is nan at t = 1.5: sqrt(x)" "$mech" run "$work/nan.mech" -o "$work/keep.csv"
checks=$((checks + 2))
[ "$(cat "$work/keep.csv")" = earlier ] || fail "a run that met nan touched the earlier result"
[ "$(wc -l <"$work/keep.csv.part")" -eq 4 ] && ! grep -q nan "$work/keep.csv.part" || fail "the rows before nan are not those up to t = 1"
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint rod: x^2 + y^2 = 1\nconstraint again: x^2 + y^2 = 1\ninitial x = 1, y = 0\noutput N = lambda(rod)\nsimulate until 1\n" >"$work/twice.mech"
contains "note: output N uses multipliers that are not unique" "$mech" run "$work/twice.mech" -o "$work/c.csv"
# bodies: what the start moved, what is not unique (in one line), what goes on after a release
printf 'gravity [0, 0, -9.81]\nbody door: box [1, 0.1, 2], mass 30, at [0.5, 0, 0]\njoint lo: ground at [0, 0, -0.8] to door at [0, 0, -0.8], revolute about [0, 0, 1]\njoint hi: ground at [0, 0, 0.8] to door at [0, 0, 0.8], revolute about [0, 0, 1]\noutput flo = lo.force, tlo = lo.torque\nsimulate until 0.1\n' >"$work/door.mech"
contains "note: outputs flo, tlo[1], tlo[2] use multipliers that are not unique: they are one choice of many" "$mech" run "$work/door.mech" -o "$work/c.csv"
contains "note: the start was moved onto the constraints: B from -0.5 to -0.386929, C from -2 to -2.27202, B' from 0 to -1.30372, C' from 0 to 0.550661" "$mech" run examples/four-bar-bodies/model.mech -o "$work/c.csv" --until 0.1
printf 'gravity [0, 0]\nbody arm: box [1, 0.1], mass 2, at [0.5, 0]\njoint pivot: ground to arm, revolute\nspring s on pivot: stiffness 3\nevent snap: t rises through 0.2 -> release pivot\ninitial pivot = 1\nsimulate until 1\n' >"$work/snap.mech"
contains "springs and motors on pivot go on acting between its bodies when snap releases it" "$mech" check "$work/snap.mech"
# the angular velocity of the shaft has two components that are always 0: rows of velocities alone all the same
printf 'gravity [0, 0, -9.81]\nbody a: cylinder 1, 0.1, mass 2\nbody b: cylinder 1, 0.1, mass 2\njoint j: ground to a, cylindrical along [0, 0, 1]\njoint k: a at [1, 0, 0] to b, universal about [1, 0, 0], [0, 1, 0]\nconstraint tilt: a.w[1] + b.w[1] = 0\nconstraint driven: a.w[1] + b.w[2] = 1\n' >"$work/shaft.mech"
contains "tilt               nonholonomic, linear, scleronomic, catastatic" "$mech" check "$work/shaft.mech"
contains "driven             nonholonomic, linear, scleronomic, acatastatic" "$mech" check "$work/shaft.mech"
# a gradient that is 0 here and not elsewhere, and one that always is
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint cross: x*y = 0\n" >"$work/cross.mech"
contains "cross is singular here: its gradient is 0, and it holds nothing in this state" "$mech" check "$work/cross.mech"
printf "param a = 0\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint none: a*x = 0\n" >"$work/none.mech"
contains "none is redundant: it says nothing (0 = 0)" "$mech" check "$work/none.mech"
contains '"joint": "D", "loop": ["A", "B", "C", "D"], "conditions": 5, "redundant": ["along z", "tilt about y", "tilt about x"], "parallel_axes": true' "$mech" check --json examples/four-bar-bodies/model-space.mech
contains '{"name": "B", "kind": "revolute", "before": "crank", "after": "coupler", "in_tree": true, "by_constraint": "no"}' "$mech" check --json examples/four-bar-bodies/model-space.mech
contains '{"name": "pivot", "kind": "revolute", "before": "ground", "after": "arm", "in_tree": false, "by_constraint": "needed"}' "$mech" check --json "$work/snap.mech"
contains '"least_norm_outputs": ["N"]' "$mech" run "$work/twice.mech" -o "$work/c.csv" --json
contains "(one choice of many: uses multipliers that are not unique)" "$mech" eval "$work/twice.mech"
contains '"unique": false' "$mech" eval "$work/twice.mech" --json
echo "event slack: N rises through 0 -> record" >>"$work/twice.mech"
code 1 "$mech" run "$work/twice.mech" -o "$work/c.csv"
contains "event slack uses the reaction of rod, which is not unique because constraints depend on one another (it depends on again)" "$mech" run "$work/twice.mech" -o "$work/c.csv"
echo "allow leastnorm" >>"$work/twice.mech"
code 0 "$mech" run "$work/twice.mech" -o "$work/c.csv"
printf "coord y\nkinetic y'^2/2\npotential 10*y\ninitial y = 5\nevent hit: y falls through 0 -> set y' = -y'/2\nsimulate until 9\n" >"$work/zeno.mech"
code 4 "$mech" run "$work/zeno.mech" -o "$work/c.csv"
contains "event hit accumulates" "$mech" run "$work/zeno.mech" -o "$work/c.csv"
printf "coord x, y\nkinetic (x'^2 + (1 + x^2)*y'^2)/2\nconstraint line: y = x\nnonideal z on line: [x, y] = [-x', 0]\ninitial x' = 1\nsimulate until 1\n" >"$work/root.mech"
code 0 "$mech" run "$work/root.mech" -o "$work/c.csv"
code 1 "$mech" run "$work/root.mech" -o "$work/c.csv" --method bdf
contains "method bdf is not available here: a law given by z has no exact derivative" "$mech" run "$work/root.mech" -o "$work/c.csv" --method bdf
contains "; rk8, rk5 and adams are" "$mech" run "$work/root.mech" -o "$work/c.csv" --method bdf
code 0 "$mech" run "$work/root.mech" -o "$work/c.csv" --method adams
code 0 "$mech" run examples/belt-block/model.mech -o "$work/c.csv" --columns forces
{ swing until 1; echo "stabilize excess B = 20, K = 100"; } >"$work/held.mech"
contains "note: the gains of 'stabilize excess' are left out" "$mech" export c "$work/held.mech" -o "$work/held"
printf "coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint floor: y >= 0\n" >"$work/floor.mech"
contains "note: one-sided constraints begin out of force" "$mech" export c "$work/floor.mech" -o "$work/floor"
printf '%s\n' "coord x, y" "kinetic (x'^2 + y'^2)/2" "potential 9.81*y" "constraint floor: y = 0" "constraint again: 2*y = 0" "constraint side: x = 0" \
    "output share = force(floor, y), both = force(floor, y) + force(again, y)" >"$work/shared.mech"
contains "note: the multipliers of constraints floor, again, and output share, are not unique at the start: the code may choose others than 'mech run'" "$mech" export c "$work/shared.mech" -o "$work/shared"
lacks "not unique" "$mech" export c "$work/held.mech" -o "$work/held"
contains "friction(belt, x)" head -n 1 "$work/c.csv"
contains "1 to 2 of 2 (1 of constraints, 1 of friction that sticks)" "$mech" run --verbose examples/belt-block/model.mech -o "$work/c.csv"
printf "coord x\nkinetic x'^2/2\nconstraint a: x = 0\nevent e: t rises through 5 -> impose a\nsimulate until 1\n" >"$work/idle.mech"
lacks "least singular value" "$mech" run --verbose "$work/idle.mech" -o "$work/c.csv"

# MATLAB files and figures
code 0 "$mech" run $hoop -o "$work/hoop.mat"
checks=$((checks + 1))
head -c 6 "$work/hoop.mat" | grep -q MATLAB || fail "the .mat file is not one"
for ending in svg pdf png; do
    code 0 "$mech" run $hoop -o "$work/a.csv" --plot "$work/fig.$ending"
    code 0 "$mech" plot "$work/a.csv" theta N -o "$work/fig2.$ending" --title "it's a 'test' \`id\` \$HOME"
    checks=$((checks + 1))
    [ -s "$work/fig2.$ending" ] || fail "no figure"
done
contains "it's a 'test' \`id\` \$HOME" cat "$work/fig2.svg"
code 0 "$mech" plot "$work/a.csv" theta --x rho -o "$work/fig.svg" --equal
code 2 "$mech" plot "$work/a.csv" theat -o "$work/fig.svg"
# the name of a vector stands for its entries, but not for their velocities
printf "t,r[1],r[2],r[1]',q\n0,1,2,3,4\n1,2,3,4,5\n" >"$work/vector.csv"
code 0 "$mech" plot "$work/vector.csv" r -o "$work/vector.svg"
contains "r[2]" cat "$work/vector.svg"
lacks "r[1]'" cat "$work/vector.svg"
code 0 "$mech" plot "$work/vector.csv" "r'" -o "$work/vector.svg"
contains "r[1]'" cat "$work/vector.svg"
code 2 "$mech" plot "$work/vector.csv" s -o "$work/vector.svg"
contains "did you mean 'theta'" "$mech" plot "$work/a.csv" theat -o "$work/fig.svg"
code 2 "$mech" plot "$work/a.csv" theta -o "$work/fig.bmp"
code 0 "$mech" plot "$work/a.csv"
printf 'a,b\n1,2\n3\n' >"$work/short.csv"
code 1 "$mech" plot "$work/short.csv" -o "$work/fig.svg"
contains "short.csv:3: the row is shorter than the header" "$mech" plot "$work/short.csv" -o "$work/fig.svg"
printf 'a,b\n1,x\n' >"$work/word.csv"
contains "word.csv:2: this is not a number" "$mech" plot "$work/word.csv" -o "$work/fig.svg"
# sines within sines, deeper than a byte counts; masses that are products only
{
    echo "let f0(a) = sin(a + 1)"
    for i in 1 2 3 4 5 6 7 8; do echo "let f$i(a) = f$((i - 1))(f$((i - 1))(a))"; done
    printf "coord x\nkinetic x'^2/2\nforce f8(x) on x'\ninitial x = 1\nsimulate until 1, points 2\n"
} >"$work/nested.mech"
code 0 "$mech" run "$work/nested.mech" --native on --quiet -o "$work/on.csv"
code 0 "$mech" run "$work/nested.mech" --native off --quiet -o "$work/off.csv"
cmp -s "$work/on.csv" "$work/off.csv" || fail "sines within sines differ in native code"
{
    echo "coord x[1..60]"
    for i in $(seq 1 58); do echo "kinetic x[$i]'^2/2"; done
    printf "kinetic x[59]'^2/2 + x[59]'*x[60]'\nconstraint tie: x[1] = x[2]\nsimulate until 1\n"
} >"$work/product.mech"
contains "semi-definite" "$mech" run "$work/product.mech" -o "$work/p.csv"
printf "coord x, y\nkinetic x'^2/2 + x'*y'\nsimulate until 1\n" >"$work/product2.mech"
contains "semi-definite" "$mech" run "$work/product2.mech" --native on -o "$work/p.csv"
# rows that come to contradict one another are named, both
printf "coord x\nkinetic x'^2/2\nconstraint a: x' = 0\nconstraint b: x' = sin(t)\nsimulate until 3\n" >"$work/later.mech"
contains "there it contradicts b" "$mech" run "$work/later.mech" -o "$work/l.csv"
code 3 "$mech" run "$work/later.mech" -o "$work/l.csv"
# also when a step was taken before it shows; the last good state is that of its time, and there is none before a start
cp tests/app/later.mech "$work/later2.mech"
code 3 "$mech" run "$work/later2.mech" -o "$work/l.csv"
contains "last good state: t = 0, x = 0, x' = 0.5, y = 0, y' = 0.5" "$mech" run "$work/later2.mech" -o "$work/l.csv"
# its states too: w = t, up to where the force has no bound
printf "coord x\nstate w: w' = 1\nkinetic x'^2/2\nforce 1/(1/2 - w)^2 on x'\nsimulate until 1\n" >"$work/state.mech"
contains ", w = 0.5" "$mech" run "$work/state.mech" -o "$work/l.csv"
printf "coord x\nstate w: w' = 2\nkinetic x'^2/2\ninitial x' = 3\nsimulate until 1\n" >"$work/state.mech"
contains '"w": 2' "$mech" run "$work/state.mech" --json -o "$work/l.csv"
printf "coord x\nkinetic x'^2/2\npotential x^2/2\ninitial x' = 1\nsimulate until 1\n" >"$work/swing.mech"
for wanted in "--step 1e-12" "--points 1e9"; do
    code 2 "$mech" run "$work/swing.mech" -o "$work/l.csv" $wanted
    lacks "last good state" "$mech" run "$work/swing.mech" -o "$work/l.csv" $wanted
    contains '"t": null' "$mech" run "$work/swing.mech" -o "$work/l.csv" --json $wanted
done
sed -i 's/until 1/until 1, points 1000000000/' "$work/swing.mech"
code 1 "$mech" run "$work/swing.mech" -o "$work/l.csv"
# a failure amid a run: the state printed is that of the run at the printed time
cat >"$work/hit.mech" <<'MODEL'
coord x
kinetic x'^2/2
initial x' = 1
event hit: x rises through 1/2 -> set x' = log(x - 1)
simulate until 1
MODEL
code 4 "$mech" run "$work/hit.mech" -o "$work/l.csv"
contains ", x = 0.5, x' = 1" "$mech" run "$work/hit.mech" -o "$work/l.csv"
code 3 "$mech" check "$work/later.mech"
# exported code comes with the command that makes a program of it, whatever the folder is called
checks=$((checks + 3))
"$mech" export c examples/pendulum-redundant/model.mech -o "$work/it's code" >"$work/exported" || fail "export"
grep -q "written .*it's code/model_main.c" "$work/exported" || fail "an export does not say what it wrote"
sh -c "$(sed -n 's/^compile  *//p' "$work/exported")" && "$work/it's code/model" >/dev/null || { fail "the command that an export prints"; cat "$work/exported" >&2; }
if command -v g++ >/dev/null; then # a program in C++ calls it
    printf '#include "model.h"\nint main() { static model s; model_start(&s); model_set_parameters(&s, s.p); return 0; }\n' >"$work/call.cpp"
    (cd "$work/it's code" && ${CC:-cc} -std=c99 -I. -c model.c fundamental/small.c && g++ -Wall -Wextra -Werror -I. -o ../call ../call.cpp model.o small.o) || fail "exported code called from C++"
    "$work/call" || fail "exported code called from C++ does not run"
fi
[ -z "$("$mech" export c examples/pendulum-redundant/model.mech -o "$work/code" --quiet)" ] || fail "--quiet is not"
# every column has its own name: several laws and frictions on one constraint, names that are alike for long
cat >"$work/two.mech" <<'MODEL'
coord x, y
kinetic (x'^2 + y'^2)/2
potential 9.81*y
constraint floor: y = 0
friction on floor: 0.2, along x'
friction on floor: 0.1, along x'
nonideal on floor: x = -0.1*x'
nonideal on floor: x = -0.2*x'
initial x' = 1
simulate until 1
MODEL
long=$(printf 'n%.0s' $(seq 190))
printf "coord ${long}1, ${long}2\nkinetic (${long}1'^2 + ${long}2'^2)/2\nconstraint ${long}3: ${long}1 = ${long}2\nsimulate until 1\n" >"$work/alike.mech"
for model in two alike; do
    code 0 "$mech" run "$work/$model.mech" -o "$work/$model.csv" --columns accelerations,multipliers,forces,residuals --quiet
    code 0 "$mech" plot "$work/$model.csv" -o "$work/$model.svg"
done
contains 'nonideal(floor#4, x)' head -n 1 "$work/two.csv"
contains 'friction(floor#2, x)' head -n 1 "$work/two.csv"
# Greek letters by themselves or by name, wherever a name is given
printf "param α = 2\ncoord θ\nkinetic θ'^2/2\npotential α*θ^2/2\nactuator θ'\noutput ω = [θ, θ']\nsimulate until 1, points 3\n" >"$work/greek.mech"
for letter in θ theta; do
    contains "2            0" "$mech" eval "$work/greek.mech" --state "$letter=2"
    contains "2            0" "$mech" eval "$work/greek.mech" --state "$letter=2" --inverse "$letter''=1"
done
for letter in α alpha; do
    contains "s^2 + alpha" "$mech" stability "$work/greek.mech" --symbols "$letter"
    code 0 "$mech" stability "$work/greek.mech" --sweep "$letter=1:3:4" --json
    code 0 "$mech" run "$work/greek.mech" --set "$letter=3" -o "$work/greek.csv"
done
for letter in θ theta "θ'" ω omega "ω[2]"; do code 0 "$mech" plot "$work/greek.csv" "$letter" --x θ --units θ=rad -o "$work/greek.svg"; done
printf "coord x\nkinetic x'^2/2\ninput u = file \"greek.csv\" column \"θ\"\nforce u on x'\n" >"$work/column.mech"
code 0 "$mech" check "$work/column.mech"
# a row that is due within the hair across a kink does not stand before the row behind it
printf "coord x\nkinetic x'^2/2\ninput u = if(t < 0.57, 1.2, 3)\nforce u on x'\noutput F = u\nsimulate until 1\n" >"$work/kink.mech"
code 0 "$mech" run "$work/kink.mech" -o "$work/kink.csv" --quiet
checks=$((checks + 1))
awk -F, 'NR > 2 && $1 < before {exit 1} {before = $1}' "$work/kink.csv" || fail "the clock goes back at a kink"
# of two events at one instant that which stops is named
printf "coord x\nkinetic x'^2/2\ninitial x' = 1\nevent a: x rises through 0.5 -> stop\nevent c: t rises through 0.5 -> record\nsimulate until 1\n" >"$work/stops.mech"
contains "stopped at t = 0.5 by event a" "$mech" run "$work/stops.mech" -o "$work/stops.csv"
# where the clock is far from 0 rows that follow the motion come to an end: cos(2*(t - from))
for from in 1e7 -1e7; do
    printf "coord x\nkinetic x'^2/2\npotential 2*x^2\ninitial x = 1\nsimulate from %s until %s + 1\n" $from $from >"$work/late.mech"
    code 0 timeout 60 "$mech" run "$work/late.mech" -o "$work/late.csv" --quiet
    checks=$((checks + 1))
    tail -n 1 "$work/late.csv" | awk -F, '{d = $2 - cos(2)} END {exit !(NR == 1 && d < 1e-7 && d > -1e-7)}' || fail "the end of a late run"
done
# a corner of a constraint takes the energy of the velocity across what lies behind it, and the account says so: all of 2^2/2 where the wire turns
# by 90 degrees; from (1, 0) onto the slope 1/2 a fifth of 1/2. A wire that is smooth takes none.
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint wire: max(x, y) = 1\ninitial x = 1, y = 0, y' = 2\nsimulate until 1\n" >"$work/corner.mech"
contains "note: at t = 0.5: wire has a corner, which strikes as an impact without restitution and takes 2 of energy" "$mech" run "$work/corner.mech" -o "$work/corner.csv"
printf 'x,y\n0,0\n1,0\n3,1\n' >"$work/wire.csv"
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint wire: y = table(x, \"wire.csv\", \"y\")\ninitial x = 0, x' = 1\nsimulate until 2\n" >"$work/corner.mech"
contains "note: at t = 1: wire has a corner, which strikes as an impact without restitution and takes 0.1 of energy" "$mech" run "$work/corner.mech" -o "$work/corner.csv"
sed -i 's/table(.*)/x^2/' "$work/corner.mech"
"$mech" run "$work/corner.mech" -o "$work/corner.csv" | grep -q corner, && fail "a smooth wire has a corner"
# what a warning is not about was kept
printf "coord x\nkinetic x'^2/2\ninitial x' = 1\nmeasure m: max of 1/(x - 0.3173)^2\nsimulate until 1\n" >"$work/pole.mech"
code 5 "$mech" run "$work/pole.mech" -o "$work/c.csv"
contains "energy kept to 0 (largest energy: 0.5)" "$mech" run "$work/pole.mech" -o "$work/c.csv" --allow-imbalance
# a stop that may be left at any push: no multiplier is in what looks at it
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y = 0\nconstraint stop: x <= 0\nfriction on floor: 0.5, along x'\noutput a = active(stop)\nforce 6 - 4*t on x'\nmeasure on: mean of active(stop)\nsimulate until 3\n" >"$work/stop.mech"
contains "note: output a looks at whether a constraint is active, which is not unique: it is one choice of many" "$mech" run "$work/stop.mech" -o "$work/c.csv"
contains "note: measure on looks at whether a constraint is active, which is not unique: it is one choice of many" "$mech" run "$work/stop.mech" -o "$work/c.csv"
# a table lies beside the model, wherever the command is given from
code 0 "$mech" check tests/app/driven.mech
code 0 "$mech" check "$PWD/tests/app/driven.mech"
finish
