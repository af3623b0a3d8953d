# Does the page have this row, with a published value of the table, its bound, and a value of ours that holds it? Exits with 1 when it does not.
# In: problem (the cell with the link), source, quantity, want (all published values), bound. Reads docs/validation.md.
function size(x) { return x < 0 ? -x : x }
function away(pair, other,   a, b) { split(pair, a, ","); split(other, b, ","); return sqrt((a[1] - b[1])^2 + (a[2] - b[2])^2) }
function parts(cell) { sub(/ \(.*\)$/, "", cell); sub(/ ± /, ",", cell); sub(/ i$/, "", cell); return cell }
BEGIN {
    FS = " *[|] *"
    width = bound; absolute = sub(/^abs /, "", width)
    wants = split(want, target, " ")
}
/^## Faults/ { exit }
/^\| \[/ { here = $2; from = $3 }
/^\|/ && here == problem && from == source && $4 == quantity {
    published = parts($5); ours = parts($6)
    for (i = 1; i <= wants; i++) if (target[i] "" == published "") known = 1
    error = away(published, ours)
    if (!absolute && away(published, "0,0") > 0) error /= away(published, "0,0")
    found = known && ours ~ /^[-+0-9.eE,]+$/ && $8 == bound && error <= width + 0 && size($7) <= width + 0
    exit
}
END { exit !found }
