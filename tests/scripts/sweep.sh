#!/usr/bin/env bash
# mech sweep: rows in order whatever the threads, taken up again after kills and Ctrl-C, failures as rows.
. tests/scripts/lib.sh
cat >"$work/ball.mech" <<'END'
param k = 4, m = 1
coord x "m"
kinetic m/2*x'^2
potential k/2*x^2
initial x = 0, x' = 3
event top: x' falls through 0 -> record
measure peak: max of x "m"
measure when: time of top "s"
simulate until 5
END
cd "$work" || exit 1
mech=$(cd "$OLDPWD" && cd "$(dirname "$mech")" && pwd)/mech
contains "20 runs by" "$mech" sweep ball.mech --vary k=1:10:10 --vary m=1:2:2 -o grid.csv
contains "all went well" "$mech" sweep ball.mech --vary k=1:10:10 --vary m=1:2:2 -o grid.csv
checks=$((checks + 2))
[ "$(head -n 1 grid.csv)" = "run,k,m,peak,when,status,reason" ] || fail "header: $(head -n 1 grid.csv)"
[ "$(wc -l <grid.csv)" -eq 21 ] || fail "rows of the grid"

# the peak is v sqrt(m/k), the time pi/2 sqrt(m/k)
checks=$((checks + 1))
awk -F, 'NR > 1 { r = sqrt($3/$2); d = $4 - 3*r; e = $5 - 1.5707963267948966*r; if (d*d > 1e-14 || e*e > 1e-14 || $6 != "ok") bad = 1 } END { exit bad }' grid.csv || fail "values of the grid"

# starts of joints, whatever coordinates the bodies have: at rest or turning, w is what is given, and B stays at 0.3
cat >"$work/joints.mech" <<'END'
gravity [0, 0]
coordinates absolute
body a: rod [0, 0] to [1, 0], mass 1
body b: rod [0, 0] to [1, 0], mass 1
joint A: ground to a, revolute
joint B: a at [1, 0] to b, revolute
guess A = -1, B = 0.3, A' = 0
measure turn: final of a.angle
measure next: final of B
measure rate: final of b.w
simulate until 1e-9
END
"$mech" sweep joints.mech --vary A=-1:2:3 --vary "A'=1:3:3" --quiet -o joints.csv || fail "starts of joints"
checks=$((checks + 1))
awk -F, 'NR > 1 { d = $4 - $2; e = $5 - 0.3; f = $6 - $3; if (d*d + e*e + f*f > 1e-15 || $7 != "ok") bad = 1 } END { exit bad || NR != 10 }' joints.csv || fail "starts of joints: $(cat joints.csv)"

# the same bytes with other numbers of threads, and from a table
draw=(--vary "k=normal:4:0.1" --vary "x'=uniform:1:2" --samples 300 --sequence sobol --seed 3 --no-native --quiet)
"$mech" sweep ball.mech "${draw[@]}" -o one.csv --threads 1 || fail "one thread"
for threads in 2 5 8; do
    checks=$((checks + 1))
    "$mech" sweep ball.mech "${draw[@]}" -o many.csv --threads $threads
    cmp -s one.csv many.csv || fail "$threads threads give other rows"
done
cut -d, -f2,3 one.csv >starts.csv
checks=$((checks + 1))
"$mech" sweep ball.mech --vary starts.csv --no-native --quiet -o table.csv
cmp -s one.csv table.csv || fail "a table of the same values gives other rows"

# a table as spreadsheets write it, with the mark of UTF-8 and their line ends; the same as an input
checks=$((checks + 2))
printf '\xef\xbb\xbfk,m\r\n1,4\r\n4,1\r\n' >marked.csv
"$mech" sweep ball.mech --vary marked.csv --quiet -o marks.csv
awk -F, 'NR > 1 { d = $4 - 3*sqrt($3/$2); if (d*d > 1e-14) bad = 1 } END { exit bad || NR != 3 }' marks.csv || fail "a table with the mark of UTF-8"
printf '\xef\xbb\xbft,u\n0,1\n5,1\n' >pushed.csv
printf '%s\n' 'coord x' "kinetic x'^2/2" 'input u = file "pushed.csv" column "u"' "force u on x'" 'measure end: final of x' 'simulate until 2' >pushed.mech
contains "end = 2" "$mech" run pushed.mech -o pushed.out.csv

