#!/usr/bin/env python3
"""Random mechanisms of bodies and joints against Newton's and Euler's equations of each body.

    bodies.py MECH [--first SEED] [--models N | --seconds T] [--one SEED]

A text of bodies, joints, springs and motors is written by chance and given to `mech eval`. From what it prints only
the places and velocities of the bodies are taken. Every joint then becomes the wrenches it can transmit, in ground
axes, every body six equations (three in the plane), and one least-squares solution by singular values gives all
accelerations and all forces and torques of joints: no coordinates, no energies, no derivative of the library's kind.
Compared are the accelerations of all bodies, the coordinates of joints, their forces and torques with what motors and
springs add, and which of these are unique. It knows docs/bodies.md and nothing of the library's code.
"""
import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
import time

import numpy as np

CLOSE = 1e-9      # of the largest entry of its kind
KINDS = ["revolute", "prismatic", "screw", "cylindrical", "universal", "spherical", "planar", "fixed", "free"]
PLANE_KINDS = ["revolute", "prismatic", "planar", "fixed", "free"]
LOOP_KINDS = ["revolute", "prismatic", "screw", "cylindrical", "universal", "spherical", "planar", "fixed", "distance", "slot"]
PLANE_LOOP_KINDS = ["revolute", "prismatic", "fixed", "distance", "slot"]
SLIDES, TURNS = ["prismatic"], ["revolute", "screw"]


def num(x):
    return "%.17g" % x if x >= 0 else "(%.17g)" % x


def vec(v):
    return "[" + ", ".join("%.17g" % x for x in v) + "]"


def mat(R):
    return "[" + ", ".join(vec(r) for r in R) + "]"


