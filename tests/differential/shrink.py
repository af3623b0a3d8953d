"""A failing text made as short as it goes: statements, lines, terms and arguments are left out while it still fails alike."""
import re

NAME = r"[A-Za-z_α-ωΑ-Ω][A-Za-z_0-9α-ωΑ-Ω]*"


def pieces_of(text):
    """Statements: lines, joined while brackets or braces are open or the line goes on."""
    out, depth = [], 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        if out and (depth > 0 or out[-1].rstrip().endswith(",")):
            out[-1] += "\n" + line
        else:
            out.append(line)
        depth += sum(line.count(c) for c in "([{") - sum(line.count(c) for c in ")]}")
    return out


def groups(text):
    """(start, end) of each bracket with the name before it."""
    stack, out = [], []
    for i, c in enumerate(text):
        if c in "([":
            stack.append(i)
        elif c in ")]" and stack:
            start = stack.pop()
            name = re.search(NAME + r"$", text[:start])
            out.append((name.start() if name and c == ")" else start, start, i + 1))
    return out


def shorter(piece):
    """Texts that are a little simpler than a statement."""
    if piece.startswith(("initial", "guess", "output", "param", "coord")) and "," in piece:
        head, rest = piece.split(" ", 1)
        items, depth, item = [], 0, ""
        for c in rest.replace("\n", " "):
            depth += (c in "([") - (c in ")]")
            if c == "," and depth == 0:
                items.append(item.strip())
                item = ""
            else:
                item += c
        items.append(item.strip())
        for k in range(len(items)):
            if len(items) > 1:
                yield head + " " + ", ".join(items[:k] + items[k + 1:])
    body = re.match(r"(\w+(?: [\w\[\],. ]+:| [\w\[\]]+ =)?)", piece)
    start = body.end() if body else 0
    for whole, bracket, end in sorted(groups(piece), key=lambda g: g[1] - g[2]):
        if whole < start:
            continue
        inside = piece[bracket + 1:end - 1]
        for new in ("1", "0.3", inside if "," not in inside else inside.split(",")[0].strip(),
                    "(" + (inside if "," not in inside else inside.split(",")[0].strip()) + ")"):
            if new != piece[whole:end]:
                yield piece[:whole] + new + piece[end:]
    # a term or a factor less
    for m in re.finditer(r"\s*[-+*/]\s*-?(%s'*(\[[^\]]*\])?'*|\d[\d.e+]*)(\^\d)?" % NAME, piece[start:]):
        yield piece[:start + m.start()] + piece[start + m.end():]
    for m in re.finditer(r"-?(%s(\[[^\]]*\])?'*|\d[\d.e+]*)(\^\d)?\s*[-+*/]\s*" % NAME, piece[start:]):
        yield piece[:start + m.start()] + piece[start + m.end():]
    for m in re.finditer(r"\^2|'", piece[start:]):
        yield piece[:start + m.start()] + piece[start + m.end():]


def shrink(text, fails, budget=400):
    """The shortest text found for which fails(text) is true; budget: calls of fails."""
    left = [budget]

    def test(t):
        if left[0] <= 0:
            return False
        left[0] -= 1
        try:
            return fails(t)
        except Exception:
            return False
    pieces = pieces_of(text)
    progress = True
    while progress and left[0] > 0:
        progress = False
        size = max(1, len(pieces) // 2)
        while size >= 1:
            k = len(pieces) - size
            while k >= 0:
                trial = pieces[:k] + pieces[k + size:]
                if trial and test("\n".join(trial) + "\n"):
                    pieces, progress = trial, True
                k -= size
                k = min(k, len(pieces) - size)
            size //= 2
        for k in range(len(pieces)):
            again = True
            while again and left[0] > 0:
                again = False
                for new in shorter(pieces[k]):
                    if len(new) < len(pieces[k]) and test("\n".join(pieces[:k] + [new] + pieces[k + 1:]) + "\n"):
                        pieces[k], again, progress = new, True, True
                        break
    return "\n".join(pieces) + "\n"
