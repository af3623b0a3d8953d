/* Every example by the module and by the command: node examples.js MODULE-FOLDER MECH. Exit codes and texts are the same,
 * but for what is left of numbers that should be 0; rows differ by at most 1e-6 of their column's range, but where SENSITIVE
 * says why not. Ends with 1 where something is wrong. */
'use strict';
const fs = require('fs'), os = require('os'), path = require('path'), { spawnSync } = require('child_process');
const [build, native] = process.argv.slice(2).map(p => path.resolve(p));
global.mechModule = require(path.join(build, 'mech.js'));
const { mechCommand } = require(path.resolve('web/worker.js'));
/* Models that a change of --rtol from 1e-9 to 1.1e-9 moves by as much (2.8e-5 and 4.6e-4): what they may differ by. */
const SENSITIVE = { 'chain/model.mech': 3e-5, 'four-bar-ladder/model.mech': 1e-3 };
const ALLOWED = 1e-6;
let wrong = 0, compared = 0, worst = [0, ''];
const fault = words => { wrong++; console.error('not true:', words); };

function nativeCommand(words, files) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mech-web-'));
  for (const name in files) fs.writeFileSync(path.join(folder, name), files[name]);
  const { status, stdout, stderr } = spawnSync(native, words, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
  const made = {};
  for (const name of fs.readdirSync(folder)) if (!(name in files)) made[name] = fs.readFileSync(path.join(folder, name));
  fs.rmSync(folder, { recursive: true });
  return { code: status, out: stdout, err: stderr, files: made };
}
const columnsOf = bytes => { const rows = bytes.toString().trim().split('\n').slice(1).map(r => r.split(',').map(Number)); return rows.length ? rows[0].map((_, k) => rows.map(r => r[k])) : []; };
/* The largest difference of the rows, in parts of the range of its column (at least 1e-3 of the largest column's). */
function difference(a, b) {
  const x = columnsOf(Buffer.from(a)), y = columnsOf(b);
  if (x.length !== y.length || (x.length && x[0].length !== y[0].length)) return Infinity;
  return Math.max(0, ...x.map((column, k) => {
    const scale = Math.max(...y[k].map(Math.abs)) || 1;
    return Math.max(...column.map((value, i) => Object.is(value, y[k][i]) ? 0 : Math.abs(value - y[k][i]) / Math.max(scale, 1e-3)));
  }));
}
/* Texts whose words are the same, and whose numbers are: to 1e-6, or both no more than rounding leaves of 0. */
const NUMBER = /[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g, ROUNDING = 1e-9;
function areSame(a, b) {
  if (a === b) return true;
  const x = (a.match(NUMBER) || []).map(Number), y = (b.match(NUMBER) || []).map(Number), words = t => t.replace(NUMBER, '#').replace(/ +/g, ' ');
  return words(a) === words(b) && x.every((v, k) => Math.abs(v - y[k]) <= 1e-6 * Math.abs(v) || (Math.abs(v) < ROUNDING && Math.abs(y[k]) < ROUNDING));
}
(async () => {
  const module = await WebAssembly.compile(fs.readFileSync(path.join(build, 'mech.wasm')));
  for (const folder of fs.readdirSync('examples').sort()) {
    const at = path.join('examples', folder);
    if (!fs.statSync(at).isDirectory()) continue;
    for (const model of fs.readdirSync(at).filter(f => f.endsWith('.mech')).sort()) {
      const name = `${folder}/${model}`, files = {};
      for (const file of fs.readdirSync(at).filter(f => !/\.(md|svg|c)$/.test(f))) files[file] = fs.readFileSync(path.join(at, file), 'utf8');
      for (const words of [['check'], ['derive'], ['eval'], ['run', '-o', 'rows.csv', '--points', '21', '--quiet']]) {
        const line = [words[0], model, ...words.slice(1)], theirs = nativeCommand(line, files), began = process.hrtime.bigint();
        const ours = await mechCommand(module, line, files);
        compared++;
        if (process.env.VERBOSE) console.log(name, words[0], Number(process.hrtime.bigint() - began) / 1e9);
        if (ours.code !== theirs.code) fault(`${name}: ${words[0]} exits with ${ours.code}, the command with ${theirs.code}: ${ours.err}${theirs.err}`);
        if (!areSame(ours.out, theirs.out) || !areSame(ours.err, theirs.err)) fault(`${name}: ${words[0]} prints another text:\n${firstOther(ours.out + ours.err, theirs.out + theirs.err)}`);
        if (!theirs.files['rows.csv']) continue;
        const apart = ours.files['rows.csv'] ? difference(ours.files['rows.csv'], theirs.files['rows.csv']) : Infinity;
        if (apart > (SENSITIVE[name] || ALLOWED)) fault(`${name}: rows are ${apart} apart`);
        if (apart > worst[0] && !SENSITIVE[name]) worst = [apart, name];
      }
    }
  }
  console.log(`${compared} commands compared, ${wrong} differ; rows at most ${worst[0].toExponential(1)} apart (${worst[1]})`);
  process.exit(wrong ? 1 : 0);
})().catch(e => { console.error(e); process.exit(1); });
function firstOther(a, b) { const x = a.split('\n'), y = b.split('\n'), k = x.findIndex((line, i) => line !== y[i]); return `  ${x[k]}\n  ${y[k]}`; }
