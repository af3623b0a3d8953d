// Every word of the language is coloured as what it is, in every example. Usage: grammar.js MODULES WORDS MODEL ...
// MODULES: a folder with vscode-textmate and vscode-oniguruma. WORDS: the words that the server offers, one a line.
'use strict';
const fs = require('fs');
const path = require('path');
const [modules, wordFile, ...models] = process.argv.slice(2);
const textmate = require(path.join(modules, 'vscode-textmate'));
const oniguruma = require(path.join(modules, 'vscode-oniguruma'));
const grammarFile = path.join(__dirname, '../../editors/vscode/syntaxes/mech.tmLanguage.json');
const words = fs.readFileSync(wordFile, 'utf8').trim().split('\n');
const firstFunction = words.indexOf('sin');
const statements = new Set(words.slice(0, firstFunction)), functions = new Set(words.slice(firstFunction));
let failures = 0, seen = 0;

const wasm = fs.readFileSync(path.join(modules, 'vscode-oniguruma/release/onig.wasm'));
const onigLib = oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength)).then(() => ({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text)
}));
const registry = new textmate.Registry({
    onigLib,
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(grammarFile, 'utf8'), grammarFile)
});

function expect(grammar, line, column, scope, where) {
    const token = grammar.tokenizeLine(line, textmate.INITIAL).tokens.find((t) => t.startIndex <= column && column < t.endIndex);
    seen++;
    if (token.scopes.some((s) => s.startsWith(scope))) return;
    failures++;
    console.log(`${where}: '${line}' at ${column}: ${token.scopes.join(' ')}, expected ${scope}`);
}

/** What the grammar must find, told by other means: the text cut at strings and comments. */
function checkLine(grammar, line, where) {
    const plain = line.replace(/"[^"]*"/g, (s) => '"' + ' '.repeat(s.length - 2) + '"');
    const comment = plain.indexOf('#'), code = comment < 0 ? plain : plain.slice(0, comment);
    const first = /^\s*([a-z]+)(?=[\s{]|$)/.exec(code);
    if (comment >= 0) expect(grammar, line, comment, 'comment', where);
    if (first && statements.has(first[1])) expect(grammar, line, code.indexOf(first[1]), 'keyword', where);
    for (const call of code.matchAll(/(?<![\w.])([a-z_0-9]+)\(/g))
        if (functions.has(call[1])) expect(grammar, line, call.index, 'support.function', where);
    for (const word of code.matchAll(/(?<=[\s,:}])(along|until|through|restitution|about|stiffness|revolute|where|falls|rises|when|else|for|on)(?=\s+[\w[{"])/g))
        expect(grammar, line, word.index, 'keyword', where);
    for (const text of line.slice(0, code.length).matchAll(/"[^"]*"/g)) expect(grammar, line, text.index, 'string', where);
}

registry.loadGrammar('source.mech').then((grammar) => {
    for (const word of statements) expect(grammar, `${word} x`, 0, 'keyword.control', 'words');
    for (const word of functions) expect(grammar, `let y = ${word}(x)`, 8, 'support.function', 'words');
    for (const model of models)
        fs.readFileSync(model, 'utf8').split('\n').forEach((line, i) => checkLine(grammar, line, `${model}:${i + 1}`));
    console.log(`${seen} words in ${models.length} models, ${failures} not coloured`);
    process.exit(failures || seen === 0 ? 1 : 0);
});
