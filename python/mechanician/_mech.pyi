# The extension module is made from the headers of the library.
from typing import Any

ffi: Any
lib: Any
