#!/usr/bin/env bash
# Functional Mock-up Units by an importer of our own. MECH_FMI_SCHEMAS: a folder with the schemas of the standard (fmi2/ and
# fmi3/), by which descriptions are validated; they are not part of this project.
. tests/scripts/lib.sh
if [ ! -e "$1/fmu.so" ]; then echo 'fmu: this build makes no units'; exit 77; fi
code 2 "$mech" export fmu examples/knife-edge/model.mech
code 2 "$mech" export fmu examples/knife-edge/model.mech -o "$work/unit.fmu" --fmi 4
code 2 "$mech" export fmu examples/knife-edge/model.mech -o "$work/unit.fmu" --kind se
code 2 "$mech" export c examples/knife-edge/model.mech -o "$work/c" --fmi 2
if grep -q '^MECH_CORE:BOOL=ON' "$1/CMakeCache.txt"; then
    contains 'this build packs no units' "$mech" export fmu examples/knife-edge/model.mech -o "$work/unit.fmu"
    finish
fi
# nothing but the C library, and no other names
checks=$((checks + 2))
[ "$(ldd "$1/fmu.so" | grep -cvE 'linux-vdso|libm\.so|libc\.so|ld-linux')" -eq 0 ] || fail 'fmu.so needs more than the C library'
[ "$(nm -D --defined-only "$1/fmu.so" | grep -cvE ' fmi[23][A-Z]')" -eq 0 ] || fail 'fmu.so gives out other names'
mkdir "$work/lib" "$work/outside" && printf 'param g = 9.81\n' >"$work/outside/g.mech"
printf 'include "../outside/g.mech"\ncoord y\nkinetic y'"'"'^2/2\npotential g*y\n' >"$work/lib/m.mech"
contains 'lies outside of the folder of the model' "$mech" export fmu "$work/lib/m.mech" -o "$work/unit.fmu"
# one table for two inputs goes into the unit once; delays are not for model exchange, whatever it is over
printf 't,u,v\n0,1,2\n1,2,3\n' >"$work/lib/in.csv"
printf "coord x\nkinetic x'^2/2\ninput u = file \"in.csv\" column \"u\"\ninput v = file \"in.csv\" column \"v\"\nforce u + v on x'\ninitial x = 0\nsimulate until 1\n" >"$work/lib/two.mech"
for given in cs both "me --over library"; do code 0 "$mech" export fmu "$work/lib/two.mech" -o "$work/two.fmu" --kind $given; done
printf "coord x\nkinetic x'^2/2\nstate z: z' = delay(x, 0.25)\ninitial x = 0, x' = 1\nsimulate until 1\n" >"$work/late.mech"
for given in both me "me --over library"; do contains 'the model is not for model exchange: there are delays' "$mech" export fmu "$work/late.mech" -o "$work/late.fmu" --kind $given; done
code 0 "$mech" export fmu "$work/late.mech" -o "$work/late.fmu"
contains 'is not beside this program' env MECH_FMU=/nowhere "$mech" export fmu examples/knife-edge/model.mech -o "$work/unit.fmu"
printf '%s\n' "coord x, y" "kinetic (x'^2 + y'^2)/2" "potential 9.81*y" "constraint floor: y = 0" "constraint again: 2*y = 0" \
    "output share = force(floor, y), both = force(floor, y) + force(again, y)" >"$work/shared.mech"
contains "note: the multipliers of constraints floor, again, and output share, are not unique at the start" "$mech" export fmu "$work/shared.mech" -o "$work/shared.fmu" --kind me --over c
contains 'name="share" description="not unique at the start: one choice of many"' python3 -c 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read("modelDescription.xml").decode())' "$work/shared.fmu"
lacks 'name="both" description' python3 -c 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read("modelDescription.xml").decode())' "$work/shared.fmu"
checks=$((checks + 1))
python3 tests/scripts/fmu.py "$mech" "$work" ${MECH_FMI_SCHEMAS:+"$MECH_FMI_SCHEMAS"} || fail 'the importer'
finish
