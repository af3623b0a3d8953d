"""Run in an environment in which the package is installed: python -m unittest, or this file. MECH: the command, to compare
with; EXAMPLES: the folder of the shipped models."""
import concurrent.futures
import csv
import math
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import mechanician as me

EXAMPLES = os.environ.get("EXAMPLES", os.path.join(os.path.dirname(__file__), "../../examples"))
MECH = os.environ.get("MECH")
PENDULUM = """param m = 2 "kg", l = 0.5 "m", g = 9.81
coord x "m", y "m"
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = l^2
initial x = l, y = 0
output pull = force(rod, x) "N"
"""
TWICE = PENDULUM.replace("initial", "constraint again: 2*x^2 + 2*y^2 = 2*l^2\ninitial")
OSCILLATOR = "param k = 4, c = 0\ncoord x\ninput u = 0\nkinetic x'^2/2\npotential k*x^2/2\nforce u - c*x' on x'\ninitial x = 1\n"


class Models(unittest.TestCase):
    def test_where_runs_begin(self):
        """x follows a = 2 t by a constraint, y'' = a - y: at t = 3, x = 6, x' = 2, y'' = 6, and y = 6 is an equilibrium."""
        m = me.Model("param T = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential y^2/2\nforce 2*t on y'\nconstraint c: x = 2*t\n"
                     "initial y = 0, y' = 0\nsimulate from 3*T until 4*T\n")
        np.testing.assert_allclose(m.start(), [6, 0, 2, 0], atol=1e-12)
        np.testing.assert_allclose(m.start(0), [0, 0, 2, 0], atol=1e-12)
        np.testing.assert_allclose(m.replace(T=2).start(), [12, 0, 2, 0], atol=1e-12)
        np.testing.assert_allclose(m.instant().qdd, [0, 6], atol=1e-12)
        np.testing.assert_allclose(m.instant(t=1).qdd, [0, 2], atol=1e-12)
        pulled = me.Model("coord y\nkinetic y'^2/2\npotential y^2*(1 + t)/2 - 8*y\ninitial y = 1\nsimulate from 3 until 4\n")
        np.testing.assert_allclose(pulled.equilibrium().q, [2], atol=1e-9)
        np.testing.assert_allclose(sorted(pulled.stability().eigenvalues.imag), [-2, 2], atol=1e-9)
        np.testing.assert_allclose(sorted(pulled.linearize(t=8).eigenvalues.imag), [-3, 3], atol=1e-9)

    def test_what_it_is(self):
        m = me.Model(PENDULUM, params={"l": 2})
        self.assertEqual(m.coords, ("x", "y"))
        self.assertEqual(m.constraints, ("rod",))
        self.assertEqual(m.outputs, ("pull",))
        self.assertEqual(m.params, {"m": 2.0, "l": 2.0, "g": 9.81})
        self.assertEqual((m.unit("x"), m.unit("g"), m.unit("pull")), ("m", None, "N"))
        self.assertEqual(m.replace(l=3).params["l"], 3)
        self.assertIn("rod", m.check())
        with self.assertRaises(KeyError):
            m.unit("nothing")

    def test_errors_have_a_place(self):
        with self.assertRaises(me.MechError) as caught:
            me.Model("coord θ\nkinetic θ'^2 + thet\n")
        d = caught.exception.diagnostics[0]
        self.assertEqual((d.line, d.column, d.length, caught.exception.status), (2, 16, 4, "MECH_ERR_MODEL"))
        self.assertIn("theta", d.hint)
        with self.assertRaises(me.MechError):
            me.Model(PENDULUM, params={"lenght": 1})
        with self.assertRaises(FileNotFoundError):
            me.Model("nothere.mech")

    def test_builder(self):
        b = me.Builder().param("m", 2, "kg").param("l", 0.5).coord("x", "m").coord("y", "m")
        b.kinetic("m/2*(x'^2 + y'^2)").potential("m*9.81*y").constraint("rod", "x^2 + y^2", "l^2")
        b.output("pull", "force(rod, x)", "N").initial(x=0.5, y=0)
        a, b = me.Model(PENDULUM).run(until=1), b.model().run(until=1)
        self.assertEqual(a.names, b.names)
        np.testing.assert_array_equal(a.table[:, :5], b.table[:, :5])
        with self.assertRaises(ValueError):
            me.Builder().coord("x", 'm"')

    def test_pickles(self):
        m = pickle.loads(pickle.dumps(me.Model(PENDULUM, params={"l": 1})))
        self.assertEqual(m.params["l"], 1)
        r = m.run(until=1)
        again = pickle.loads(pickle.dumps(r))
        np.testing.assert_array_equal(again.table, r.table)
        self.assertEqual(again.info.steps, r.info.steps)
        with self.assertRaises(me.MechError) as caught:
            me.Model("coord \n")
        self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).diagnostics, caught.exception.diagnostics)

    def test_memory_is_flat(self):
        for i in range(100):
            me.Model(PENDULUM).run(until=0.1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for i in range(1000):
            me.Model(PENDULUM).instant()
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 8000)  # kB


