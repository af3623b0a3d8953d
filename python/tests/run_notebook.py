"""Runs the code of a notebook, cell after cell, as a notebook does; figures are drawn nowhere. Usage: run_notebook.py FILE"""
import json
import os
import sys

os.environ.setdefault("MPLBACKEND", "Agg")
with open(sys.argv[1], encoding="utf-8") as f:
    cells = json.load(f)["cells"]
os.chdir(os.path.dirname(os.path.abspath(sys.argv[1])))
space = {"__name__": "__main__"}
count = 0
for cell in cells:
    if cell["cell_type"] != "code":
        continue
    text = "".join(cell["source"])
    try:
        exec(compile(text, f"cell {count + 1}", "exec"), space)
    except ModuleNotFoundError as missing:
        if missing.name not in ("matplotlib", "scipy", "pandas"):
            raise
        print(f"cell {count + 1} wants {missing.name}, which is not there")
    count += 1
print(f"{count} cells ran")
