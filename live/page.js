// The live page: draws what the engine computes, and keeps its settings in the address.
'use strict';
(async () => {
const $ = id => document.getElementById(id);
const engine = await starlingEngine();
const TARGETS = ['line', 'mixture', 'banana', 'funnel', 'ring', 'drawn', 'formula'];
const KERNELS = ['gaussian', 'imq', 'matern52'], RULES = ['adagrad', 'constant', 'adam'];
const SIZES = [10, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1000, 1024, 1536, 2000, 2048, 3072, 4000, 4096, 5000, 6000, 7000, 8000, 8192, 9000, 9500, 9900, 10000];
const USUAL = { t: 'line', n: 256, p: 8, kernel: 'gaussian', h: '', rule: 'adagrad', eta: 0.1, seed: 1, dim: 1, threads: 1, wrong: 0, speed: 2,
  f: '-(x^2 + y^2)/8 + cos(2*x) + cos(2*y)', d: '', k: 0 };
const BOUND = 8e6; // pairs of a step that a frame can bear
const S = { ...USUAL };
let playing = false, history = [[], []], furthest = 0, image = null, strokes = [], aloudAt = 0, frameMs = 0, dead = '', lost = '', seenAt = -1;

// -- the address

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(USUAL)) {
    if (!given.has(key)) { S[key] = USUAL[key]; continue; }
    const text = given.get(key);
    S[key] = typeof USUAL[key] === 'number' ? (Number.isFinite(+text) ? +text : USUAL[key]) : text;
  }
  S.n = Math.min(10000, Math.max(10, Math.round(S.n))); S.p = Math.min(S.n, Math.max(2, Math.round(S.p)));
  if (!TARGETS.includes(S.t)) S.t = 'line';
  S.dim = Math.min(50, Math.max(own(), Math.round(S.dim)));
  try { strokes = S.d ? [...atob(S.d.replace(/-/g, '+').replace(/_/g, '/'))].map(c => c.charCodeAt(0)) : []; } catch { strokes = []; }
}
function address(withStep) {
  const kept = new URLSearchParams();
  for (const key of Object.keys(USUAL)) if (String(S[key]) !== String(USUAL[key]) && key !== 'k') kept.set(key, S[key]);
  if (withStep && steps(0)) kept.set('k', steps(0));
  return '#' + kept;
}
const keepAddress = () => window.history.replaceState(null, '', address(true));

// -- the engine

const own = () => (S.t === 'line' ? 1 : 2);
const steps = which => engine._live_steps(which);
const words = pointer => engine.UTF8ToString(pointer);
const startMean = () => (S.t === 'line' ? -10 : S.t === 'drawn' || S.t === 'formula' ? 0 : -3.5);
const startSd = () => (S.t === 'line' ? 1 : S.t === 'drawn' || S.t === 'formula' ? 1.5 : 0.5);
const reach = () => (S.t === 'line' ? 13.5 : 5);
const svgdBears = () => S.n * S.n <= BOUND;

function setTarget() {
  if (S.t === 'formula') {
    const compiled = compile(S.f);
    $('formula-says').textContent = compiled.fault || '';
    if (compiled.fault) return false;
    engine._live_formula_clear();
    for (const [op, value] of compiled.code) engine._live_formula_add(op, value);
  } else $('formula-says').textContent = '';
  if (S.t === 'drawn') layDrawing();
  engine._live_target(TARGETS.indexOf(S.t), reach());
  image = null;
  return true;
}
function begin() {
  const bandwidth = parseFloat(S.h);
  const failed = engine._live_begin(S.seed, S.n, S.p, S.dim, Math.max(0, KERNELS.indexOf(S.kernel)), bandwidth > 0 ? bandwidth : 0,
    Math.max(0, RULES.indexOf(S.rule)), S.eta, startMean(), startSd(), S.wrong ? 1 : 0);
  dead = failed ? words(engine._live_said()) : '';
  lost = ''; seenAt = -1;
  history = [[], []];
}
const over = () => lost || engine._live_over();
function take(count) {
  for (let n = 0; n < count && !over(); n++) if (engine._live_unit()) lost = words(engine._live_said());
  if (dead) return;
  if (engine._live_take(0, count)) dead = words(engine._live_said());
  while (!dead && svgdBears() && engine._live_pairs(1) + engine._live_pairs_a_step(1) <= engine._live_pairs(0))
    if (engine._live_take(1, 1)) dead = words(engine._live_said());
  furthest = Math.max(furthest, steps(0));
}
function look() {
  for (const which of [0, 1]) {
    if (which === 1 && !svgdBears()) continue;
    if (engine._live_look(which)) continue;
    const list = history[which], pairs = engine._live_pairs(which), distance = engine._live_figure(which, 0);
    if (pairs > 0 && distance > 0 && (!list.length || pairs > list[list.length - 1][0])) list.push([pairs, distance]);
    if (list.length > 800) history[which] = list.filter((_, n) => n % 2 === 0 || n > list.length - 40);
  }
  if (seenAt !== engine._live_units()) { engine._live_look(2); seenAt = engine._live_units(); }
  tell();
}
function goTo(step) {
  begin();
  const chunk = Math.max(1, Math.ceil(step / 24));
  while (steps(0) < step && !dead) { take(Math.min(chunk, step - steps(0))); look(); }
  look(); draw();
}