class Equation(unittest.TestCase):
    def test_matrices(self):
        m, q, v = me.Model(PENDULUM), [0.3, -0.4], [0.8, 0.6]
        np.testing.assert_allclose(m.M(q), 2 * np.eye(2))
        np.testing.assert_allclose(m.Q(q, v), [0, -2 * 9.81])
        np.testing.assert_allclose(m.A(q), [[0.6, -0.8]])
        np.testing.assert_allclose(m.b(q, v), [-2 * (0.64 + 0.36)])

    def test_instant(self):
        m, q, v = me.Model(PENDULUM), np.array([0.3, -0.4]), np.array([0.8, 0.6])
        i = m.instant(q, v)
        # the rod pulls along itself: m (v^2/l + g*0.4/0.5) towards the pivot
        pull = 2 * (1 / 0.5 + 9.81 * 0.8)
        np.testing.assert_allclose(i["rod"].force, -pull * q / 0.5, rtol=1e-13)
        np.testing.assert_allclose(i.qdd, -pull * q / 0.5 / 2 + [0, -9.81], rtol=1e-13)
        self.assertAlmostEqual(i.outputs["pull"], -pull * 0.6, places=12)
        self.assertEqual((i.rank, i.freedom, i.redundant, i.unique), (1, 1, (), {"rod": True}))
        with self.assertRaises(ValueError):
            m.instant([1, 2, 3])

    def test_redundant(self):
        i = me.Model(TWICE).instant([0.3, -0.4], [0.8, 0.6])
        self.assertEqual((i.rank, i.redundant, i.unique), (1, ("again",), {"rod": False, "again": False}))
        np.testing.assert_allclose(i.qdd, me.Model(PENDULUM).instant([0.3, -0.4], [0.8, 0.6]).qdd, rtol=1e-12)

    def test_slopes(self):
        m, q, v, h = me.Model(PENDULUM), np.array([0.3, -0.4]), np.array([0.8, 0.6]), 1e-6
        s = m.slopes(q, v)
        for k in range(2):
            d = np.eye(2)[k] * h
            by_q = (m.instant(q + d, v).qdd - m.instant(q - d, v).qdd) / (2 * h)
            np.testing.assert_allclose(s.qdd_q[:, k], by_q, rtol=1e-6, atol=1e-6)
        heavier = m.replace(g=9.81 + h).instant(q, v).qdd
        np.testing.assert_allclose(s.qdd_p[:, s.params.index("g")], (heavier - m.instant(q, v).qdd) / h, atol=1e-6)

    def test_project(self):
        q, v = me.Model(PENDULUM).project([0.33, -0.41], [0.8, 0.7])
        self.assertAlmostEqual(q @ q, 0.25, places=12)
        self.assertAlmostEqual(q @ v, 0, places=12)

    def test_not_a_number_is_told(self):
        f = me.Model("coord x\nkinetic x'^2/2\npotential 1/x\ninitial x = 1\n").rhs()
        with self.assertRaises(me.MechError) as caught:
            f(0, [0, 0])
        self.assertEqual(caught.exception.status, "MECH_ERR_NOT_FINITE")
        self.assertIn("x", str(caught.exception))


