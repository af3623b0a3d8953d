"""The n-link pendulum on a cart in SymPy: CPU seconds from the coordinates to mass matrix and forcing vector.

usage: derive_sympy.py lagrange|kane|none N
"""
import sys
import time

from sympy import symbols, Matrix, sin, cos
from sympy.physics.mechanics import (KanesMethod, LagrangesMethod, Particle, Point, ReferenceFrame,
                                     dynamicsymbols, kinetic_energy)


def bodies(n, q, speeds, frame):
    """Cart and bobs; velocities in terms of `speeds`, which stand for the derivatives of q."""
    mass = symbols("m:%d" % (n + 1))
    length = symbols("l:%d" % (n + 1))
    origin = Point("O")
    origin.set_vel(frame, 0)
    point = origin.locatenew("P0", q[0] * frame.x)
    velocity = speeds[0] * frame.x
    point.set_vel(frame, velocity)
    particles = [Particle("Pa0", point, mass[0])]
    height = 0
    heights = [height]
    for i in range(1, n + 1):
        point = point.locatenew("P%d" % i, length[i] * (sin(q[i]) * frame.x + cos(q[i]) * frame.y))
        velocity = velocity + length[i] * speeds[i] * (cos(q[i]) * frame.x - sin(q[i]) * frame.y)
        point.set_vel(frame, velocity)
        particles.append(Particle("Pa%d" % i, point, mass[i]))
        height = height + length[i] * cos(q[i])
        heights.append(height)
    return particles, mass, heights


def lagrange(n):
    q = dynamicsymbols("q:%d" % (n + 1))
    dq = dynamicsymbols("q:%d" % (n + 1), 1)
    gravity = symbols("g")
    frame = ReferenceFrame("I")
    particles, mass, heights = bodies(n, q, dq, frame)
    energy = kinetic_energy(frame, *particles) - sum(m * gravity * h for m, h in zip(mass, heights))
    method = LagrangesMethod(energy, q)
    method.form_lagranges_equations()
    return method.mass_matrix, method.forcing


def kane(n):
    q = dynamicsymbols("q:%d" % (n + 1))
    u = dynamicsymbols("u:%d" % (n + 1))
    gravity = symbols("g")
    frame = ReferenceFrame("I")
    particles, mass, _ = bodies(n, q, u, frame)
    loads = [(b.point, -m * gravity * frame.y) for b, m in zip(particles, mass)]
    method = KanesMethod(frame, q_ind=q, u_ind=u, kd_eqs=[a.diff() - b for a, b in zip(q, u)])
    method.kanes_equations(particles, loads)
    return method.mass_matrix, method.forcing


def main():
    name, n = sys.argv[1], int(sys.argv[2])
    start = time.process_time()
    if name != "none":
        mass_matrix, forcing = {"lagrange": lagrange, "kane": kane}[name](n)
        assert mass_matrix.shape == (n + 1, n + 1) and isinstance(Matrix(forcing), Matrix)
    print("%.6f" % (time.process_time() - start))


main()