// -- a formula, to reverse Polish order

function compile(text) {
  const OPS = { number: 0, x: 1, y: 2, '+': 3, '-': 4, '*': 5, '/': 6, '^': 7, neg: 8, exp: 9, log: 10, sqrt: 11, sin: 12, cos: 13, tanh: 14, abs: 15, logaddexp: 16 };
  const tokens = text.match(/\d+\.?\d*(?:e[+-]?\d+)?|\.\d+|[a-z]+|[-+*/^(),]|\S/gi) || [], code = [];
  let at = 0;
  const fail = what => { throw new Error(what); };
  const expect = sign => (tokens[at] === sign ? at++ : fail(`'${sign}' is missing`));
  const level = [['+', '-'], ['*', '/']];
  function sum(depth) {
    if (depth === 2) return unary();
    sum(depth + 1);
    while (level[depth].includes(tokens[at])) { const op = tokens[at++]; sum(depth + 1); code.push([OPS[op], 0]); }
  }
  function unary() { if (tokens[at] === '-') { at++; unary(); code.push([OPS.neg, 0]); } else { if (tokens[at] === '+') at++; power(); } }
  function power() { atom(); if (tokens[at] === '^') { at++; unary(); code.push([OPS['^'], 0]); } }
  function atom() {
    const token = tokens[at++];
    if (token === undefined) fail('the formula ends too early');
    if (/^[\d.]/.test(token)) code.push([OPS.number, parseFloat(token)]);
    else if (token === 'x' || token === 'y') code.push([OPS[token], 0]);
    else if (token === 'pi') code.push([OPS.number, Math.PI]);
    else if (token === '(') { sum(0); expect(')'); }
    else if (OPS[token] >= OPS.exp) { expect('('); sum(0); if (token === 'logaddexp') { expect(','); sum(0); } expect(')'); code.push([OPS[token], 0]); }
    else fail(`'${token}' is not known: x, y, numbers, + - * / ^, exp log sqrt sin cos tanh abs logaddexp`);
  }
  try { sum(0); if (at < tokens.length) fail(`'${tokens[at]}' is unexpected here`); return { code }; }
  catch (error) { return { fault: error.message }; }
}

// -- a density drawn by hand: dots of a soft brush, in hundredths of the picture

function layDrawing() {
  const side = engine._live_grid_side(), density = new Float64Array(side * side).fill(1e-4), wide = side * 0.045;
  for (let n = 0; n + 1 < strokes.length; n += 2) {
    const cx = strokes[n] / 100 * (side - 1), cy = strokes[n + 1] / 100 * (side - 1), far = Math.ceil(3 * wide);
    for (let j = Math.max(0, Math.floor(cy - far)); j <= Math.min(side - 1, cy + far); j++)
      for (let i = Math.max(0, Math.floor(cx - far)); i <= Math.min(side - 1, cx + far); i++)
        density[j * side + i] += Math.exp(-((i - cx) ** 2 + (j - cy) ** 2) / (2 * wide * wide));
  }
  const to = engine._live_canvas() / 8;
  for (let j = 0; j < side; j++) for (let i = 0; i < side; i++) { // a gentle hill beneath, so that no place is flat
    const u = 2 * i / side - 1, v = 2 * j / side - 1;
    engine.HEAPF64[to + j * side + i] = Math.log(density[j * side + i]) - 0.5 * (u * u + v * v);
  }
}

