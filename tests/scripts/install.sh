#!/usr/bin/env bash
# Installs into a folder of its own, moves that folder, and builds and runs a tiny project against it: with CMake and
# with pkg-config, shared and static; headers in C++ too where there is a compiler.
set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "install: $*" >&2; exit 1; }
sanitize=$(sed -n 's/^MECH_SANITIZE:STRING=//p' "$build/CMakeCache.txt")
flags=""
[ -z "$sanitize" ] || flags="-fsanitize=$sanitize -no-pie" # as cmake/warnings.cmake links

# what make lays down: under PREFIX, with DESTDIR in front of it, with neither where the build was told. The build is
# there already: not again.
lay_down() { make -s -o all install BUILD="$build" "$@" >"$work/install.log" 2>&1 || { cat "$work/install.log"; fail "make install $*"; }; }
default=$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")
lay_down PREFIX="$work/first"
lay_down PREFIX=/opt/some "DESTDIR=$work/a stage"
lay_down DESTDIR="$work/plain"
files() { (cd "$1" && find . -type f | sort); }
[ -x "$work/first/bin/mech" ] || fail "make install ignores PREFIX"
[ "$(files "$work/a stage/opt/some")" = "$(files "$work/first")" ] || fail "make install with PREFIX and DESTDIR lays down other files"
[ "$(files "$work/plain$default")" = "$(files "$work/first")" ] || fail "make install with DESTDIR alone lays down other files"
[ "$(find "$work/a stage" "$work/plain" -type f | wc -l)" -eq $((2*$(files "$work/first" | wc -l))) ] || fail "make install lays down files elsewhere"
mv "$work/first" "$work/moved"
prefix=$work/moved
lib=$(dirname "$(find "$prefix" -name libmechanician.a)")
[ -f "$lib/libmechanician.so" ] || fail "no shared library"
for file in man/man1/mech.1 man/man1/mech-run.1 bash-completion/completions/mech zsh/site-functions/_mech fish/vendor_completions.d/mech.fish; do
    [ -f "$prefix/share/$file" ] || fail "share/$file is not installed"
done
"$prefix/bin/mech" --version | grep -q '^mech [0-9]' || fail "the command does not run"
soname=$(objdump -p "$lib/libmechanician.so" | sed -n 's/^ *SONAME *//p')
case "$soname" in libmechanician.so.[0-9]*) ;; *) fail "soname is '$soname'";; esac
# the folder as a whole name: one that is called /src would be found in "lib/src"
here=$(printf '%s' "$PWD" | sed 's/[][\.*^$+?(){}|]/\\&/g')
if grep -rlE -e "(^|[^A-Za-z0-9_.-])$here([^A-Za-z0-9_.-]|\$)" -e "$work/first" "$prefix/include" "$lib/cmake" "$lib/pkgconfig" "$prefix/share"; then
    fail "these files name the machine they were built on"
fi

cmake -S tests/embed/installed -B "$work/tiny" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="$flags" >"$work/cmake.log" 2>&1 ||
    { cat "$work/cmake.log"; fail "find_package"; }
cmake --build "$work/tiny" >"$work/build.log" 2>&1 || { cat "$work/build.log"; fail "build with CMake"; }
"$work/tiny/tiny_shared"
"$work/tiny/tiny_static"
objdump -p "$work/tiny/tiny_shared" | grep -q 'NEEDED.*libmechanician' || fail "tiny_shared is not linked to the shared library"
if objdump -p "$work/tiny/tiny_static" | grep -q 'NEEDED.*libmechanician'; then fail "tiny_static is linked to the shared library"; fi

export PKG_CONFIG_PATH="$lib/pkgconfig"
cc=${CC:-cc}
$cc $flags -o "$work/pc_shared" tests/embed/installed/tiny.c $(pkg-config --cflags --libs mechanician)
for door in run_model bare_matrices callbacks model_text; do # as the README says
    $cc $flags -o "$work/$door" examples/$door.c $(pkg-config --cflags --libs mechanician) || fail "examples/$door.c does not compile as the README says"
done
LD_LIBRARY_PATH=$lib "$work/pc_shared"
static=$(pkg-config --static --libs mechanician | sed 's/-lmechanician\b/-l:libmechanician.a/')
$cc $flags -o "$work/pc_static" tests/embed/installed/tiny.c $(pkg-config --cflags mechanician) $static
"$work/pc_static"

# every header compiles alone, in C and in C++
for header in "$prefix"/include/mech/*.h; do
    printf '#include <mech/%s>\nint main(void) { return 0; }\n' "$(basename "$header")" >"$work/one.c"
    $cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only "$work/one.c" || fail "$header alone in C"
    if command -v c++ >/dev/null; then
        c++ -x c++ -std=c++11 -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only "$work/one.c" || fail "$header alone in C++"
    fi
done
echo "install: ok"
