#!/usr/bin/env bash
# Names that would do harm if they reached a shell, SVG, a printf format or the C compiler as they are: as
# identifiers, as file names and as labels. A canary file would appear, or numbers would differ.
. tests/scripts/lib.sh
mech=$(cd "$1" && pwd)/mech
scripts=$PWD/tests/scripts
cd "$work" || exit 1
names=0
no_canary() { checks=$((checks + 1)); local found; found=$(find . -name '*canary*' ! -name '*touch canary*' | head -n 1); [ -z "$found" ] || { fail "$1 ran: $found"; find . -name '*canary*' ! -name '*touch canary*' -delete; }; }

# ---- identifiers: the words of C, of its library and of emitted code; the same numbers as with plain names ----
words=(int double char void return while static struct restrict inline sizeof printf main malloc system exit errno NULL exp1
    sin_ k p q v u y more work x0 x1 _x __LINE__ EOF stdin memcpy small_solve model step initial mass force λ ωψ τ_1)
write_model() { # NAME of the one coordinate and of a parameter, output and constraint that carry the name with a tail
    printf 'param %s_p = 2, g = 9.81\ncoord %s, other\nkinetic %s_p/2*(%s'"'"'^2 + other'"'"'^2)\n' "$1" "$1" "$1" "$1"
    printf 'potential %s_p*g*other\nconstraint %s_c: %s^2 + other^2 = 1\ninitial %s = 1\n' "$1" "$1" "$1" "$1"
    printf 'output %s_o = sin(%s) + lambda(%s_c)\nevent %s_e: other falls through -1/2 -> record\nsimulate until 1, points 5\n' "$1" "$1" "$1" "$1"
}
write_model plain >plain.mech
"$mech" run plain.mech -o plain.csv --quiet --no-native || fail "the plain model does not run"
tail -n +2 plain.csv >plain.rows
for word in "${words[@]}"; do
    names=$((names + 1))
    write_model "$word" >word.mech
    code 0 "$mech" check word.mech
    code 0 "$mech" derive word.mech --format latex
    code 0 "$mech" run word.mech -o word.csv --quiet --no-native
    checks=$((checks + 1))
    tail -n +2 word.csv | cmp -s - plain.rows || fail "'$word' as a name changes the motion"
done
# all of them at once, through generated code: one coordinate for each name
{ for word in "${words[@]}"; do echo "coord $word"; done
  for word in "${words[@]}"; do echo "kinetic $word'^2/2"; echo "potential $word^2/2"; done
  echo "simulate until 1, points 3"; } >all.mech
code 0 "$mech" run all.mech -o all.csv --quiet --native on
if command -v cc >/dev/null; then
    code 0 "$mech" export c all.mech -o code
    code 0 cc -std=c99 -Icode -o code/exported code/model.c code/model_main.c code/fundamental/small.c -lm
    code 0 ./code/exported
    code 0 "$mech" export c plain.mech -o code --name sin_int
    code 0 cc -std=c99 -Icode -c -o code/one.o code/sin_int.c
fi
# what no identifier is, in the place of one: a message, and nothing is run, removed or written
touch keep-me
for name in 'x; rm -rf keep-me' 'x;touch canary' '../../a' '/tmp/canary' '$(touch canary)' '`touch canary`' '|touch canary' 'x&touch canary' 'a"b' "a'; touch canary #" '%s%n' 'x
touch canary'; do
    names=$((names + 1))
    write_model "$name" >word.mech
    for command in check derive eval stability; do code 1 "$mech" $command word.mech; done
    code 1 "$mech" run word.mech -o word.csv --native on --plot word.svg
    code 1 "$mech" export c word.mech -o code
    code 1 "$mech" run plain.mech -o word.csv --set "$name=1"
    code 2 "$mech" eval plain.mech --state "$name=1"
    code 2 "$mech" export c plain.mech -o code --name "$name"
    checks=$((checks + 1)); [ -e keep-me ] && [ ! -e ../../a ] && [ ! -e /tmp/canary ] || fail "the name '$name' did harm"
done
no_canary "what is no identifier"
long=$(printf 'n%.0s' $(seq 200))
write_model "${long:0:196}" >word.mech
code 0 "$mech" run word.mech -o word.csv --quiet
code 0 "$mech" eval word.mech
code 0 "$mech" run word.mech -o word.mat --quiet
printf "coord x, x_dot, data, names\nkinetic (x'^2 + x_dot'^2 + data'^2 + names'^2)/2\nsimulate until 1\n" >twice.mech
code 0 "$mech" run twice.mech -o twice.mat --quiet
# words of MATLAB and Octave, brackets and long names: every variable can be used, and `names` and `variables` tell which is which
mat="end while until _u λ ${long:0:190}1 ${long:0:190}2 $long x x_dot data names variables units"
{ echo "coord r[1..2]"; echo "kinetic (r[1]'^2 + r[2]'^2)/2"; for word in $mat; do printf "coord $word\nkinetic $word'^2/2\ninitial $word' = 1\n"; done; echo "simulate until 1, points 3"; } >mat.mech
code 0 "$mech" run mat.mech -o mat.mat --quiet --columns accelerations
if command -v octave >/dev/null; then
    cat >mat.m <<'OCTAVE'