class Runs(unittest.TestCase):
    def test_closed_form(self):
        r = me.Model(OSCILLATOR).run(until=10, rtol=1e-10, points=1001)
        np.testing.assert_allclose(r["x"], np.cos(2 * r.t), atol=1e-8)
        np.testing.assert_allclose(r["x'"], -2 * np.sin(2 * r.t), atol=1e-8)
        self.assertEqual((len(r), r.warning), (1001, ""))
        with self.assertRaises(KeyError):
            r["nothing"]

    def test_vectors(self):
        r = me.Model("coord x[1..3]\nkinetic sum(i in 1..3: x[i]'^2)/2\ninitial x[2] = 5, x[3]' = 1\n").run(until=1)
        np.testing.assert_allclose(r["x"][-1], [0, 5, 1], atol=1e-12)
        np.testing.assert_allclose(r["x'"][-1], [0, 0, 1], atol=1e-12)

    def test_params_inputs_start(self):
        m = me.Model(OSCILLATOR)
        np.testing.assert_allclose(m.run(until=1, params={"k": 9}, rtol=1e-10)["x"][-1], math.cos(3), atol=1e-8)
        np.testing.assert_allclose(m.run(until=1, inputs={"u": 4}, rtol=1e-10)["x"], 1, atol=1e-8)  # 4/k = 1
        np.testing.assert_allclose(m.run(until=1, q=[0], v=[2], rtol=1e-10)["x"][-1], math.sin(2), atol=1e-8)
        with self.assertRaises(KeyError):
            m.run(params={"nothing": 1})

    def test_law_of_python(self):
        m = me.Model(OSCILLATOR)
        by_law = m.run(until=2, inputs={"u": lambda t, q, v, z: -0.5 * v[0]}, rtol=1e-10)
        by_text = m.run(until=2, params={"c": 0.5}, rtol=1e-10)
        np.testing.assert_allclose(by_law["x"], by_text["x"], atol=1e-8)
        with self.assertRaises(ZeroDivisionError):
            m.run(until=1, inputs={"u": lambda t, q, v, z: 1 / 0})

    def test_driven(self):
        s = me.Model(OSCILLATOR).simulation(until=math.inf, rtol=1e-11)
        s.advance(1)
        x, v = float(s.q[0]), float(s.v[0])
        s.set_input("u", 4)
        s.advance(2)
        self.assertAlmostEqual(s.q[0], 1 + (x - 1) * math.cos(2) + v / 2 * math.sin(2), places=8)
        self.assertEqual(s.t, 2)
        s.reset()
        self.assertEqual((s.t, s.q[0]), (0, 1))

    def test_events(self):
        r = me.Model("coord y\nkinetic y'^2/2\npotential 9.81*y\ninitial y = 1\n"
                     "event floor: y falls through 0 -> stop\nsimulate until 5\n").run(rtol=1e-11)
        event = [e for e in r.events if e.kind == "event"][0]
        self.assertAlmostEqual(event.t, math.sqrt(2 / 9.81), places=10)
        self.assertEqual(event.name, "floor")
        self.assertAlmostEqual(r.t[-1], event.t, places=12)

    def test_failure_keeps_rows(self):
        with self.assertRaises(me.MechError) as caught:
            me.Model("coord x\nkinetic x'^2/2\nforce 1/(1 - t)^2 on x'\n").run(until=2)
        self.assertGreater(len(caught.exception.result), 1)
        self.assertLess(caught.exception.result.t[-1], 1)

    @unittest.skipUnless(MECH, "there is no command to compare with")
    def test_same_bits_as_the_command(self):
        for name in ("pendulum-two-coordinates", "heavy-top", "knife-edge"):
            path = os.path.join(EXAMPLES, name, "model.mech")
            with tempfile.TemporaryDirectory() as folder:
                rows = os.path.join(folder, "rows.csv")
                subprocess.run([MECH, "run", path, "--native", "off", "-o", rows], check=True, capture_output=True)
                with open(rows, newline="", encoding="utf-8") as f:
                    lines = list(csv.reader(f))
            r = me.Model(path).run()
            self.assertEqual(tuple(lines[0]), r.names)
            np.testing.assert_array_equal(np.array([[float(x) for x in line] for line in lines[1:]]), r.table)

    def test_threads(self):
        m = me.Model(PENDULUM)
        alone = m.run(until=20).table
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for table in pool.map(lambda _: m.run(until=20).table, range(8)):
                np.testing.assert_array_equal(table, alone)

    def test_gil_is_let_go(self):
        turns = [0]
        done = threading.Event()

        def count():
            while not done.is_set():
                turns[0] += 1
                time.sleep(0.001)
        thread = threading.Thread(target=count)
        thread.start()
        me.Model(OSCILLATOR).run(until=20000, points=2)
        done.set()
        thread.join()
        self.assertGreater(turns[0], 20)

    def test_interrupt(self):
        program = ("import mechanician as me, sys, time\n"
                   f"m = me.Model({OSCILLATOR!r})\n"
                   "print('ready', flush=True)\n"
                   "try: m.run(until=1e9, points=2)\n"
                   "except KeyboardInterrupt: print('interrupted', time.time())\n")
        child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        child.stdout.readline()
        time.sleep(0.5)
        sent = time.time()
        child.send_signal(signal.SIGINT)
        words = child.stdout.readline().split()
        child.wait()
        child.stdout.close()
        self.assertEqual((words[0], child.returncode), ("interrupted", 0))
        self.assertLess(float(words[1]) - sent, 5)  # 0.01 s where nothing else runs


