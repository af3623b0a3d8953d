#!/usr/bin/env bash
# The shared library exports what begins with mech_, and nothing else; every function of the public headers is there.
set -eu
build=$1
library=$build/libmechanician.so
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//')
# sanitizers bring symbols of their own, with two underscores
foreign=$(echo "$exported" | grep -vE '^mech_|^__(asan|odr_asan|ubsan|start|stop)|^_(init|fini|edata|end|_bss_start)$' || true)
if [ -n "$foreign" ]; then echo "exported but not mech_:"; echo "$foreign"; exit 1; fi
missing=0
for name in $(cat include/mech/*.h | tr '\n' ' ' | grep -oE 'MECH_API[^;{]*\(' | grep -oE 'mech_[a-z0-9_A-Z]+ *\(' | tr -d ' (' | sort -u); do
    echo "$exported" | grep -qx "$name" || { echo "declared but not exported: $name"; missing=1; }
done
[ $missing -eq 0 ]
echo "symbols: $(echo "$exported" | grep -c '^mech_') exported"
