#!/usr/bin/env bash
# The manual page is well-formed and knows every command and every option that the program knows; so do the pages of
# the commands, which are made from its table.
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
pages=$build/pages/man1
"$build/mech" help --table | awk -F '\t' -v pages="$pages" '
    $1 != "" { page = pages "/mech-" $1 ".1"; text = ""; while ((getline line < page) > 0) text = text line "\n"; gsub(/\\-/, "-", text)
               if (index(text, "mech-" $1 " - " $3 "\n") == 0) { print page " does not say what the command does"; bad = 1 } next }
    index(text, ($3 == "" ? ".B " $2 "\n" : ".BI " $2 " \" " $3 "\"\n")) == 0 { print page " does not tell of " $2; bad = 1 }
    END { exit bad }' || missing=1
[ "$(ls "$pages" | wc -l)" -eq $(($("$build/mech" help --table | grep -c '^[a-z]') + 1)) ] || { echo "pages of other commands in $pages"; missing=1; }
[ $missing -eq 0 ]
for page in "$page" "$pages"/*.1; do
    ! command -v groff >/dev/null || warnings=$(groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null)
    [ -z "${warnings:-}" ] || { echo "$page: $warnings"; exit 1; }
    ! command -v mandoc >/dev/null || warnings=$(mandoc -T lint -W warning "$page" | grep -v 'missing date' || true)
    [ -z "${warnings:-}" ] || { echo "$warnings"; exit 1; }
done
echo "man: ok"