def cross(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def turn(n, a):
    n = np.asarray(n, float) / np.linalg.norm(n)
    K = cross(n)
    return np.eye(3) + math.sin(a) * K + (1 - math.cos(a)) * K @ K


class Body:
    """Mass, centre and inertia about it, added up from what its statement says."""

    def __init__(self, name, rng, plane):
        self.name, self.m, self.c, self.I = name, 0.0, np.zeros(3), np.zeros((3, 3))
        v = (lambda s: np.array([rng.uniform(-s, s), rng.uniform(-s, s), 0 if plane else rng.uniform(-s, s)]))
        d = 2 if plane else 3
        words = []
        if rng.random() < 0.5:
            m, c = rng.uniform(0.5, 3), v(0.3)
            if plane:
                I = np.diag([0, 0, rng.uniform(0.1, 0.5)])
                said = num(I[2, 2])
            else:
                R, p = turn(v(1) + [0, 0, 0.1], 1.0), np.array([rng.uniform(0.1, 0.5) for _ in range(3)])
                p = np.array([p[0] + p[1], p[1] + p[2], p[2] + p[0]])
                I = np.diag(p) if rng.random() < 0.4 else R @ np.diag(p) @ R.T
                I = (I + I.T) / 2
                said = vec(np.diag(I)) if np.count_nonzero(I - np.diag(np.diag(I))) == 0 else mat(I)
            words.append("mass %s, center %s, inertia %s" % (num(m), vec(c[:d]), said))
            self.add(m, c, I)
        else:
            for _ in range(rng.choice([1, 1, 2, 3])):
                self.solid(words, rng, plane, v, d)
        self.text = "body %s: %s" % (name, ", ".join(words))

    def solid(self, words, rng, plane, v, d):
        kind = rng.choice(["rod", "box", "disc"] if plane else ["rod", "box", "cylinder", "sphere", "disc"])
        x, y, z = (rng.uniform(0.1, 0.6) for _ in range(3))
        by_density, m = rng.random() < 0.4, rng.uniform(0.5, 3)
        if kind == "rod":
            P, Q = v(0.5), v(0.5)
            L = np.linalg.norm(Q - P)
            size, said, c = L, "rod %s to %s" % (vec(P[:d]), vec(Q[:d])), (P + Q) / 2
            u = (Q - P) / L
            shape = L * L / 12 * (np.eye(3) - np.outer(u, u))
        else:
            c = np.zeros(3)
            if kind == "box":
                size, said = (x * y, "box %s" % vec([x, y])) if plane else (x * y * z, "box %s" % vec([x, y, z]))
                shape = np.diag([y * y + (0 if plane else z * z), x * x + (0 if plane else z * z), x * x + y * y]) / 12
            elif kind == "cylinder":
                size, said = math.pi * x * x * y, "cylinder %s, %s" % (num(x), num(y))
                shape = np.diag([x * x / 4 + y * y / 12] * 2 + [x * x / 2])
            elif kind == "sphere":
                size, said, shape = 4 / 3 * math.pi * x**3, "sphere %s" % num(x), 0.4 * x * x * np.eye(3)
            else:
                size, said, shape = math.pi * x * x, "disc %s" % num(x), np.diag([x * x / 4, x * x / 4, x * x / 2])
        said += ", density %s" % num(m / size) if by_density else ", mass %s" % num(m)
        if kind != "rod" and rng.random() < 0.6:
            c = v(0.4)
            said += ", at %s" % vec(c[:d])
        if kind != "rod" and not plane and rng.random() < 0.4:
            R = turn(v(1) + [0.1, 0, 0], rng.uniform(-2, 2))
            said += ", turned %s" % mat(R)
            shape = R @ shape @ R.T
        words.append(said)
        self.add(m, c, m * shape)

    def add(self, m, c, I):
        """The sum of this and a mass m at c with I about c."""
        both = self.m + m
        center = (self.m * self.c + m * c) / both

        def about(mass, at):
            e = at - center
            return mass * (e @ e * np.eye(3) - np.outer(e, e))
        self.I = self.I + about(self.m, self.c) + I + about(m, c)
        self.m, self.c = both, center


class Joint:
    """before, after: numbers of bodies, -1 the ground; p, T: point and axes of each place, in the axes of its body."""

    def __init__(self, name, kind, before, after, p, T, n, n2, pitch, by):
        self.name, self.kind, self.before, self.after = name, kind, before, after
        self.p, self.T, self.n, self.n2, self.pitch, self.by = p, T, n, n2, pitch, by
        self.rotor = self.torque = 0.0      # n^2 I and n T of motors, T of springs, along the coordinate
        self.given = None                   # the acceleration a motor gives it
        self.length = 0.0

    def text(self, names, plane):
        d = 2 if plane else 3

        def place(which):
            said = names[self.after if which else self.before]
            if np.any(self.p[which]):
                said += " at " + vec(self.p[which][:d])
            if self.T[which] is not None:
                said += " turned " + (mat(self.T[which][:d, :d]))
            return said
        kind = self.kind
        if not plane:
            kind += {"revolute": " about ", "prismatic": " along ", "screw": " along ", "cylindrical": " along ", "slot": " along ",
                     "planar": " normal ", "universal": " about "}.get(self.kind, "")
            if kind[-1] == " ":
                kind += vec(self.n)
            if self.kind == "universal":
                kind += ", " + vec(self.n2)
            if self.kind == "screw":
                kind += " pitch " + num(self.pitch)
        elif self.kind in ("prismatic", "slot"):
            kind += " along " + vec(self.n[:2])
        if self.kind == "distance":
            kind += " " + num(self.length)
        return "joint %s: %s to %s, %s%s" % (self.name, place(0), place(1), kind, " by constraint" if self.by else "")


class State:
    """Origins, attitudes, velocities of origins and angular velocities of all bodies; -1: the ground, which is the last entry."""

    def __init__(self, r, R, v, w):
        self.r, self.R, self.v, self.w = [x + [y] for x, y in zip((r, R, v, w), (np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3)))]

    def moved(self, h):
        s = State([], [], [], [])
        s.v, s.w = self.v, self.w
        s.r = [r + h * v for r, v in zip(self.r, self.v)]
        s.R = [R if not np.any(w) else turn(w, h * np.linalg.norm(w)) @ R for R, w in zip(self.R, self.w)]
        return s

    def place(self, body, p, T):
        return self.r[body] + self.R[body] @ p, self.R[body] @ (np.eye(3) if T is None else T)


def across(n):
    """Two directions across n."""
    a = np.eye(3)[int(np.argmin(np.abs(n)))]
    a = a - n * (a @ n)
    a /= np.linalg.norm(a)
    return a, np.cross(n, a)


