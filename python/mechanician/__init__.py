"""Constrained mechanical systems, from the page to the motion.

    import mechanician as me
    m = me.Model("pendulum.mech", params={"l": 2})
    r = m.run(until=10)
    r.t, r["x"]
"""
from ._errors import Diagnostic, MechError, text_of as _text_of
from ._mech import lib as _lib
from ._model import Builder, Constraint, Equilibrium, Instant, Jacobian, Linear, Model, Rhs
from ._run import Event, Result, Simulation
from ._show import Animation
from ._sweep import Sweep

__version__ = _text_of(_lib.mech_version())
__all__ = ["Animation", "Builder", "Constraint", "Diagnostic", "Equilibrium", "Event", "Instant", "Jacobian", "Linear", "MechError",
           "Model", "Result", "Rhs", "Simulation", "Sweep"]