// -- pictures

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
function fit(canvas) {
  const ratio = Math.min(2, devicePixelRatio || 1), w = Math.round(canvas.clientWidth * ratio), h = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  const c = canvas.getContext('2d');
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, w, h);
  return [c, canvas.clientWidth, canvas.clientHeight];
}
function shade() { // the density as a picture, made once for a target and a theme
  const side = engine._live_grid_side(), from = engine._live_density() / 8, [r, g, b] = css('--density').split(',').map(Number);
  image = document.createElement('canvas');
  image.width = image.height = side;
  const c = image.getContext('2d'), pixels = c.createImageData(side, side);
  for (let j = 0; j < side; j++) for (let i = 0; i < side; i++) {
    const at = 4 * ((side - 1 - j) * side + i);
    pixels.data.set([r, g, b, 150 * Math.sqrt(engine.HEAPF64[from + j * side + i])], at);
  }
  c.putImageData(pixels, 0, 0);
}
const scaled = [null, null, null]; // the same in the size of each view: enlarging it takes longer than a step
function drawDensity(which, canvas, c) {
  if (!image) { shade(); scaled.fill(null); }
  if (!scaled[which] || scaled[which].width !== canvas.width || scaled[which].height !== canvas.height) {
    const large = document.createElement('canvas');
    large.width = canvas.width; large.height = canvas.height;
    const to = large.getContext('2d');
    to.imageSmoothingQuality = 'high';
    to.drawImage(image, 0, 0, large.width, large.height);
    scaled[which] = large;
  }
  inPixels(c, () => c.drawImage(scaled[which], 0, 0));
}
function inPixels(c, act) { c.save(); c.setTransform(1, 0, 0, 1, 0, 0); act(); c.restore(); }