def wrenches(j, s):
    """(force, torque about the point after) on the body after, for each condition of the joint; directions move with that body."""
    pa, Ra = s.place(j.after, j.p[1], j.T[1])
    pb, Rb = s.place(j.before, j.p[0], j.T[0])
    n = Ra @ (j.n / np.linalg.norm(j.n))
    a, b = (Ra @ x for x in across(j.n / np.linalg.norm(j.n)))
    zero = np.zeros(3)
    E = [s.R[j.after][:, k] for k in range(3)]
    if j.kind == "revolute":
        return [(x, zero) for x in E] + [(zero, a), (zero, b)]
    if j.kind == "prismatic":
        return [(a, zero), (b, zero)] + [(zero, x) for x in E]
    if j.kind == "screw":
        return [(a, zero), (b, zero), (zero, a), (zero, b), (n, -j.pitch / (2 * math.pi) * n)]
    if j.kind == "cylindrical":
        return [(a, zero), (b, zero), (zero, a), (zero, b)]
    if j.kind == "universal":
        n1, n2 = Rb @ (j.n / np.linalg.norm(j.n)), Ra @ (j.n2 / np.linalg.norm(j.n2))
        return [(x, zero) for x in E] + [(zero, np.cross(n1, n2))]
    if j.kind == "spherical":
        return [(x, zero) for x in E]
    if j.kind == "planar":
        return [(n, zero), (zero, a), (zero, b)]
    if j.kind == "fixed":
        return [(x, zero) for x in E] + [(zero, x) for x in E]
    if j.kind == "distance":
        d = pa - pb
        return [(d / np.linalg.norm(d), zero)]
    if j.kind == "slot":
        return [(x, np.cross(pb - pa, x)) for x in (a, b)]
    return []


def plane_wrenches(j, s):
    x, y, z, zero = np.eye(3)[0], np.eye(3)[1], np.eye(3)[2], np.zeros(3)
    pa, Ra = s.place(j.after, j.p[1], j.T[1])
    pb, _ = s.place(j.before, j.p[0], j.T[0])
    if j.kind in ("prismatic", "slot"):
        n = Ra @ (j.n / np.linalg.norm(j.n))
        side = np.cross(z, n)
        return [(side, zero), (zero, z)] if j.kind == "prismatic" else [(side, np.cross(pb - pa, side))]
    if j.kind == "distance":
        return [((pa - pb) / np.linalg.norm(pa - pb), zero)]
    return {"revolute": [(x, zero), (y, zero)], "fixed": [(x, zero), (y, zero), (zero, z)]}.get(j.kind, [])


