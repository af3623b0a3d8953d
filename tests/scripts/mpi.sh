#!/usr/bin/env bash
# mech sweep --on mpi: the rows of threads, to the byte, for any number of ranks and threads; a killed rank and --resume.
. tests/scripts/lib.sh
command -v mpirun >/dev/null || { echo 'mpi: there is no mpirun'; exit 77; }
[ -e "$1/mpi.so" ] || { echo 'mpi: this build does not speak MPI'; exit 77; }
grep -q '^MECH_SANITIZE:STRING=.*thread' "$1/CMakeCache.txt" && { echo 'mpi: MPI has races of its own'; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0 # what MPI keeps is its own
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
mech=$(cd "$(dirname "$mech")" && pwd)/mech
cd "$work" || exit 1
# ranks N COMMAND...: by so many; what hangs is ended
ranks() { local count=$1; shift; timeout 120 mpirun --oversubscribe -n "$count" "$@"; }
ranks 1 true >/dev/null 2>&1 || { echo 'mpi: mpirun does not run here'; exit 77; }
mixed=(--vary "k=uniform:1:4" --vary "m=uniform:-0.1:2" --samples 700 --no-native --quiet) # some fail, with words
"$mech" sweep ball.mech "${mixed[@]}" -o one.csv --threads 1
checks=$((checks + 1)); grep -q ',failed,' one.csv || fail "no run fails"
for way in "1 1" "2 1" "4 1" "2 3"; do
    set -- $way
    checks=$((checks + 1)); rm -f many.csv
    ranks $1 "$mech" sweep ball.mech "${mixed[@]}" -o many.csv --on mpi --threads $2 >said 2>&1 || fail "$way: $(cat said)"
    cmp -s one.csv many.csv || fail "$1 ranks with $2 threads give other rows"
done
printf '%s\n' "param m = 1" "coord x, y" "kinetic m/2*(x'^2 + y'^2)" "potential m*10*y" "constraint floor: y = 0" "constraint again: 2*y = 0" \
    "measure share: max of force(floor, y)" "measure both: max of force(floor, y) + force(again, y)" "simulate until 1" >shared.mech
contains "note: measure share is not unique" ranks 2 "$mech" sweep shared.mech --vary m=1:2:5 --on mpi -o shared.csv
contains "5 runs by 2 ranks with 1 thread each" ranks 2 "$mech" sweep ball.mech --vary k=1:2:5 --on mpi -o few.csv
checks=$((checks + 2))
ranks 2 "$mech" sweep ball.mech "${mixed[@]}" -o many.h5 --on mpi && "$mech" sweep ball.mech "${mixed[@]}" -o one.h5 && cmp -s one.h5 many.h5 || fail "HDF5 is another"
"$mech" sweep ball.mech "${mixed[@]}" -o alone.csv --on mpi && cmp -s one.csv alone.csv || fail "without mpirun it is another"

# a rank is killed: rank 0 or another; what stands is taken up again, by other numbers of ranks
long=(--vary "k=uniform:1:4" --vary "m=uniform:1:2" --samples 4000 --no-native --quiet)
"$mech" sweep ball.mech "${long[@]}" -o whole.csv
for victim in 1 0; do
    rm -f cut.csv cut.csv.part pid.*
    ranks 3 bash -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec "$@"' mech "$mech" sweep ball.mech "${long[@]}" -o cut.csv --on mpi >said 2>&1 &
    child=$!
    await eval "[ \$(stat -c %s cut.csv.part 2>/dev/null || echo 0) -gt 4000 ] || ! kill -0 $child 2>/dev/null"
    kill -9 "$(cat pid.$victim)" 2>/dev/null
    wait $child
    checks=$((checks + 2))
    [ -e cut.csv ] || [ "$(wc -l <cut.csv.part)" -gt 10 ] || fail "after the death of rank $victim nothing is left"
    [ -e cut.csv ] || ranks 2 "$mech" sweep ball.mech "${long[@]}" -o cut.csv --on mpi --resume >said 2>&1 || fail "it does not go on: $(cat said)"
    cmp -s whole.csv cut.csv || fail "after the death of rank $victim the rows are others"
done

# what rank 0 cannot write ends the others too; ranks that differ are refused; a part that is not there
contains "there is no 'none.csv.part'" ranks 3 "$mech" sweep ball.mech "${long[@]}" -o none.csv --on mpi --resume
contains "rank 1 has another model, other options" timeout 120 mpirun --oversubscribe -n 1 "$mech" sweep ball.mech "${long[@]}" -o two.csv --on mpi : \
    -n 1 "$mech" sweep ball.mech "${long[@]}" -o two.csv --on mpi --rtol 1e-5
contains "ranks make whole runs by different code" timeout 120 mpirun --oversubscribe -n 1 "$mech" sweep ball.mech "${long[@]}" --until 50 -o two.csv --on mpi : \
    -n 1 "$mech" sweep ball.mech --vary "k=uniform:1:4" --vary "m=uniform:1:2" --samples 4000 --quiet --until 50 -o two.csv --on mpi --native on
contains "the part that speaks MPI" env MECH_MPI=/not/there.so "$mech" sweep ball.mech "${long[@]}" -o no.csv --on mpi
finish
