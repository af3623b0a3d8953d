#!/usr/bin/env bash
# Runs that are killed at random moments and taken up again end with the same bytes as runs that were left alone.
. tests/scripts/lib.sh
kills=0 landed=0 cases=0
cat >"$work/states.mech" <<'MODEL'
param tau = 0.1
coord x, y
state u: u' = (-10*x - u)/tau
state w[1..2]: w' = [x - w[1], w[1] - w[2]]
input push = 3*sin(5*t)
kinetic (x'^2 + y'^2)/2
force u + push on x'
potential y
constraint slope: y = x/2
event far: x rises through 0.05 -> record, set u = 0
initial x = 0.1
output e = w[2]
simulate until 60, points 2001
MODEL
cat >"$work/rough.mech" <<'MODEL'
# drops, bounces, comes to rest on the floor, sticks and slips there under a force that sways; a second body hits a wall
coord x, y, a
mass [x, y] = 1
kinetic a'^2/2
force -9.81 on y'
force 6*sin(3*t) on x'
force -4*a on a'
constraint floor: y = 0
constraint wall: a = 0
event hit: y falls through 0 -> impact floor restitution 0.5
event knock: a falls through 0 -> impact wall restitution 0.9
friction on floor: 0.3, along x', static 0.4
initial y = 0.2, x' = 0.5, a = 1
simulate until 20, points 801
MODEL
swing until 300, points 5001 >"$work/long.mech"

same_rows() { case $1 in *.mat) cmp -s <(tail -c +129 "$1") <(tail -c +129 "$2");; *) cmp -s "$1" "$2";; esac; } # a .mat begins with a date
milliseconds() { echo $(($(date +%s%N) / 1000000)); }
# killed NAME ENDING OPTIONS...: the run of NAME, killed 10 times and taken up again, beside the same run left alone. The moments
# are of the time that run took, of half of it after one that came to its end first: whatever the machine, most kills meet a run.
killed() {
    local name=$1 ending=$2 tries=0 began window; shift 2
    local file="$work/k.$ending" run=("$mech" run "$work/$name.mech" "$@")
    rm -f "$work"/k.* "$work/keep" "$work/keep.part"
    began=$(milliseconds)
    if [[ " $* " == *" rk5 "* || " $* " == *" rk8 "* ]] && [[ " $* " != *"--checkpoint-"* ]]; then "${run[@]}" -o "$work/alone.$ending" --json >"$work/alone.json"
    else "${run[@]}" -o "$work/alone.$ending" --json --checkpoint "$work/keep" >"$work/alone.json"; fi || fail "$name $*: the run left alone fails"
    window=$(($(milliseconds) - began)); [ $window -le 100 ] || window=100
    rm -f "$work/keep"
    while [ $tries -lt 10 ]; do
        tries=$((tries + 1)); kills=$((kills + 1))
        if [ -e "$work/keep" ]; then "${run[@]}" -o "$file" --resume "$work/keep" --json >"$work/k.json" 2>"$work/k.err" &
        else "${run[@]}" -o "$file" --checkpoint "$work/keep" --json >"$work/k.json" 2>"$work/k.err" & fi
        local child=$!
        sleep "0.$(printf %03d $((RANDOM % (window + 1))))"
        kill -KILL $child 2>/dev/null
        wait $child 2>/dev/null
        local result=$?
        [ $result -eq 137 ] && landed=$((landed + 1))
        if [ $result -eq 0 ] || { [ "$ending" = csv ] && [ -e "$file" ]; }; then # ended, or killed after its rows took their name
            same_rows "$work/alone.$ending" "$file" || fail "$name $*: other rows at the end"
            rm -f "$file" "$work/keep"; window=$((window / 2))
        elif [ $result -ne 137 ]; then fail "$name $*: taken up, it exits with $result"; cat "$work/k.err" >&2; return; fi
    done
    if [ -e "$work/keep" ]; then "${run[@]}" -o "$file" --resume "$work/keep" --json >"$work/k.json" 2>"$work/k.err"
    else "${run[@]}" -o "$file" --checkpoint "$work/keep" --json >"$work/k.json" 2>"$work/k.err"; fi || { fail "$name $*: it does not come to its end"; cat "$work/k.err" >&2; return; }
    checks=$((checks + 3)); cases=$((cases + 1))
    same_rows "$work/alone.$ending" "$file" || fail "$name $*: other rows after $tries kills"
    sed "s/alone\.$ending/k.$ending/" "$work/alone.json" | sed 's/"seconds": [^,}]*//' | cmp -s - <(sed 's/"seconds": [^,}]*//' "$work/k.json") || { fail "$name $*: another account"; diff "$work/alone.json" "$work/k.json" | head -n 10 >&2; }
    [ ! -e "$work/keep" ] || fail "$name $*: the checkpoint is left behind after a good end"
}

