# One row of the validation page: reads a result of mech (rows of a run, or its JSON), takes the values that `get` names, compares
# them with `want`. Prints: the worst published value, ours, its error, 1 when the bound holds, its name; separated by tabs.
function size(x) { return x < 0 ? -x : x }
function number_list(text, out) { gsub(/[][,"]+/, " ", text); return split(text, out, " ") }
function compare(name, value, target,   d, e) {
    d = size(value - target)
    e = absolute ? d : (target == 0 ? d : d / size(target))
    if (value !~ /^[-+0-9.eE]+$/) e = 1e300 # not a number, or not there
    if (e >= worst) { worst = e; worst_name = name; worst_want = target; worst_got = value }
}
function text_of(x) { return sprintf("%.15g", x) }
BEGIN {
    absolute = sub(/^abs /, "", bound)
    gets = split(get, word, " "); what = word[1]
    wants = split(want, target, " ")
    first = what == "at" ? 3 : 2
    moment = word[2]
    worst = -1
    # a name without a value, or a value that no name asks for, compares nothing
    matched = what == "eig" ? wants > 0 : what == "zeros" ? wants == 1 : what == "drift" ? gets == 2 && wants == 1 : gets >= first && wants == gets - first + 1
    FS = ","
}
# rows of a run: t,x,y,...  Names with a comma in brackets stand in quotes.
!json && NR == 1 {
    n = 0; rest = $0
    while (rest != "") {
        if (match(rest, /^"[^"]*"/)) { field = substr(rest, 2, RLENGTH - 2) }
        else { match(rest, /^[^,]*/); field = substr(rest, 1, RLENGTH) }
        column[field] = ++n
        rest = substr(rest, RLENGTH + 2)
    }
}
!json && NR == 2 && what == "drift" && (word[2] in column) { start = $(column[word[2]]) }
!json && NR > 1 {
    if (what == "drift") {
        d = (word[2] in column) && $(column[word[2]]) ~ /^[-+0-9.eE]+$/ ? size($(column[word[2]]) - start) : 1e300
        if (d > drift) drift = d
    }
    else if (what == "last" || (what == "at" && size($1 - moment) < 1e-9 * (1 + size(moment))))
        for (i = first; i <= gets; i++) value[i] = (word[i] in column) ? $(column[word[i]]) : ""
}
# JSON of mech, one key to a line
json && what == "event" && index($0, "\"kind\": \"event\", \"name\": \"" word[2] "\"") && value[2] == "" {
    match($0, /"t": [^,]*/); value[2] = substr($0, RSTART + 5, RLENGTH - 5)
}
json && /^  "coordinates"/ { part = "coordinates" }
json && /^  "outputs"/ { part = "outputs" }
json && /^    {"name"/ {
    match($0, /"name": "[^"]*"/); name = substr($0, RSTART + 9, RLENGTH - 10)
    if (part == "coordinates") {
        place[name] = ++places
        match($0, /"q": [^,]*/); if (what == "q") found[name] = substr($0, RSTART + 5, RLENGTH - 5)
        match($0, /"v": [^}]*/); if (what == "v") found[name] = substr($0, RSTART + 5, RLENGTH - 5)
    } else if (part == "outputs" && what == "out") { match($0, /"value": [^},]*/); found[name] = substr($0, RSTART + 9, RLENGTH - 9) }
}
json && /^    "rows"/ { list = $0; sub(/^[^[]*\["?/, "", list); sub(/"?\],?$/, "", list); rows = split(list, row, /", "/); for (i = 1; i <= rows; i++) row_place[row[i]] = i }
json && index($0, "    \"" what "\": [") == 1 { number_list(substr($0, index($0, "[")), vector); have = 1 }
json && /^  "point"/ && what == "point" {
    n = split($0, pair, /[{},] */)
    for (i = 1; i <= n; i++) if (split(pair[i], side, /": /) == 2) { sub(/^ *"/, "", side[1]); found[side[1]] = side[2] }
}
json && /^  "motion"/ {
    match($0, /"eigenvalues": \[[^"]*/); eigs = number_list(substr($0, RSTART + 15, RLENGTH - 15), eig)
    match($0, /"zero": [0-9]*/); zeros = substr($0, RSTART + 8, RLENGTH - 8)
}
END {
    if (what == "eig") {
        for (k = 1; k <= wants; k++) {
            parts = split(target[k], w, ","); if (parts < 2) w[2] = 0
            near = 1e300
            for (i = 1; i + 1 <= eigs; i += 2) {
                d = sqrt((eig[i] - w[1])^2 + (eig[i + 1] - w[2])^2)
                if (d < near) { near = d; re = eig[i]; im = eig[i + 1] }
            }
            e = absolute ? near : near / sqrt(w[1]^2 + w[2]^2)
            if (e >= worst) {
                worst = e; worst_want = parts < 2 ? w[1] : w[1] " ± " w[2] " i"
                worst_got = parts < 2 ? text_of(re) : text_of(re) " ± " text_of(size(im)) " i"
            }
        }
    } else if (what == "drift") { compare("", NR > 2 ? drift + 0 : "", target[1]) }
    else if (what == "zeros") { compare("", zeros, target[1]) }
    else for (i = first; i <= gets; i++) {
        if (what == "lambda" || what == "b") v = have && (word[i] in row_place) ? vector[row_place[word[i]]] : ""
        else if (have) v = (word[i] in place) ? vector[place[word[i]]] : ""
        else if (word[i] in found) v = found[word[i]]
        else v = value[i]
        compare(word[i], v, target[i - first + 1])
    }
    if (what != "eig" && worst_got != "") worst_got = text_of(worst_got)
    printf "%s\t%s\t%.1e\t%d\t%s\n", worst_want, worst_got, worst, (matched && bound != "" && worst <= bound + 0), (gets > first ? worst_name : "")
}