// Many particles are set point by point in a layer of one colour, of which only the alpha differs: as shapes they would
// take several times as long as a step.
let many = 400;
const layers = [null, null, null];
function layer(which, canvas, colour) {
  let l = layers[which];
  if (!l || l.canvas.width !== canvas.width || l.canvas.height !== canvas.height) {
    const own = document.createElement('canvas');
    own.width = canvas.width; own.height = canvas.height;
    const context = own.getContext('2d'), pixels = context.createImageData(own.width, own.height);
    l = layers[which] = { canvas: own, context, pixels, alpha: pixels.data, all: new Uint32Array(pixels.data.buffer), w: own.width, h: own.height };
  }
  l.all.fill(seeThrough(colour));
  return l;
}
const read = {}; // colours by name, as a pixel that lets everything through
function seeThrough(colour) {
  if (colour in read) return read[colour];
  const dot = document.createElement('canvas').getContext('2d'); // a browser reads it
  dot.fillStyle = colour; dot.fillRect(0, 0, 1, 1);
  const pixel = dot.getImageData(0, 0, 1, 1).data;
  pixel[3] = 0;
  return read[colour] = new Uint32Array(pixel.buffer)[0];
}
function stamp(radius) { // how much of each pixel a disc covers
  const reach = Math.ceil(radius), side = 2 * reach + 1, mask = new Float32Array(side * side);
  for (let y = -reach; y <= reach; y++) for (let x = -reach; x <= reach; x++)
    mask[(y + reach) * side + x + reach] = Math.max(0, Math.min(1, radius + 0.5 - Math.hypot(x, y)));
  return { reach, side, mask };
}
function setDots(l, X, Y, radius, alpha) {
  const { reach, side, mask } = stamp(radius), { w, h } = l, data = l.alpha;
  for (let n = 0; n < X.length; n++) {
    const x0 = Math.round(X[n] - 0.5) - reach, y0 = Math.round(Y[n] - 0.5) - reach;
    if (!(x0 + side > 0 && x0 < w && y0 + side > 0 && y0 < h)) continue;
    for (let j = Math.max(0, -y0); j < side && y0 + j < h; j++) for (let i = Math.max(0, -x0); i < side && x0 + i < w; i++) {
      const at = 4 * ((y0 + j) * w + x0 + i) + 3;
      data[at] += (255 - data[at]) * mask[j * side + i] * alpha;
    }
  }
}
function lineSetter(l, alpha) { // lines that cross are no darker there, as in a shape
  const { w, h } = l, data = l.alpha, ink = Math.round(255 * alpha);
  return (x0, y0, x1, y1) => {
    const count = Math.ceil(Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0)));
    if (!(count < 4 * (w + h))) return; // from far outside, or from nowhere
    const dx = (x1 - x0) / count, dy = (y1 - y0) / count;
    const inside = Math.min(x0, x1, y0, y1) >= 0 && Math.max(x0, x1) < w && Math.max(y0, y1) < h;
    for (let n = 0, x = x0, y = y0; n < count; n++, x += dx, y += dy) {
      if (!inside && !(x >= 0 && x < w && y >= 0 && y < h)) continue;
      data[4 * ((y | 0) * w + (x | 0)) + 3] = ink;
    }
  };
}
function drawFlock(which) {
  const canvas = $('view' + which), [c, w, h] = fit(canvas), R = reach(), line = S.t === 'line', ratio = canvas.width / w; // pixels of the screen for one of the page
  if (!canvas.width || !canvas.height) return; // hidden, as in a folded part of another page
  const colour = css(['--rbm', '--svgd', '--auto'][which]), ink = css('--soft');
  if (line) drawLineTarget(c, w, h); else drawDensity(which, canvas, c);
  if (which === 1 && !svgdBears()) {
    const size = w < 300 ? 12 : 15, lines = [];
    c.fillStyle = ink; c.font = `${size}px system-ui`; c.textAlign = 'center';
    for (const text of [`One step of all pairs computes ${big(S.n * S.n)} pairs:`, `as much as ${big(S.n / S.p)} steps with batches of ${S.p}.`, 'So it is not shown. Take fewer particles to see both.']) {
      lines.push('');
      for (const word of text.split(' ')) {
        const longer = `${lines[lines.length - 1]} ${word}`.trim();
        if (c.measureText(longer).width < w - 16) lines[lines.length - 1] = longer; else lines.push(word);
      }
    }
    lines.forEach((t, n) => c.fillText(t, w / 2, h / 2 + 1.6 * size * (n - (lines.length - 1) / 2)));
    return;
  }
  if (which === 2 && !engine._live_has_cloud()) return; // the scout has none
  const from = engine._live_positions(which) / 4, xy = engine.HEAPF32.slice(from, from + 2 * S.n);
  const px = x => (x / R + 1) / 2 * w;
  const py = line ? (y, i) => h * 0.86 + h * 0.1 * (((i * 0.6180339887) % 1) - 0.5) : y => (1 - (y / R + 1) / 2) * h;
  const X = new Float32Array(S.n), Y = new Float32Array(S.n);
  for (let i = 0; i < S.n; i++) { X[i] = px(xy[2 * i]); Y[i] = py(xy[2 * i + 1], i); }
  const radius = Math.max(1, Math.min(4, 60 / Math.sqrt(S.n)) * Math.sqrt(w / 500)), alpha = S.n > 3000 ? 0.55 : 0.85;
  if (line) drawHistogram(c, xy, px, w, h, colour);
  if (S.n > many) {
    const l = layer(which, canvas, colour);
    for (let i = 0; i < S.n; i++) { X[i] *= ratio; Y[i] *= ratio; }
    if (S.threads && which === 0) eachThread(X, Y, lineSetter(l, threadAlpha()));
    setDots(l, X, Y, radius * ratio, alpha);
    l.context.putImageData(l.pixels, 0, 0);
    inPixels(c, () => c.drawImage(l.canvas, 0, 0));
    return;
  }
  if (S.threads && which === 0) drawThreads(c, X, Y, colour);
  c.fillStyle = colour; c.globalAlpha = alpha;
  c.beginPath();
  for (let i = 0; i < S.n; i++) { c.moveTo(X[i] + radius, Y[i]); c.arc(X[i], Y[i], radius, 0, 7); }
  c.fill();
  c.globalAlpha = 1;
}
function drawLineTarget(c, w, h) {
  const width = engine._live_density_width(), from = engine._live_density() / 8;
  c.beginPath(); c.moveTo(0, h * 0.78);
  for (let i = 0; i < w; i += 2) c.lineTo(i, h * 0.78 - h * 0.62 * engine.HEAPF64[from + Math.min(width - 1, Math.floor(i / w * width))]);
  c.lineTo(w, h * 0.78); c.closePath();
  c.fillStyle = `rgba(${css('--density')}, .22)`; c.fill();
}
function drawHistogram(c, xy, px, w, h, colour) { // as high as the density is when they agree
  const bins = 96, counts = new Float64Array(bins), R = reach(), width = engine._live_density_width(), from = engine._live_density() / 8;
  for (let i = 0; i < S.n; i++) { const b = Math.floor((xy[2 * i] / R + 1) / 2 * bins); if (b >= 0 && b < bins) counts[b]++; }
  let total = 0;
  for (let i = 0; i < width; i++) total += engine.HEAPF64[from + i];
  c.beginPath();
  for (let b = 0; b < bins; b++) {
    const y = h * 0.78 - Math.min(0.76, 0.62 * counts[b] / S.n * bins * total / width) * h;
    if (b === 0) c.moveTo(0, y); else c.lineTo(b / bins * w, y);
    c.lineTo((b + 1) / bins * w, y);
  }
  c.strokeStyle = colour; c.lineWidth = 1.5; c.stroke();
}
const threadAlpha = () => Math.max(0.06, Math.min(0.5, 40 / S.n));
function eachThread(X, Y, act) { // from each particle to the middle of its batch
  const from = engine._live_batches(0) / 4, length = engine.HEAPF32[from], ids = engine.HEAPF32.slice(from + 1, from + 1 + length);
  for (let at = 0, first = 0; at < ids.length; at++) {
    if (ids[at] >= 0) continue;
    let x = 0, y = 0;
    for (let n = first; n < at; n++) { x += X[ids[n]] / (at - first); y += Y[ids[n]] / (at - first); }
    for (let n = first; n < at; n++) act(X[ids[n]], Y[ids[n]], x, y);
    first = at + 1;
  }
}
function drawThreads(c, X, Y, colour) {
  c.strokeStyle = colour; c.globalAlpha = threadAlpha(); c.lineWidth = 1;
  c.beginPath();
  eachThread(X, Y, (x0, y0, x1, y1) => { c.moveTo(x0, y0); c.lineTo(x1, y1); });
  c.stroke(); c.globalAlpha = 1;
}
function drawChart() {
  const [c, w, h] = fit($('chart')), all = [...history[0], ...history[1]], left = 52, bottom = 26, soft = css('--soft');
  c.font = '12px system-ui'; c.fillStyle = soft; c.strokeStyle = css('--line'); c.lineWidth = 1;
  if (all.length < 2) { c.textAlign = 'center'; c.fillText('Nothing to draw yet.', w / 2, h / 2); return; }
  const xs = all.map(p => Math.log10(p[0])), ys = all.map(p => Math.log10(p[1]));
  const x0 = Math.floor(Math.min(...xs)), x1 = Math.max(x0 + 1, Math.max(...xs)), y0 = Math.min(...ys) - 0.1, y1 = Math.max(...ys) + 0.1;
  const X = v => left + (v - x0) / (x1 - x0) * (w - left - 12), Y = v => 10 + (y1 - v) / (y1 - y0) * (h - bottom - 14);
  c.textAlign = 'center';
  for (let v = x0; v <= x1; v++) { c.beginPath(); c.moveTo(X(v), 8); c.lineTo(X(v), h - bottom); c.stroke(); c.fillText(big(10 ** v), X(v), h - 8); }
  c.textAlign = 'right';
  for (const tick of [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]) {
    const v = Math.log10(tick);
    if (v > y0 && v < y1) { c.beginPath(); c.moveTo(left, Y(v)); c.lineTo(w - 8, Y(v)); c.stroke(); c.fillText(String(tick), left - 8, Y(v) + 4); }
  }
  for (const which of [1, 0]) {
    c.strokeStyle = c.fillStyle = css(which ? '--svgd' : '--rbm'); c.lineWidth = 2; c.lineJoin = 'round'; c.beginPath();
    history[which].forEach(([p, d], n) => (n ? c.lineTo : c.moveTo).call(c, X(Math.log10(p)), Y(Math.log10(d))));
    c.stroke();
    const last = history[which][history[which].length - 1];
    if (last) { c.beginPath(); c.arc(X(Math.log10(last[0])), Y(Math.log10(last[1])), 3.5, 0, 7); c.fill(); }
  }
}
function big(v) {
  if (!(v >= 1000)) return v >= 10 || v === Math.round(v) ? String(Math.round(v)) : v.toPrecision(2);
  const e = Math.floor(Math.log10(v)), lead = v / 10 ** e;
  if (v < 1e5) return Math.round(v).toLocaleString('en');
  const raised = [...String(e)].map(d => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]).join('');
  return lead > 1.05 ? `${lead.toFixed(1)}·10${raised}` : `10${raised}`;
}
const short = v => (Number.isFinite(v) ? (Math.abs(v) < 0.0005 ? '0' : Math.abs(v) < 10 ? v.toFixed(3) : Math.abs(v) < 1e4 ? v.toPrecision(3) : big(v)) : '–');

