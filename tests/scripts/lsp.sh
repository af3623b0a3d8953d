#!/usr/bin/env bash
# The language server in a scripted dialogue, the extension for VS Code against a stand-in for it, and the grammar with
# the program that colours texts there. What needs node or npm is skipped where they are not, and says so.
. tests/scripts/lib.sh
"$mech" lsp </dev/null >"$work/out" 2>&1
if grep -q 'built without jansson' "$work/out"; then
    contains 'built without jansson' "$mech" lsp
    finish
fi
checks=$((checks + 1))
python3 tests/scripts/lsp.py "$mech" "$work" "$work/words" || fail 'the dialogue'
if command -v node >/dev/null; then
    checks=$((checks + 1))
    node tests/editors/extension.js "$mech" || fail 'the extension'
else echo 'lsp: without node the extension is not tried'; fi
modules=$1/editors/node_modules
if command -v npm >/dev/null && [ ! -d "$modules" ]; then
    mkdir -p "$1/editors" && cp tests/editors/package.json "$1/editors/"
    (cd "$1/editors" && npm install --no-audit --no-fund --silent) >"$work/npm" 2>&1 || rm -rf "$modules"
fi
if [ -d "$modules" ]; then
    checks=$((checks + 1))
    node tests/editors/grammar.js "$(realpath "$modules")" "$work/words" $(git ls-files 'examples/*.mech') || fail 'the grammar'
else echo 'lsp: without npm the grammar is not tried'; fi
finish