# killed over and over, at any moment: what stands is whole rows, and in the end all is as if nothing had been
long=(--vary "k=uniform:1:4" --vary "m=uniform:1:2" --samples 4000 --no-native --quiet --threads 2)
"$mech" sweep ball.mech "${long[@]}" -o whole.csv
resume=""
for turn in $(seq 1 30); do
    "$mech" sweep ball.mech "${long[@]}" -o cut.csv $resume &
    child=$!
    await eval "[ -e cut.csv.part ] || ! kill -0 $child 2>/dev/null"
    sleep 0.0$((RANDOM % 9 + 1))
    kill -9 $child 2>/dev/null
    wait $child 2>/dev/null
    [ -e cut.csv.part ] || break
    resume=--resume
done
checks=$((checks + 2))
[ -e cut.csv ] || "$mech" sweep ball.mech "${long[@]}" -o cut.csv --resume || fail "it does not go on"
cmp -s whole.csv cut.csv || fail "after kills the rows are others"
[ ! -e cut.csv.part ] || fail "cut.csv.part is left"
echo "figure: a sweep survived $turn kills"

# Ctrl-C keeps what is done, and says how to go on
"$mech" sweep ball.mech "${long[@]}" -o asked.csv 2>said &
child=$!
await eval "[ \$(stat -c %s asked.csv.part 2>/dev/null || echo 0) -gt 4000 ] || ! kill -0 $child 2>/dev/null"
kill -INT $child 2>/dev/null
wait $child; got=$?
checks=$((checks + 2))
[ $got -eq 130 ] || [ $got -eq 0 ] || fail "Ctrl-C exits with $got"
[ $got -eq 0 ] || grep -q "the same command with --resume goes on" said || fail "Ctrl-C says: $(cat said)"
[ $got -eq 0 ] || "$mech" sweep ball.mech "${long[@]}" -o asked.csv --resume || fail "after Ctrl-C it does not go on"
cmp -s whole.csv asked.csv || fail "after Ctrl-C the rows are others"

# a restitution above 1 is told of the runs that have it, as `mech run --set` tells it
cat >bumper.mech <<'END'
param e = 0.5
coord y
kinetic y'^2/2
potential 9.81*y
constraint floor: y >= 0, restitution e
initial y = 1
measure high: final of y
simulate until 0.6
END
"$mech" sweep bumper.mech --vary e=0.5:1.5:3 -o bumper.csv --quiet
checks=$((checks + 1))
[ "$(cut -d, -f 1,2,4- bumper.csv | tr '\n' ' ')" = "run,e,status,reason 0,0.5,ok, 1,1,ok, 2,1.5,warning,impacts on floor add energy: their coefficient of restitution is 1.5 " ] ||
    fail "a restitution above 1: $(cat bumper.csv)"

# HDF5: the numbers and words of the CSV file, units; killed and taken up again; the same bytes
python=python3; "$python" -c 'import h5py' 2>/dev/null || python=/usr/bin/python3
mixed=(--vary m=-1:1:5 --vary "x'=1:2:3" --quiet)
"$mech" sweep ball.mech "${mixed[@]}" -o mixed.csv; "$mech" sweep ball.mech "${mixed[@]}" -o mixed.h5 || fail "no HDF5"
"$mech" sweep ball.mech "${long[@]}" -o whole.h5
checks=$((checks + 3))
[ ! -e mixed.h5.part ] || fail "mixed.h5.part is left"
if "$python" -c 'import h5py' 2>/dev/null; then
    "$python" - <<'END' || fail "HDF5 and CSV differ"
import csv, h5py
for name in "mixed", "whole":
    rows, file = list(csv.DictReader(open(name + ".csv"))), h5py.File(name + ".h5")
    assert set(file) == set(rows[0]) and file["peak"].attrs["unit"] == b"m" and file["peak"].shape == (len(rows),)
    for key in file:
        for row, value in zip(rows, file[key][:]):
            assert value.decode() == row[key] if isinstance(value, bytes) else value == float(row[key]) or (value != value and row[key] == "nan"), (key, row)
END
fi
if command -v octave-cli >/dev/null; then # the same in Octave: all sets, the words too
    cat >same.m <<'END'
r = load("mixed.h5");
names = fieldnames(r);
file = fopen("octave.txt", "w");
for k = 1:numel(r.run)
    for i = 1:numel(names)
        value = r.(names{i});
        if ischar(value) fprintf(file, "%s=%s\n", names{i}, strtrim(value(k, :)));
        else fprintf(file, "%s=%.17g\n", names{i}, value(k)); end
    end