function tell() {
  const rows = document.querySelectorAll('#figures tbody tr');
  for (const which of [0, 1]) {
    const bears = which === 0 || svgdBears(), f = n => engine._live_figure(which, n);
    const cells = bears ? [steps(which), big(engine._live_pairs(which)), short(f(0)), f(4) > f(5) - 0.01 ? short(f(4)) : `${f(4).toFixed(1)} to ${f(5).toFixed(1)}`, short(f(3)), short(f(1))] : Array(6).fill('–');
    rows[which].querySelectorAll('td').forEach((cell, n) => { cell.textContent = cells[n]; });
    $('verdict' + which).textContent = dead && which === 0 ? 'stopped:' : bears ? words(engine._live_verdict(which)) + ':' : '';
    $('sentence' + which).textContent = dead && which === 0 ? dead : bears ? words(engine._live_sentence(which)) : '';
    $('count' + which).textContent = bears ? `step ${steps(which)}, ${big(engine._live_pairs(which))} pairs` : '';
  }
  tellDefault(rows[2]);
  const now = Date.now(), said = `Step ${steps(0)}. Batches: ${$('verdict0').textContent} distance ${short(engine._live_figure(0, 0))}. All pairs: ${$('verdict1').textContent} distance ${short(engine._live_figure(1, 0))}. Default: ${$('verdict2').textContent} ${$('sentence2').textContent}`;
  if (now - aloudAt > 4000 || !playing) { $('aloud').textContent = said; aloudAt = now; }
  for (const which of [0, 1]) $('view' + which).setAttribute('aria-label', `${S.n} particles at step ${steps(which)}: ${$('verdict' + which).textContent}`);
}
// What a stage does, and its place in the list of stages.
const STAGES = { scout: [0, 'where is the density, how wide is it, how many modes has it?'], temper: [0, 'looks for more modes.'], weigh: [0, 'how much does each mode weigh?'],
  fly: [1, 'particles move by SVGD, in the scout\u2019s frame.'], certify: [2, 'would exact moves (HMC) change the cloud?'],
  settle: [2, 'they would, or more draws are wanted: exact moves (HMC) make the cloud.'], look: [3, 'is there another mode around the cloud?'], verdict: [4, ''] };
