#!/usr/bin/env bash
# The manual page is well-formed and knows every command and every option that the program knows.
set -eu
build=$1
page=man/mech.1
plain=$(sed 's/\\-/-/g' "$page")
missing=0
for command in $("$build/mech" help | sed -n 's/^  mech \([a-z]*\).*/\1/p'); do
    echo "$plain" | grep -q "^\.SS mech $command" || { echo "$page does not tell of 'mech $command'"; missing=1; }
    for option in $("$build/mech" help "$command" 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p'); do
        echo "$plain" | grep -q -e "$option" || { echo "$page does not tell of '$option' of 'mech $command'"; missing=1; }
    done
done
[ $missing -eq 0 ]
if command -v groff >/dev/null; then
    warnings=$(groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null)
    [ -z "$warnings" ] || { echo "$warnings"; exit 1; }
fi
echo "man: ok"