end
END
    timeout 100 octave-cli --norc --quiet same.m >octave.said 2>&1 || fail "Octave: $(head -3 octave.said)"
    "$python" - <<'END' || fail "Octave reads other numbers or words"
import csv
got, rows = open("octave.txt").read().splitlines(), list(csv.DictReader(open("mixed.csv")))
assert len(got) == len(rows) * len(rows[0]), (len(got), len(rows))
for k, row in enumerate(rows):
    seen = dict(line.split("=", 1) for line in got[k * len(row):(k + 1) * len(row)])
    seen = {name.replace("x_", "x'"): value for name, value in seen.items()}
    for key in row:
        if key in ("status", "reason"): assert seen[key] == row[key].strip(), (key, seen, row)
        else: assert float(seen[key]) == float(row[key]) or row[key] == "nan" and seen[key] == "NaN", (key, seen, row)
END
    checks=$((checks + 2))
fi
resume=""
for turn in $(seq 1 9); do
    "$mech" sweep ball.mech "${long[@]}" -o cut.h5 $resume &
    child=$!
    await eval "[ -e cut.h5.part ] || ! kill -0 $child 2>/dev/null"
    sleep 0.0$((RANDOM % 9 + 1))
    kill -9 $child 2>/dev/null
    wait $child 2>/dev/null
    [ -e cut.h5.part ] || break
    resume=--resume
done
[ ! -e cut.h5.part ] || "$mech" sweep ball.mech "${long[@]}" -o cut.h5 --resume || fail "HDF5 does not go on"
cmp -s whole.h5 cut.h5 || fail "after kills HDF5 is another"

# a full disk: an error, whole rows, and with more room it goes on; HDF5 is larger than its lines here
printf '%s\n' "param p = 1" "coord x" "kinetic x'^2/2" "measure same: final of p" "simulate until 1" >short.mech
whole=(--vary p=1:3000:3000 --quiet --no-native -o)
for file in full.csv full.h5; do
    "$mech" sweep short.mech "${whole[@]}" "room.${file#full.}"
    for limit in 8 40 64 72; do
        (trap '' XFSZ; ulimit -f $limit; "$mech" sweep short.mech "${whole[@]}" $file 2>said); got=$?
        checks=$((checks + 2))
        [ $got -eq 4 ] && grep -q "the disk is full" said && grep -q "with --resume goes on" said && [ ! -e $file ] && [ ! -e $file.part.part ] || { [ $got -eq 0 ] && [ -e $file ]; } || fail "$file at $limit: $got"
        [ $got -eq 0 ] || "$mech" sweep short.mech "${whole[@]}" $file --resume || fail "$file does not go on"
        cmp -s $file "room.${file#full.}" || fail "after a full disk $file is another"
        rm -f $file
    done
done

# whole runs: each in a file of its own, the one that mech run writes; the rows of the sweep are the same
checks=$((checks + 3))
"$mech" sweep ball.mech --vary k=1:4:4 --quiet --no-native --on threads -o plain.csv
"$mech" sweep ball.mech --vary k=1:4:4 --quiet --no-native -o kept.csv --trajectories runs --points 11 --columns accelerations
cmp -s plain.csv kept.csv || fail "--trajectories changes the rows"
[ "$(ls runs | grep -v -- '-metadata.json$' | tr '\n' ' ')" = "run-0.csv run-1.csv run-2.csv run-3.csv " ] || fail "files of --trajectories: $(ls runs)"
for k in 1 2 3 4; do
    "$mech" run ball.mech --set k=$k --quiet --no-native --points 11 --columns accelerations -o single.csv
    cmp -s single.csv runs/run-$((k - 1)).csv || fail "run $k by --trajectories is another than mech run"
    sed "s/single.csv/run-$((k - 1)).csv/" single.csv-metadata.json | cmp -s - runs/run-$((k - 1)).csv-metadata.json || fail "what stands beside run $k by --trajectories"
done

