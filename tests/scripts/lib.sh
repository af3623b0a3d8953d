# Shared by the script tests: sourced, never run. $1 is the build folder.
set -u
mech=$1/mech
work=$(mktemp -d)
trap '[ $BASHPID -ne $$ ] || rm -rf "$work"' EXIT # a child that a signal ends before it becomes another program must leave it
checks=0 failures=0
fail() { failures=$((failures + 1)); printf 'FAILED: %s\n' "$*" >&2; }
# expect WHAT COMMAND...: its output (standard output and error) contains the line or text WHAT
contains() { local what=$1; shift; checks=$((checks + 1)); local got; got=$("$@" 2>&1); case "$got" in *"$what"*) ;; *) fail "'$*' does not print: $what"; printf '%s\n' "$got" | head -n 30 >&2;; esac; }
lacks() { local what=$1; shift; checks=$((checks + 1)); local got; got=$("$@" 2>&1); case "$got" in *"$what"*) fail "'$*' prints: $what";; esac; }
# code N COMMAND...: it exits with N
code() { local want=$1; shift; checks=$((checks + 1)); "$@" >"$work/out" 2>&1; local got=$?; [ "$got" -eq "$want" ] || { fail "'$*' exits with $got, not $want"; head -n 20 "$work/out" >&2; }; }
# swing OPTIONS: a pendulum in Cartesian coordinates that runs as the options of `simulate` say
swing() { printf '%s\n' "param l = 1, g = 9.81" "coord x, y" "kinetic (x'^2 + y'^2)/2" "potential g*y" "constraint rod: x^2 + y^2 = l^2" "initial x = l" "simulate $*"; }
# await CONDITION...: waits until it holds; a machine may be as slow as it likes, the bound only ends what hangs
await() { local turns=0; until "$@"; do turns=$((turns + 1)); [ $turns -lt 15000 ] || { fail "waited in vain for: $*"; return 1; }; sleep 0.02; done; }
# begun FILE CHILD: a run has opened the rows that become FILE, and watches for signals since, or it has ended
begun() { await eval "[ -e '$1.part' ] || ! kill -0 $2 2>/dev/null"; }
# browser_driver BUILD: the folder that has node_modules/playwright-core, pinned, from npm the first time; 1 and why not, where
# there is none. Screenshots are kept there too.
browser_driver() {
    local kept; kept=$(cd "$1" && pwd)/browser
    command -v chromium >/dev/null || { echo "skipped: no chromium" >&2; return 1; }
    command -v node >/dev/null && command -v npm >/dev/null || { echo "skipped: no node and npm" >&2; return 1; }
    mkdir -p "$kept"
    [ -d "$kept/node_modules/playwright-core" ] || (cd "$kept" && timeout 100 npm install --no-audit --no-fund --silent --no-save playwright-core@1.48.2 >/dev/null 2>&1) || { echo "skipped: playwright-core cannot be had from npm" >&2; return 1; }
    echo "$kept"
}
finish() { echo "$checks checks, $failures failed"; [ "$failures" -eq 0 ]; exit; }
