#!/usr/bin/env bash
# What is looked at: a report of every example, reports of very long runs, and films.
. tests/scripts/lib.sh
mech=$(cd "$1" && pwd)/mech

# every example has a report: one file that asks for nothing
reports=0
for model in examples/*/model*.mech; do
    page=$work/report.html
    rm -f "$page"
    "$mech" report "$model" -o "$page" --quiet >"$work/said" 2>&1
    got=$?
    checks=$((checks + 1)) reports=$((reports + 1))
    # the crane cannot follow its path at the level of accelerations: its report says so
    case $model:$got in *:0|*/model-crane.mech:3) ;; *) fail "report of $model: exit code $got: $(cat "$work/said")";; esac
    [ "$(stat -c %s "$page" 2>/dev/null || echo 9999999)" -lt 5000000 ] || fail "the report of $model is not there, or too large"
    grep -qE '(src|href)="?(https?:|//)|@import|url\(' "$page" && fail "the report of $model asks for something"
    grep -q '</html>' "$page" || fail "the report of $model has no end"
done
echo "figure: reports: $reports of $reports examples"

# where there is an equilibrium: Routh's array, here of (s^2 + 1)(s^2 + 2 s + 5), beside modes
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2/2 + 5*y^2/2\ndissipation y'^2\ninitial x = 1\n" >"$work/routh.mech"
code 0 "$mech" report "$work/routh.mech" -o "$work/routh.html" --quiet
contains "s^4 + 2*s^3 + 6*s^2 + 2*s + 5" cat "$work/routh.html"
contains "Routh array" cat "$work/routh.html"

# a million rows
printf "coord x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 1\ndraw point [x, 0]\nsimulate until 100, points 1000001\n" >"$work/long.mech"
if ! grep -q "^MECH_SANITIZE:STRING=." "$1/CMakeCache.txt"; then # sanitized it would take a minute
    code 0 "$mech" report "$work/long.mech" -o "$work/long.html" --quiet
    checks=$((checks + 1))
    [ "$(stat -c %s "$work/long.html")" -lt 5000000 ] || fail "the report of a million rows has $(stat -c %s "$work/long.html") bytes"
fi

# films: a dot that moves evenly does so in the pictures, between two that stand; one in space moves too
cd "$work"
printf "coord x\nkinetic x'^2/2\ninitial x' = 1\ndraw point [0, 0], colour red\ndraw point [10, 0], colour green\ndraw point [x, 0], colour blue\ndraw line [0, 0], [x, 0], when x > 5\nsimulate until 10\n" >even.mech
contains ", page in even.html" "$mech" run even.mech --animate even.html
contains "250 pictures in even-%03d.svg, 25 a second: a second shows 1 of the motion" "$mech" run even.mech --animate even-%03d.svg
checks=$((checks + 2))
[ "$(ls even-*.svg | wc -l)" -eq 250 ] && [ -e even-001.svg ] && [ -e even-250.svg ] || fail "250 pictures from 001 to 250"
python3 - <<'P' || fail "the pictures do not show where the dot is"
import re
at = []
for k in range(1, 251):
    text = open("even-%03d.svg" % k).read()
    dot = {c: float(x) for x, c in re.findall(r'<circle cx="([-0-9.]+)"[^>]*fill="(\w+)"', text)}
    at.append((dot["blue"] - dot["red"]) / (dot["green"] - dot["red"]))
    assert abs(at[-1] - (k - 1) / 249) < 1e-4, (k, at[-1])
    assert ("<path" in text) == (10 * (k - 1) / 249 > 5), k
P
printf "coord x\nkinetic x'^2/2\ninitial x' = 1\ndraw point [x, x, 1]\ndraw box [0, 0, 0], size [1, 2, 3]\ndraw sphere [2, 0, 0], radius 1\ndraw spring [0, 0, 0], [x, 0, 1]\ndraw cylinder [0, 0, 0], [0, 0, 1], radius 0.2\ndraw arrow [0, 0, 0], [x, 0, 1]\ndraw trace [x, x, 2]\ndraw circle [0, 0, 1], radius 1\n" >space.mech
code 0 "$mech" run space.mech --animate space%d.svg --quiet
checks=$((checks + 1))
cmp -s space1.svg space50.svg && fail "the picture in space does not move"
grep -q 'nan\|inf' space*.svg && fail "a picture has numbers that are none"
if command -v rsvg-convert >/dev/null; then
    code 0 "$mech" run space.mech --animate space%02d.png --quiet
    checks=$((checks + 1))
    [ "$(head -c 4 space50.png | tail -c 3)" = PNG ] || fail "pictures as PNG"
    if command -v ffmpeg >/dev/null; then
        code 0 "$mech" run space.mech --animate film.gif --quiet
        code 0 "$mech" run space.mech --animate film.mp4 --quiet
        checks=$((checks + 1))
        [ "$(head -c 6 film.gif)" = GIF89a ] && [ "$(head -c 8 film.mp4 | tail -c 4)" = ftyp ] || fail "films"
    else
        contains "is made by the program ffmpeg, which is not installed (Debian: ffmpeg)" "$mech" run space.mech --animate film.gif
    fi
fi
contains "is made by the program rsvg-convert, which is not installed (Debian: librsvg2-bin)" env PATH=/nowhere "$mech" run space.mech --animate none.gif
code 4 env PATH=/nowhere "$mech" run space.mech --animate none%d.png
ls none* *.part >/dev/null 2>&1 && fail "a film that was not made left something behind"
mkdir taken.gif
contains "'taken.gif'" "$mech" run space.mech --animate taken.gif
finish
