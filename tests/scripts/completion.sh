#!/usr/bin/env bash
# Completion knows every command, every option and the words of those that have a list: asked of bash, and of zsh and
# fish where they are.
set -eu
build=$1
made=$build/pages/completion
fail() { echo "completion: $*" >&2; exit 1; }
table=$("$build/mech" help --table)
commands=$(echo "$table" | awk -F '\t' '$1 != "" {print $1}')
options_of() { echo "$table" | awk -F '\t' -v c="$1" '$1 != "" {now = $1; next} now == c {print $2}'; }

. "$made/mech"
answer() { COMP_WORDS=(mech "$@") COMP_CWORD=$#; _mech; printf '%s\n' "${COMPREPLY[@]}"; }
[ "$(answer '' | sort)" = "$(printf '%s\n' $commands help | sort)" ] || fail "bash does not offer the commands"
for command in $commands; do
    [ "$(answer "$command" - | grep -vx -e --help | sort)" = "$(options_of "$command" | sort)" ] || fail "bash does not offer the options of $command"
done
[ "$(answer run --method r)" = "$(printf 'rk8\nrk5')" ] || fail "bash does not know the methods"
[ "$(answer run --until '')" = "" ] || fail "bash offers something for a number"
[ "$(answer run examples/pendulum-two-coordinates/mod)" = examples/pendulum-two-coordinates/model.mech ] || fail "bash does not offer files"
[ "$(answer run -o examples/pendulum-two-coordinates/mod)" = examples/pendulum-two-coordinates/model.mech ] || fail "bash does not offer files to -o"
[ "$(answer export f)" = fmu ] || fail "bash does not know what is exported"
[ "$(answer help gai)" = gains ] || fail "bash does not offer help"

if command -v zsh >/dev/null; then
    zsh -n "$made/_mech" || fail "zsh does not read it"
    # what _arguments and _describe are given
    said=$(zsh -f -c '_describe() { print -rl -- ${(P)2} }; _arguments() { print -rl -- "$@" }; _files() { }
        words=(mech x); CURRENT=2; source '"$made/_mech"'
        for c in '"$(echo $commands)"'; do words=(mech $c --); CURRENT=3; print "== $c"; _mech; done') || fail "zsh fails: $said"
    for command in $commands; do
        for option in $(options_of "$command"); do
            echo "$said" | awk -v c="== $command" '$0 == c {on = 1; next} /^== / {on = 0} on' | grep -qE -e "^\\*?$option\\[" || fail "zsh does not offer $option of $command"
        done
    done
fi
if command -v fish >/dev/null; then
    ask() { HOME=$build/pages fish --no-config -c "source $made/mech.fish; complete -C '$1'" | cut -f1; }
    [ "$(ask 'mech gai')" = gains ] || fail "fish does not offer the commands"
    [ "$(ask 'mech run --meth')" = --method ] || fail "fish does not offer options"
    ask 'mech run --method ' | grep -qx rk8 || fail "fish does not know the methods"
fi
echo "completion: ok"