for method in rk5 rk8; do
    killed long csv --method $method --no-native
    killed rough csv --method $method
    killed states csv --method $method
done
killed long csv --method rk8 --native on
killed states mat --method rk8
for method in bdf adams irk; do killed states csv --method $method --checkpoint-steps 40; done
killed long csv --method bdf --no-native
killed long csv --method rk8 --stabilize excess --checkpoint-steps 37 --columns forces,residuals

# interrupted: says how to go on, and does
longer=("$mech" run "$work/long.mech" --method rk8 --until 20000 --points 1001 --quiet)
"${longer[@]}" -o "$work/i.csv" --checkpoint "$work/i.keep" --checkpoint-every 100 2>"$work/err" &
child=$!; begun "$work/i.csv" $child; kill -TERM $child; wait $child; result=$?
checks=$((checks + 3))
[ $result -eq 143 ] || fail "an interrupted run exits with $result"
grep -q -- "--resume $work/i.keep" "$work/err" || { fail "an interrupted run does not say how to go on"; cat "$work/err" >&2; }
code 0 "${longer[@]}" -o "$work/i.csv" --resume "$work/i.keep"
"${longer[@]}" -o "$work/j.csv"
cmp -s "$work/i.csv" "$work/j.csv" || fail "an interrupted run that went on has other rows"

# methods that begin anew say so
contains "begins anew" "$mech" run "$work/states.mech" -o "$work/c.csv" --method bdf --checkpoint "$work/c.keep" --checkpoint-steps 40
# and by default seldom enough to cost less than a tenth
steps() { "$mech" run "$work/long.mech" -o "$work/c.csv" --no-native --json "$@" | sed -n 's/.*"steps": \([0-9]*\).*/\1/p' | head -n 1; }
for method in bdf adams; do
    alone=$(steps --method $method) kept=$(steps --method $method --checkpoint "$work/c.keep"); checks=$((checks + 1))
    [ "$kept" -le $((alone * 11 / 10)) ] || fail "checkpoints of $method: $kept steps in place of $alone"
done
lacks "begins anew" "$mech" run "$work/states.mech" -o "$work/c.csv" --method rk8 --checkpoint "$work/c.keep"

