#!/usr/bin/env bash
# Random models against the independent reader, always the same ones; `make differential T=600` takes others, as many
# as time allows. In the release build only: what is compared is numbers, and the sanitized build has the fuzzers.
exec tools/differential "$1" --first 1 --models 300 --motions 0.5 --budget 100 --known tests/differential/known.txt