# what is one choice of many is marked, and what is unique is not: two constraints that say the same carry the weight m g together; from t = T on
cat >shared.mech <<'END'
param m = 1, T = 0
coord x, y
kinetic m/2*(x'^2 + y'^2)
potential m*10*y
constraint floor: y = 0
constraint again: 2*y = 0
initial release again
event late: t rises through T -> impose again
measure share: max of force(floor, y) "N"
measure both: max of force(floor, y) + force(again, y) "N"
simulate until 1
END
twice=(--vary m=1:3:3 --vary T=0.5:2:2 --no-native)
contains "note: measure share is not unique, in one run at least: it is one choice of many" "$mech" sweep shared.mech "${twice[@]}" -o shared.csv
contains '"least_norm_measures": ["share"]' "$mech" sweep shared.mech "${twice[@]}" -o shared.h5 --json --trajectories parts --columns multipliers
lacks "not unique" "$mech" sweep shared.mech --vary m=1:3:3 --set T=2 --no-native -o alone.csv
contains '"least_norm_measures": []' "$mech" sweep shared.mech --vary m=1:3:3 --set T=2 --no-native -o alone.csv --json
checks=$((checks + 5))
awk -F, 'NR > 1 { d = $5 - 10*$2; if (d*d > 1e-16) bad = 1 } END { exit bad || NR != 7 }' shared.csv || fail "the weight of both: $(cat shared.csv)"
[ "$(grep -c 'not unique' shared.csv-metadata.json)" -eq 1 ] && grep -q '"titles": "share", "schema:unitText": "N", "dc:description": "not unique: one choice of many"' shared.csv-metadata.json || fail "the mark beside a sweep: $(cat shared.csv-metadata.json)"
! grep -q 'not unique' alone.csv-metadata.json || fail "a mark beside what is unique"
[ ! -e shared.csv.part-metadata.json ] && [ ! -e shared.h5.part-metadata.json ] || fail "what stood beside the rows is left"
grep -q '"titles": "lambda(floor)", "dc:description": "not unique' parts/run-0.csv-metadata.json && ! grep -q 'not unique' parts/run-1.csv-metadata.json || fail "marks of --trajectories"
if "$python" -c 'import h5py' 2>/dev/null; then
    "$python" -c 'import h5py; f = h5py.File("shared.h5"); assert f["share"].attrs["not_unique"] == 1 and "not_unique" not in f["both"].attrs' || fail "the mark in HDF5"
    checks=$((checks + 1))
fi
# names as the model has them: Greek letters are spelt out, as in the rows of a run
printf "param θ = 1\ncoord x\nkinetic x'^2/2\nforce -θ*x on x'\ninitial x = 1\nmeasure last: final of x\nsimulate until 1\n" >greek.mech
"$mech" sweep greek.mech --vary θ=1:4:2 --vary x=1:2:2 -o greek.csv --quiet
checks=$((checks + 1))
[ "$(head -n 1 greek.csv)" = "run,theta,x,last,status,reason" ] || fail "names of a sweep: $(head -n 1 greek.csv)"
contains "'theta' is varied twice" "$mech" sweep greek.mech --vary θ=1:4:2 --vary theta=1:2:2 -o greek.csv
# the first run is marked and the others are not: taken up again behind it, it is still known
other=(--vary T=0.5:2:2 --no-native)
"$mech" sweep shared.mech "${other[@]}" -o first.csv --quiet
head -n 2 first.csv >cut2.csv.part
cp first.csv-metadata.json cut2.csv.part-metadata.json
contains "measure share is not unique" "$mech" sweep shared.mech "${other[@]}" -o cut2.csv --resume
checks=$((checks + 2))
cmp -s first.csv cut2.csv || fail "taken up again, the rows are others"
sed 's/cut2.csv/first.csv/' cut2.csv-metadata.json | cmp -s - first.csv-metadata.json || fail "taken up again, the marks are others"
contains "whole runs, with their rows, are made by threads alone" "$mech" sweep ball.mech --vary k=1:4:4 -o no.csv --trajectories runs --on lanes
(trap '' XFSZ; ulimit -f 1; "$mech" sweep ball.mech --vary k=1:4:4 -o small.csv --trajectories tight --points 1001 --quiet 2>said); got=$?
[ $got -eq 4 ] && grep -q "the rows of a run cannot be written to 'tight'" said || fail "no room for trajectories: $got, $(cat said)"