# a checkpoint and rows to spoil: of a run that finds the disk full after 100 kB of rows
make_kept() { rm -f "$work"/s.*; (ulimit -f 100; trap '' XFSZ; "$mech" run "$work/long.mech" -o "$work/s.csv" --checkpoint "$work/s.keep" --quiet 2>/dev/null); }
resume() { "$mech" run "$work/long.mech" -o "$work/s.csv" --resume "$work/s.keep" "$@"; }
make_kept
checks=$((checks + 1)); [ -e "$work/s.keep" ] || fail "no checkpoint was written"
cp "$work/s.keep" "$work/whole.keep"; cp "$work/s.csv.part" "$work/whole.part"
head -c 1000 "$work/whole.keep" >"$work/s.keep"; contains "cut short or damaged" resume; code 2 resume
: >"$work/s.keep"; contains "this is no checkpoint" resume
cp "$work/long.mech" "$work/s.keep"; contains "this is no checkpoint" resume
rm "$work/s.keep"; contains "cannot be read: there is no such file" resume; mkdir "$work/s.keep"; code 2 resume; rmdir "$work/s.keep"
cp "$work/whole.keep" "$work/s.keep"
contains "it has 'rtol 1e-09', this one 'rtol 1e-06'" resume --rtol 1e-6
contains "'parameter l = 1', this one 'parameter l = 2'" resume --set l=2
contains "'method auto', this one 'method rk5'" resume --method rk5
contains "is of another model: it has 'coordinates x, y', this one 'coordinates x, y, a'" "$mech" run "$work/rough.mech" -o "$work/s.csv" --resume "$work/s.keep"
sed 's/potential g\*y/potential 2*g*y/' "$work/long.mech" >"$work/changed.mech"
contains "is of another model: it has the same names, but other equations" "$mech" run "$work/changed.mech" -o "$work/s.csv" --resume "$work/s.keep"
head -c 100 "$work/whole.part" >"$work/s.csv.part"; contains "is too short: it has 100 bytes" resume; code 2 resume
tr 1 2 <"$work/whole.part" >"$work/s.csv.part"; contains "holds other rows" resume
rm "$work/s.csv.part"; contains "s.csv.part' is missing" resume; code 2 resume
cp "$work/whole.part" "$work/s.csv.part"; code 0 resume
checks=$((checks + 1)); "$mech" run "$work/long.mech" -o "$work/t.csv" --quiet; cmp -s "$work/s.csv" "$work/t.csv" || fail "refusals changed the rows"
# options
code 2 "$mech" run "$work/long.mech" -o - --checkpoint "$work/s.keep"
code 2 "$mech" run "$work/long.mech" -o "$work/s.csv" --checkpoint-every 1
code 2 "$mech" run "$work/long.mech" -o "$work/s.csv" --checkpoint "$work/s.keep" --checkpoint-every 0
code 2 "$mech" run "$work/long.mech" -o "$work/s.csv" --checkpoint "$work/s.keep" --checkpoint-every 1 --checkpoint-steps 5
code 2 "$mech" run "$work/long.mech" -o "$work/s.csv" --checkpoint "$work/s.csv"
code 2 "$mech" run "$work/long.mech" -o "$work/s.csv" --checkpoint "$work/long.mech"
# a checkpoint that cannot be written is said, and the run comes to its end
contains "cannot be written; the run goes on" "$mech" run "$work/long.mech" --until 5 -o "$work/s.csv" --checkpoint "$work/no/such/keep"
code 0 "$mech" run "$work/long.mech" --until 5 -o "$work/s.csv" --checkpoint /dev/full
checks=$((checks + 1)); [ "$landed" -ge $((kills / 2)) ] || fail "only $landed of $kills kills met a running run"
# half a row, left by whatever: a figure is drawn without it, and the run goes on
cat >"$work/wide.mech" <<'MODEL'
coord q[1..200]
kinetic sum(i in 1..200: q[i]'^2)/2
potential sum(i in 1..200: (q[i] - i)^2/2)
simulate until 10, points 101
MODEL
wide=("$mech" run "$work/wide.mech" --method rk8 --no-native --quiet)
"${wide[@]}" -o "$work/w.csv"; mv "$work/w.csv" "$work/w0.csv"
(ulimit -f 400; trap '' XFSZ; "${wide[@]}" -o "$work/w.csv" --checkpoint "$work/w.keep" 2>/dev/null)
rows=$(wc -l <"$work/w.csv.part")
checks=$((checks + 3)); [ "$rows" -gt 10 ] || fail "a full disk left $rows rows"
tail -n 1 "$work/w0.csv" | head -c 4096 >>"$work/w.csv.part"
code 0 "$mech" plot "$work/w.csv.part" 'q[1]' -o "$work/w.svg"
contains "w.csv.part:$((rows + 1)): the last line was cut off while it was written: it is left out" "$mech" plot "$work/w.csv.part" 'q[1]' -o "$work/w.svg"
[ -s "$work/w.svg" ] || fail "no figure of rows that were cut off"
code 0 "${wide[@]}" -o "$work/w.csv" --resume "$work/w.keep"
cmp -s "$work/w.csv" "$work/w0.csv" || fail "rows that were cut off are other ones after --resume"
echo "figure: killed runs taken up again: $landed kills in $cases cases, the same bytes as left alone"
finish
