#!/usr/bin/env python3
"""web_page.py SOURCE BUILD: puts the playground together, one file with scripts, style, examples and the module in it."""
import base64, gzip, json, pathlib, re, sys

source, build = map(pathlib.Path, sys.argv[1:3])
LARGEST = 1200000  # bytes of the module


def read(name):
    return (source / name).read_text(encoding="utf-8")


def examples():
    """What a model may read: every file of its folder but for pages, pictures and programs."""
    folders = {}
    for model in sorted((source / "examples").glob("*/*.mech")):
        files = [f for f in sorted(model.parent.iterdir()) if f.is_file() and f.suffix not in (".md", ".svg", ".c")]
        folders[model.parent.name] = {f.name: f.read_text(encoding="utf-8") for f in files}
    return folders


module = (build / "mech.wasm").read_bytes()
if len(module) > LARGEST:
    sys.exit(f"the module has {len(module)} bytes, more than {LARGEST}")
parts = {name: read("web/" + name) for name in ("page.css", "link.js", "editor.js", "page.js")}
parts["stock"] = json.dumps(
    {"grammar": json.loads(read("editors/vscode/syntaxes/mech.tmLanguage.json")), "examples": examples()},
    ensure_ascii=False).replace("<", "\\u003c")
parts["wasm"] = base64.b64encode(gzip.compress(module, 9, mtime=0)).decode()
parts["module"] = (build / "mech.js").read_text(encoding="utf-8") + read("web/worker.js")
for name, text in parts.items():
    if re.search(r"</(script|style)", text, re.I):
        sys.exit(f"{name} would end its element in the page")
page = re.sub(r"@([\w.]+)@", lambda hit: parts[hit[1]], read("web/page.html"))
(build / "playground.html").write_text(page, encoding="utf-8")
print(f"{build / 'playground.html'}: {len(page.encode()) / 1e6:.2f} MB, the module {len(module) / 1e6:.2f} MB")
