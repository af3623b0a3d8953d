"""Builds the package; build_ffi.py says what is in the extension module."""
import os
import shutil
import sys

from setuptools import setup
from setuptools.command.sdist import sdist

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(HERE)
PARTS = ('src', 'include', 'fmu', 'cmake', 'CMakeLists.txt', 'LICENSE')


class SourceDistribution(sdist):
    """With the sources of the library inside, under library/."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        inside = os.path.join(base_dir, 'library')
        origin = REPOSITORY if not os.path.isdir(os.path.join(HERE, 'library')) else os.path.join(HERE, 'library')
        for part in PARTS:
            path = os.path.join(origin, part)
            if os.path.isdir(path):
                shutil.copytree(path, os.path.join(inside, part), dirs_exist_ok=True)
            elif os.path.exists(path):
                os.makedirs(inside, exist_ok=True)
                shutil.copy2(path, inside)


builds = not any(word in sys.argv for word in ('sdist', 'egg_info', '--version', 'dist_info'))
setup(cmdclass={'sdist': SourceDistribution},
      options={'bdist_wheel': {'py_limited_api': 'cp39'}},
      **({'cffi_modules': ['build_ffi.py:ffi']} if builds else {}))
