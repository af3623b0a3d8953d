/* A command in, its results out: mechCommand(module, words, files) runs `mech WORDS` in a fresh instance, on files in memory.
 * In the page this stands in a worker, behind the module's own script; node loads it for the tests. */
'use strict';
async function mechCommand(module, words, files) {
  const out = [], err = [], read = new TextDecoder(), folder = '/model', given = new Set(Object.keys(files));
  const mech = await mechModule({
    instantiateWasm(imports, done) { WebAssembly.instantiate(module, imports).then(instance => done(instance)); return {}; },
    stdin: () => null, stdout: byte => { out.push(byte & 255); }, stderr: byte => { err.push(byte & 255); },
  });
  mech.FS.mkdir(folder);
  mech.FS.chdir(folder);
  for (const name of given) {
    const at = name.lastIndexOf('/');
    if (at > 0) mech.FS.mkdirTree(name.slice(0, at));
    mech.FS.writeFile(name, files[name]);
  }
  let code, failure = '';
  try { code = mech.callMain(words); } catch (e) {
    code = e.name === 'ExitStatus' ? e.status : 3;
    if (e.name !== 'ExitStatus') failure = `mech: the module ended: ${e.message}\n`;
  }
  const made = {};
  for (const name of mech.FS.readdir(folder))
    if (!given.has(name) && mech.FS.isFile(mech.FS.stat(name).mode)) made[name] = mech.FS.readFile(name);
  const text = bytes => read.decode(new Uint8Array(bytes));
  return { code, out: text(out), err: text(err) + failure, files: made };
}

if (typeof importScripts === 'function') { /* in a worker: first the module, then a command a message */
  let module;
  self.onmessage = async ({ data }) => {
    if (data.wasm) module = WebAssembly.compile(data.wasm);
    else postMessage(await mechCommand(await module, data.words, data.files));
  };
} else exports.mechCommand = mechCommand;
