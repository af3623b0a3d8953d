"""An importer of Functional Mock-up Units, FMI 2.0 and 3.0, co-simulation and model exchange: as much as tests need."""
import ctypes
import math
import os
import tempfile
import xml.etree.ElementTree
import zipfile

Real, Size, Reference, Pointer = ctypes.c_double, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_void_p
Log2 = ctypes.CFUNCTYPE(None, Pointer, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)
Log3 = ctypes.CFUNCTYPE(None, Pointer, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)


class Callbacks(ctypes.Structure):
    _fields_ = [('logger', Log2), ('allocate', Pointer), ('free', Pointer), ('finished', Pointer), ('user', Pointer)]


class EventInfo(ctypes.Structure):
    _fields_ = [(n, ctypes.c_int) for n in ('more', 'ended', 'nominals', 'moved', 'defined')] + [('next', Real)]


DORMAND_PRINCE = ((1/5, (1/5,)), (3/10, (3/40, 9/40)), (4/5, (44/45, -56/15, 32/9)),
                  (8/9, (19372/6561, -25360/2187, 64448/6561, -212/729)),
                  (1, (9017/3168, -355/33, 46732/5247, 49/176, -5103/18656)),
                  (1, (35/384, 0, 500/1113, 125/192, -2187/6784, 11/84)))
ERRORS = (71/57600, 0, -71/16695, 71/1920, -17253/339200, 22/525, -1/40)


