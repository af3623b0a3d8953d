#!/usr/bin/env bash
# Every header compiles alone; the public ones also as C++ where a C++ compiler is at hand.
. tests/scripts/lib.sh
for header in include/mech/*.h $(find src app -name '*.h' | sort); do
    checks=$((checks + 1))
    ${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -fsyntax-only -Wall -Wextra -Iinclude -Isrc -Iapp -x c "$header" 2>"$work/err" ||
        { fail "$header does not compile alone"; head -n 5 "$work/err" >&2; }
done
if command -v g++ >/dev/null; then
    for header in include/mech/*.h; do
        checks=$((checks + 1))
        g++ -fsyntax-only -Wall -Wextra -Iinclude -x c++ "$header" 2>"$work/err" || { fail "$header is not C++"; head -n 5 "$work/err" >&2; }
    done
fi
# What is given to a call and says how large it is: tests/unit/easy/options.c asks for each whether a size of 0 is refused.
for given in $(awk '/^typedef struct/ {name = $3} /^    size_t size;/ && !/as the library has it/ && name !~ /_(result|info)$/ {print name}' include/mech/*.h); do
    checks=$((checks + 1))
    grep -q "$given " tests/unit/easy/options.c || fail "tests/unit/easy/options.c does not try $given"
done
# mech.h is all of them; base.h brings deprecated.h.
for header in include/mech/*.h; do
    name=${header##*/}
    case $name in mech.h | deprecated.h) continue ;; esac
    checks=$((checks + 1))
    grep -qx "#include <mech/$name>" include/mech/mech.h || fail "mech.h does not include $name"
done
finish
