#!/usr/bin/env python3
"""A dialogue with `mech lsp`, as an editor has it. Usage: lsp.py MECH FOLDER [WORDS]; FOLDER is for files of its own.
WORDS: a file to write the words of the language into, one a line, as the server offers them."""
import json
import os
import subprocess
import sys

mech, folder = sys.argv[1], os.path.abspath(sys.argv[2])
failures = []


class Editor:
    def __init__(self):
        self.server = subprocess.Popen([mech, 'lsp', '--stdio'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.count = 0

    def write(self, message):
        body = message if isinstance(message, bytes) else json.dumps({'jsonrpc': '2.0', **message}).encode()
        self.server.stdin.write(b'Content-Length: %d\r\n\r\n' % len(body) + body)
        self.server.stdin.flush()

    def read(self):
        length = 0
        while (line := self.server.stdout.readline()) not in (b'\r\n', b''):
            if line.startswith(b'Content-Length:'):
                length = int(line.split(b':')[1])
        return json.loads(self.server.stdout.read(length))

    def ask(self, method, **params):
        self.count += 1
        self.write({'id': self.count, 'method': method, 'params': params})
        answer = self.read()
        assert answer['id'] == self.count, answer
        return answer.get('result', answer.get('error'))

    def open(self, name, text):
        """The errors under the lines."""
        self.uri = 'file://' + folder + '/' + name
        self.write({'method': 'textDocument/didOpen',
                    'params': {'textDocument': {'uri': self.uri, 'languageId': 'mech', 'version': 1, 'text': text}}})
        return self.read()['params']['diagnostics']

    def change(self, text):
        self.write({'method': 'textDocument/didChange', 'params': {
            'textDocument': {'uri': self.uri, 'version': 2}, 'contentChanges': [{'text': text}]}})
        return self.read()['params']['diagnostics']

    def at(self, method, line, column, **more):
        return self.ask('textDocument/' + method, textDocument={'uri': self.uri},
                        position={'line': line, 'character': column}, **more)


def expect(what, found, wanted):
    if found != wanted:
        failures.append(f'{what}: found {found!r}, expected {wanted!r}')


def span(r):
    return (r['start']['line'], r['start']['character'], r['end']['line'], r['end']['character'])


e = Editor()
offered = e.ask('initialize', processId=None, rootUri=None, capabilities={})
expect('encoding', offered['capabilities']['positionEncoding'], 'utf-16')
e.write({'method': 'initialized', 'params': {}})

# An error behind a Greek letter (one unit) and behind an emoji (two units, one character, four bytes).
errors = e.open('greek.mech', 'coord θ "rad"\nkinetic θ\'^2/2 + thetta\nkinetic 0 # 🚲 wheel\nforce 1 on "🚲" wrong\n')
expect('number of errors', len(errors), 2)
expect('behind a Greek letter', sorted(map(span, (d['range'] for d in errors)))[0], (1, 17, 1, 23))
expect('its words', 'theta' in [d for d in errors if d['range']['start']['line'] == 1][0]['message'], True)
errors = e.change('param m = 1 "🚲🚲", k = wrong\ncoord x\nkinetic m*x\'^2/2\n')
expect('behind two emoji', [span(d['range']) for d in errors], [(0, 24, 0, 29)])
expect('mended', e.change('param m = 1 "kg"\ncoord x\nkinetic m*x\'^2/2\n'), [])

# Names: what they are, where they are declared, where they stand.
text = '''param m = 2 "kg", l = 0.5 "m"   # 🚲
coord φ "rad"
let height(a) = l*(1 - cos(a))
kinetic m*l^2/2*φ'^2
potential m*9.81*height(φ)
component leg(k) {
    coord x "m"
    param l = 3 "m"
    kinetic x'^2/2
    potential k*(x - l)^2/2
}
part left: leg(4)
output stretch = left.x - left.l
constraint x: left.x = sum(i in 1..2: i*0)
output pull = reaction(x)*φ
'''
expect('no errors', e.open('names.mech', text), [])
hover = e.at('hover', 3, 8)
expect('hover', hover['contents']['value'].split('\n')[0], 'm: a parameter, in kg')
expect('hover range', span(hover['range']), (3, 8, 3, 9))
expect('hover of a keyword', e.at('hover', 3, 2)['contents']['value'], "write: kinetic m/2*x'^2")
expect('hover of nothing', e.at('hover', 0, 34), None)
expect('definition', span(e.at('definition', 4, 25)['range']), (1, 6, 1, 7))
expect('within a component', span(e.at('definition', 9, 21)['range']), (7, 10, 7, 11))
expect('outside of it', span(e.at('definition', 2, 16)['range']), (0, 18, 0, 19))
expect('of a part', span(e.at('definition', 12, 31)['range']), (7, 10, 7, 11))
expect('argument', span(e.at('definition', 2, 27)['range']), (2, 11, 2, 12))
expect('index of a sum', span(e.at('definition', 13, 38)['range']), (13, 27, 13, 28))
expect('a constraint, not the coordinate', span(e.at('definition', 14, 23)['range']), (13, 11, 13, 12))
expect('references', sorted(span(r['range']) for r in e.at('references', 1, 6, context={'includeDeclaration': True})),
       [(1, 6, 1, 7), (3, 16, 3, 17), (4, 24, 4, 25), (14, 26, 14, 27)])
names = [s['name'] for s in e.at('documentSymbol', 0, 0)]
expect('symbols', names, ['m', 'l', 'phi', 'height', 'leg', 'x', 'l', 'left', 'stretch', 'x', 'pull'])

# Renaming: all places and no other.
edits = e.at('rename', 7, 10, newName='rest')['changes'][e.uri]
expect('rename', sorted(span(r['range']) for r in edits), [(7, 10, 7, 11), (9, 21, 9, 22), (12, 31, 12, 32)])
expect('taken', e.at('rename', 0, 6, newName='l')['message'], 'another thing has this name')
expect('a word', e.at('rename', 0, 6, newName='coord')['message'], 'this is a word of the language')
expect('no name', e.at('rename', 0, 6, newName='a b')['message'], 'a name is a letter or _, then letters, digits and _')

# Completion: words where a statement begins, names in expressions, what a part holds behind its '.'.
e.change(text + 'output y = left.\n')
expect('members', sorted(i['label'] for i in e.at('completion', 15, 16)), ['l', 'x'])
e.change(text + 'output y = \n')
labels = [i['label'] for i in e.at('completion', 15, 11)]
expect('values', [w in labels for w in ('m', 'phi', 'sin', 'coord')], [True, True, True, False])
words = [i['label'] for i in e.at('completion', 16, 0)]
expect('statements', [w in words for w in ('coord', 'constraint', 'sin', 'm')], [True, True, False, False])
expect('mistakes', e.at('rename', 0, 6, newName='mm')['message'],
       'the text has statements that cannot be read: mend them first')
if len(sys.argv) > 3:
    functions = [i['label'] for i in e.at('completion', 15, 11) if i['kind'] == 3]
    with open(sys.argv[3], 'w', encoding='utf-8') as f:
        f.write(''.join(w + '\n' for w in words + functions))

# Formatting: one edit of the whole text, none where nothing changes.
e.change('param  α=1 # 🚲\n\n\ncoord x')
edits = e.ask('textDocument/formatting', textDocument={'uri': e.uri}, options={'tabSize': 4, 'insertSpaces': True})
expect('formatting', [(span(r['range']), r['newText']) for r in edits], [((0, 0, 3, 7), 'param α = 1  # 🚲\n\ncoord x\n')])
e.change(edits[0]['newText'])
expect('formatted', e.ask('textDocument/formatting', textDocument={'uri': e.uri}, options={}), [])
e.change('param α = $')
expect('not formatted', e.ask('textDocument/formatting', textDocument={'uri': e.uri}, options={})['message'], 'the text has mistakes')

# A name from an included file, whose own name needs care in addresses.
with open(folder + '/parts é.mech', 'w', encoding='utf-8') as f:
    f.write('# 🚲\nparam g = 9.81 "m/s^2"\n')
expect('include', e.open('with%20include.mech', 'include "parts é.mech"\ncoord y\nkinetic y\'^2/2\npotential g*y\n'), [])
place = e.at('definition', 3, 10)
expect('in the other file', (place['uri'].endswith('parts%20%C3%A9.mech'), span(place['range'])[:2]), (True, (1, 6)))
expect('not here', e.at('rename', 3, 10, newName='grav')['message'],
       'the name is declared in another file: rename it there')

# What is no request, no JSON, no open text.
e.write(b'{"jsonrpc": nonsense')
expect('no JSON', e.read()['error']['code'], -32700)
expect('unknown', e.ask('workspace/none')['code'], -32601)
e.uri = 'file:///nowhere'
expect('not open', e.at('hover', 0, 0)['message'], 'this text is not open')
e.ask('shutdown')
e.write({'method': 'exit'})
expect('exit code', e.server.wait(), 0)
print('\n'.join(failures))
sys.exit(1 if failures else 0)