class Unit:
    """One instance; `fmi` says how it is spoken to."""

    def __init__(self, path, fmi, token=None, logging=False, exchange=False):
        self.fmi, self.words, self.exchange = fmi, [], exchange
        self.inside = tempfile.mkdtemp(dir=os.path.dirname(path))  # a library that is loaded must not be written over
        with zipfile.ZipFile(path) as z:
            z.extractall(self.inside)
        self.description = xml.etree.ElementTree.parse(self.inside + '/modelDescription.xml').getroot()
        kinds = self.description.find('ModelVariables')
        self.references = {v.get('name'): int(v.get('valueReference')) for v in kinds}
        self.variables = {v.get('name'): v for v in kinds}
        if len(self.variables) < len(kinds):
            raise ValueError('two variables have one name')
        token = (token or self.description.get('guid' if fmi == 2 else 'instantiationToken')).encode()
        platform = 'linux64' if fmi == 2 else 'x86_64-linux'
        self.lib = lib = ctypes.CDLL(f'{self.inside}/binaries/{platform}/unit.so')
        resources = self.inside + '/resources'
        if fmi == 2:
            self.log = Log2(lambda user, name, status, category, form, words: self.words.append(words.decode()))
            self.callbacks = Callbacks(self.log, None, None, None, None)
            lib.fmi2Instantiate.restype = Pointer
            self.it = lib.fmi2Instantiate(b'it', 0 if exchange else 1, token, ('file://' + resources.replace(' ', '%20')).encode(),
                                          ctypes.byref(self.callbacks), 0, int(logging))
        else:
            self.log = Log3(lambda user, status, category, words: self.words.append(words.decode()))
            make = lib.fmi3InstantiateModelExchange if exchange else lib.fmi3InstantiateCoSimulation
            make.restype = Pointer
            more = () if exchange else (False, False, None, Size(0))
            self.it = make(b'it', token, (resources + '/').encode(), False, bool(logging), *more, None, self.log,
                           *(() if exchange else (None,)))
        self.it = Pointer(self.it) if self.it else None

    def call(self, name, *args):
        status = getattr(self.lib, f'fmi{self.fmi}{name}')(self.it, *args)
        if status > 1:
            raise RuntimeError(f'{name}: {status} {self.words[-1:]}')

    def begin(self, tolerance=None, start=0.0):
        has, value = tolerance is not None, Real(tolerance or 0)
        if self.fmi == 2:
            self.call('SetupExperiment', int(has), value, Real(start), 0, Real(0))
            self.call('EnterInitializationMode')
        else:
            self.call('EnterInitializationMode', bool(has), value, Real(start), False, Real(0))
        self.call('ExitInitializationMode')
        self.t = start
        if self.exchange:
            self.prepare()

    def get(self, *names):
        refs, values = (Reference * len(names))(*(self.references[n] for n in names)), (Real * len(names))()
        more = (Size(len(names)),) if self.fmi == 3 else ()
        self.call('GetReal' if self.fmi == 2 else 'GetFloat64', refs, Size(len(names)), values, *more)
        return values[0] if len(names) == 1 else list(values)

    def set(self, name, value):
        more = (Size(1),) if self.fmi == 3 else ()
        self.call('SetReal' if self.fmi == 2 else 'SetFloat64', (Reference * 1)(self.references[name]), Size(1),
                  (Real * 1)(value), *more)

    def step(self, h):
        if self.fmi == 2:
            self.call('DoStep', Real(self.t), Real(h), 1)
        else:
            flags, last = [ctypes.c_bool() for _ in range(3)], Real()
            self.call('DoStep', Real(self.t), Real(h), True, *map(ctypes.byref, flags), ctypes.byref(last))
        self.t += h

    def save(self):
        kept = Pointer()
        self.call('GetFMUstate' if self.fmi == 2 else 'GetFMUState', ctypes.byref(kept))
        return kept

    def restore(self, kept, t):
        self.call('SetFMUstate' if self.fmi == 2 else 'SetFMUState', kept)
        self.t = t

    def serialized(self, kept):
        word, size = ('FMUstate' if self.fmi == 2 else 'FMUState'), Size()
        self.call(f'Serialized{word}Size', kept, ctypes.byref(size))
        room = ctypes.create_string_buffer(size.value)
        self.call(f'Serialize{word}', kept, room, size)
        self.call(f'Free{word}', ctypes.byref(kept))
        back = Pointer()
        self.call(('DeSerialize' if self.fmi == 2 else 'Deserialize') + word, room, size, ctypes.byref(back))
        return back

    def close(self):
        free = getattr(self.lib, f'fmi{self.fmi}FreeInstance')
        free.restype = None
        free(self.it)

    # ---- model exchange: the integrator is ours ----

    def prepare(self):
        """After the initialization: counts, the state, and the event that every unit begins with."""
        if self.fmi == 2:
            states = len(self.description.findall('ModelStructure/Derivatives/Unknown'))
            indicators = int(self.description.get('numberOfEventIndicators'))
        else:
            counts = Size(), Size()
            self.call('GetNumberOfContinuousStates', ctypes.byref(counts[0]))
            self.call('GetNumberOfEventIndicators', ctypes.byref(counts[1]))
            states, indicators = (c.value for c in counts)
        self.states, self.rate_room = (Real * states)(), (Real * states)()
        self.count, self.indicator_room, self.ended, self.evaluations, self.events = states, (Real * indicators)(), False, 0, []
        self.event()

    def at(self, t, x):
        self.call('SetTime', Real(t))
        self.states[:] = x
        self.call('SetContinuousStates', self.states, Size(self.count))

    def rates(self, t, x):
        self.at(t, x)
        self.call('GetDerivatives' if self.fmi == 2 else 'GetContinuousStateDerivatives', self.rate_room, Size(self.count))
        self.evaluations += 1
        return self.rate_room[:]

    def indicators(self, t, x):
        if not len(self.indicator_room):
            return []
        self.at(t, x)
        self.call('GetEventIndicators', self.indicator_room, Size(len(self.indicator_room)))
        return self.indicator_room[:]

    def event(self):
        """At the time and state set last."""
        self.call('EnterEventMode')
        if self.fmi == 2:
            info = EventInfo()
            self.call('NewDiscreteStates', ctypes.byref(info))
            more, ended, moved, defined, self.next = info.more, info.ended, info.moved, info.defined, info.next
        else:
            flags, following = [ctypes.c_bool() for _ in range(5)], Real()
            self.call('UpdateDiscreteStates', *map(ctypes.byref, flags), ctypes.byref(following))
            more, ended, _, moved, defined = (f.value for f in flags)
            self.next = following.value
        assert not more
        self.ended |= bool(ended)
        self.next = self.next if defined else math.inf
        self.call('EnterContinuousTimeMode')
        self.call('GetContinuousStates', self.states, Size(self.count))
        self.x = self.states[:]

    def dormand_prince(self, x, k, h):
        """One step of Dormand and Prince's pair, its end and its error."""
        stages = [k]
        for c, row in DORMAND_PRINCE:
            y = [v + h * sum(a * s[i] for a, s in zip(row, stages)) for i, v in enumerate(x)]
            stages.append(self.rates(self.t + c * h, y))
        return y, [h * sum(e * s[i] for e, s in zip(ERRORS, stages)) for i in range(len(x))]

    def locate(self, x, k, h, side):
        """The shortest step after which the indicators are on other sides."""
        low, high = 0.0, h
        while high - low > 1e-13 * max(1.0, abs(self.t)):
            middle = (low + high) / 2
            end, _ = self.dormand_prince(x, k, middle)
            if [z > 0 for z in self.indicators(self.t + middle, end)] == side:
                low = middle
            else:
                high = middle
        return high, self.dormand_prince(x, k, high)[0]

    def integrate(self, until, tolerance, seen=None):
        h = 1e-3
        while self.t < until and not self.ended:
            x, limit = self.x, min(until, self.next)
            h = min(h, limit - self.t)
            k = self.rates(self.t, x)
            side = [z > 0 for z in self.indicators(self.t, x)]
            end, error = self.dormand_prince(x, k, h)
            size = max(abs(e) / (tolerance * max(1.0, abs(a), abs(b))) for e, a, b in zip(error, x, end))
            factor = min(4.0, max(0.2, 0.9 * (size + 1e-30)**-0.2))
            if size > 1:
                h *= factor
                continue
            taken, crossed = h, [z > 0 for z in self.indicators(self.t + h, end)] != side
            if crossed:
                taken, end = self.locate(x, k, h, side)
            self.t = limit if taken == limit - self.t else self.t + taken
            self.x = end
            self.at(self.t, end)
            asks, stops = (ctypes.c_int(), ctypes.c_int()) if self.fmi == 2 else (ctypes.c_bool(), ctypes.c_bool())
            self.call('CompletedIntegratorStep', 1, ctypes.byref(asks), ctypes.byref(stops))
            if crossed or asks.value or self.t >= self.next:
                if crossed:
                    self.events.append(self.t)
                self.event()
                h = min(h, 1e-3) if crossed else h
            else:
                h *= factor
            if seen:
                seen(self)

    def slopes(self, unknown, known):
        """Rows of the Jacobian, one call a column."""
        refs = lambda names: (Reference * len(names))(*(self.references[n] for n in names))
        columns = []
        for name in known:
            along, found = (Real * 1)(1.0), (Real * len(unknown))()
            more = ((along, Size(1), found, Size(len(unknown))) if self.fmi == 3 else (along, found))
            self.call('GetDirectionalDerivative', refs(unknown), Size(len(unknown)), refs([name]), Size(1), *more)
            columns.append(found[:])
        return [list(row) for row in zip(*columns)]