class Mechanism:
    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.plane = rng.random() < 0.35
        self.flat = not self.plane and rng.random() < 0.35      # in space, all axes alike: loops are redundant
        self.absolute = rng.random() < 0.25
        self.g = np.array([rng.uniform(-3, 3), rng.uniform(-9, 3), 0 if self.plane else rng.uniform(-9, 3)])
        self.count = rng.randint(1, 5)
        self.bodies = [Body("b%d" % i, rng, self.plane) for i in range(self.count)]
        self.names = [b.name for b in self.bodies] + ["ground"]
        self.joints, self.extra, self.springs, self.values = [], [], [], {}
        self.start = []
        for i in range(self.count):
            self.tie(i)
        self.forces()

    def any(self, s):
        return np.array([self.rng.uniform(-s, s), self.rng.uniform(-s, s), 0 if self.plane else self.rng.uniform(-s, s)])

    def turned(self):
        if self.rng.random() < 0.5:
            return None
        return turn([0, 0, 1] if self.plane or self.flat else self.any(1) + [0, 0.1, 0], self.rng.uniform(-1.5, 1.5))

    def axis(self):
        return np.array([0, 0, 1.0]) if self.flat else np.array([self.rng.uniform(-1, 1), self.rng.uniform(-1, 1), 0]) if self.plane else self.any(1)

    def tie(self, i):
        """Body i to the ground or an earlier one, from either side."""
        rng, other = self.rng, self.rng.randint(-1, i - 1) if i else -1
        kind = rng.choice(PLANE_KINDS if self.plane else ["revolute"] * 3 + ["cylindrical", "planar", "screw"] if self.flat else ["revolute"] * 4 + KINDS)
        reverse = rng.random() < 0.3
        before, after = (i, other) if reverse else (other, i)
        by = rng.random() < 0.15 and kind not in ("free",)
        n = self.axis()
        j = Joint("J%d" % i, kind, before, after, [self.any(0.5) if rng.random() < 0.7 else np.zeros(3) for _ in range(2)], [self.turned(), self.turned()],
                  n, self.axis() + np.array([0.3, 0, 0]), rng.uniform(-0.5, 0.5), by)
        self.joints.append(j)
        has_rows = by or self.absolute
        J, value = j.name, lambda s=1.0: self.rng.uniform(-s, s)
        single = {"revolute": [J], "prismatic": [J], "screw": [J], "cylindrical": [J + ".angle", J + ".slide"],
                  "universal": [J + ".angle[1]", J + ".angle[2]"], "planar": [J + ".angle"] if self.plane else [J + ".x", J + ".y", J + ".angle"]}.get(kind, [])
        for name in single:
            self.start.append("guess %s = %s" % (name, num(value())))
            self.start.append("guess %s' = %s" % (name, num(value())))
        if kind in ("spherical", "free") and not has_rows:
            if not (kind == "free" and self.plane):
                q = np.array([1 + value(0.2), value(), value(), value()])
                q /= np.linalg.norm(q)
                u = np.array([value(), value(), value(), value()])
                u -= q * (q @ u)
                self.start.append("initial %s.e = %s" % (J, vec(q)))
                self.start.append("guess %s.e' = %s" % (J, vec(u)))
            if kind == "free":
                self.start.append("guess %s.r = %s, %s.r' = %s" % (J, vec(self.any(1)[:2 if self.plane else 3]), J, vec(self.any(1)[:2 if self.plane else 3])))
        if kind in TURNS + SLIDES:
            self.drive(j, has_rows)

    def drive(self, j, has_rows):
        rng, J = self.rng, j.name
        turns = j.kind in TURNS
        r = rng.random()
        if r < 0.25:
            T = rng.uniform(-5, 5)
            said, n = "motor m%s on %s: %s %s" % (J, J, "torque" if turns else "force", num(T)), 1.0
            if rng.random() < 0.5:
                n, I = rng.uniform(-8, 8), rng.uniform(0.001, 0.02)
                said += ", gear %s, rotor %s" % (num(n), num(I))
                j.rotor = n * n * I
            j.torque += n * T
            self.extra.append(said)
        elif r < 0.35:
            a = rng.uniform(-3, 3)
            self.start = [x for x in self.start if not x.startswith("guess %s " % J) and not x.startswith("guess %s' " % J)]
            self.extra.append("motor m%s on %s: %s = %s + %s*t + %s*t^2" % (J, J, "angle" if turns else "length", num(rng.uniform(-1, 1)), num(rng.uniform(-1, 1)), num(a / 2)))
            j.given = a
        if j.kind != "screw" and rng.random() < 0.3:
            k, l, c = rng.uniform(1, 20), rng.uniform(-1, 1), rng.uniform(0, 3)
            self.extra.append("spring s%s on %s: stiffness %s, %s %s, damping %s" % (J, J, num(k), "angle" if turns else "length", num(l), num(c)))
            self.values[J] = (k, l, c)

    def forces(self):
        rng = self.rng
        d = 2 if self.plane else 3
        for k in range(rng.choice([0, 0, 1, 2])):
            a, b = rng.sample(range(-1, self.count), 2)
            p, q = self.any(0.5), self.any(0.5) + [0, 0.7, 0]
            stiff, l, c = rng.uniform(1, 50), rng.uniform(0, 1), rng.uniform(0, 3)
            self.springs.append((a, b, p, q, stiff, l, c))
            self.extra.append("spring S%d: %s at %s to %s at %s, stiffness %s, length %s, damping %s" % (
                k, self.names[a], vec(p[:d]), self.names[b], vec(q[:d]), num(stiff), num(l), num(c)))
        self.pushes = []
        for k in range(rng.choice([0, 1])):
            i, f = rng.randrange(self.count), self.any(10)
            self.pushes.append((i, f))
            self.extra.append("force %s on b%d.c'" % (vec(f[:d]), i))

    def outputs(self):
        out = []
        for b in self.bodies:
            B = b.name
            parts = {"r": B + ".r", "rd": B + ".r'", "w": B + ".w", "c": B + ".c", "ca": B + ".c''", "wa": B + ".w'"}
            if self.plane:
                parts["angle"] = B + ".angle"
            else:
                parts.update(("R%d" % k, "%s.R*%s" % (B, vec(np.eye(3)[k]))) for k in range(3))
            out += ["output %s_%s = %s" % (B, k, v) for k, v in parts.items()]
        for j in self.joints:
            out += ["output %s_%s = %s.%s" % (j.name, k, j.name, v) for k, v in
                    (("f", "force"), ("t", "torque"), ("lf", "load.force"), ("lt", "load.torque"))]
            if j.kind in TURNS + SLIDES:
                out.append("output %s_q = %s, %s_v = %s', %s_a = %s''" % ((j.name,) * 6))
        return out

    def text(self):
        d = 2 if self.plane else 3
        lines = ["gravity " + vec(self.g[:d])]
        if self.absolute:
            lines.append("coordinates absolute")
        lines += [b.text for b in self.bodies] + [j.text(self.names, self.plane) for j in self.joints] + self.extra + self.start + self.outputs()
        return "\n".join(lines + ["simulate until 1", ""])

    def close(self, s):
        """A loop: places of two bodies that lie on one another at this state."""
        rng = self.rng
        a, b = rng.sample(range(-1, self.count), 2)
        kind = rng.choice(PLANE_LOOP_KINDS if self.plane else ["revolute"] * 3 + LOOP_KINDS if self.flat else LOOP_KINDS)
        n = self.axis()
        pa = s.r[b] + s.R[b] @ (p1 := self.any(0.5))
        j = Joint("L%d" % len(self.joints), kind, a, b, [None, p1], [None, None], n, self.axis() + np.array([0.3, 0, 0]), rng.uniform(-0.5, 0.5), False)
        if kind == "distance":
            j.p[0] = self.any(0.5)
            j.length = np.linalg.norm(pa - s.r[a] - s.R[a] @ j.p[0])
        else:
            along = s.R[b] @ (n / np.linalg.norm(n)) * (rng.uniform(-0.3, 0.3) if kind == "slot" else 0)
            j.p[0] = s.R[a].T @ (pa + along - s.r[a])
            if kind not in ("spherical", "slot"):
                j.T[0] = s.R[a].T @ s.R[b]
        self.joints.append(j)

    # ---- the other way ----

    def solve(self, s, joint_v, joint_q):
        """Accelerations of centres and angular ones, wrench on the body after of each joint (reaction, load), what of the reaction is not unique;
        and how far the state is off the joints."""
        N, size = self.count, 6 * self.count
        M, F = np.zeros((size, size)), np.zeros(size)
        arm = [s.R[i] @ b.c for i, b in enumerate(self.bodies)] + [np.zeros(3)]
        for i, b in enumerate(self.bodies):
            I = s.R[i] @ b.I @ s.R[i].T
            M[6 * i:6 * i + 3, 6 * i:6 * i + 3] = b.m * np.eye(3)
            M[6 * i + 3:6 * i + 6, 6 * i + 3:6 * i + 6] = I
            F[6 * i:6 * i + 3] = b.m * self.g
            F[6 * i + 3:6 * i + 6] = -np.cross(s.w[i], I @ s.w[i])

        def onto(st, body, at, f, t, sign, out):
            if body >= 0:
                c = st.r[body] + st.R[body] @ self.bodies[body].c
                out[6 * body:6 * body + 3] += sign * f
                out[6 * body + 3:6 * body + 6] += sign * (t + np.cross(at - c, f))
        for i, f in self.pushes:
            F[6 * i:6 * i + 3] += f
        for a, b, p, q, k, l, c in self.springs:
            A, B = s.r[a] + s.R[a] @ p, s.r[b] + s.R[b] @ q
            va, vb = s.v[a] + np.cross(s.w[a], A - s.r[a]), s.v[b] + np.cross(s.w[b], B - s.r[b])
            d = np.linalg.norm(B - A)
            u = (B - A) / d
            pull = k * (d - l) + c * (u @ (vb - va))
            onto(s, a, A, pull * u, np.zeros(3), 1, F)
            onto(s, b, B, -pull * u, np.zeros(3), 1, F)

        def columns(st):
            cols, owner = [], []
            for number, j in enumerate(self.joints):
                pa, _ = st.place(j.after, j.p[1], j.T[1])
                for f, t in (plane_wrenches(j, st) if self.plane else wrenches(j, st)):
                    col = np.zeros(size)
                    onto(st, j.after, pa, f, t, 1, col)
                    onto(st, j.before, pa, f, t, -1, col)
                    cols.append(col)
                    owner.append((number, np.concatenate([f, t])))
            for number, j in enumerate(self.joints):      # motors that give the motion, and what works along joints
                if j.given is not None:
                    cols.append(self.along(j, st, onto, size))
                    owner.append((number, None))
            return np.array(cols).reshape(-1, size).T, owner
        C, owner = columns(s)
        h = 0.002
        weights = [(4 / 5, 1), (-1 / 5, 2), (4 / 105, 3), (-1 / 280, 4)]
        dC = sum(c / h * (columns(s.moved(k * h))[0] - columns(s.moved(-k * h))[0]) for c, k in weights)
        V = np.concatenate([np.concatenate([s.v[i] + np.cross(s.w[i], arm[i]), s.w[i]]) for i in range(N)])
        given = np.zeros(C.shape[1])
        loads = {}
        for j in self.joints:
            T = j.torque
            if j.name in self.values:
                k, l, c = self.values[j.name]
                T -= k * (joint_q[j.name] - l) + c * joint_v[j.name]
            if T or j.rotor:
                col = self.along(j, s, onto, size)
                F += T * col
                if j.rotor:
                    M += j.rotor * np.outer(col, col)
                    F -= j.rotor * col * (sum(c / h * (self.along(j, s.moved(k * h), onto, size) - self.along(j, s.moved(-k * h), onto, size)) for c, k in weights) @ V)
                loads[j.name] = T
        extra = iter(j.given for j in self.joints if j.given is not None)
        for i, (number, w) in enumerate(owner):
            if w is None:
                given[i] = next(extra)
        if self.plane:
            keep = [6 * i + k for i in range(N) for k in (0, 1, 5)]
            M, F, C, dC, V = M[np.ix_(keep, keep)], F[keep], C[keep], dC[keep], V[keep]
        n, c = len(F), C.shape[1]
        m_size, c_size = np.max(np.abs(M)), max([np.max(np.abs(C)), 1e-300]) if c else 1.0
        K = np.block([[M / m_size, C / c_size], [C.T / c_size, np.zeros((c, c))]])     # unknown: q'' and -lambda c_size / m_size
        U, sv, Vt = np.linalg.svd(K)
        sure_sv = sv > 1e-9 * sv[0]
        x = Vt[sure_sv].T @ ((U[:, sure_sv].T @ np.concatenate([F / m_size, (given - dC.T @ V) / c_size])) / sv[sure_sv])
        null, gap = Vt[~sure_sv].T[n:], np.min(sv[sure_sv]) / sv[0]
        if np.max(np.abs(Vt[~sure_sv].T[:n]), initial=0) > 1e-7:
            return None
        acc, lam = x[:n], -x[n:] * m_size / c_size
        if self.plane:
            full = np.zeros(size)
            full[keep] = acc
            acc = full
        reaction = [np.zeros(6) for _ in self.joints]
        unsure = [np.zeros((6, null.shape[1])) for _ in self.joints]
        drive = [0.0] * len(self.joints)
        for i, (number, w) in enumerate(owner):
            if w is None:
                drive[number] = lam[i]
                continue
            reaction[number] += lam[i] * w
            unsure[number] += np.outer(w, null[i])
        off = np.abs(C.T @ V - np.array([0 if w is not None else np.nan for _, w in owner])) if len(owner) else np.zeros(1)
        return acc, reaction, unsure, drive, loads, np.nanmax(off) if len(owner) and not np.all(np.isnan(off)) else 0.0, gap

    def along(self, j, st, onto, size):
        """What a unit along the coordinate of a joint does to the bodies."""
        pa, Ra = st.place(j.after, j.p[1], j.T[1])
        n = np.array([0, 0, 1.0]) if self.plane and j.kind == "revolute" else Ra @ (j.n / np.linalg.norm(j.n))
        col, zero = np.zeros(size), np.zeros(3)
        f, t = (n, zero) if j.kind == "prismatic" else (zero, n)
        onto(st, j.after, pa, f, t, 1, col)
        onto(st, j.before, pa, f, t, -1, col)
        return col


