"""Every file named is JSON; those that are not are told."""
import json
import sys

bad = 0
for path in sys.argv[1:]:
    try:
        json.load(open(path, errors="surrogateescape"))
    except ValueError as why:
        print(f"{path}: not JSON: {why}")
        bad = 1
sys.exit(bad)
