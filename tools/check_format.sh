#!/usr/bin/env bash
# Fails when a file is not as clang-format writes it by .clang-format: one column limit, kept. Versions differ in what they write:
# it is asked of version 14, which Debian 12 has; without it the check is skipped and says so. `make fmt` writes all files.
set -eu
cd "$(dirname "$0")/.."
formatted="app bench examples include src tests"
tool=
for name in clang-format clang-format-14; do
    command -v "$name" >/dev/null && "$name" --version | grep -q 'version 14\.' && tool=$name && break
done
[ -n "$tool" ] || { echo "format: skipped, there is no clang-format 14"; exit 0; }
bad=$(git ls-files $(printf '%s/*.c %s/*.h ' $(for folder in $formatted; do echo "$folder" "$folder"; done)) |
    while read -r file; do
        "$tool" "$file" | cmp -s - "$file" || echo "$file"
        awk -v file="$file" 'length > 120 && !/"/ {print file ":" FNR ": " length " characters"}' "$file"
    done)
[ -z "$bad" ] && { echo "format: ok"; exit 0; }
echo "$bad"
echo "not as clang-format writes them: make fmt"
exit 1
