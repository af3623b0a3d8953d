#!/usr/bin/env bash
# The pages for readers: their models run, their links lead somewhere, their lines are short.
. tests/scripts/lib.sh
pages="README.md CONTRIBUTING.md docs/language.md docs/bodies.md docs/motion.md docs/numerics.md docs/status.md docs/glossary.md docs/policy.md docs/embedding.md docs/see.md docs/playground.md"
long=120

# blocks PAGE: each block marked mech as a file, $work/PAGE-LINE.mech; those marked mech-error as .wrong
blocks() { awk -v stem="$work/$(basename "$1" .md)" '/^```/ {if (file) {close(file); file = ""; next} if ($0 == "```mech") file = stem "-" NR ".mech"; if ($0 == "```mech-error") file = stem "-" NR ".wrong"; next} file {print >file}' "$1"; }
# anchors PAGE: what its headings can be reached by
anchors() { sed -n 's/^#* //p' "$1" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'; }
# links PAGE: what it points to, less what is elsewhere
links() { grep -o '](\([^)]*\))' "$1" | sed 's/^](//; s/)$//' | grep -v '^http'; }

# long_lines PAGE...: lines that are too long, but for code and for generated tables: those of docs/validation.md, which
# hold a problem, its source and all digits in a row. Bytes that continue a character do not count.
long_lines() {
    LC_ALL=C awk -v most=$long 'FNR == 1 {code = 0} /^ *```/ {code = !code} code {next}
        FILENAME == "docs/validation.md" && /^\|/ {next}
        {line = $0; gsub(/[\200-\277]/, "", line)}
        length(line) > most {print FILENAME ":" FNR ": " length(line) " characters"; bad = 1} END {exit bad}' "$@"
}
checks=$((checks + 1))
every=$(git ls-files '*.md' 2>/dev/null) || every=
[ -n "$every" ] || every=$(find . -name '*.md' -not -path './build*' | sed 's|^\./||') # a tree without its history
long_lines $every >&2 || fail "lines of pages are longer than $long characters"
checks=$((checks + 1)) # and the check sees one
{ printf '```\n%0121d\n```\n' 0; printf '%0120dé\n' 0; } >"$work/long.md"
[ "$(long_lines "$work/long.md")" = "$work/long.md:4: 121 characters" ] || fail "lines that are too long are not found"
rm "$work/long.md"

models=0
for page in $pages; do
    [ -e "$page" ] || { fail "there is no $page"; continue; }
    blocks "$page"
    while read -r link; do
        file=${link%%#*} anchor=
        case "$link" in *"#"*) anchor=${link#*#};; esac
        target=$page; [ -z "$file" ] || target=$(dirname "$page")/$file
        checks=$((checks + 1))
        [ -e "$target" ] || { fail "$page leads to $link, which is not there"; continue; }
        [ -z "$anchor" ] || anchors "$target" | grep -qxF -- "$anchor" || fail "$page leads to $link: $target has no such heading"
    done < <(links "$page")
done
checks=$((checks + 1))
awk '/^```c$/ {code = 1; next} /^```/ {code = 0} code' README.md | cmp -s - examples/run_model.c || fail "the C program on README.md is not examples/run_model.c"
for model in "$work"/*.mech; do
    models=$((models + 1))
    code 0 "$mech" run "$model" -o "$work/rows.csv" --quiet
done
for model in "$work"/*.wrong; do code 1 "$mech" check "$model"; done
echo "figure: models on the pages that run: $models"
finish
