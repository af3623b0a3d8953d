/* The page of a report: time, controls, cursors in the figures. Works from file:// and asks for nothing. */
'use strict';
(function () {
  const source = document.getElementById('data');
  if (!source) return;
  const data = JSON.parse(source.textContent), canvas = document.getElementById('stage');
  const by = id => document.getElementById(id), bar = by('time'), play = by('play'), speed = by('speed'), choice = by('set'), clock = by('clock');
  const player = canvas ? scenePlayer(canvas, data.scene) : null;
  let set = data.sets[0], frame = 0, time = set.t[0], running = false, last = 0;

  /* ---- cursors: a line in every panel over time ---- */
  const cursors = Array.from(document.querySelectorAll('svg.figure g.panel[data-time="1"]'), panel => {
    const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    line.setAttribute('class', 'cursor');
    panel.appendChild(line);
    return { line, range: panel.dataset.x.split(' ').map(Number), box: panel.dataset.box.split(' ').map(Number) };
  });
  function moveCursors() {
    for (const c of cursors) {
      const part = (time - c.range[0]) / (c.range[1] - c.range[0]), x = c.box[0] + part * c.box[2];
      c.line.setAttribute('d', data.sets.indexOf(set) === 0 && part >= 0 && part <= 1 ? `M${x} ${c.box[1]}v${c.box[3]}` : '');
    }
  }
  /* The last frame at or before a time. */
  function frameAt(t) {
    let low = 0, high = set.t.length - 1;
    while (low < high) { const middle = (low + high + 1) >> 1; if (set.t[middle] <= t) low = middle; else high = middle - 1; }
    return low;
  }
  function show() {
    frame = frameAt(time);
    if (player) player.draw(set, frame);
    if (bar) bar.value = String((time - set.t[0]) / (set.t[set.t.length - 1] - set.t[0] || 1) * 1000);
    if (clock) clock.textContent = `t = ${Number(time.toPrecision(5))}` + (set.unit || '');
    moveCursors();
  }
  function goTo(t) { const end = set.t[set.t.length - 1]; time = Math.min(Math.max(t, set.t[0]), end); show(); }
  function toggle(on) { running = on; if (play) { play.textContent = on ? 'Pause' : 'Play'; play.setAttribute('aria-pressed', String(on)); } if (on) { last = 0; if (time >= set.t[set.t.length - 1]) time = set.t[0]; requestAnimationFrame(step); } }
  function step(now) {
    if (!running) return;
    const span = set.t[set.t.length - 1] - set.t[0], rate = Number(speed ? speed.value : 1) * (set.rate || 1);
    if (last) time += Math.min(now - last, 100) / 1000 * rate;
    last = now;
    if (time > set.t[0] + span) { if (set.loops) time = set.t[0] + (time - set.t[0]) % (span || 1); else { time = set.t[0] + span; toggle(false); } }
    show();
    if (running) requestAnimationFrame(step);
  }
  const end = () => set.t[set.t.length - 1], steps = n => goTo(set.t[Math.min(Math.max(frame + n, 0), set.t.length - 1)]);
  if (play) play.onclick = () => toggle(!running);
  if (bar) bar.oninput = () => { toggle(false); goTo(set.t[0] + Number(bar.value) / 1000 * (end() - set.t[0])); };
  if (choice) choice.onchange = () => { set = data.sets[Number(choice.value)]; time = set.t[0]; if (player) player.measure(data.sets[0]); toggle(!!set.loops); show(); };
  for (const name of ['traces', 'arrows']) { const box = by(name); if (box && player) box.onchange = () => { player.options[name] = box.checked; show(); }; }
  document.addEventListener('keydown', event => {
    if (event.target.closest && event.target.closest('input, select, textarea, button') && event.key !== 'Escape') return;
    const keys = { ' ': () => toggle(!running), ArrowRight: () => { toggle(false); steps(1); }, ArrowLeft: () => { toggle(false); steps(-1); }, Home: () => goTo(set.t[0]), End: () => goTo(end()) };
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
  for (const svg of document.querySelectorAll('svg.figure')) svg.addEventListener('click', event => { /* a click in a panel sets the time */
    const c = cursors.find(k => svg.contains(k.line) && (p => p.x >= k.box[0] && p.x <= k.box[0] + k.box[2] && p.y >= k.box[1] && p.y <= k.box[1] + k.box[3])(at(svg, event)));
    if (c) { toggle(false); goTo(c.range[0] + (at(svg, event).x - c.box[0]) / c.box[2] * (c.range[1] - c.range[0])); }
  });
  function at(svg, event) { const p = svg.createSVGPoint(); p.x = event.clientX; p.y = event.clientY; return p.matrixTransform(svg.getScreenCTM().inverse()); }
  if (canvas) {
    let grip = null;
    canvas.addEventListener('pointerdown', e => { grip = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener('pointerup', () => { grip = null; });
    canvas.addEventListener('pointermove', e => {
      if (!grip) return;
      const dx = e.clientX - grip[0], dy = e.clientY - grip[1], v = player.view;
      if (player.flat || e.shiftKey) { v.x += dx; v.y += dy; } else { v.yaw += dx / 150; v.pitch = Math.min(Math.max(v.pitch + dy / 150, -1.5), 1.5); }
      grip = [e.clientX, e.clientY];
      show();
    });
    canvas.addEventListener('wheel', e => { e.preventDefault(); player.view.zoom *= Math.exp(-e.deltaY / 500); show(); }, { passive: false });
    canvas.addEventListener('keydown', e => { const v = player.view, keys = { '+': () => { v.zoom *= 1.2; }, '-': () => { v.zoom /= 1.2; }, ArrowUp: () => { v.pitch += 0.1; }, ArrowDown: () => { v.pitch -= 0.1; } }; if (keys[e.key]) { e.preventDefault(); keys[e.key](); show(); } });
    player.measure(set);
    new ResizeObserver(show).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
  }
  show();
  window.report = { goTo, toggle, state: () => ({ time, frame, running }) };
})();
