# Renamed, as one part, reordered, in other units and coordinates, said twice, later, in halves: every example gives the same answers (tests/metamorphic/).
# Thousands of commands, each of which other tests run sanitized: the release build only.
set -u
command -v python3 >/dev/null || { echo "metamorphic: no python3"; exit 1; }
# Its reader does not know bodies and joints: tests/scripts/bodies.sh changes these.
mapfile -t models < <(grep -LE '^gravity |^constraint [^#]*[<>]=|^every ' examples/*/model*.mech)
exec python3 tests/metamorphic/metamorphic.py "$1/mech" "${models[@]}"
