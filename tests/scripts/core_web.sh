#!/usr/bin/env bash
# The playground: every example by the module as by the command, and the page in a real browser. Where emscripten is there
# and `make web` has been run once; the page is brought up to date first.
. tests/scripts/lib.sh
command -v emcc >/dev/null && [ -e build/web/build.ninja ] || { echo "skipped: the playground is not built; 'make web' does"; exit 77; }
tools/web || fail "the playground cannot be built"
timeout 1200 node tests/web/examples.js build/web "$mech" || fail "the module is not the command"
checks=$((checks + 2))
if kept=$(browser_driver "$1"); then
    timeout 170 node tests/web/playground.js "$kept/node_modules/playwright-core" build/web/playground.html "$mech" "$kept" || fail "the browser found something"
    checks=$((checks + 1))
fi
finish