# on lanes: the compiler starts for the first run in doubt, once, and not at all without one; the same rows all the same
cat >damped.mech <<'END'
param k = 4, c = 1
coord x, y
kinetic (x'^2 + y'^2)/2
potential k/2*(x^2 + y^2)
force -c*x' on x'
initial x = 1, y = 2, x' = 3, y' = 0.1
measure peak: max of x
measure last: final of y
simulate until 2
END
printf '#!/bin/sh\necho >>"%s/started"\nexec cc "$@"\n' "$PWD" >traced; chmod +x traced
# traced NAME COMMAND...: how often the compiler started, with nothing kept from before
traced() { rm -rf kept started; XDG_CACHE_HOME=$PWD/kept MECH_CC=$PWD/traced "$@" --native on; touch started; wc -l <started; }
clear=(sweep damped.mech --vary c=1:10:40 --quiet) stiff=(sweep damped.mech --vary c=log:1:1e5:40 --quiet)
if [ "$(traced "$mech" run damped.mech -o rows.csv --quiet)" -gt 0 ]; then # this build compiles
    checks=$((checks + 4))
    [ "$(traced "$mech" "${clear[@]}" -o clear.csv)" -eq 0 ] || fail "no run is in doubt, and the compiler starts"
    "$mech" "${clear[@]}" -o plain.csv --no-native; cmp -s clear.csv plain.csv || fail "rows of lanes depend on --native"
    for threads in 1 4; do
        [ "$(traced "$mech" "${stiff[@]}" --threads $threads -o stiff$threads.csv)" -eq 1 ] || fail "runs in doubt: the compiler starts $(wc -l <started) times"
    done
    cmp -s stiff1.csv stiff4.csv || fail "runs in doubt: other rows by 4 threads"
    "$mech" "${stiff[@]}" -o single.csv --on threads --native on
    # damping above 1e4 is stiff: made whole, the rows of single runs to the byte
    cmp -s <(tail -n 8 stiff1.csv) <(tail -n 8 single.csv) || fail "runs in doubt are not as single ones"
fi
contains "of them were made whole" "$mech" sweep damped.mech --vary c=log:1:1e5:40 -o said.csv

# another sweep is not taken up
"$mech" sweep ball.mech --vary k=1:2:50 -o other.csv --quiet && mv other.csv other.csv.part
code 2 "$mech" sweep ball.mech --vary k=1:3:50 -o other.csv --resume
contains "is of another sweep" "$mech" sweep ball.mech --vary m=1:2:50 -o other.csv --resume
contains "there is no 'none.csv.part'" "$mech" sweep ball.mech --vary k=1:2:50 -o none.csv --resume
# nor one of another model with the same names, of other data or other options; with the same ones the rows are the same bytes
printf 't,u\n0,1\n5,1\n' >push.csv
{ cat ball.mech; echo 'input u = file "push.csv" column "u"'; echo "force u on x'"; } >pushed.mech
"$mech" sweep pushed.mech --vary k=1:2:5 -o all.csv --quiet || fail "a sweep that is pushed"
half() { head -n 3 all.csv >half.csv.part; cp all.csv-metadata.json half.csv.part-metadata.json; rm -f half.csv; }
others="is of a model, data or options that were others"
for given in "--set m=2" "--rtol 1e-6" "--until 4" "--on threads" "--method rk5"; do half; contains "$others" "$mech" sweep pushed.mech --vary k=1:2:5 $given -o half.csv --resume; done
half; rm half.csv.part-metadata.json; contains "$others" "$mech" sweep pushed.mech --vary k=1:2:5 -o half.csv --resume; code 2 "$mech" sweep pushed.mech --vary k=1:2:5 -o half.csv --resume
half; sed -i 's/until 5/until 4/' pushed.mech; contains "$others" "$mech" sweep pushed.mech --vary k=1:2:5 -o half.csv --resume; sed -i 's/until 4/until 5/' pushed.mech
half; sed -i 's/0,1/0,2/' push.csv; contains "$others" "$mech" sweep pushed.mech --vary k=1:2:5 -o half.csv --resume; sed -i 's/0,2/0,1/' push.csv
half; code 0 "$mech" sweep pushed.mech --vary k=1:2:5 --threads 1 --quiet -o half.csv --resume
checks=$((checks + 1)); cmp -s half.csv all.csv || fail "rows that were taken up"

# figures: a curve, a map, dots, histograms
for what in "--vary k=1:2:9" "--vary k=log:1:2:9 --vary m=1:2:5" "--vary k=normal:4:0.1 --samples 20" "--vary k=normal:4:0.1 --vary m=uniform:1:2 --samples 20"; do
    checks=$((checks + 1)); rm -f figure.svg
    "$mech" sweep ball.mech $what --quiet -o drawn.csv --plot figure.svg && grep -q "peak \[m\]" figure.svg || fail "no figure of $what"
