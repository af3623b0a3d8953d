# Markdown with its paragraphs and list items in lines of at most 120 characters; tables, headings and code as they are.
# Only what has a longer line is broken anew. Code in backticks is not broken.
function size(text) { gsub(/[\200-\277]/, "", text); return length(text) } # characters: bytes that continue one do not count
function fold(    words, n, i, word, line, rest, open) {
    rest = indent
    line = start
    n = split(text, words, " ")
    for (i = 1; i <= n; i++) {
        word = words[i]
        open = gsub(/`/, "`", word) % 2
        while (open && i < n) { word = word " " words[++i]; open = gsub(/`/, "`", word) % 2 }
        if (line == start || line == rest) line = line word
        else if (size(line " " word) <= 120) line = line " " word
        else { print line; line = rest word }
    }
    print line
}
function finish(    i) {
    if (count && longest > 120) fold()
    else for (i = 1; i <= count; i++) print lines[i]
    count = longest = 0
    text = ""
}
function add(line) {
    lines[++count] = line
    if (size(line) > longest) longest = size(line)
    sub(/^ +/, "", line)
    text = text " " line
}
/^ *```/ { finish(); code = !code; print; next }
code || /^ *$/ || /^\|/ || /^#/ { finish(); print; next }
/^ *- / {
    finish()
    match($0, /^ *- /)
    start = substr($0, 1, RLENGTH)
    indent = start
    gsub(/./, " ", indent)
    lines[++count] = $0
    longest = size($0)
    text = substr($0, RLENGTH + 1)
    next
}
!count { match($0, /^ */); start = indent = substr($0, 1, RLENGTH) }
{ add($0) }
END { finish() }
