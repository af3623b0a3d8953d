#!/usr/bin/env bash
# Fails when a file includes a room, or an outside library, that src/LAYERS does not grant to its room.
set -eu
cd "$(dirname "$0")/.."
system='^(assert|complex|ctype|dirent|errno|fcntl|fenv|float|inttypes|limits|locale|math|pthread|setjmp|signal|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|time|unistd|sys/.*|mech/.*)\.h$'
bad=0
while read -r file line; do
    room=$(echo "$file" | cut -d/ -f2)
    grant=$(grep -E "^$room +:" src/LAYERS || true)
    [ -n "$grant" ] || { echo "$file: room '$room' is not in src/LAYERS"; bad=1; continue; }
    rooms=" $room $(echo "$grant" | sed 's/^[^:]*://; s/|.*//') "
    libraries=" $(echo "$grant" | sed 's/^.*|//') "
    header=$(echo "$line" | sed -E 's/.*#include *[<"]([^>"]*)[>"].*/\1/')
    if echo "$line" | grep -q '"'; then
        case "$rooms" in *" ${header%%/*} "*) ;; *) echo "$file: may not include \"$header\""; bad=1;; esac
    elif ! echo "$header" | grep -qE "$system"; then
        first=${header%%/*}; first=${first%.h}
        case "$libraries" in *" $first "*) ;; *) echo "$file: may not include <$header>"; bad=1;; esac
    elif [ "${header%%/*}" = mech ]; then
        part=${header#mech/}; face=$(sed -n "s/^$part = *//p" src/LAYERS); part=${face:-${part%.h}}
        case "$rooms" in *" $part "*) ;; *) echo "$file: may not include <$header>"; bad=1;; esac
    fi
done < <(grep -rHE '^ *#include' src --include='*.c' --include='*.h' | sed -E 's/:/ /')
if grep -rhE '^ *#include *"' app | grep -vqE '"(cmd|cli|options|[a-z_]+)\.h"'; then
    echo "app/: may include only <mech/...> and its own headers"; bad=1
fi
[ $bad -eq 0 ] && echo "layers: ok"
exit $bad
