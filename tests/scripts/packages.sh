#!/usr/bin/env bash
# Debian packages of this build: each file that is installed is in one of them and where Debian wants it, and they ask
# for what the programs are linked with; no library under the GPL is named. `make deb-check` installs them.
set -eu
build=$1
command -v dpkg-shlibdeps >/dev/null || { echo "packages: without dpkg-dev it is not tried"; exit 77; }
grep -q '^MECH_SANITIZE:STRING=.\+' "$build/CMakeCache.txt" && { echo "packages: not with sanitizers"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "packages: $*" >&2; exit 1; }
! DEB_MAINTAINER=nobody tools/deb "$build" "$work" 2>/dev/null || fail "a maintainer without an address is taken"
DEBFULLNAME="Ann Other" DEBEMAIL=ann@example.org DEB_PYTHON=0 DEB_COMPRESS=none tools/deb "$build" "$work" >"$work/log" 2>&1 || { cat "$work/log"; fail "tools/deb"; }
[ "$(dpkg-deb -f "$work"/mechanician_*.deb Maintainer)" = "Ann Other <ann@example.org>" ] || fail "the maintainer"
DESTDIR=$work/stage cmake --install "$build" --prefix /usr >/dev/null
lib=$(sed -n 's/^CMAKE_INSTALL_LIBDIR:PATH=//p' "$build/CMakeCache.txt")
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
minor=${version%.*}
list() { dpkg-deb -c "$work/$1_${version}_$(dpkg --print-architecture).deb" | awk '$1 !~ /^d/ {print $6}' | sed 's|^\./||' | sort; }
list "libmechanician$minor" | grep -v '^usr/share/doc/' >"$work/lib"
printf 'usr/%s/libmechanician.so.%s\n' "$lib" "$minor" "$lib" "$version" | sort | diff - "$work/lib" || fail "files of the library"
list libmechanician-dev | grep -v '^usr/share/doc/' >"$work/dev"
(cd "$work/stage" && find usr/include "usr/$lib/cmake" "usr/$lib/pkgconfig" -type f; echo "usr/$lib/libmechanician.a"; echo "usr/$lib/libmechanician.so") | sort | diff - "$work/dev" || fail "files for development"
list mechanician | grep -v '^usr/share/doc/' >"$work/tools"
(cd "$work/stage" && find usr/bin "usr/$lib/mechanician" usr/share -type f | sed 's|^\(usr/share/man/.*\)|\1.gz|; s|zsh/site-functions|zsh/vendor-completions|') | sort | diff - "$work/tools" || fail "files of the command"
for package in "libmechanician$minor" libmechanician-dev mechanician; do
    for file in copyright changelog.gz; do list $package | grep -qx "usr/share/doc/$package/$file" || fail "$package has no $file"; done
done
list mechanician | grep -qx 'usr/share/doc/mechanician/examples/hoop-on-cylinder/model.mech' || fail "no examples"
depends=$(dpkg-deb -f "$work/mechanician_${version}_$(dpkg --print-architecture).deb" Depends)
for package in libc6 libgmp10 libjansson4 libsundials-cvode6; do [[ ", $depends" == *", $package"[\ ,]* || ", $depends" == *", $package" ]] || fail "mechanician does not ask for $package: $depends"; done
# each library that is opened is recommended, and told in the page about them
field() { dpkg-deb -f "$work/mechanician_${version}_$(dpkg --print-architecture).deb" "$1"; }
for package in liblapacke libopenblas0 libklu1 libexpat1 libzip4; do [[ ", $(field Recommends)," == *", $package,"* ]] || fail "mechanician does not recommend $package: $(field Recommends)"; done
for package in $(field Recommends | tr -d ,) ; do grep -q "| $package\b\|, $package\b" docs/dependencies.md || fail "docs/dependencies.md does not tell of $package"; done
# SuiteSparse's GPL parts: SuiteSparseQR, CHOLMOD (supernodal, modify, matrixops), UMFPACK; GSL, readline, FFTW
! grep -aoE 'lib(spqr|cholmod|umfpack|gsl|readline|fftw3)\.so' "$work/stage/usr/bin/mech" "$work/stage/usr/$lib/libmechanician.so" || fail "a library under the GPL"
echo "packages: ok"
