#!/usr/bin/env bash
# Every wrong call in tests/app/calls.expected gives exactly the message that stands under it, and its exit code. A call is a
# line '$ mech ... => CODE'; it runs in a folder with the files of tests/app. With a second argument 'write' the file is
# rewritten with what comes out, to be read before it is kept.
. tests/scripts/lib.sh
mech=$(cd "$1" && pwd)/mech
cases=tests/app/calls.expected exact=0 count=0
export LC_ALL=C
cp tests/app/*.mech tests/app/*.csv tests/app/*.json tests/app/*.txt "$work"
mkdir "$work/folder.csv"; printf 'a\0b' >"$work/binary.mat"; mkfifo "$work/pipe.txt" "$work/pipe.csv"
# files under other names: hard and symbolic links, a name that is taken while another is written, models that end like results
(
    cd "$work" && mkdir code && cp model.mech code/model.c && cp model.mech own.mat && cp model.mech own.svg && cp model.mech own.csv && cp two.csv two.svg && echo kept >kept.csv
    mkdir taken.csv.part taken.svg.part taken taken/model.c && cp two.csv foreign.csv.part
    ln -s three.txt linked.csv.part && ln -s three.txt linked.part
    ln driven.csv driven_hard.csv && ln -s driven.csv driven_soft.csv && ln -s driven.csv behind.csv.part && ln -s driven.mech driven_link.svg && ln -s loose.mech loose_link.mech
    ln -s /dev/full full.mat && ln -s not/there.csv nowhere.csv && ln -s not/there.svg nowhere.svg
)
regular() { (cd "$work" && find . -type f ! -name message ! -name "whole*" | sort | tr '\n' '\0' | xargs -0 sha256sum); }
regular >"$work/whole.sums"
calls() { grep '^\$ ' "$cases"; }
while IFS= read -r line; do
    call=${line#\$ } call=${call% => *}
    count=$((count + 1))
    read -r -a words <<<"${call#mech}"
    (cd "$work" && timeout 300 "$mech" "${words[@]}" >/dev/null 2>message </dev/null
        echo "\$ $call => $?"
        sed -E 's/^(  last good state: ).*/\1.../' message) >>"$work/whole"
done < <(calls)
checks=$count
if [ "${2:-}" = write ]; then cp "$work/whole" "$cases"
elif cmp -s "$work/whole" "$cases"; then exact=$count
else fail "calls differ"; diff "$cases" "$work/whole" >&2; fi
# no call, however wrong, changed or removed a file that was there, or left half of another
checks=$((checks + 2))
(cd "$work" && sha256sum --check --quiet whole.sums) || fail "a call destroyed a file"
for half in full.mat own.mat own.svg two.svg driven driven.csv nowhere.csv nowhere.svg; do [ ! -e "$work/$half.part" ] || fail "$half.part was left behind"; done
echo "figure: wrong calls: $exact of $count messages exact"

# --json ends every failure in an object that holds the same messages
if command -v python3 >/dev/null; then
    while IFS= read -r line; do
        call=${line#\$ } call=${call% => *} want=${line##* => }
        read -r -a words <<<"${call#mech}"
        case "$call" in mech\ export*|mech\ import*|mech\ plot*|mech\ help*|mech\ nothing*|mech\ chek*|*--json*|*--jsn*|*"-o -"*) continue;; esac
        checks=$((checks + 1))
        { echo "$call --json"; (cd "$work" && timeout 300 "$mech" "${words[@]}" --json 2>/dev/null </dev/null); } >"$work/$checks.object"
        [ "$want" != 0 ] || rm "$work/$checks.object"
    done < <(calls)
    python3 - "$work"/*.object <<'P' || fail "failures without their JSON"
import json, sys
bad = 0
for path in sys.argv[1:]:
    call, text = open(path).read().split("\n", 1)
    try:
        got = json.loads(text)
        assert isinstance(got, dict)
        assert "errors" not in got or (got["exit"] != 0 and len(got["errors"]) > 0 and all(e["message"] for e in got["errors"]))
    except (ValueError, AssertionError, KeyError):
        print("no JSON from:", call)
        bad = 1
sys.exit(bad)
P
fi
# an answer that cannot be written is a failure, which names standard output and the cause
lost() { # CAUSE CALL, with standard output as it is
    checks=$((checks + 1))
    (cd "$work" && timeout 300 "$mech" $2 2>"$work/err")
    local got=$?
    [ $got -eq 4 ] && [ "$(cat "$work/err")" = "mech: standard output cannot be written: $1" ] || { fail "'mech $2' without room exits with $got and says:"; cat "$work/err" >&2; }
}
for call in "help" "help run" "--version" "check model.mech" "derive model.mech" "eval model.mech" "check model.mech --json" "run model.mech -o -" "run model.mech -o - --points 5000" "run model.mech -o rows.csv" "run model.mech -o rows.csv --json"; do
    [ -e /dev/full ] && lost "No space left on device" "$call" >/dev/full
    lost "Bad file descriptor" "$call" >&-
done
(ulimit -f 8; trap '' XFSZ; lost "File too large" "run model.mech -o - --points 5000" >"$work/rows"; [ "$failures" -eq 0 ]) || fail "rows to a file that has no room"
finish