done
contains "name a file for it, such as map.svg, in place of -" "$mech" sweep ball.mech --vary k=1:2:3 --vary m=1:2:3 --quiet -o drawn.csv --plot -

# a cell of a map stands where its values are, whatever the order of the runs: rows of cells by b, the brightest where a + 10 b is largest
printf "param a = 1, b = 1\ncoord x\nkinetic x'^2/2\ninitial x = a + 10*b, x' = 0\nmeasure f: final of x\nsimulate until 0.1\n" >plane.mech
printf 'a\n2\n0\n1\n3\n' >even.csv; printf 'a\n2\n0\n1\n3.5\n' >uneven.csv
draw() { local figure=$1; shift; checks=$((checks + 1)); "$mech" sweep plane.mech "$@" --quiet -o plane.csv --plot "$figure" || fail "no figure of $*"; }
draw up.svg --vary a=0:3:4 --vary b=1:2:3
draw down.svg --vary a=3:0:4 --vary b=2:1:3
draw even.svg --vary even.csv --vary b=1:2:3
cmp -s up.svg down.svg && cmp -s up.svg even.svg || fail "a map depends on the order of its runs"
[ "$(grep '<rect x=' down.svg | sed -n 's/.*fill="\(.*\)".*/\1/;1p;12p' | xargs)" = "#440456 #f8e627" ] || fail "the least and the largest value are not in the first and the last cell"
for what in "--vary uneven.csv --vary b=1:2:3" "--vary b=0.1:1:4 --vary a=uniform:0:4 --samples 4" "--vary a=uniform:0:4 --vary b=0.1:1:4 --samples 4"; do
    draw other.svg $what; grep -q ">runs<" other.svg || fail "a map of $what, which is no grid"
done

# notes of runs: a default atol of 1e-12 is much beside 1e-12 and 1e-9, by lanes and by threads; runs stay ok
printf "param x0 = 1\ncoord x\nkinetic x'^2/2\npotential x^2/2\ninitial x = x0, x' = 0\nmeasure f: final of x\nsimulate until 1\n" >little.mech
printf 'x0\n1\n1e-12\n1e-9\n' >sizes.csv
for on in lanes threads; do
    contains ": all went well, 2 with a note" "$mech" sweep little.mech --vary sizes.csv --on $on -o little.csv
    contains "note: run 1: at t = 1: x: within 1e-12, where the default atol" "$mech" sweep little.mech --vary sizes.csv --on $on -o little.csv
    contains '"noted": 2' "$mech" sweep little.mech --vary sizes.csv --on $on --json -o little.csv
    checks=$((checks + 1))
    [ "$(grep -c ',ok,"note: at t = 1: x: within' little.csv) $(grep -c ',ok,$' little.csv)" = "2 1" ] || fail "notes in the rows: $(cat little.csv)"
done
contains ": all went well" "$mech" sweep little.mech --vary sizes.csv --atol 1e-22 -o little.csv
checks=$((checks + 1)); grep -q note little.csv && fail "a note where an atol is given"

# the map of an example by runs from beside its equilibrium, and by the eigenvalues there
model=$OLDPWD/examples/rotating-hoop/model-turning.mech
{ cat "$model"; echo "measure far: max of abs(theta)"; } >hoop.mech
"$mech" stability "$model" --set theta0=0 --map Omega=1:6:11,R=0.3:1.5:7 --json >map.json
"$mech" sweep hoop.mech --set theta0=1e-4 --vary R=0.3:1.5:7 --vary Omega=1:6:11 --until 60 --rtol 1e-7 --quiet -o map.csv
checks=$((checks + 1))
python3 - <<'END' || fail "the map by runs is another than that by modes"
import csv, json
region = [cell for row in json.load(open("map.json"))["region"] for cell in row]
runs = [float(row["far"]) > 0.1 for row in csv.DictReader(open("map.csv"))]
assert len(runs) == len(region) == 77 and 20 < sum(runs) < 60
assert all((cell == "unstable") == far for cell, far in zip(region, runs))
END

# a run that fails is a row with its reason
code 0 "$mech" sweep ball.mech --vary m=-1:1:3 -o failed.csv
contains "3 failed" "$mech" sweep ball.mech --vary m=-1:1:5 -o failed2.csv
checks=$((checks + 1))
[ "$(grep -c ',failed,' failed.csv)" -ge 1 ] && grep -q 'mass' failed.csv || fail "no row of the run that failed"
code 4 "$mech" sweep ball.mech --vary m=-2:-1:2 -o all.csv

finish
