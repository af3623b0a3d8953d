#!/usr/bin/env bash
# Fails when a file includes a room, or an outside library, that src/LAYERS does not grant to its room.
set -eu
cd "$(dirname "$0")/.."
grep -rHE '^ *#include' src --include='*.c' --include='*.h' | awk '
BEGIN {
    split("assert complex ctype dirent errno fcntl fenv float inttypes limits locale math pthread setjmp signal stdarg stdatomic stdbool stddef stdint " \
          "stdio stdlib string time unistd", names, " ")
    for (k in names) is_system[names[k] ".h"] = 1
    while ((getline line < "src/LAYERS") > 0) {
        if (line ~ /^#/ || line !~ /[:=]/) continue
        if (line ~ /=/) { split(line, pair, / *= */); face[pair[1]] = pair[2]; continue } # a public header and its room
        room = line; sub(/ *:.*/, "", room)
        rooms[room] = " " room " " substr(line, index(line, ":") + 1)
        libraries[room] = rooms[room]
        sub(/\|.*/, " ", rooms[room])
        sub(/^[^|]*\|?/, " ", libraries[room])
        libraries[room] = libraries[room] " "
    }
}
function complain(words) { print words; bad = 1 }
{
    file = $0; sub(/:.*/, "", file)
    line = substr($0, length(file) + 2)
    split(file, path, "/"); room = path[2]
    if (!(room in rooms)) { complain(file ": room \x27" room "\x27 is not in src/LAYERS"); next }
    header = line; sub(/^ *#include *[<"]/, "", header); sub(/[>"].*/, "", header)
    first = header; sub(/\/.*/, "", first)
    if (line ~ /"/) {
        if (!index(rooms[room], " " first " ")) complain(file ": may not include \"" header "\"")
    } else if (first == "mech") {
        part = substr(header, 6)
        owner = part in face ? face[part] : substr(part, 1, length(part) - 2)
        if (!index(rooms[room], " " owner " ")) complain(file ": may not include <" header ">")
    } else if (!(header in is_system) && first != "sys") {
        sub(/\.h$/, "", first)
        if (!index(libraries[room], " " first " ")) complain(file ": may not include <" header ">")
    }
}
END { exit bad }' || bad=1
if grep -rhE '^ *#include *"' app | grep -vqE '"(cmd|cli|options|[a-z_]+)\.h"'; then
    echo "app/: may include only <mech/...> and its own headers"; bad=1
fi
# a position that is set without its states is met by those of the point before: eval_place and mech_eval_state set both
if grep -rnE 'mech_eval_(position|constraint|set_states)\(|eval_take_states\(' src app --include='*.c' | grep -vE '^src/(system/|motion/run\.c)'; then
    echo "a state is put into an evaluation by eval_place, mech_eval_state or motion_at"; bad=1
fi
[ -z "${bad:-}" ] && echo "layers: ok"
exit "${bad:-0}"