class Finding(Exception):
    pass


def ask(mech, text):
    with tempfile.NamedTemporaryFile("w", suffix=".mech") as f:
        f.write(text)
        f.flush()
        p = subprocess.run([mech, "eval", f.name, "--json"], capture_output=True, text=True, timeout=60)
    if p.returncode:
        return None, p.stderr.strip() or p.stdout.strip()
    return json.loads(p.stdout), ""


def read(m, answer):
    out, unique = {}, {}
    for o in answer["outputs"]:
        name = o["name"].split("[")[0]
        out.setdefault(name, []).append(o["value"])
        unique.setdefault(name, []).append(o["unique"])
    pad = lambda x: np.array(list(x) + [0.0] * (3 - len(x)))
    N = range(m.count)
    r, v = [pad(out["b%d_r" % i]) for i in N], [pad(out["b%d_rd" % i]) for i in N]
    if m.plane:
        R = [turn([0, 0, 1], out["b%d_angle" % i][0]) for i in N]
        w = [np.array([0, 0, out["b%d_w" % i][0]]) for i in N]
    else:
        R = [np.array([out["b%d_R%d" % (i, k)] for k in range(3)]).T for i in N]
        w = [np.array(out["b%d_w" % i]) for i in N]
    return State(r, R, v, w), out, unique


