"""A model that moves: a page with its bodies and what `draw` says, for notebooks and files."""
from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, Union

from ._errors import check, take_text
from ._mech import ffi, lib

if TYPE_CHECKING:
    from ._model import Model


class Animation:
    """A page of HTML that needs nothing else. In a notebook it is shown; write(path) keeps it."""

    def __init__(self, page: str, height: int) -> None:
        self.html, self.height = page, height

    def write(self, path: Union[str, "os.PathLike[str]"]) -> None:
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.html)

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="{self.height}" '
                'style="border: 0"></iframe>')

    def __repr__(self) -> str:
        return f"<Animation: {len(self.html)} characters of HTML; write(path) keeps it>"


def animate(model: "Model", run: Any, frames: int, height: int) -> Animation:
    made = ffi.new("mech_scene **")
    check(lib.mech_scene_create(model._model, model._system, made))
    scene = ffi.gc(made[0], lib.mech_scene_free)
    if lib.mech_scene_is_empty(scene):
        raise ValueError("there is nothing to see: a model has bodies, or says what to draw")
    run.run()
    check(lib.mech_scene_add_run(scene, run._sim, frames, ffi.NULL))
    section = ffi.new("mech_section[1]")
    section[0].kind = lib.MECH_SECTION_SCENE
    title = ffi.new("char[]", os.path.basename(model._path or "model").encode())
    page = ffi.new("mech_page *", {"size": ffi.sizeof("mech_page"), "title": title, "sections": section, "count": 1,
                                   "scene": scene})
    text: Any = ffi.new("char **")
    check(lib.mech_page_html(page, text))
    return Animation(take_text(text[0]), height)