s = load("mat.mat");
f = fieldnames(s);
assert(all(cellfun(@isvarname, f)) && all(cellfun(@length, f) <= 63) && numel(f) == columns(s.data) + 5); % data, names, variables, units, not_unique
for j = 1:columns(s.data) assert(isequal(s.(s.variables{j}), s.data(:, j))); end
assert(isequal(s.names(1:5), {"t"; "r[1]"; "r[2]"; "end"; "while"}) && isequal(s.variables(1:5), {"t"; "r_1"; "r_2"; "end_"; "while_"}));
disp("all can be used");
OCTAVE
    contains "all can be used" octave --quiet mat.m
else echo "skipped: no octave, the names in .mat files are checked by output.mat_matio alone"; fi
no_canary "an identifier"

# ---- file names ----
files=('a b' 'a;touch canary' '$(touch canary)' '`touch canary`' '|touch canary' '-o' '--json' '-' "it's" 'say "x"' '%s%n%d' '#x' '*' 'a&touch canary&'
    $'new\nline' $'tab\tx' $'\x1b[31mred' '~' 'a\b' "'; touch canary #" '../up' 'λ' '.hidden' '@x' 'x.y.z' "$(printf 'f%.0s' $(seq 200))")
mkdir -p deep/er; cd deep/er || exit 1
for file in "${files[@]}"; do
    names=$((names + 1))
    cp ../../plain.mech "./$file.mech" || { fail "no file '$file'"; continue; }
    code 0 "$mech" check -- "./$file.mech"
    code 0 "$mech" eval -- "./$file.mech"
    code 0 "$mech" run -o "./$file.csv" --plot "./$file.svg" --quiet -- "./$file.mech"
    code 0 "$mech" plot -o "./$file.2.svg" --title "$file" --units "plain=$file,other=\$(touch canary)" -- "./$file.csv" plain other
    code 0 "$mech" plot -o "$file.3.svg" --title "$file" -- "./$file.csv" plain
    code 0 "$mech" run --quiet -- "./$file.mech"
    code 0 "$mech" linearize -o "./$file.mat" -- "./$file.mech"
    code 0 "$mech" stability --sweep g=1:2:3 -o "./$file.4.svg" -- "./$file.mech"
    checks=$((checks + 5))
    for ending in csv svg 2.svg 4.svg mat; do [ -s "./$file.$ending" ] || fail "'$file.$ending' was not written"; done
    [ -s "$file.3.svg" ] || fail "'$file.3.svg' was not written"
    "$mech" check --json -- "./$file.mech" >"$work/$names.json" 2>/dev/null
    cd ../..; no_canary "the file name '$file'"; cd deep/er || exit 1
done
checks=$((checks + 1))
! command -v python3 >/dev/null || python3 "$scripts/are_json.py" "$work"/*.json || fail "JSON with names of files"
# as an argument that starts with '-' and without '--' it is an option, and says so
code 2 "$mech" check -o.mech
# wrong models with such names: the message shows no control characters
printf 'kinetic z\n' >$'\x1b[31mbad\n.mech'
checks=$((checks + 1))
"$mech" check $'\x1b[31mbad\n.mech' 2>&1 | LC_ALL=C grep -q $'\x1b' && fail "a message steers the terminal"
cd ../..

# ---- labels, included files, tables ----
labels=('$(touch canary)' '`touch canary`' '|touch canary' "'; system('touch canary') #" '%n%s' '\n! touch canary' '@x' '{/Symbol x}')
for label in "${labels[@]}"; do
    names=$((names + 1))
    printf 'param g = 9.81 "%s"\ncoord x "%s", y "%s"\nkinetic (x'"'"'^2 + y'"'"'^2)/2\npotential g*y\noutput E = x "%s"\nsimulate until 1\n' "$label" "$label" "$label" "$label" >label.mech
    code 0 "$mech" check label.mech
    code 0 "$mech" derive label.mech --json
    code 0 "$mech" run label.mech -o label.csv --plot label.svg --quiet
    code 0 "$mech" run label.mech -o label.csv --plot label.pdf --quiet
    code 0 "$mech" plot label.csv x y -o label.png --units "x=${label//[,=]/}" --title "$label"
    printf 'include "%s"\ncoord x\nkinetic x'"'"'^2\n' "$label" >include.mech
    code 1 "$mech" check include.mech
    printf 'coord x\nkinetic x'"'"'^2\ninput u = file "%s" column "%s"\n' "$label" "$label" >table.mech
    code 1 "$mech" check table.mech
    code 2 "$mech" export c plain.mech -o code --name "$label"
    no_canary "the label '$label'"
done
# columns of a result file are names from outside as well
printf 't,"$(touch canary)","'"'"'; system('"'"'touch canary'"'"') #",`touch canary`,|touch canary\n0,0,0,0,0\n1,1,2,3,4\n' >columns.csv
code 0 "$mech" plot columns.csv -o columns.svg
code 0 "$mech" plot columns.csv '|touch canary' -o columns.svg
printf 'include "../../../../../../etc/passwd"\n' >passwd.mech
lacks "root:x" "$mech" check plain.mech
code 1 "$mech" check passwd.mech
no_canary "a column"
echo "figure: hostile names: $names names, $checks checks, $failures failed"
finish