def compare(m, answer):
    s, out, unique = read(m, answer)
    q = {j.name: out[j.name + "_q"][0] for j in m.joints if j.name + "_q" in out}
    v = {j.name: out[j.name + "_v"][0] for j in m.joints if j.name + "_v" in out}
    solved = m.solve(s, v, q)
    if solved is None:
        return "accelerations not unique"
    acc, reaction, unsure, drive, loads, off, gap = solved
    speed = 1 + max(np.max(np.abs(x)) for x in s.v + s.w)
    if off > 1e-9 * speed:
        raise Finding("velocities are off the joints by %.2e" % off)
    if gap < 1e-6:
        return "rank in doubt"
    if np.max(np.abs(acc)) > 1e5:
        return "nearly singular"
    bad = []

    def same(what, got, want, scale, marks=None, sure=None):
        got, want = np.atleast_1d(got), np.atleast_1d(want)
        for k in range(len(got)):
            certain = sure is None or sure[k]
            if marks is not None and marks[k] != bool(certain):
                bad.append("%s[%d] is called %s" % (what, k + 1, "unique" if marks[k] else "not unique"))
            elif certain and not abs(got[k] - want[k]) <= CLOSE * scale / gap**0.5:
                bad.append("%s[%d] %.15g, by the other way %.15g" % (what, k + 1, got[k], want[k]))
    a_scale = 1 + np.max(np.abs(acc))
    f_scale = 1 + max([np.max(np.abs(x)) for x in reaction] + [abs(x) for x in drive] + [np.max(np.abs(m.g)) * sum(b.m for b in m.bodies)] + [abs(x) for x in loads.values()])
    for i, b in enumerate(m.bodies):
        d = 2 if m.plane else 3
        same(b.name + ".c", out[b.name + "_c"], (s.r[i] + s.R[i] @ b.c)[:d], 1 + np.max(np.abs(s.r[i])))
        same(b.name + ".c''", out[b.name + "_ca"], acc[6 * i:6 * i + d], a_scale)
        same(b.name + ".w'", out[b.name + "_wa"], acc[6 * i + 5] if m.plane else acc[6 * i + 3:6 * i + 6], a_scale)
    for k, j in enumerate(m.joints):
        pa, Ra = s.place(j.after, j.p[1], j.T[1])
        pb, Rb = s.place(j.before, j.p[0], j.T[0])
        n = np.array([0, 0, 1.0]) if m.plane and j.kind == "revolute" else Ra @ (j.n / np.linalg.norm(j.n))
        if j.name in q:      # its coordinate, from the places
            if j.kind == "prismatic":
                same(j.name, q[j.name], n @ (pa - pb), 1 + abs(q[j.name]))
            else:
                rel = Rb.T @ Ra
                ax = np.array([0, 0, 1.0]) if m.plane else j.n / np.linalg.norm(j.n)
                angle = math.atan2(ax @ np.array([rel[2, 1] - rel[1, 2], rel[0, 2] - rel[2, 0], rel[1, 0] - rel[0, 1]]), np.trace(rel) - 1)
                same(j.name + " (mod turns)", math.remainder(q[j.name] - angle, 2 * math.pi), 0, 1)
                if j.kind == "screw":
                    same(j.name + " advance", n @ (pa - pb), j.pitch / (2 * math.pi) * q[j.name], 1)
            wa, wb = s.w[j.after], s.w[j.before]
            rate = n @ (wa - wb) if j.kind != "prismatic" else n @ (s.v[j.after] + np.cross(wa, pa - s.r[j.after]) - s.v[j.before] - np.cross(wb, pa - s.r[j.before]))
            same(j.name + "'", v[j.name], rate, speed)
        if j.kind == "free" or (m.plane and j.kind == "planar"):
            continue
        w, free = reaction[k], unsure[k]
        parts = [0, 1, 5] if m.plane else range(6)
        sure = [not (np.max(np.abs(free[p])) > 1e-7) if free.shape[1] else True for p in range(6)]
        if not all(sure) and any(0 < np.max(np.abs(free[p])) < 1e-5 and np.max(np.abs(free[p])) > 1e-9 for p in parts):
            continue
        d = 2 if m.plane else 3
        same(j.name + ".force", out[j.name + "_f"], w[:d], f_scale, unique[j.name + "_f"], sure[:d])
        if not j.rotor:     # what motors and springs pass as well
            works = drive[k] + loads.get(j.name, 0.0)
            along = np.concatenate([n, np.zeros(3)] if j.kind == "prismatic" else [np.zeros(3), n]) * works
            if np.all(sure):
                same(j.name + ".load.force", out[j.name + "_lf"], (w + along)[:d], f_scale)
                same(j.name + ".load.torque", out[j.name + "_lt"], (w + along)[5] if m.plane else (w + along)[3:], f_scale * 2)
        same(j.name + ".torque", out[j.name + "_t"], w[5] if m.plane else w[3:], f_scale * 2, unique[j.name + "_t"], [sure[5]] if m.plane else sure[3:])
    if bad:
        raise Finding("; ".join(bad[:4]) + (" (%d in all)" % len(bad) if len(bad) > 4 else ""))
    return "compared"


