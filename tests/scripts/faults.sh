#!/usr/bin/env bash
# What goes wrong around the command: memory, disks, pipes, signals, compilers, caches. It ends with its own words and one of
# its exit codes, an earlier file is as it was, and no half file stands under a name.
. tests/scripts/lib.sh
model=examples/pendulum-redundant/model.mech
hoop=examples/hoop-on-cylinder/model.mech
swing until 1e5, step 0.001 >"$work/long.mech"

# alike A B [LINES]: the same texts but for the last digits of numbers (six are shown: the last may turn over), of at least so many lines
alike() {
    cmp -s "$1" "$2" && [ $# -lt 3 ] && return
    paste -d'\n' "$1" "$2" | awk -v least="${3:-0}" '
        { count = split($0, word, /[][ ,:;|(){}]+/) }
        NR % 2 { kept = count; for (i = 1; i <= count; i++) last[i] = word[i]; next }
        kept != count { bad = 1 }
        { for (i = 1; i <= count; i++) if (word[i] != last[i]) { d = word[i] - last[i]; most = 1e-9 + 1e-5*(word[i] < 0 ? -word[i] : word[i]); if (word[i] !~ /^[-+0-9.e]+$/ || d > most || d < -most) { bad = 1; print last[i], word[i] } } }
        END { exit bad || NR < 2*least }' >&2
}

# ---- memory: the k-th allocation of the whole process fails, whoever makes it. The command says that memory ran out and ends
# with one of its codes, the earlier file or the whole new one under the name; or it does without, and says the same as ever.
# What SUNDIALS (its logger, the tables of irk) and the Fortran library under LAPACK (where it starts) do not survive is counted
# apart: they do not look. The sanitizers have an allocator of their own: not with them.
# Nothing is left behind but by SUNDIALS, by a library that is being opened, and where GMP ends the command.
tried=0 survived=0 inside=0 tidy=0
leaves=1
kept=$work/kept.csv
whole() { [ "$(<"$kept")" = earlier ] || cmp -s "$kept" "$work/ref.kept"; } 2>/dev/null
one_allocation() { # k, words of the command; 1: there are not so many
    local k=$1 result said; shift
    : >"$work/reached"; echo earlier >"$kept"
    [ -z "$cold" ] || rm -rf "$cold"
    FAIL_AT=$k FAIL_LOG=$work/reached FAIL_HELD=$work/held LD_PRELOAD=$work/fail.so "$mech" "$@" >"$work/out" 2>"$work/err"
    result=$?
    [ -s "$work/reached" ] || return 1
    if [ -z "$leaves" ] && [[ $(<"$work/reached") != lib@(sundials|gfortran)* ]]; then
        tidy=$((tidy + 1)); [ "$(<"$work/held")" -le "$(<"$work/ref.held")" ] || fail "'mech $*' leaves $(<"$work/held") blocks, not $(<"$work/ref.held"), when allocation $k fails"
    fi
    tried=$((tried + 1)) said=$(<"$work/err")$(<"$work/out")
    if [ $result -eq 0 ] && alike "$work/out" "$work/ref.out" && alike "$kept" "$work/ref.kept"; then survived=$((survived + 1))
    elif [ $result -ge 1 ] && [ $result -le 4 ] && [[ $said == *[mM]emory* ]] && whole; then survived=$((survived + 1))
    elif [ $result -gt 4 ] && [[ $(<"$work/reached") == lib@(sundials|gfortran)* ]] && whole; then inside=$((inside + 1))
    else fail "'mech $*' exits with $result when allocation $k fails, of $(<"$work/reached")"; head -n 3 "$work/err" >&2; fi
}
# STRIDE HUNDREDTHS, words of the command: of this part of its allocations, the first, every STRIDE-th, then each (what is read and
# derived is the same for all); 1 0: each; S 100: every S-th
allocations() {
    local stride=$1 part=$2 total k=1; shift 2
    echo earlier >"$kept"
    [ -z "$cold" ] || rm -rf "$cold"
    FAIL_COUNT=$work/count FAIL_HELD=$work/ref.held LD_PRELOAD=$work/fail.so "$mech" "$@" >"$work/ref.out" 2>"$work/err" || { fail "'mech $*' fails"; cat "$work/err" >&2; }
    total=$(<"$work/count"); cp "$kept" "$work/ref.kept"
    checks=$((checks + 1)); [ "$total" -gt 20 ] || fail "'mech $*' makes only $total allocations"
    while one_allocation $k "$@"; do k=$((k + (100*k < part*total ? stride : 1))); done
    checks=$((checks + 1)); [ "$k" -gt $((total - total/50 - stride)) ] || fail "of $total allocations of 'mech $*' only $k were reached"
}
cold=
if ! nm "$mech" 2>/dev/null | grep -q __asan_init && ${CC:-cc} -shared -fPIC -o "$work/fail.so" tests/support/malloc_fault.c 2>/dev/null; then
    export OPENBLAS_NUM_THREADS=1 # threads of its own make the order of the allocations another one each time
    leaves=
    few="--until 0.02 --points 3 --no-native"
    allocations 1 0 check $model
    for name in cardan-shaft/model four-bar-bodies/model-space; do allocations 3 100 check examples/$name.mech; done # bodies
    allocations 1 0 derive $model
    allocations 1 0 eval $model --json
    allocations 1 0 run $model --until 0.1 --no-native -o "$kept" --checkpoint "$work/keep"
    # a run that is taken up, and ends at t = 1 by itself, with code 4: so it does where memory ends before
    "$mech" run tests/app/blows.mech -o "$work/blows.csv" --checkpoint "$work/blows" --checkpoint-steps 5 --no-native >/dev/null 2>&1
    cp "$work/blows" "$work/blows.kept"; cp "$work/blows.csv.part" "$work/blows.rows"
    k=0
    while k=$((k + 1)); cp "$work/blows.kept" "$work/blows"; cp "$work/blows.rows" "$work/blows.csv.part"; : >"$work/reached"
        FAIL_AT=$k FAIL_LOG=$work/reached LD_PRELOAD=$work/fail.so "$mech" run tests/app/blows.mech -o "$work/blows.csv" --resume "$work/blows" --no-native >/dev/null 2>&1
        result=$?
        [ -s "$work/reached" ]; do [ $result -eq 4 ] || fail "a run that is taken up exits with $result when allocation $k fails"; done
    checks=$((checks + 1)); [ $k -gt 100 ] || fail "a run that is taken up makes only $k allocations"
    "$mech" run $hoop --until 0.1 --points 5 -o "$work/few.csv" --quiet
    allocations 1 0 plot "$work/few.csv" theta --units theta=rad -o "$work/few.svg"
    kept=$work/exported/model.c; mkdir "$work/exported"
    allocations 1 0 export c $model -o "$work/exported"
    kept=$work/kept.csv
    # SUNDIALS, with full and with sparse matrices (KLU)
    for method in bdf adams irk; do allocations 20 75 run $model $few --method $method -o "$kept"; done
    allocations 60 100 run examples/four-bar-ladder/model.mech --set N=10 $few --method bdf -o "$kept"
    checks=$((checks + 1)); [ $inside -le 20 ] || fail "SUNDIALS does not survive $inside"
    # .mat files, a run that is taken up, friction, control, events, figures
    kept=$work/kept.mat
    allocations 20 85 run $model $few -o "$kept"
    kept=$work/kept.csv
    for name in belt-block path-following bouncing-pendulum; do allocations 20 80 run examples/$name/model.mech --until 0.05 --no-native -o "$kept"; done
    allocations 30 100 run $model $few -o "$kept" --plot "$work/few.svg"
    allocations 30 100 run $hoop --until 0.1 --points 5 --no-native -o "$kept" --animate "$work/few%d.svg"
    # native code: a compiler that has it ready, and an empty cache each time
    XDG_CACHE_HOME=$work/ready "$mech" run $model $few --native on -o "$work/few.csv" --quiet
    printf '#!/bin/sh\nwhile [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done\ncp "%s" "$out"\n' "$work"/ready/mechanician/*.so >"$work/ready.sh"; chmod 700 "$work/ready.sh"
    export XDG_CACHE_HOME=$work/cold MECH_CC=$work/ready.sh
    cold=$work/cold
    allocations 7 100 run $model --until 0.02 --points 3 --native on -o "$kept"
    cold=; unset XDG_CACHE_HOME MECH_CC
    # GMP, LAPACK, KLU
    leaves=1
    allocations 97 100 stability examples/rotating-hoop/model.mech --symbols Omega --json
    allocations 197 100 stability examples/rotating-hoop/model.mech --map Omega=1:5:4,R=1:2:3 --threads 1 -o "$work/few.svg"
    kept=$work/kept.mat
    allocations 20 90 linearize examples/rotating-hoop/model.mech -o "$kept"
    kept=$work/kept.csv
    allocations 20 100 gains $model
    allocations 20 100 equilibrium examples/rotating-hoop/model.mech
    allocations 197 100 eval examples/chain/model.mech --set N=60
    unset OPENBLAS_NUM_THREADS
    # memory that ends, byte by byte where a run with rows in memory turns to SUNDIALS: there it is asked for beforehand
    cat >"$work/stiff.mech" <<'MODEL'
coord x, y
kinetic (x'^2 + y'^2)/2
potential (x^2 + y^2)/2
force -1e5*max(0, t - 1)*x' on x'
initial x = 1
simulate until 1.2, points 4800
MODEL
    ends() { FAIL_BYTES=$1 LD_PRELOAD=$work/fail.so "$mech" run "$work/stiff.mech" --no-native -o "$work/stiff.mat" --quiet >"$work/out" 2>"$work/err"; result=$?; }
    turns() { ends $1; [[ ! $(<"$work/err") =~ at\ t\ =\ (0|1\.0) ]]; }
    enough=4000000 less=100000 ended=0
    while [ $((enough - less)) -gt 16 ]; do middle=$(((enough + less)/2)); if turns $middle; then enough=$middle; else less=$middle; fi; done
    for bytes in $(seq $enough 24 $((enough + 2400))); do
        ends $bytes; checks=$((checks + 1)) ended=$((ended + 1))
        [ $result -eq 4 ] && [[ $(<"$work/err") == *"at t = 1.1"*": out of memory"* ]] || fail "with $bytes bytes a run that turns to SUNDIALS exits with $result: $(head -n 1 "$work/err")"
    done
    echo "figure: ends of memory where a run turns to SUNDIALS: $ended"
    checks=$((checks + 1)); [ $tried -eq $((survived + inside)) ] || fail "$((tried - survived - inside)) of $tried"
    echo "figure: allocations failed in whole commands: $tried, $survived ended cleanly, $inside in a library that does not look; $tidy looked at for leaks"
fi

# ---- disks: full, read-only, not there
disks=0 intact=0
full() { # file that is there already, words of the command that would replace it
    local file=$1 result; shift
    echo earlier >"$file"
    (ulimit -f 1; trap '' XFSZ; "$mech" "$@") >"$work/out" 2>"$work/err"
    result=$?
    checks=$((checks + 2)) disks=$((disks + 1))
    [ "$(cat "$file")" = earlier ] && intact=$((intact + 1)) || fail "a full disk under 'mech $*' lost the earlier file"
    [ $result -ge 1 ] && [ $result -le 4 ] || { fail "a full disk under 'mech $*' exits with $result"; cat "$work/err" >&2; }
    [ -s "$work/err" ] || fail "a full disk under 'mech $*' is not spoken of"
}
"$mech" run $hoop -o "$work/a.csv" --quiet
full "$work/f.csv" run "$work/long.mech" --until 5 -o "$work/f.csv"
full "$work/f.mat" run $hoop -o "$work/f.mat"
full "$work/f.svg" plot "$work/a.csv" theta -o "$work/f.svg"
full "$work/f.svg" run "$work/long.mech" --until 0.01 -o "$work/g.csv" --plot "$work/f.svg"
mkdir "$work/e"; full "$work/e/model.h" export c $model -o "$work/e"
: >"$work/e/model.h"; full "$work/e/model.c" export c $model -o "$work/e"
checks=$((checks + 1)); [ -z "$(find "$work" -name '*.part' ! -name '*.csv.part')" ] || fail "a full disk leaves parts: $(find "$work" -name '*.part')"
# a disk that fails late, when what was written is to last or to take its name: nothing is replaced, and it is told
if ! nm "$mech" 2>/dev/null | grep -q __asan_init && ${CC:-cc} -shared -fPIC -o "$work/disk.so" tests/support/disk_fault.c 2>/dev/null; then
    late() { # file that is there already, words of the command that would replace it
        local file=$1 call result; shift
        for call in fsync rename; do
            echo earlier >"$file"; rm -f "$work/reached"
            FAIL_CALL=$call FAIL_LOG=$work/reached LD_PRELOAD=$work/disk.so "$mech" "$@" >"$work/out" 2>"$work/err"
            result=$?
            checks=$((checks + 3)) disks=$((disks + 1))
            [ -s "$work/reached" ] || fail "'mech $*' does not call $call"
            [ "$(cat "$file")" = earlier ] && intact=$((intact + 1)) || fail "a $call that fails under 'mech $*' lost the earlier file"
            [ $result -ge 1 ] && [ $result -le 4 ] && [ -s "$work/err" ] || { fail "a $call that fails under 'mech $*' exits with $result"; cat "$work/err" >&2; }
        done
    }
    late "$work/f.csv" run $hoop -o "$work/f.csv"
    late "$work/f.mat" run $hoop -o "$work/f.mat"
    late "$work/f.svg" plot "$work/a.csv" theta -o "$work/f.svg"
    late "$work/e/model.c" export c $model -o "$work/e"
fi
# a checkpoint that finds the disk full: the earlier one stays, the run goes on
checks=$((checks + 2))
echo earlier >"$work/f.keep"
(ulimit -f 1; trap '' XFSZ; "$mech" run $model --until 0.01 --points 2 -o "$work/few.csv" --checkpoint "$work/f.keep") >"$work/out" 2>&1
[ $? -eq 0 ] || { fail "a run ended with its checkpoint"; cat "$work/out" >&2; }
[ "$(cat "$work/f.keep" 2>/dev/null)" = earlier ] || [ ! -e "$work/f.keep" ] || fail "a full disk left half a checkpoint"
for words in "check $model" "derive $model" "derive $model --json" "eval $model" "run $model -o - --quiet" "run $model -o $work/x.csv --json" "help run"; do
    checks=$((checks + 1)) disks=$((disks + 1))
    "$mech" $words >/dev/full 2>"$work/err"
    result=$?
    [ $result -ge 1 ] && [ $result -le 4 ] && intact=$((intact + 1)) || fail "'mech $words >/dev/full' exits with $result"
done
mkdir "$work/locked"; echo earlier >"$work/locked/a.csv"; chmod 500 "$work/locked"
if [ "$(id -u)" -ne 0 ]; then code 4 "$mech" run $hoop -o "$work/locked/a.csv"; fi
chmod 700 "$work/locked"
code 2 "$mech" run $hoop -o /dev/full
code 4 "$mech" run $hoop -o /proc/no/such.csv
echo "figure: full or unwritable outputs: $disks tried, $intact ended with an error and the earlier file intact"

# ---- readers that go away
pipes=0 quiet=0
for words in "run $work/long.mech -o - --quiet" "derive examples/andrews/model.mech" "derive examples/andrews/model.mech --json" "derive examples/andrews/model.mech --format latex" \
    "check examples/andrews/model.mech" "eval examples/andrews/model.mech" "run $hoop -o $work/x.csv --json" "help run"; do
    pipes=$((pipes + 1)) checks=$((checks + 1))
    timeout 300 "$mech" $words 2>"$work/err" | head -n 1 >"$work/line"
    codes=("${PIPESTATUS[@]}")
    case ${codes[0]} in 0 | 4 | 141) [ "$(wc -l <"$work/line")" -eq 1 ] && quiet=$((quiet + 1)) ;; *) fail "'mech $words | head -n 1' exits with ${codes[0]}"; cat "$work/err" >&2 ;; esac
done
checks=$((checks + 1)); [ $pipes -eq $quiet ] || fail "$((pipes - quiet)) of $pipes pipes"
(trap '' PIPE; timeout 300 "$mech" run "$work/long.mech" -o - --quiet 2>"$work/err"; echo $? >"$work/result") | head -n 1 >/dev/null
checks=$((checks + 1)); [ "$(cat "$work/result")" -eq 4 ] || fail "with SIGPIPE ignored a reader that goes away gives $(cat "$work/result")"
echo "figure: readers that close the pipe early: $pipes, $quiet ended at once"

# ---- signals
signals=0 clean=0
interrupt() { # signal, what to wait for, exit codes that are right: at a random moment after that
    echo earlier >"$work/s.csv"; rm -f "$work/s.csv.part"
    "$mech" run "$work/long.mech" -o "$work/s.csv" --quiet 2>"$work/err" &
    local child=$! result
    $2 "$work/s.csv" $child; sleep "0.$(printf %03d $((RANDOM % 300)))"; kill -$1 $child; wait $child; result=$?
    signals=$((signals + 1)) checks=$((checks + 1))
    if [ "$(cat "$work/s.csv")" = earlier ] && [[ " $3 " == *" $result "* ]]; then clean=$((clean + 1)); else fail "SIG$1 gives $result"; cat "$work/err" >&2; fi
}
for i in 1 2 3 4 5; do
    interrupt INT begun 130
    interrupt TERM begun 143
    interrupt TERM : 143 # one before the run watches for them ends it as any program (INT would be ignored: the shell's way with '&')
done
echo "figure: interrupted runs: $signals, $clean with the earlier file intact"

# ---- libraries that are opened when first needed, and are not there: a file that is none stands in their place
mkdir "$work/broken"
for library in $(grep -aoE 'lib(lapacke|openblas|klu)\.so[.0-9]*' "$mech" | sort -u); do echo none >"$work/broken/$library"; done
checks=$((checks + 1)); [ "$(ls "$work/broken" | wc -l)" -eq 3 ] || fail "other libraries than three are opened when needed: $(ls "$work/broken" | tr '\n' ' ')"
without() { LD_LIBRARY_PATH=$work/broken "$mech" "$@"; }
# LAPACK and KLU are only faster
for words in "stability examples/ziegler-column/model.mech" "linearize examples/rotating-hoop/model.mech" "eval examples/chain/model.mech --set N=60"; do
    checks=$((checks + 1))
    "$mech" $words >"$work/with" 2>&1; without $words >"$work/without" 2>&1 || fail "'mech $words' fails without LAPACK"
    alike "$work/with" "$work/without" 5 || fail "'mech $words' says other things without LAPACK"
done

# ---- compilers and caches: the rows are those of a run without native code to the tolerance, whatever happens
cat >"$work/many.mech" <<'MODEL'
param N = 6
coord q[1..N]
kinetic sum(i in 1..N: q[i]'^2)/2
potential sum(i in 1..N: (q[i] - i)^2/2 + cos(q[i]))
simulate until 1, points 11
MODEL
"$mech" run "$work/many.mech" -o "$work/ref.csv" --no-native --quiet
near() { paste -d, "$work/ref.csv" "$1" | awk -F, 'NR > 1 {for (i = 1; i <= NF/2; i++) {d = $i - $(i + NF/2); if (d > 1e-9 || d < -1e-9) bad = 1}} END {exit bad || NR != 12}'; }
faults=0 handled=0
native() { # words before the command; a native run that must end well and be right
    local began=$SECONDS
    faults=$((faults + 1)) checks=$((checks + 1))
    rm -f "$work/n.csv"
    if timeout 300 env "$@" "$mech" run "$work/many.mech" -o "$work/n.csv" --native on --quiet >"$work/out" 2>&1 && near "$work/n.csv"; then handled=$((handled + 1))
    else fail "native run with $* fails"; cat "$work/out" >&2; fi
    took=$((SECONDS - began))
}
script() { printf '#!/bin/sh\n%s\n' "$2" >"$work/$1"; chmod 700 "$work/$1"; }
for out in 'out=; while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done'; do
    script garbage "$out; echo garbage >\"\$out\""
    script empty "$out; : >\"\$out\""
    script silent "exit 0"
    script wrong "$out; echo 'int other;' | ${CC:-cc} -shared -fPIC -x c -o \"\$out\" -"
done
script failing "exit 1"
script killed 'kill -KILL $$'
script crashing 'kill -SEGV $$'
script hanging 'trap "" TERM INT; echo text >"${TMPDIR:-/tmp}/ccLEFT.s"; sleep 1000 & wait; wait'
says() { checks=$((checks + 1)); [ "$(cat "$work/out")" = "${1:+mech run: --native on: $1 ('$2'; MECH_CC names another one): the run goes on without native code, more slowly}" ] || { fail "a run with --native on does not say '$1', but:"; cat "$work/out" >&2; }; }
for compiler in garbage empty silent wrong; do native XDG_CACHE_HOME="$work/c-$compiler" MECH_CC="$work/$compiler"; says "what the compiler made cannot be loaded" "$work/$compiler"; done
for compiler in failing killed crashing; do native XDG_CACHE_HOME="$work/c-$compiler" MECH_CC="$work/$compiler"; says "the compiler failed" "$work/$compiler"; done
# limbs that are alike are written on vectors; a compiler that has none gets plain lines
script scalar "for file; do case \$file in *.c) grep -q 'typedef double pair ' \"\$file\" && touch $work/refused && exit 1;; esac; done; exec ${CC:-cc} \"\$@\""
checks=$((checks + 2)); [ -z "$(XDG_CACHE_HOME="$work/c-scalar" MECH_CC="$work/scalar" "$mech" run examples/quadruped/model.mech --set start=0.65 -o "$work/n.csv" --native on --quiet 2>&1)" ] || fail "a compiler without vectors gives no native code"
[ -e "$work/refused" ] || fail "alike limbs are not written on vectors"
native XDG_CACHE_HOME="$work/c1" MECH_CC=/no/such/compiler; says "the compiler was not found" /no/such/compiler
native XDG_CACHE_HOME="$work/c1" MECH_CC="$work"; says "the compiler failed" "$work"
native XDG_CACHE_HOME="$work/c1" MECH_CC="cc -O0; touch $work/hostile"; says "the compiler was not found" "cc -O0; touch $work/hostile"
native XDG_CACHE_HOME="$work/c1" PATH=/nonexistent; says "the compiler was not found" cc
checks=$((checks + 1)); [ -z "$(MECH_CC=/no/such/compiler "$mech" run examples/andrews/model.mech -o "$work/n.csv" --quiet 2>&1)" ] || fail "a run that did not ask for native code speaks of it"
checks=$((checks + 1)); [ ! -e "$work/hostile" ] || fail "a compiler's name reached a shell"
mkdir "$work/temporary"
native XDG_CACHE_HOME="$work/c1" TMPDIR="$work/temporary" MECH_CC="$work/hanging" MECH_CC_TIMEOUT=1; says "the compiler took too long and was ended" "$work/hanging"
checks=$((checks + 2)); [ $took -le 30 ] || fail "a compiler that hangs was not ended: $took s"
hangs() { pgrep -f "$work/hanging" >/dev/null; }
for i in $(seq 250); do hangs || break; sleep 0.02; done # killed, it is gone as soon as the machine comes to it
! hangs || fail "a compiler that hangs was left behind"
# caches
native XDG_CACHE_HOME="$work/good"; says ""; native XDG_CACHE_HOME="$work/good"; says ""
for file in "$work"/good/mechanician/*.so; do
    for spoil in 'echo garbage' 'head -c 3000 /dev/urandom' 'true' 'head -c 500 /bin/sh'; do eval "$spoil" >"$file"; native XDG_CACHE_HOME="$work/good"; done
    # a few bytes of the code itself: a library that opens as before, and would compute other things
    for page in $(seq $(($(stat -c %s "$file") / 4096))); do dd if=/dev/zero of="$file" bs=1 seek=$((4096 * page + 64)) count=512 conv=notrunc 2>/dev/null; native XDG_CACHE_HOME="$work/good"; done
    rm -f "$file"; mkdir "$file"; native XDG_CACHE_HOME="$work/good"; rm -rf "$file"
    ln -s /etc/passwd "$file"; native XDG_CACHE_HOME="$work/good"; rm -f "$file"
done
for i in $(seq 50); do head -c 100 /dev/urandom >"$work/good/mechanician/$i.so"; done; native XDG_CACHE_HOME="$work/good"
mkdir -p "$work/ro/mechanician"; chmod 500 "$work/ro/mechanician"; native XDG_CACHE_HOME="$work/ro"; chmod 700 "$work/ro/mechanician"
mkdir -p "$work/ro2"; chmod 500 "$work/ro2"; native XDG_CACHE_HOME="$work/ro2"; chmod 700 "$work/ro2"
echo file >"$work/notfolder"; native XDG_CACHE_HOME="$work/notfolder"
mkdir -p "$work/open/mechanician"; chmod 777 "$work/open/mechanician"; native XDG_CACHE_HOME="$work/open"
[ "$(id -u)" -eq 0 ] && { mkdir -p "$work/other/mechanician"; chown 12345 "$work/other/mechanician"; native XDG_CACHE_HOME="$work/other"; chown 0 "$work/other/mechanician"; }
native -u HOME -u XDG_CACHE_HOME; native XDG_CACHE_HOME=relative HOME=; native -u XDG_CACHE_HOME HOME=/no/such/home; native XDG_CACHE_HOME=/proc; native XDG_CACHE_HOME="$work/t1" TMPDIR=/no/such
checks=$((checks + 1)); [ ! -e relative ] || fail "a relative cache folder was made"
# no room in the cache: the compiler's result cannot be written
faults=$((faults + 1)) checks=$((checks + 1))
if (ulimit -f 4; trap '' XFSZ; XDG_CACHE_HOME=$work/small timeout 300 "$mech" run "$work/many.mech" -o "$work/n.csv" --native on --quiet) >"$work/out" 2>&1 && near "$work/n.csv"; then handled=$((handled + 1)); else fail "no room for the compiler's result"; cat "$work/out" >&2; fi
# eight at once, three times with a fresh cache
for round in 1 2 3; do
    children=()
    for i in 1 2 3 4 5 6 7 8; do
        XDG_CACHE_HOME=$work/shared$round timeout 300 "$mech" run "$work/many.mech" -o "$work/n$i.csv" --native on --quiet >"$work/o$i" 2>&1 &
        children+=($!)
    done
    for i in 1 2 3 4 5 6 7 8; do
        faults=$((faults + 1)) checks=$((checks + 1))
        wait "${children[$((i - 1))]}" && near "$work/n$i.csv" && cmp -s "$work/n1.csv" "$work/n$i.csv" && handled=$((handled + 1)) || fail "one of eight with a shared cache fails"
    done
    checks=$((checks + 1))
    [ "$(find "$work/shared$round/mechanician" -mindepth 1 | wc -l)" -eq 1 ] || { fail "the shared cache holds other than one file"; ls -l "$work/shared$round/mechanician" >&2; }
done
# killed while the compiler works: the next run that compiles removes what is left, but not what another still works in
left() { find "$work/left/mechanician" -mindepth 1 -maxdepth 1 -name 'mech.??????' | wc -l; }
started() { local i=0; while [ ! -s "$work/slow-$1" ] && [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done; [ -s "$work/slow-$1" ] || fail "compiler $1 was not started"; }
for i in 1 2 3; do script "slow$i" "echo text >\"\$TMPDIR/ccLEFT.s\"; echo \$\$ >'$work/slow-$i'; exec sleep 1000"; done
children=()
for i in 1 2 3; do
    XDG_CACHE_HOME=$work/left TMPDIR=$work/temporary MECH_CC=$work/slow$i "$mech" run "$work/many.mech" -o "$work/left$i.csv" --native on --quiet >/dev/null 2>&1 &
    children+=($!); started $i
done
checks=$((checks + 4))
[ "$(left)" -eq 3 ] || fail "three compilers work in $(left) folders"
for i in 0 1; do kill -KILL "${children[$i]}"; wait "${children[$i]}" 2>/dev/null; done
for i in 1 2; do kill -KILL "$(cat "$work/slow-$i")"; done
[ "$(left)" -eq 3 ] || fail "runs that were killed left $(left) folders, not two beside one in use"
native XDG_CACHE_HOME="$work/left"
[ "$(left)" -eq 1 ] || fail "after the next run the cache has $(left) folders, not only the one in use"
kill -KILL "$(cat "$work/slow-3")"; wait "${children[2]}" && near "$work/left3.csv" || fail "a run whose compiler was killed beside others fails"
[ "$(left)" -eq 0 ] || fail "the last run left its folder"
checks=$((checks + 1)); [ -z "$(find "$work"/c-* "$work/good" -name 'mech.??????' 2>/dev/null)" ] || fail "folders of failed compilers are left in the cache"
# interrupted while the compiler works, with and without a cache
script slow4 "echo text >\"\$TMPDIR/ccLEFT.s\"; echo \$\$ >'$work/slow-4'; exec sleep 1000"
for cache in "$work/left" /proc; do
    rm -f "$work/slow-4"
    XDG_CACHE_HOME=$cache TMPDIR=$work/temporary MECH_CC=$work/slow4 "$mech" run "$work/many.mech" -o "$work/left4.csv" --native on --quiet >"$work/out" 2>&1 &
    child=$!; started 4; kill -TERM $child; wait $child
    checks=$((checks + 2)); grep -q "asked to stop" "$work/out" || { fail "a run that was interrupted while it compiled says:"; cat "$work/out" >&2; }
    [ "$(left)" -eq 0 ] || fail "a run that was interrupted left its folder"
done
checks=$((checks + 2))
[ -z "$(find "$work/c1" "$work/left" -name 'ccLEFT*')" ] || fail "files of compilers are left in the cache"
[ -z "$(ls -A "$work/temporary")" ] || { fail "compilers left files in the temporary folder"; ls -R "$work/temporary" >&2; }
echo "figure: compiler and cache faults: $faults, $handled ended with the right rows"
finish