class Sweeps(unittest.TestCase):
    TEXT = ("param k = 4, m = 1\ncoord x\nkinetic m/2*x'^2\npotential k/2*x^2\ninitial x = 0, x' = 3\n"
            "event top: x' falls through 0 -> record\nmeasure peak: max of x \"m\"\nmeasure when: time of top \"s\"\n"
            "simulate until 5\n")

    def test_grid(self):
        s = me.Model(self.TEXT).sweep({"k": np.linspace(1, 10, 10), "m": ("log", 1, 4, 3)})
        self.assertEqual((s.runs, s.shape, s.varied, s.measures), (30, (10, 3), ("k", "m"), ("peak", "when")))
        self.assertTrue(s.ok.all() and not s.reasons)
        np.testing.assert_allclose(s["peak"], 3 * np.sqrt(s["m"] / s["k"]), rtol=1e-8)
        np.testing.assert_allclose(s["when"], np.pi / 2 * np.sqrt(s["m"] / s["k"]), rtol=1e-8)
        np.testing.assert_allclose(s["k"].reshape(s.shape)[:, 0], np.linspace(1, 10, 10), rtol=0)

    def test_drawn(self):
        m = me.Model(self.TEXT)
        s = m.sweep({"k": ("uniform", 1, 4), "x'": ("uniform", 1, 2)}, samples=512, sequence="sobol", rtol=1e-6)
        self.assertAlmostEqual(float(s["peak"].mean()), 1.5 * 2 / 3, delta=2e-3)  # E[v] E[1/sqrt k], 2 (2 - 1)/3
        again = m.sweep({"k": ("uniform", 1, 4), "x'": ("uniform", 1, 2)}, samples=512, sequence="sobol", rtol=1e-6,
                        threads=1)
        self.assertTrue(np.array_equal(s.table, again.table))
        self.assertFalse(np.array_equal(s["k"], m.sweep({"k": ("uniform", 1, 4)}, samples=512, seed=1)["k"]))

    def test_table_and_failures(self):
        s = me.Model(self.TEXT).sweep(table={"m": [1, -1, 4], "k": [4, 4, 1]})
        self.assertEqual(s.ok.tolist(), [True, False, True])
        self.assertEqual(list(s.reasons), [1])
        self.assertIn("mass", s.reasons[1])
        self.assertTrue(np.isnan(s["peak"][1]) and s.status[1] != "MECH_OK")
        np.testing.assert_allclose(s["peak"][[0, 2]], [1.5, 6], rtol=1e-8)

    def test_columns_that_are_a_choice(self):
        r = me.Model("coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint a: y = 0\nconstraint b: 2*y = 0\n"
                     "output one = lambda(a), all = lambda(a) + 2*lambda(b)\n").run(until=1)
        self.assertEqual(r.not_unique, ("one",))
        m = me.Model("param g = 9.81\ncoord y\nkinetic y'^2/2\npotential g*y\nconstraint a: y = 0\n"
                     "constraint b: 2*y = 0\noutput one = lambda(a), all = lambda(a) + 2*lambda(b)\n"
                     "measure share: max of one\nmeasure both: max of all\n")
        s = m.sweep({"g": [1.0, 2.0]}, until=1)
        self.assertEqual(s.not_unique, ("share",))
        np.testing.assert_allclose(s["both"], [1, 2], rtol=1e-12)
        self.assertEqual(m.linearize().not_unique, ("one",))
        self.assertAlmostEqual(r["all"][-1], 9.81)

    def test_measures_of_a_run(self):
        r = me.Model(self.TEXT).run()
        self.assertAlmostEqual(r.measures["peak"], 1.5, delta=1e-8)

    def test_refusals(self):
        m = me.Model(self.TEXT)
        for wrong in ({"vary": {}}, {"vary": {"k": ("uniform", 1, 2)}}, {"vary": {"k": [1]}, "samples": 3},
                      {"vary": {"k": ("box", 1, 2)}}, {"vary": {"k": [1]}, "on": "paper"},
                      {"table": {"k": [1, 2], "m": [1]}}):
            with self.assertRaises(ValueError):
                m.sweep(**wrong)
        with self.assertRaises(me.MechError) as caught:
            m.sweep({"q": [1, 2]})
        self.assertIn("no parameter", caught.exception.message)
        with self.assertRaises(ValueError):
            me.Model("coord x\nkinetic x'^2/2\n").sweep({"x": [1, 2]})


