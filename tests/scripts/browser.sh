#!/usr/bin/env bash
# Reports in a real browser: they open without an error or a request, the picture moves, keys work, and the numbers on the
# page are those of the command. Needs chromium (Debian) and node; playwright-core, pinned, comes from npm the first time.
. tests/scripts/lib.sh
mech=$(cd "$1" && pwd)/mech
kept=$(browser_driver "$1") || exit 77
cat >"$work/names.mech" <<'MODEL'
# </script><script>alert(1)</script> "quotes" & Greek θ
coord θ "</b>'rad", y "μ"
kinetic θ'^2/2 + y'^2/2
potential θ^2 - cos(y)
initial θ = 1, y = 0.1
draw line [0, 0], [sin(θ), cos(θ)]
simulate until 2
MODEL
for model in four-bar-bodies stewart-platform hoop-on-cylinder bouncing-pendulum bicycle heavy-top; do code 0 "$mech" report examples/$model/model.mech -o "$work/$model.html" --quiet; done
code 0 "$mech" report "$work/names.mech" -o "$work/names.html" --quiet
code 0 "$mech" run examples/heavy-top/model.mech -o "$work/top.csv" --animate "$work/animated.html" --quiet
[ "$(stat -c %s "$work/hoop-on-cylinder.html")" -lt 150000 ] || fail "the report of the hoop is larger than 150 kB"
checks=$((checks + 1))
"$mech" run examples/hoop-on-cylinder/model.mech -o "$work/hoop.csv" --verbose >"$work/hoop.txt"
timeout 110 node tests/browser/reports.js "$kept/node_modules/playwright-core" "$work" "$kept" || fail "the browser found something"
checks=$((checks + 1))
finish
