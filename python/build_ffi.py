"""The extension module: declarations of the public headers, and the library.

With the library installed (pkg-config knows `mechanician`, of this version) it is used as it is. Else its core, which
needs nothing beyond the C library, is built by CMake and lies inside the module. MECHANICIAN_LIBRARY: the archive or
shared library to use instead."""
import os
import re
import subprocess
import sys

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from declarations import declarations  # noqa: E402

SOURCE = os.path.join(HERE, 'library')  # in a source distribution
if not os.path.isdir(SOURCE):
    SOURCE = os.path.dirname(HERE)


def version():
    with open(os.path.join(SOURCE, 'include/mech/base.h'), encoding='utf-8') as f:
        return '.'.join(re.findall(r'MECH_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', f.read()))


def installed():
    """Flags of the installed library, or None."""
    try:
        found = subprocess.run(['pkg-config', '--modversion', 'mechanician'], capture_output=True, text=True)
        if found.returncode != 0 or found.stdout.strip() != version():
            return None
        return subprocess.run(['pkg-config', '--libs', 'mechanician'], capture_output=True, text=True,
                              check=True).stdout.split()
    except FileNotFoundError:
        return None


def built_core():
    """The archive of the core, built beside the module."""
    folder = os.path.join(HERE, 'build', 'core')
    subprocess.run(['cmake', '-S', SOURCE, '-B', folder, '-DMECH_CORE=ON', '-DMECH_TESTS=OFF', '-DMECH_COMMAND=OFF',
                    '-DMECH_INSTALL=OFF', '-DCMAKE_BUILD_TYPE=Release', '-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG'],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(['cmake', '--build', folder, '--target', 'mechanician_static', '--parallel',
                    str(os.cpu_count() or 1)], check=True, stdout=subprocess.DEVNULL)
    return os.path.join(folder, 'libmechanician.a')


def library():
    given = os.environ.get('MECHANICIAN_LIBRARY')
    if given and given.endswith('.a'):
        return {'extra_objects': [given]}
    if given:
        return {'extra_link_args': [given, '-Wl,-rpath,' + os.path.dirname(os.path.abspath(given))]}
    flags = installed()
    return {'extra_link_args': flags} if flags else {'extra_objects': [built_core()]}


def make():
    made = cffi.FFI()
    include = os.path.join(SOURCE, 'include')
    with open(os.path.join(HERE, 'bridge.h'), encoding='ascii') as f:
        bridge = f.read()
    with open(os.path.join(HERE, 'bridge.c'), encoding='ascii') as f:
        code = f.read()
    made.cdef(declarations(include) + re.sub(r'/\*.*?\*/', '', bridge, flags=re.S) +
              'extern "Python" mech_status mechanician_law(void *user, const mech_point *at, double *u);')
    made.set_source('mechanician._mech', code, include_dirs=[include, HERE], libraries=['m'],
                    define_macros=[('MECH_NO_DEPRECATED', '1')], py_limited_api=True, **library())
    return made


ffi = make() if 'sdist' not in sys.argv and 'egg_info' not in sys.argv else cffi.FFI()