function tellDefault(row) {
  const stage = words(engine._live_stage()), [place, question] = STAGES[stage.split(',')[0]] || [4, ''], f = n => engine._live_figure(2, n), cloud = engine._live_has_cloud();
  [...$('stages').children].forEach((one, n) => one.classList.toggle('now', n === place && !lost));
  $('verdict2').textContent = lost ? 'stopped:' : engine._live_over() ? words(engine._live_verdict(2)) + ':' : stage + ':';
  $('sentence2').textContent = lost || (engine._live_over() ? words(engine._live_sentence(2)) : question);
  $('count2').textContent = engine._live_over() ? `${big(engine._live_gradients())} gradients` : `unit ${engine._live_units()}`;
  const cells = [engine._live_units(), '\u2013', ...(cloud ? [short(f(0)), f(4) > f(5) - 0.01 ? short(f(4)) : `${f(4).toFixed(1)} to ${f(5).toFixed(1)}`, short(f(3)), short(f(1))] : Array(4).fill('\u2013'))];
  row.querySelectorAll('td').forEach((cell, n) => { cell.textContent = cells[n]; });
  $('view2').setAttribute('aria-label', `${S.n} particles of the default method: ${$('verdict2').textContent}`);
}
function draw(flocksAlone) {
  drawFlock(0); drawFlock(1); drawFlock(2);
  if (flocksAlone !== true) drawChart(); // it changes with looks, not with steps
  $('clock').textContent = `step ${steps(0)}`;
  $('rewind').max = Math.max(100, furthest); $('rewind').value = steps(0);
}

// -- running

let frames = 0, owed = 0;
function frame() {
  if (!playing) return;
  const began = performance.now(), wanted = [0.1, 0.3, 1, 3, 10, 30, 100][S.speed];
  owed += wanted;
  const count = Math.floor(owed);
  owed -= count;
  for (let n = 0; n < count && performance.now() - began < 14; n++) take(1);
  frameMs = performance.now() - began;
  const looks = frames++ % (S.n > 2000 ? 40 : 8) === 0; // of many particles a look costs as much as several steps
  if (looks) look();
  draw(!looks);
  if (frames % 60 === 0) keepAddress();
  if (dead) pause();
  requestAnimationFrame(frame);
}
function play() { if (dead) return; playing = true; $('play').textContent = 'Pause'; requestAnimationFrame(frame); }
function pause() { playing = false; $('play').textContent = 'Play'; look(); draw(); keepAddress(); }
function restart() { furthest = 0; begin(); look(); draw(); keepAddress(); }
function changed(retarget) {
  S.dim = Math.max(own(), S.dim);
  show();
  if (retarget && !setTarget()) return;
  restart();
}

// -- controls