def refused(m, words):
    """The reason; a finding where there is none."""
    for known in ("the model has no coordinates", "has no inertia about an axis"):
        if known in words:
            return "refused: " + known
    if any(j.given is not None for j in m.joints):
        return "refused: a motor gives what loops do not allow"
    raise Finding("refused: " + words)


def one(mech, seed, show=False):
    m = Mechanism(seed)
    text = m.text()
    answer, words = ask(mech, text)
    if show:
        print(text)
    if answer is None:
        return refused(m, words)
    result = compare(m, answer)
    if result == "compared" and m.rng.random() < 0.6:
        for _ in range(m.rng.choice([1, 1, 2])):
            if m.count:
                m.close(read(m, answer)[0])
        text = m.text()
        if show:
            print("# ---- closed\n" + text)
        try:
            answer, words = ask(mech, text)
            if answer is None:
                return "closed, " + refused(m, words)
            result = "closed, " + compare(m, answer)
        except Finding as e:
            raise Finding("closed: " + str(e)) from None
    return result


def main():
    p = argparse.ArgumentParser()
    p.add_argument("mech")
    p.add_argument("--first", type=int, default=1)
    p.add_argument("--models", type=int, default=200)
    p.add_argument("--seconds", type=float)
    p.add_argument("--one", type=int)
    o = p.parse_args()
    if o.one is not None:
        print(one(o.mech, o.one, True))
        return 0
    counts, findings, seed, began = {}, 0, o.first, time.time()
    while (time.time() - began < o.seconds) if o.seconds else seed < o.first + o.models:
        try:
            result = one(o.mech, seed)
        except Finding as e:
            result = "FINDING"
            findings += 1
            print("seed %d: %s" % (seed, e), flush=True)
        counts[result] = counts.get(result, 0) + 1
        seed += 1
    for k in sorted(counts, key=counts.get, reverse=True):
        print("%6d  %s" % (counts[k], k))
    print("seeds %d to %d, %d findings" % (o.first, seed - 1, findings))
    return findings > 0


if __name__ == "__main__":
    sys.exit(main())
