#!/usr/bin/env bash
# What touches the operating system stands in base/ alone, and the files that call it are read by the compilers for
# other systems that are there. `make ports` builds all of the core with them, and runs it.
set -eu
fail() { echo "ports: $*" >&2; exit 1; }
core=$(find src -name '*.c' | grep -vE '_(lapack|sundials|suitesparse|gmp|expat|native|zip|hdf5|mpi|cuda)\.c$')
away=$(grep -lE '#include <(fcntl|unistd|signal|spawn|dlfcn|sys/(wait|file|mman|ioctl|resource|time))\.h>' $core | grep -vE '^src/base/' || true)
[ -z "$away" ] || fail "these files touch the operating system outside of src/base: $away"
tried=""
flags="-std=c11 -D_POSIX_C_SOURCE=200809L -DMECH_NO_DEPRECATED -Iinclude -Isrc -fsyntax-only -Wall -Wextra"
looks() { # COMPILER NOT, further flags: files of NOT are left out
    local compiler=$1 not=$2; shift 2
    command -v "$compiler" >/dev/null || return 0
    "$compiler" $flags "$@" $(grep -lE 'base/(system|spawn|lock|complex)\.h|sys/|time\.h|pthread' $core | grep -vE "$not") || fail "$compiler"
    tried="$tried $compiler"
}
looks x86_64-w64-mingw32-gcc '_posix\.c$' -D__USE_MINGW_ANSI_STDIO=1 -D_FILE_OFFSET_BITS=64 -Wno-format
looks musl-gcc '_windows\.c$'
looks aarch64-linux-gnu-gcc '_windows\.c$'
[ -n "$tried" ] || { echo "ports: without cross compilers nothing is tried (tools/install-deps ports)"; exit 77; }
echo "ports: ok:$tried"