function show() {
  const near = SIZES.reduce((best, v, n) => (Math.abs(v - S.n) < Math.abs(SIZES[best] - S.n) ? n : best), 0);
  $('target').value = S.t; $('n').value = near; $('n-says').textContent = S.n; $('p').max = Math.max(1, Math.floor(Math.log2(S.n)));
  $('p').value = Math.round(Math.log2(S.p)); $('p-says').textContent = S.p; $('kernel').value = S.kernel; $('h').value = S.h; $('rule').value = S.rule;
  $('eta').value = S.eta; $('seed').value = S.seed; $('dim').value = S.dim; $('dim').min = own(); $('threads').checked = !!S.threads;
  $('wrong').checked = !!S.wrong; $('speed').value = S.speed; $('formula').value = S.f;
  $('row-formula').hidden = S.t !== 'formula'; $('hint-drawn').hidden = S.t !== 'drawn';
  document.body.classList.toggle('drawing', S.t === 'drawn');
  $('name0').textContent = `Random batches of ${S.p}`;
}
const on = (id, event, act) => $(id).addEventListener(event, act);
on('target', 'change', () => { S.t = $('target').value; S.dim = own(); changed(true); });
on('formula', 'change', () => { S.f = $('formula').value; changed(true); });
on('n', 'input', () => { S.n = SIZES[$('n').value]; S.p = Math.min(S.p, 2 ** Math.floor(Math.log2(S.n))); changed(); });
on('p', 'input', () => { S.p = 2 ** $('p').value; changed(); });
on('kernel', 'change', () => { S.kernel = $('kernel').value; changed(); });
on('rule', 'change', () => { S.rule = $('rule').value; changed(); });
on('h', 'change', () => { const v = parseFloat($('h').value); S.h = v > 0 ? String(v) : ''; changed(); });
on('eta', 'change', () => { const v = parseFloat($('eta').value); S.eta = v > 0 ? v : 0.1; changed(); });
on('seed', 'change', () => { S.seed = Math.max(0, Math.round(+$('seed').value || 0)); changed(); });
on('dim', 'change', () => { S.dim = Math.min(50, Math.max(own(), Math.round(+$('dim').value || own()))); changed(); });
on('threads', 'change', () => { S.threads = $('threads').checked ? 1 : 0; draw(); keepAddress(); });
on('wrong', 'change', () => { S.wrong = $('wrong').checked ? 1 : 0; changed(); });
on('speed', 'input', () => { S.speed = +$('speed').value; keepAddress(); });
on('play', 'click', () => (playing ? pause() : play()));
on('step', 'click', () => { if (playing) pause(); take(1); look(); draw(); keepAddress(); });
on('again', 'click', restart);
on('rewind', 'input', () => { if (playing) pause(); goTo(+$('rewind').value); keepAddress(); });
on('clear', 'click', () => { strokes = []; S.d = ''; changed(true); });
on('theme', 'click', () => {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = dark ? 'light' : 'dark';
  image = null; draw();
});
let brush = false;
function paint(event) {
  const box = $('view0').getBoundingClientRect(), u = (event.clientX - box.left) / box.width, v = 1 - (event.clientY - box.top) / box.height;
  if (u < 0 || u > 1 || v < 0 || v > 1) return;
  const x = Math.round(100 * u), y = Math.round(100 * v), last = strokes.length;
  if (last > 1 && Math.hypot(strokes[last - 2] - x, strokes[last - 1] - y) < 2) return;
  if (last < 2400) strokes.push(x, y);
  setTarget(); begin(); draw();
}
on('view0', 'pointerdown', event => { if (S.t === 'drawn') { brush = true; $('view0').setPointerCapture(event.pointerId); paint(event); } });
on('view0', 'pointermove', event => { if (brush) paint(event); });
on('view0', 'pointerup', () => { if (brush) { brush = false; S.d = btoa(String.fromCharCode(...strokes)).replace(/\+/g, '-').replace(/\//g, '_'); changed(true); } });
addEventListener('keydown', event => {
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.tagName === 'BUTTON' && (event.key === ' ' || event.key === 'Enter')) return;
  const acts = { ' ': () => $('play').click(), ArrowRight: () => $('step').click(), ArrowLeft: () => { if (playing) pause(); goTo(Math.max(0, steps(0) - 10)); keepAddress(); },
    r: restart, n: () => { S.seed++; changed(); }, t: () => $('threads').click(), d: () => $('theme').click() };
  const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (act) { event.preventDefault(); act(); }
});
addEventListener('resize', draw);
addEventListener('hashchange', () => { readAddress(); changed(true); if (S.k) goTo(S.k); });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { image = null; draw(); });

// -- taking it along

const settings = () => ({ particles: S.n, batch: S.p, steps: Math.max(1, steps(0)), kernel: S.kernel, bandwidth: S.h || 'median:1000',
  advance: S.rule, 'step-size': S.eta, start: `normal:${startMean()},${startSd()}`, seed: S.seed });
const outside = { line: ['mixture'], mixture: ['mixture', { weights: '1,1,1', means: '-2,-1;2,-1;0,2', sds: '0.6' }], banana: ['banana'], funnel: ['funnel', { dim: 2, width: 1.5 }] };
function asCommand() {
  if (S.wrong) return '# The weight 1/p is only here: it is wrong, and the program does not offer it.';
  if (!outside[S.t] || S.dim > own()) return '# The program does not have this target: use "Copy as Python".';
  const [target, extra = {}] = outside[S.t], options = { ...extra, ...settings() };
  const quoted = v => (/[;]/.test(v) ? `"${v}"` : v);
  return `starling sample ${target} ` + Object.entries(options).map(([name, v]) => `--${name} ${quoted(v)}`).join(' ');
}
function asDefault() {
  if (!outside[S.t] || S.dim > own()) return '# The program does not have this target: use "Copy as Python", without its settings.';
  const [target, extra = {}] = outside[S.t], options = { ...extra, particles: S.n, seed: S.seed };
  return `starling sample ${target} ` + Object.entries(options).map(([name, v]) => `--${name} ${/;/.test(v) ? `"${v}"` : v}`).join(' ');
}
function asPython() {
  if (S.wrong) return '# The weight 1/p is only here: it is wrong, and the package does not offer it.';
  const given = { ...settings() };
  const text = Object.entries(given).map(([name, v]) => `${name.replace('-', '_')}=${typeof v === 'number' ? v : /^[\d.]+$/.test(v) ? v : JSON.stringify(v)}`).join(', ');
  if (outside[S.t] && S.dim === own()) {
    const [target, extra = {}] = outside[S.t], more = Object.entries(extra).map(([name, v]) => `${name}=${typeof v === 'number' ? v : JSON.stringify(v)}, `).join('');
    return `import starling\nresult = starling.sample("${target}", ${more}${text})\nprint(result)\n`;
  }
  const plane = { ring: '-(jnp.hypot(x, y) - 2.5)**2 / (2 * 0.35**2)', banana: '-(x**2 + (y - (x**2 - 1) / 2)**2) / 2', funnel: '-(x / 1.5)**2 / 2 - (y**2 * jnp.exp(-x) + x) / 2',
    line: 'jnp.logaddexp(-(x + 2)**2 / 2, jnp.log(2.0) - (x - 2)**2 / 2)',
    mixture: 'jax.nn.logsumexp(-((x - jnp.array([-2, 2, 0]))**2 + (y - jnp.array([-1, -1, 2]))**2) / 0.72)',
    formula: S.f.replace(/\^/g, '**').replace(/\b(exp|log|sqrt|sin|cos|tanh|abs|logaddexp|pi)\b/g, 'jnp.$1') }[S.t];
  if (!plane) return '# A drawing has no formula: use "Copy link".';
  const rest = S.dim > own() ? ` - jnp.sum(z[${own()}:]**2) / 2` : '';
  return `import jax, jax.numpy as jnp, starling\n\ndef log_density(z):\n    x${own() === 2 ? ', y' : ''} = z[0]${own() === 2 ? ', z[1]' : ''}\n    return ${plane}${rest}\n\nresult = starling.sample(starling.from_jax(log_density, dim=${S.dim}), ${text})\nprint(result)\n`;
}
async function copy(text, what) {
  $('code').hidden = false; $('code').textContent = text;
  try { await navigator.clipboard.writeText(text); $('copied').textContent = `${what} copied.`; } catch { $('copied').textContent = 'Copy it from here:'; }
}
on('default', 'click', () => copy(asDefault(), 'The command is'));
on('command', 'click', () => copy(asCommand(), 'The command is'));
on('python', 'click', () => copy(asPython(), 'The program is'));
on('link', 'click', () => { keepAddress(); copy(location.href, 'The link is'); });

readAddress(); show();
if (setTarget()) { begin(); if (S.k) goTo(S.k); look(); }
draw();
// It flies by itself, unless the address names a step or the reader wants no motion.
if (!S.k && !matchMedia('(prefers-reduced-motion: reduce)').matches) play();
// For tests: the same functions that the buttons call.
window.starlingLive = { state: S, take, look, draw, setMany: n => { many = n; }, goTo, changed, compile, asCommand, asDefault, asPython, steps, over: () => !!over(), stage: () => words(engine._live_stage()), play, pause, playing: () => playing, frameMs: () => frameMs,
  figure: (which, n) => engine._live_figure(which, n), coordinate: (which, id, axis) => engine._live_coordinate(which, id, axis),
  verdict: which => words(engine._live_verdict(which)), pairs: which => engine._live_pairs(which), fault: () => dead };
document.documentElement.dataset.ready = 'yes';
})();
