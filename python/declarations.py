"""The declarations of the public headers, as cffi reads them: what the preprocessor makes of them, with the headers of C
itself left empty. Nothing is typed twice."""
import os
import re
import subprocess
import tempfile

STANDARD = ('stddef.h', 'stdint.h', 'signal.h', 'stdio.h', 'math.h', 'float.h', 'limits.h')
# cffi knows size_t, uint32_t and FILE by itself.
OF_C = 'typedef int... sig_atomic_t;\n'


def declarations(include, compiler='cc'):
    with tempfile.TemporaryDirectory() as empty:
        for name in STANDARD:
            with open(os.path.join(empty, name), 'w', encoding='ascii'):
                pass
        text = subprocess.run([compiler, '-E', '-P', '-nostdinc', '-I', empty, '-I', include, '-D__attribute__(x)=',
                               '-DMECH_NO_DEPRECATED', '-DSIZE_MAX=SIZE_MAX', '-'], input='#include <mech/mech.h>\n',
                              text=True, capture_output=True, check=True).stdout
    text = re.sub(r'static inline [^{;]*\{[^}]*\}', '', text)
    return OF_C + text


if __name__ == '__main__':
    import sys
    print(declarations(sys.argv[1]))
