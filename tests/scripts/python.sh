#!/usr/bin/env bash
# The Python package. From a source distribution a wheel is made without a network, installed in an environment of its
# own, and tested there; once more over the full library of this build. In the core build the core's archive is used as
# it is; with sanitizers, which Python does not load, it is not tried.
. tests/scripts/lib.sh
build=$(realpath "$1")
python=/usr/bin/python3
if ! $python -c 'import cffi, numpy, setuptools, venv' 2>/dev/null; then echo 'python: without cffi, numpy and setuptools it is not tried'; exit 77; fi
grep -q '^MECH_SANITIZE:STRING=.\+' "$build/CMakeCache.txt" && { echo 'python: not with sanitizers'; exit 77; }
source=$PWD/python
export EXAMPLES=$PWD/examples MECH=$build/mech PYTHONWARNINGS=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INDEX=1
(cd python && $python setup.py -q sdist -d "$work/sdist") >"$work/log" 2>&1 || { fail 'the source distribution'; tail "$work/log" >&2; }
# tried HOW: the package is built and installed in an environment of its own, its tests run there
tried() {
    checks=$((checks + 1))
    rm -rf "$work/wheel" "$work/env"
    $python -m pip wheel --no-build-isolation --no-deps -q -w "$work/wheel" "$work"/sdist/*.tar.gz >"$work/log" 2>&1 &&
        $python -m venv --system-site-packages "$work/env" >>"$work/log" 2>&1 &&
        "$work/env/bin/pip" install -q --no-deps "$work"/wheel/*.whl >>"$work/log" 2>&1 &&
        (cd "$work" && env/bin/python "$source/tests/test_mechanician.py") >>"$work/log" 2>&1 &&
        (cd "$work" && env/bin/python "$source/tests/run_notebook.py" "$source/tutorial.ipynb") >>"$work/log" 2>&1 ||
        { fail "$1"; tail -n 60 "$work/log" >&2; }
}
if grep -q '^MECH_CORE:BOOL=ON' "$build/CMakeCache.txt"; then
    export MECHANICIAN_LIBRARY=$build/libmechanician.a
    tried 'over the archive of the core'
    finish
fi
tried 'with the core inside'
export MECHANICIAN_LIBRARY=$build/libmechanician.so
tried 'over the full library'
if command -v mypy >/dev/null; then
    checks=$((checks + 1))
    (cd python && mypy --cache-dir "$work/mypy" mechanician) >"$work/log" 2>&1 || { fail 'types'; cat "$work/log" >&2; }
else echo 'python: without mypy types are not checked'; fi
finish
