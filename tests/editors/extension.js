// The extension against a stand-in for the editor: it starts the server, shows errors, answers. Usage: extension.js MECH
'use strict';
const Module = require('module');
const path = require('path');
const assert = require('assert');
const mech = path.resolve(process.argv[2]);
const text = 'param m = 2 "kg"\ncoord  θ\nkinetic m*θ\'^2/2 + wrong\n';

class Range { constructor(...at) { this.at = at; } }
class Place { constructor(uri, range) { Object.assign(this, { uri, range }); } }
const providers = {}, shown = new Map(), listeners = {}, said = [];
const register = (name) => (language, provider) => { providers[name] = provider; return {}; };
const listen = (name) => (f) => { listeners[name] = f; return {}; };
const document = { languageId: 'mech', version: 1, uri: { toString: () => 'file:///tmp/model.mech' }, getText: () => text };
let wake;
const stand = {
    Range, Location: Place,
    Diagnostic: class { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } },
    Hover: class { constructor(contents, range) { Object.assign(this, { contents, range }); } },
    MarkdownString: class { appendCodeblock(value) { this.value = value; return this; } },
    DocumentSymbol: class { constructor(name, detail, kind) { Object.assign(this, { name, detail, kind }); } },
    CompletionItem: class { constructor(label, kind) { Object.assign(this, { label, kind }); } },
    WorkspaceEdit: class { constructor() { this.edits = []; } replace(uri, range, newText) { this.edits.push([range.at, newText]); } },
    TextEdit: { replace: (range, newText) => [range.at, newText] },
    Uri: { parse: (uri) => uri },
    window: { showErrorMessage: (words) => { said.push(words); if (wake) wake(); } },
    workspace: {
        textDocuments: [document], getConfiguration: () => ({ get: () => stand.command }),
        onDidOpenTextDocument: listen('open'), onDidChangeTextDocument: listen('change'), onDidCloseTextDocument: listen('close')
    },
    languages: {
        createDiagnosticCollection: () => ({ set: (uri, list) => { shown.set(uri, list); if (wake) wake(); } }),
        registerHoverProvider: register('hover'), registerDefinitionProvider: register('definition'),
        registerReferenceProvider: register('references'), registerDocumentSymbolProvider: register('symbols'),
        registerCompletionItemProvider: register('completion'), registerRenameProvider: register('rename'),
        registerDocumentFormattingEditProvider: register('formatting')
    },
    command: mech
};
const load = Module._load;
Module._load = (name, ...more) => name === 'vscode' ? stand : load(name, ...more);
const extension = require('../../editors/vscode/extension.js');
const awaited = () => new Promise((resolve) => { wake = resolve; });

(async () => {
    const first = awaited();
    await extension.activate({ subscriptions: [] });
    await first;
    const [error] = shown.get('file:///tmp/model.mech');
    assert.deepStrictEqual(error.range.at, [2, 19, 2, 24]);
    assert.strictEqual(error.severity, 0);
    const at = { line: 2, character: 8 };
    assert.match((await providers.hover.provideHover(document, at)).contents.value, /^m: a parameter, in kg/);
    assert.deepStrictEqual((await providers.definition.provideDefinition(document, at)).range.at, [0, 6, 0, 7]);
    assert.strictEqual((await providers.references.provideReferences(document, at)).length, 2);
    assert.deepStrictEqual((await providers.symbols.provideDocumentSymbols(document)).map((s) => s.name), ['m', 'theta']);
    assert.ok((await providers.completion.provideCompletionItems(document, at)).some((i) => i.label === 'theta'));
    const edit = await providers.rename.provideRenameEdits(document, at, 'mass_of_it');
    assert.deepStrictEqual(edit.edits.map((e) => e[0]), [[0, 6, 0, 7], [2, 8, 2, 9]]);
    await assert.rejects(providers.rename.provideRenameEdits(document, at, 'a b'), /a name is a letter/);
    const [formatted] = await providers.formatting.provideDocumentFormattingEdits(document);
    assert.deepStrictEqual(formatted, [[0, 0, 3, 0], text.replace('coord  ', 'coord ')]);
    await extension.deactivate();
    const ended = awaited(); // a command that is not there is told
    stand.command = '/nowhere/mech';
    extension.activate({ subscriptions: [] });
    await ended;
    assert.match(said[0], /cannot be started.*mech.command/);
    console.log('extension: ok');
    process.exit(0);
})().catch((error) => { console.error(error); process.exit(1); });
