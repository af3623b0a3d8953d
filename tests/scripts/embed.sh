#!/usr/bin/env bash
# The sources inside another project (add_subdirectory), beside functions of the same names as ours inside; the names of the static
# library; what the README shows is the example.
set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "embed: $*" >&2; exit 1; }

archive=$build/libmechanician.a
names=$(nm -g --defined-only "$archive" 2>/dev/null | awk 'NF == 3 {print $3}')
foreign=$(echo "$names" | grep -vE '^mech_|^__' || true)
[ -z "$foreign" ] || fail "global names of libmechanician.a without mech_: $foreign"
echo "$names" | grep -qx mech_easy_open || fail "mech_easy_open is not in libmechanician.a"

sed -n '/^```c$/,/^```$/{/^```/d;p}' README.md >"$work/shown.c"
cmp -s "$work/shown.c" examples/run_model.c || fail "the program in README.md is not examples/run_model.c"

if grep -q '^MECH_SANITIZE:STRING=.' "$build/CMakeCache.txt"; then echo "embed: ok, the project around it is built without sanitizers"; exit 0; fi
cmake -S tests/embed/around -B "$work/around" -DMECHANICIAN="$PWD" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=-O0 -DMECH_CORE=ON >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "add_subdirectory"; }
cmake --build "$work/around" --target around -j 2 >"$work/log" 2>&1 || { tail -n 30 "$work/log"; fail "build inside another project"; }
"$work/around/around" || fail "the program around it"
echo "embed: ok"
