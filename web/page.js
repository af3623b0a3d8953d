/* The playground: buttons are commands of `mech`, run by a worker on the text of the editor (docs/decisions/0036). */
'use strict';
(async function () {
  const by = id => document.getElementById(id), words = id => by(id).textContent, opened = performance.now();
  const stock = JSON.parse(words('stock')); /* grammar, examples: { name: { file: text } } */
  const editor = makeEditor(by('field'), by('copy'), by('notes'), stock.grammar);
  const commands = { check: [], derive: ['--format', 'html'], eval: [], run: ['--animate', 'motion.html'], stability: [], report: [] };
  const pages = { run: 'motion.html', report: 'report.html' };
  let others = {}, addresses = [], shown = 'run';

  /* ---- the worker: one command at a time; what was asked for meanwhile waits, and only the last of it ---- */
  const script = URL.createObjectURL(new Blob([words('module')], { type: 'text/javascript' }));
  const wasm = await link.through(new DecompressionStream('gzip'), link.bytes(words('wasm')));
  let worker = null, busy = null, next = null, timer = 0;
  function start() { worker = new Worker(script); worker.postMessage({ wasm }); worker.onmessage = ({ data }) => ended(data); worker.onerror = e => ended({ code: 3, out: '', err: e.message + '\n', files: {} }); }
  function ask(job) { /* job: words, limit in seconds, done(result) */
    if (busy) { if (!next || !next.wanted || job.wanted) next = job; return; }
    busy = job;
    job.began = performance.now();
    worker.postMessage({ words: job.words, files: { ...others, 'model.mech': editor.text } });
    clearTimeout(timer);
    if (job.limit) timer = setTimeout(() => stop(`stopped after ${job.limit} s; "ends after" gives it longer`), 1000 * job.limit);
    if (job.wanted) { by('stop').disabled = false; say(`mech ${job.words.join(' ')} ...`); }
  }
  function ended(result) {
    const job = busy;
    clearTimeout(timer);
    busy = null;
    by('stop').disabled = true;
    if (job) job.done({ ...result, seconds: (performance.now() - job.began) / 1000 });
    if (next) { const job = next; next = null; ask(job); }
  }
  function stop(why) {
    if (!busy) return;
    worker.terminate();
    start();
    ended({ code: 'stopped', out: '', err: why + '\n', files: {} });
  }
  const say = text => { by('state').textContent = text; };

  /* ---- what came back ---- */
  function readErrors(err) {
    const list = [];
    for (const line of err.split('\n')) {
      const hit = /^model\.mech:(\d+):(\d+): (error|warning|note): (.*)$/.exec(line), under = /^ +(\^~*)$/.exec(line);
      if (hit) list.push({ line: Number(hit[1]), column: Number(hit[2]), severity: hit[3], message: hit[4], length: 1 });
      else if (under && list.length) list[list.length - 1].length = under[1].length;
    }
    return list;
  }
  function showErrors(err) {
    const list = readErrors(err);
    editor.errors = list;
    by('errors').replaceChildren(...list.map(e => {
      const item = document.createElement('li'), button = document.createElement('button');
      item.className = e.severity;
      button.type = 'button';
      button.textContent = `${e.line}:${e.column} ${e.severity}: ${e.message}`;
      button.onclick = () => editor.goTo(e.line, e.column);
      item.append(button);
      return item;
    }));
  }
  function address(bytes, type) { const url = URL.createObjectURL(new Blob([bytes], { type })); addresses.push(url); return url; }
  function showText(id, text) { by(id).hidden = !text; by(id).textContent = text; }
  function show(command, line, result) {
    const ending = result.code === 0 ? '' : result.code === 'stopped' ? '' : `, exit code ${result.code}`;
    addresses.forEach(URL.revokeObjectURL);
    addresses = [];
    showErrors(result.err);
    const file = result.files[pages[command]], isPage = result.out.startsWith('<!DOCTYPE html>'), page = file ? new TextDecoder().decode(file) : isPage ? result.out : '';
    by('frame').hidden = !page;
    by('frame').srcdoc = page.replace('<head>', '<head><base href="about:srcdoc">'); /* links within the page stay within it */
    showText('err', result.err);
    showText('out', isPage ? '' : result.out);
    by('out').className = page ? 'brief' : '';
    by('files').replaceChildren(...Object.keys(result.files).filter(n => !n.endsWith('.part')).map(name => {
      const a = document.createElement('a');
      a.href = address(result.files[name], name.endsWith('.html') ? 'text/html' : 'application/octet-stream');
      a.download = a.textContent = name;
      a.title = `keep ${name}, ${result.files[name].length} bytes`;
      return a;
    }));
    say(`${line}: ${result.code === 'stopped' ? 'stopped after' : 'took'} ${result.seconds.toFixed(2)} s${ending}`);
    window.playground = { command, code: result.code, out: result.out, err: result.err, files: Object.keys(result.files), since: performance.now() - opened };
  }

  /* ---- what is asked for ---- */
  function run(command) {
    const list = [command, 'model.mech', ...commands[command], ...by('options').value.split(/\s+/).filter(Boolean)];
    shown = command;
    for (const b of by('commands').children) b.setAttribute('aria-pressed', String(b.textContent === command));
    delete window.playground;
    ask({ words: list, wanted: true, limit: Number(by('limit').value), done: result => show(command, 'mech ' + list.join(' '), result) });
  }
  function look() { const text = editor.text; ask({ words: ['check', 'model.mech'], limit: 5, done: result => { if (text === editor.text) showErrors(result.err); } }); }
  for (const name of Object.keys(commands)) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = name;
    button.onclick = () => run(name);
    by('commands').append(button);
  }
  by('stop').onclick = () => stop('stopped');
  let pause = 0;
  by('field').addEventListener('input', () => { clearTimeout(pause); pause = setTimeout(look, 400); });
  document.addEventListener('keydown', event => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(shown); }
    if (event.key === 'Escape') stop('stopped');
  });
  by('options').addEventListener('keydown', event => { if (event.key === 'Enter') run(shown); });

  /* ---- examples and links ---- */
  function choose(name) {
    const [folder, file] = name.split('/');
    others = { ...stock.examples[folder] };
    editor.text = others[file];
    delete others[file];
    by('examples').value = name;
    by('options').value = '';
  }
  by('examples').append(new Option('your own', ''), ...Object.keys(stock.examples).flatMap(folder =>
    Object.keys(stock.examples[folder]).filter(file => file.endsWith('.mech')).map(file => {
      const name = `${folder}/${file}`;
      return new Option(file === 'model.mech' ? folder : `${folder}: ${file.replace(/^model-|\.mech$/g, '')}`, name);
    })));
  by('examples').onchange = () => { if (by('examples').value) { choose(by('examples').value); history.replaceState(null, '', '#'); run('run'); } };
  by('share').onclick = async () => {
    const kept = await link.write(JSON.stringify({ text: editor.text, options: by('options').value, command: shown, folder: by('examples').value.split('/')[0] }));
    history.replaceState(null, '', '#' + kept);
    try { await navigator.clipboard.writeText(location.href); say('the address of this page holds the model; it is copied'); } catch (e) { say('the address of this page holds the model'); }
  };
  /* Whether the address held a model. */
  async function fromLink() {
    const text = location.hash.length > 1 ? await link.read(location.hash.slice(1)) : null;
    let kept = null;
    try { kept = JSON.parse(text); } catch (e) { kept = null; }
    if (!kept || typeof kept.text !== 'string') return false;
    others = { ...stock.examples[kept.folder] };
    delete others['model.mech'];
    editor.text = kept.text;
    by('examples').value = '';
    by('options').value = String(kept.options || '');
    run(Object.hasOwn(commands, kept.command) ? kept.command : 'run');
    return true;
  }
  addEventListener('hashchange', fromLink);
  start();
  if (!(await fromLink())) { choose('hoop-on-cylinder/model.mech'); run('run'); }
})();
