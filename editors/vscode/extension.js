// Mechanician in VS Code: starts `mech lsp` and hands its answers on. No packages beyond the editor's own.
'use strict';
const vscode = require('vscode');
const { spawn } = require('child_process');

/** Messages to the server and back. */
class Server {
    constructor(command, onDiagnostics, onEnd) {
        this.waiting = new Map();
        this.count = 0;
        this.bytes = Buffer.alloc(0);
        this.onDiagnostics = onDiagnostics;
        this.process = spawn(command, ['lsp', '--stdio']);
        this.process.on('error', (error) => onEnd(`'${command}' cannot be started: ${error.message}`));
        this.process.on('exit', () => this.waiting.forEach((resolve) => resolve(null)));
        this.process.stdin.on('error', () => { });
        this.process.stdout.on('data', (data) => this.receive(data));
    }

    write(message) {
        const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }), 'utf8');
        this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
        this.process.stdin.write(body);
    }

    notify(method, params) { this.write({ method, params }); }

    /** The result, null when there is none; an error of the server is thrown. */
    request(method, params) {
        const id = ++this.count;
        return new Promise((resolve, reject) => {
            this.waiting.set(id, (answer) => {
                if (answer && answer.error) reject(new Error(answer.error.message));
                else resolve(answer ? answer.result : null);
            });
            this.write({ id, method, params });
        });
    }

    receive(data) {
        this.bytes = Buffer.concat([this.bytes, data]);
        for (;;) {
            const head = this.bytes.indexOf('\r\n\r\n');
            if (head < 0) return;
            const length = Number(/Content-Length: (\d+)/.exec(this.bytes.toString('ascii', 0, head))[1]);
            if (this.bytes.length < head + 4 + length) return;
            const message = JSON.parse(this.bytes.toString('utf8', head + 4, head + 4 + length));
            this.bytes = this.bytes.subarray(head + 4 + length);
            if (message.method === 'textDocument/publishDiagnostics') this.onDiagnostics(message.params);
            const resolve = this.waiting.get(message.id);
            this.waiting.delete(message.id);
            if (resolve) resolve(message);
        }
    }
}

const range = (r) => new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
const where = (document, position) => ({
    textDocument: { uri: document.uri.toString() },
    position: position ? { line: position.line, character: position.character } : { line: 0, character: 0 }
});
const location = (l) => new vscode.Location(vscode.Uri.parse(l.uri), range(l.range));

function edits(result) {
    const edit = new vscode.WorkspaceEdit();
    for (const [uri, changes] of Object.entries(result.changes))
        for (const change of changes) edit.replace(vscode.Uri.parse(uri), range(change.range), change.newText);
    return edit;
}

/** What the editor asks for, answered by the server. The protocol counts kinds of symbols and items from 1, the editor
 *  from 0. */
function providers(server) {
    const ask = (method, document, position, more) =>
        server.request(`textDocument/${method}`, { ...where(document, position), ...more });
    const { languages } = vscode;
    return [
        languages.registerHoverProvider('mech', {
            provideHover: async (document, position) => {
                const result = await ask('hover', document, position);
                return result && new vscode.Hover(new vscode.MarkdownString().appendCodeblock(result.contents.value, 'mech'),
                    range(result.range));
            }
        }),
        languages.registerDefinitionProvider('mech', {
            provideDefinition: async (document, position) => {
                const result = await ask('definition', document, position);
                return result && location(result);
            }
        }),
        languages.registerReferenceProvider('mech', {
            provideReferences: async (document, position) => (await ask('references', document, position) || []).map(location)
        }),
        languages.registerDocumentSymbolProvider('mech', {
            provideDocumentSymbols: async (document) => (await ask('documentSymbol', document) || []).map((s) =>
                new vscode.DocumentSymbol(s.name, s.detail, s.kind - 1, range(s.range), range(s.selectionRange)))
        }),
        languages.registerCompletionItemProvider('mech', {
            provideCompletionItems: async (document, position) => (await ask('completion', document, position) || []).map((i) => {
                const item = new vscode.CompletionItem(i.label, i.kind - 1);
                item.detail = i.detail;
                return item;
            })
        }, '.'),
        languages.registerDocumentFormattingEditProvider('mech', {
            provideDocumentFormattingEdits: async (document) => (await ask('formatting', document) || []).map((e) =>
                vscode.TextEdit.replace(range(e.range), e.newText))
        }),
        languages.registerRenameProvider('mech', {
            prepareRename: async (document, position) => {
                const result = await ask('prepareRename', document, position);
                if (!result) throw new Error('no name that this text declares stands here');
                return range(result);
            },
            provideRenameEdits: async (document, position, newName) => edits(await ask('rename', document, position, { newName }))
        })
    ];
}

exports.activate = async function (context) {
    const found = vscode.languages.createDiagnosticCollection('mech');
    const command = vscode.workspace.getConfiguration('mech').get('command');
    const server = new Server(command, ({ uri, diagnostics }) =>
        found.set(vscode.Uri.parse(uri), diagnostics.map((d) => {
            const made = new vscode.Diagnostic(range(d.range), d.message, d.severity - 1);
            made.source = d.source;
            return made;
        })), (words) => vscode.window.showErrorMessage(`Mechanician: ${words}; set mech.command in the settings`));
    exports.server = server;
    const isModel = (document) => document.languageId === 'mech';
    const opened = (document) => isModel(document) && server.notify('textDocument/didOpen', {
        textDocument: { uri: document.uri.toString(), languageId: 'mech', version: document.version, text: document.getText() }
    });
    context.subscriptions.push(found, ...providers(server),
        vscode.workspace.onDidOpenTextDocument(opened),
        vscode.workspace.onDidChangeTextDocument(({ document }) => isModel(document) && server.notify('textDocument/didChange', {
            textDocument: { uri: document.uri.toString(), version: document.version },
            contentChanges: [{ text: document.getText() }]
        })),
        vscode.workspace.onDidCloseTextDocument((document) => isModel(document) &&
            server.notify('textDocument/didClose', { textDocument: { uri: document.uri.toString() } })));
    await server.request('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
    server.notify('initialized', {});
    vscode.workspace.textDocuments.forEach(opened);
};

exports.deactivate = async function () {
    if (!exports.server) return;
    await exports.server.request('shutdown');
    exports.server.notify('exit');
};