class Shown(unittest.TestCase):
    def test_animate(self):
        m = me.Model("coord x\nkinetic x'^2/2\ninitial x' = 1\ndraw point [x, 0, 0]\n")
        shown = m.animate(until=2)
        self.assertTrue(shown.html.lstrip().lower().startswith("<!doctype html") and "<script" in shown.html)
        self.assertIn("srcdoc=", shown._repr_html_())
        self.assertNotIn("<script", shown._repr_html_())  # it is escaped
        with self.assertRaises(ValueError):
            me.Model("coord x\nkinetic x'^2/2\n").animate(until=1)


class Analysis(unittest.TestCase):
    def test_equilibrium_and_modes(self):
        m = me.Model(PENDULUM)
        e = m.equilibrium([0.1, -0.49])
        np.testing.assert_allclose(e.q, [0, -0.5], atol=1e-12)
        linear = m.linearize(e.q)
        np.testing.assert_allclose(sorted(linear.eigenvalues.imag), [-math.sqrt(9.81 / 0.5), math.sqrt(9.81 / 0.5)])
        self.assertEqual((linear.kind, linear.verdict, linear.doubt), ("equilibrium", "marginal", None))
        A, B, C, D = linear[:4]
        self.assertEqual((A.shape, B.shape, C.shape, D.shape), ((4, 4), (4, 0), (1, 4), (1, 0)))
        self.assertEqual(linear.basis.shape, (4, 2))

    def test_inputs(self):
        linear = me.Model(OSCILLATOR).linearize([0])
        np.testing.assert_allclose(linear.A, [[0, 1], [-4, 0]])
        np.testing.assert_allclose(linear.B, [[0], [1]])
        self.assertEqual(linear.rates_of_inputs, ())

    def test_a_base_that_moves(self):
        linear = me.Model("coord xb, x\ninput u = 0\nkinetic x'^2/2\npotential 25*(x - xb)^2\n"
                          "dissipation (x' - xb')^2/2\nconstraint base: xb = u\noutput y = x\n").linearize([0, 0])
        self.assertEqual(linear.rates_of_inputs, ("u",))
        np.testing.assert_allclose(linear.B2, [[0], [0], [1], [0]], atol=1e-14)
        for s in (0, 1j, 7j, 50j):
            xr = np.linalg.solve(s * np.eye(2) - linear.reduced_A, linear.reduced_B)
            y = linear.reduced_C @ xr + linear.reduced_D + s * linear.reduced_D1 + s**2 * linear.reduced_D2
            np.testing.assert_allclose(y, [[(50 + s) / (50 + s + s**2)]], rtol=1e-12)

    def test_no_equilibrium(self):
        with self.assertRaises(me.MechError) as caught:
            me.Model("coord x\nkinetic x'^2/2\nforce 1 on x'\n").equilibrium()
        self.assertEqual(caught.exception.status, "MECH_ERR_NO_EQUILIBRIUM")

    def test_equations(self):
        m = me.Model(PENDULUM)
        self.assertIn("pmatrix", m._repr_latex_())
        self.assertIn("M", m.equations())
        with self.assertRaises(ValueError):
            m.equations("word")


class WithSciPy(unittest.TestCase):
    def test_solve_ivp(self):
        try:
            from scipy.integrate import solve_ivp
        except ImportError:
            self.skipTest("scipy is not there")
        for name, span in (("pendulum-two-coordinates", 2), ("heavy-top", 1), ("knife-edge", 2)):
            m = me.Model(os.path.join(EXAMPLES, name, "model.mech"))
            y = m.start()
            theirs = solve_ivp(m.rhs(), (0, span), y, method="DOP853", rtol=1e-11, atol=1e-12)
            n = len(m.coords)
            ours = m.run(until=span, rtol=1e-11)
            np.testing.assert_allclose(theirs.y[:n, -1], ours.table[-1, 1:n + 1], rtol=1e-7, atol=1e-8)
            stiff = solve_ivp(m.rhs(), (0, 0.1), y, method="Radau", jac=m.jacobian(), rtol=1e-9, atol=1e-12)
            self.assertTrue(stiff.success)


if __name__ == "__main__":
    unittest.main()
