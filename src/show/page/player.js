/* The scene of a model on a canvas: no state but what it is given. A page makes one by scenePlayer(canvas, scene) and calls draw(set, frame). */
'use strict';
function scenePlayer(canvas, scene) {
  const flat = scene.dim === 2, context = canvas.getContext('2d'), view = { yaw: -0.6, pitch: 0.35, zoom: 1, x: 0, y: 0 };
  const palette = ['--c0', '--c1', '--c2', '--c3', '--c4', '--c6', '--c7'];
  let style = getComputedStyle(canvas), size = [0, 0], middle = [0, 0, 0], half = [1, 1], radius = 1, options = { traces: true, arrows: true };

  const colourOf = (word, k) => word || style.getPropertyValue(palette[k % palette.length]).trim() || '#0b6fb3';
  const add = (a, b, s = 1) => a.map((x, i) => x + s * (b[i] || 0));
  const turn = (R, p) => flat ? [R[0] * p[0] - R[1] * p[1], R[1] * p[0] + R[0] * p[1]] :
    [0, 1, 2].map(i => R[3 * i] * p[0] + R[3 * i + 1] * p[1] + R[3 * i + 2] * p[2]);

  /* where a body is in a frame: its origin and its axes */
  function pose(set, body, frame) {
    const d = set.pose[body], w = flat ? 3 : 7, k = frame * w;
    if (flat) return { r: [d[k], d[k + 1]], R: [Math.cos(d[k + 2]), Math.sin(d[k + 2])] };
    const [a, x, y, z] = [d[k + 3], d[k + 4], d[k + 5], d[k + 6]];
    return { r: [d[k], d[k + 1], d[k + 2]], R: [1 - 2 * (y * y + z * z), 2 * (x * y - a * z), 2 * (x * z + a * y), 2 * (x * y + a * z), 1 - 2 * (x * x + z * z),
      2 * (y * z - a * x), 2 * (x * z - a * y), 2 * (y * z + a * x), 1 - 2 * (x * x + y * y)] };
  }
  const place = (p, at) => add(p.r, turn(p.R, at));

  /* ---- what is drawn: pieces with a depth ---- */
  function project(p) {
    const s = view.zoom * (flat ? 0.46 * Math.min(size[0] / half[0], size[1] / half[1]) : 0.45 * Math.min(size[0], size[1]) / radius), d = add(p, middle, -1);
    if (flat) return [size[0] / 2 + view.x + s * d[0], size[1] / 2 + view.y - s * d[1], 0];
    const cy = Math.cos(view.yaw), sy = Math.sin(view.yaw), cp = Math.cos(view.pitch), sp = Math.sin(view.pitch);
    const x = cy * d[0] - sy * d[1], y = sy * d[0] + cy * d[1], z = d[2], depth = cp * y - sp * z;
    const near = s / (1 + depth / (6 * radius));
    return [size[0] / 2 + view.x + near * x, size[1] / 2 + view.y - near * (cp * z + sp * y), depth];
  }
  function poly(pieces, points, colour, width, fill, dash) {
    const on = points.map(project);
    if (on.some(p => !isFinite(p[0] + p[1]))) return;
    pieces.push({ depth: on.reduce((s, p) => s + p[2], 0) / on.length, draw() {
      context.beginPath();
      on.forEach((p, i) => i ? context.lineTo(p[0], p[1]) : context.moveTo(p[0], p[1]));
      if (fill) { context.closePath(); context.globalAlpha = 0.45; context.fillStyle = colour; context.fill(); context.globalAlpha = 1; }
      context.setLineDash(dash || []);
      context.strokeStyle = colour; context.lineWidth = width; context.lineJoin = context.lineCap = 'round'; context.stroke();
    } });
  }
  function dot(pieces, p, colour, r) {
    const on = project(p);
    if (!isFinite(on[0] + on[1])) return;
    pieces.push({ depth: on[2] - 0.01 * radius, draw() { context.beginPath(); context.arc(on[0], on[1], r, 0, 7); context.fillStyle = colour; context.fill(); } });
  }
  function ball(pieces, p, r, colour) {
    const on = project(p), edge = project(add(p, flat ? [r, 0] : [Math.cos(view.yaw) * r, -Math.sin(view.yaw) * r, 0]));
    const pixels = Math.hypot(edge[0] - on[0], edge[1] - on[1]);
    if (!isFinite(on[0] + pixels)) return;
    pieces.push({ depth: on[2], draw() { context.beginPath(); context.arc(on[0], on[1], pixels, 0, 7); context.globalAlpha = 0.55; context.fillStyle = colour; context.fill();
      context.globalAlpha = 1; context.strokeStyle = colour; context.lineWidth = 1.2; context.setLineDash([]); context.stroke(); } });
  }
  const ring = (put, r, z, n = 32) => Array.from({ length: n + 1 }, (_, k) => put([r * Math.cos(2 * k * Math.PI / n), r * Math.sin(2 * k * Math.PI / n), z]));
  function circle(pieces, put, r, colour, width, fill) {
    poly(pieces, ring(put, r, 0, 96), colour, width, fill);
    poly(pieces, [put([0, 0, 0]), put([r, 0, 0])], colour, 1);
  }
  function tube(pieces, put, r, h, colour) {
    const low = ring(put, r, -h / 2), high = ring(put, r, h / 2);
    for (let k = 0; k < 32; k += 2) poly(pieces, [low[k], low[k + 2], high[k + 2], high[k]], colour, 0.6, true);
    poly(pieces, low, colour, 1, true);
    poly(pieces, high, colour, 1, true);
  }
  function box(pieces, put, s, colour) {
    const [a, b, c] = s.map(x => x / 2);
    if (flat) return poly(pieces, [[-a, -b], [a, -b], [a, b], [-a, b], [-a, -b]].map(put), colour, 1.4, true);
    const corner = (i, j, k) => put([i * a, j * b, k * c]);
    for (const s1 of [-1, 1]) {
      poly(pieces, [corner(s1, -1, -1), corner(s1, 1, -1), corner(s1, 1, 1), corner(s1, -1, 1), corner(s1, -1, -1)], colour, 1, true);
      poly(pieces, [corner(-1, s1, -1), corner(1, s1, -1), corner(1, s1, 1), corner(-1, s1, 1), corner(-1, s1, -1)], colour, 1, true);
      poly(pieces, [corner(-1, -1, s1), corner(1, -1, s1), corner(1, 1, s1), corner(-1, 1, s1), corner(-1, -1, s1)], colour, 1, true);
    }
  }
  /* two directions across a line */
  function across(d) {
    if (flat) return [[-d[1], d[0]], [0, 0]];
    const a = Math.abs(d[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], c = [d[1] * a[2] - d[2] * a[1], d[2] * a[0] - d[0] * a[2], d[0] * a[1] - d[1] * a[0]];
    const n = Math.hypot(...c), u = c.map(x => x / n);
    return [u, [d[1] * u[2] - d[2] * u[1], d[2] * u[0] - d[0] * u[2], d[0] * u[1] - d[1] * u[0]]];
  }
  function along(p, q) {
    const d = add(q, p, -1), n = Math.hypot(...d) || 1e-30, u = d.map(x => x / n), [v, w] = across(u);
    return { length: n, at: (s, x, y = 0) => add(add(add(p, u, s), v, x), w, y) };
  }
  function spring(pieces, p, q, colour, width) {
    const a = along(p, q), points = [p], r = 0.035 * radius;
    for (let k = 0; k <= 48; k++) {
      const s = a.length * (0.1 + 0.8 * k / 48), angle = k * Math.PI / 3;
      points.push(flat ? a.at(s, r * Math.sin(angle)) : a.at(s, r * Math.sin(angle), r * Math.cos(angle)));
    }
    poly(pieces, points.concat([q]), colour, width);
  }
  function arrow(pieces, p, q, colour, width) {
    const a = along(p, q), head = Math.min(0.06 * radius, a.length / 2);
    if (a.length < 1e-9 * radius) return;
    poly(pieces, [p, q], colour, width);
    poly(pieces, [a.at(a.length - head, head / 2), q, a.at(a.length - head, -head / 2)], colour, width, true);
  }

  /* ---- shapes of bodies, and what `draw` says ---- */
  function shape(pieces, s, p, colour) {
    const put = at => place(p, add(s.at || [0, 0, 0].slice(0, scene.dim), s.R ? turn(s.R, at) : at));
    if (s.k === 'rod') poly(pieces, [place(p, s.a), place(p, s.b)], colour, 4);
    else if (s.k === 'box') box(pieces, put, s.s, colour);
    else if (s.k === 'cylinder') tube(pieces, put, s.s[0], s.s[1], colour);
    else if (s.k === 'sphere') ball(pieces, put([0, 0, 0]), s.s[0], colour);
    else if (s.k === 'disc') circle(pieces, put, s.s[0], colour, 1.6, true);
    else if (s.k === 'pin') dot(pieces, place(p, s.at), style.color, 3.5);
  }
  function item(pieces, d, set, index, frame) {
    const values = set.draws[index], w = d.w, k = (values.length === w ? 0 : frame * w), at = (i, n = scene.dim) => values.slice(k + i, k + i + n);
    const colour = colourOf(d.colour, index + scene.bodies.length), width = d.width || 2, dim = scene.dim;
    if (d.when && !values[k + w - 1]) return;
    if (d.k === 'point') dot(pieces, at(0), colour, 2 + width);
    else if (d.k === 'line') poly(pieces, Array.from({ length: d.n }, (_, i) => at(i * dim)), colour, width);
    else if (d.k === 'trace') {
      dot(pieces, at(0), colour, 3);
      const step = Math.max(1, Math.floor(frame / 600)), path = [];
      for (let f = 0; f <= frame; f += step) path.push(values.slice(f * w, f * w + dim));
      if (options.traces && path.length > 1) for (let f = 0; f + 1 < path.length; f += 40) poly(pieces, path.slice(f, f + 41), colour, 1.2);
    } else if (d.k === 'circle') {
      const R = d.frame ? at(dim + 1, 9) : flat ? [Math.cos(d.turn ? values[k + dim + 1] : 0), Math.sin(d.turn ? values[k + dim + 1] : 0)] : null, r = values[k + dim];
      circle(pieces, x => add(at(0), R ? turn(R, x) : x.slice(0, dim)), r, colour, width, false);
    } else if (d.k === 'box') box(pieces, x => add(at(0), d.frame ? turn(flat ? [at(2 * dim, 4)[0], at(2 * dim, 4)[2]] : at(2 * dim, 9), x) : x), at(dim), colour);
    else if (d.k === 'cylinder') {
      const a = along(at(0), at(dim)), r = values[k + 2 * dim];
      if (flat) poly(pieces, [a.at(0, r), a.at(a.length, r), a.at(a.length, -r), a.at(0, -r), a.at(0, r)], colour, 1.4, true);
      else tube(pieces, x => a.at(x[2] + a.length / 2, x[0], x[1]), r, a.length, colour);
    } else if (d.k === 'sphere') ball(pieces, at(0), values[k + dim], colour);
    else if (d.k === 'spring') spring(pieces, at(0), at(dim), colour, width);
    else if (d.k === 'arrow' && options.arrows) arrow(pieces, at(0), add(at(0), at(dim), values[k + 2 * dim]), colour, width);
  }

  /* The middle and the size of all that is ever drawn. */
  function measure(set) {
    const low = Array(scene.dim).fill(Infinity), high = Array(scene.dim).fill(-Infinity), frames = set.t.length, step = Math.max(1, Math.floor(frames / 50));
    const see = (p, r = 0) => p.forEach((x, i) => { if (isFinite(x)) { low[i] = Math.min(low[i], x - r); high[i] = Math.max(high[i], x + r); } });
    for (let f = 0; f < frames; f += step) {
      scene.bodies.forEach((b, k) => {
        const p = pose(set, k, f);
        for (const s of b.shapes) {
          if (s.k === 'rod') { see(place(p, s.a)); see(place(p, s.b)); }
          else see(place(p, s.at || Array(scene.dim).fill(0)), s.s ? Math.max(...s.s) / (s.k === 'box' ? 2 : 1) : 0);
        }
      });
      scene.draws.forEach((d, k) => {
        const v = set.draws[k], at = v.length === d.w ? 0 : f * d.w, points = { line: d.n, spring: 2, cylinder: 2 }[d.k] || 1;
        for (let i = 0; i < points; i++) see(v.slice(at + i * scene.dim, at + (i + 1) * scene.dim), d.k === 'circle' || d.k === 'sphere' ? v[at + scene.dim] : 0);
      });
    }
    if (!isFinite(low[0])) return;
    middle = low.map((x, i) => (x + high[i]) / 2);
    radius = Math.max(...low.map((x, i) => (high[i] - x) / 2), 1e-12);
    half = low.map((x, i) => Math.max((high[i] - x) / 2, 1e-3 * radius));
    radius *= flat ? 1.08 : 1.3;
  }
  function ground(pieces) {
    if (flat) return;
    const line = style.getPropertyValue('--rule').trim() || '#ddd', z = middle[2] - radius / 1.3;
    for (let k = -4; k <= 4; k++) {
      poly(pieces, [[middle[0] + k * radius / 4, middle[1] - radius, z], [middle[0] + k * radius / 4, middle[1] + radius, z]], line, 0.7);
      poly(pieces, [[middle[0] - radius, middle[1] + k * radius / 4, z], [middle[0] + radius, middle[1] + k * radius / 4, z]], line, 0.7);
    }
  }
  function draw(set, frame) {
    const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight, pieces = [];
    if (canvas.width !== Math.round(w * ratio)) { canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio); }
    style = getComputedStyle(canvas);
    size = [w, h];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, w, h);
    const floor = [];
    ground(floor);
    floor.forEach(p => p.draw());
    scene.bodies.forEach((b, k) => { const p = pose(set, k, frame); b.shapes.forEach(s => shape(pieces, s, p, k ? colourOf('', k - 1) : style.getPropertyValue('--soft').trim() || '#888')); });
    for (const [a, at, b, to] of scene.slides) poly(pieces, [place(pose(set, a, frame), at), place(pose(set, b, frame), to)], colourOf('', b - 1), 2.5);
    scene.draws.forEach((d, k) => item(pieces, d, set, k, frame));
    pieces.sort((a, b) => b.depth - a.depth).forEach(p => p.draw());
  }
  return { draw, measure, view, options, flat };
}
