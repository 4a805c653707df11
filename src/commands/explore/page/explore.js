'use strict';
// The page of `epwise explore`: draws what the server says about the text, and sends what the user changes. It decides nothing.
const token = new URLSearchParams(location.search).get('token') || '';
const $ = (id) => document.getElementById(id);
const typingPause = 150, movesPause = 100, tablePause = 700, pollPause = 200;  // ms

let start = {};       // of the server: path, text, hardware, titles of terms
let before = null;    // the prediction to compare with
let now = null;       // the last answer
let asked = 0;        // number of the last request for an answer
let wish = {hw: '', gpus: 0};  // of the target, where its controls were moved
let timer = 0, movesTimer = 0, tableTimer = 0;
let marks = [];       // findings with a line
let offers = new Map();   // by finding: the title of the fix that resolves it, or null
let refused = new Map();  // by control: why a move is refused, by move
let searched = null;  // what the last search of plans found, in words; null: none, or one that runs

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === 'style') { Object.assign(element.style, value); }
    else if (name === 'on') { for (const [event, act] of Object.entries(value)) { element.addEventListener(event, act); } }
    else if (name === 'class') { element.className = value; }
    else if (value !== null && value !== undefined) { element.setAttribute(name, value); }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

async function ask(path, body) {
  const answer = await fetch(path, {method: 'POST', headers: {'Content-Type': 'application/json', 'X-Epwise-Token': token},
    body: JSON.stringify(body || {})});
  if ((answer.headers.get('Content-Type') || '').startsWith('text/html')) { return {html: await answer.text()}; }
  const json = await answer.json();
  json.milliseconds = Number((answer.headers.get('Server-Timing') || '').split('dur=')[1] || 0);
  return json;
}

function tell(problem) {
  $('problem').textContent = problem || '';
  $('problem').hidden = !problem;
}

const state = () => ({text: $('text').value, hw: wish.hw, gpus: wish.gpus});

// Numbers as people read them.
const digits = (value, most) => Number(value.toPrecision(most)).toLocaleString('en-US', {maximumFractionDigits: 6, useGrouping: false});
function seconds(value) {
  const size = Math.abs(value);
  if (size >= 1 || size === 0) { return digits(value, 3) + ' s'; }
  return size >= 1e-3 ? digits(value * 1e3, 3) + ' ms' : digits(value * 1e6, 3) + ' µs';
}
const gib = (value) => digits(value, 3) + ' GiB';
const range = (text, low, high) => `${text(low)} to ${text(high)}`;

// --- The text ---------------------------------------------------------------------------------------------------------

// Replaces what differs, so that the browser can undo it.
function replaceText(text) {
  const area = $('text'), old = area.value;
  if (text === old) { return; }
  let from = 0, rest = 0;
  while (from < old.length && from < text.length && old[from] === text[from]) { from += 1; }
  while (rest < old.length - from && rest < text.length - from &&
    old[old.length - 1 - rest] === text[text.length - 1 - rest]) { rest += 1; }
  const focused = document.activeElement, top = area.scrollTop;
  area.focus({preventScroll: true});
  area.setSelectionRange(from, old.length - rest);
  const inserted = text.slice(from, text.length - rest);
  const done = document.execCommand(inserted ? 'insertText' : 'delete', false, inserted);
  if (!done || area.value !== text) { area.value = text; }
  area.setSelectionRange(from, from);
  area.scrollTop = top;
  if (focused && focused !== area && focused !== document.body) { focused.focus({preventScroll: true}); }
  look();
}

function goToLine(line) {
  const area = $('text'), lines = area.value.split('\n');
  const at = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  area.focus();
  area.setSelectionRange(at, at + (lines[line - 1] || '').length);
  area.scrollTop = Math.max(0, (line - 1) * lineHeight() - area.clientHeight / 3);
  drawMarks();
}

const lineHeight = () => parseFloat(getComputedStyle($('text')).lineHeight);

function drawMarks() {
  const area = $('text'), height = lineHeight();
  const count = area.value.split('\n').length;
  const worst = new Map();
  const order = ['note', 'warning', 'error'];
  for (const mark of marks) {
    if (order.indexOf(mark.severity) >= order.indexOf(worst.get(mark.line) || '')) { worst.set(mark.line, mark.severity); }
  }
  const sign = {error: '●', warning: '▲', note: '◆'};
  const numbers = [];
  for (let line = 1; line <= count; line += 1) {
    const severity = worst.get(line);
    numbers.push(severity ? make('b', {class: severity}, `${sign[severity]} ${line}\n`) : `${line}\n`);
  }
  $('numbers').replaceChildren(...numbers);
  $('bands').replaceChildren(...[...worst].map(([line, severity]) =>
    make('div', {class: severity, style: {top: `calc(.5rem + ${(line - 1) * height}px)`}})));
  follow();
}

function follow() {
  const shift = `translateY(${-$('text').scrollTop}px)`;
  $('numbers').style.transform = shift;
  $('bands').style.transform = shift;
}

// --- Fixes ------------------------------------------------------------------------------------------------------------

const isFixable = (finding) => finding.fixes.some((fix) => fix.edits.length > 0);
const offerKey = (finding) => JSON.stringify([finding.code, finding.message, finding.fixes]);

// Only for a fix that is known to resolve the finding.
function fixButton(finding) {
  const title = offers.get(offerKey(finding));
  return title ? make('button', {type: 'button', class: 'fix', on: {click: () => change('/api/fix', {finding: finding.number})}}, `Fix: ${title}`) : '';
}

// Asks for each finding of the last answer whether a fix resolves it, one after another, until the text changes.
async function checkFixes(own) {
  const known = new Map();
  for (const [number, finding] of now.lint.files[0].findings.entries()) {
    if (!isFixable(finding)) { continue; }
    const answer = await ask('/api/offer', {...now.sent, finding: number});
    if (own !== asked) { return; }
    known.set(offerKey(finding), answer.title || null);
    offers.set(offerKey(finding), answer.title || null);
    const place = document.querySelector(`#findings [data-finding="${number}"]`);
    if (place && !!place.firstElementChild !== !!answer.title) { place.replaceChildren(fixButton({...finding, number})); }
  }
  offers = known;
  document.body.dataset.offers = String(own);
}

// --- Findings ---------------------------------------------------------------------------------------------------------

function drawFindings(lint) {
  const file = lint.files[0];
  const findings = file.findings.map((finding, number) => ({...finding, number}));
  marks = findings.filter((finding) => finding.line && finding.path === file.path);
  const rank = {error: 0, warning: 1, note: 2};
  findings.sort((a, b) => rank[a.severity] - rank[b.severity] || (a.line || 0) - (b.line || 0));
  $('findings').replaceChildren(...findings.map((finding) => make('li', {class: finding.severity},
    make('span', {class: 'kind'}, `${finding.severity} ${finding.code}`), ' ', finding.message,
    make('div', {class: 'row'},
      finding.line && finding.path === file.path
        ? make('button', {type: 'button', on: {click: () => goToLine(finding.line)}}, `Line ${finding.line}`) : null,
      make('span', {'data-finding': finding.number}, fixButton(finding))))));
  const counts = ['error', 'warning', 'note'].map((name) => {
    const count = findings.filter((finding) => finding.severity === name).length;
    return count ? `${count} ${name}${count > 1 ? 's' : ''}` : '';
  }).filter(Boolean).join(', ') || 'no findings';
  const words = {starts: 'starts', rejects: 'would not start', undecided: 'launch undecided'};
  const verdict = file.readable ? words[file.launch.verdict] || file.launch.verdict : 'not a readable recipe';
  const needs = file.launch.needs.length ? ` (unknown: ${file.launch.needs.join(', ')})` : '';
  $('verdict').textContent = `${verdict}${needs}; ${counts}`;
  $('verdict').className = file.readable && file.launch.verdict === 'starts' ? 'fine' : file.launch.verdict === 'undecided' ? '' : 'bad';
  drawMarks();
}

// --- Settings ---------------------------------------------------------------------------------------------------------

const groups = [['dispatcher', 'Dispatcher'], ['overlap', 'Overlap'], ['graphs', 'CUDA graphs'], ['recompute', 'Recompute'],
  ['mapping', 'Parallel layout'], ['batch', 'Batch'], ['memory', 'Memory'], ['kernels', 'Kernels'], ['precision', 'Precision']];

function drawTarget(target) {
  $('target').textContent = target.text ? `on ${target.text}` : 'no target: choose a GPU and a number of GPUs';
  if (target.hw && ![...$('hw').options].some((each) => each.value === target.hw)) {
    $('hw').append(make('option', {value: target.hw}, target.hw));  // a profile of the user's own
  }
  if (document.activeElement !== $('hw')) { $('hw').value = target.hw || ''; }
  if (document.activeElement !== $('gpus')) { $('gpus').value = target.gpus || ''; }
  if (document.activeElement !== $('gpus-slider')) { $('gpus-slider').value = Math.round(Math.log2(target.gpus || 1)); }
  $('gpus-slider').setAttribute('aria-valuetext', target.gpus ? `${target.gpus} GPUs` : 'not set');
}

const title = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const moveTitle = (move) => move.replaceAll('_', ' ');

// Why moves are not offered, by reason.
function reasons(control) {
  const byWhy = new Map();
  for (const [move, why] of refused.get(control.axis) || []) { byWhy.set(why, [...(byWhy.get(why) || []), moveTitle(move)]); }
  const count = [...byWhy.values()].reduce((sum, moves) => sum + moves.length, 0);
  return count ? make('details', {class: 'reasons', 'data-axis': control.axis}, make('summary', {}, `${count} not valid here`),
    make('ul', {}, ...[...byWhy].map(([why, moves]) => make('li', {}, `${moves.join(', ')}: ${why}`)))) : null;
}

function slider(control) {
  const id = `axis-${control.axis}`;
  const no = refused.get(control.axis) || new Map();
  control = {...control, moves: control.moves.filter((move) => move === control.present || !no.has(move))};
  const at = control.moves.indexOf(control.present);
  const output = make('output', {for: id}, control.present || 'as written');
  const input = make('input', {id, type: 'range', min: 0, max: control.moves.length - 1, step: 1,
    'aria-valuetext': control.present || 'as written'});
  input.value = Math.max(at, 0);
  input.disabled = control.moves.length < 2 && at >= 0;
  input.addEventListener('input', () => {
    output.textContent = control.moves[input.value];
    input.setAttribute('aria-valuetext', control.moves[input.value]);
  });
  input.addEventListener('change', () => change('/api/set', {axis: control.axis, move: control.moves[input.value]}));
  return make('div', {class: 'control'}, make('label', {for: id}, title(control.title)), make('div', {class: 'pair'}, input, output), reasons(control));
}

function menu(control) {
  const id = `axis-${control.axis}`;
  const no = refused.get(control.axis) || new Map();
  const select = make('select', {id}, control.present ? null : make('option', {value: ''}, 'as written'),
    ...control.moves.map((move) => make('option', {value: move, title: no.get(move), disabled: no.has(move) && move !== control.present ? '' : null}, moveTitle(move))));
  select.value = control.present || '';
  select.addEventListener('change', () => {
    if (select.value) { change('/api/set', {axis: control.axis, move: select.value}); }
  });
  return make('div', {class: 'control'}, make('label', {for: id}, title(control.title)), select, reasons(control));
}

async function judgeMoves(own) {
  const answer = await ask('/api/moves', now.sent);
  if (own !== asked || !answer.controls) { return; }
  refused = new Map(answer.controls.map((control) => [control.axis, new Map(control.refused.map((each) => [each.move, each.why]))]));
  drawControls(answer.controls);
  document.body.dataset.moves = String(own);
}

function drawControls(controls) {
  const focused = document.activeElement && document.activeElement.id;
  const unfolded = new Set([...document.querySelectorAll('#axes details.reasons')].filter((each) => each.open).map((each) => each.dataset.axis));
  const open = [...document.querySelectorAll('#axes details.rare')].some((each) => each.open);
  const sets = groups.map(([group, name]) => {
    const own = controls.filter((control) => control.group === group);
    return own.length ? [group, make('fieldset', {}, make('legend', {}, name),
      ...own.map((control) => (control.kind === 'slider' ? slider(control) : menu(control))))] : null;
  }).filter(Boolean);
  const rare = sets.filter(([group]) => ['memory', 'kernels', 'precision'].includes(group)).map(([, set]) => set);
  const more = rare.length ? make('details', {class: 'rare'}, make('summary', {}, 'Memory, kernels, precision'), ...rare) : null;
  if (more) { more.open = open; }
  $('axes').replaceChildren(...sets.map(([, set]) => set).filter((set) => !rare.includes(set)), ...(more ? [more] : []));
  for (const each of document.querySelectorAll('#axes details.reasons')) { each.open = unfolded.has(each.dataset.axis); }
  if (focused && focused.startsWith('axis-') && $(focused)) { $(focused).focus({preventScroll: true}); }
}

// --- Step and memory --------------------------------------------------------------------------------------------------

const prediction = (simulate) => (simulate && simulate.files[0].step_time_s ? simulate.files[0] : null);
const colour = (name) => `var(--${name})`;

function figure(name, value, more, change, betterIfLess) {
  let changed = null;
  if (change && Math.abs(change - 1) >= 0.0005) {
    const better = (change < 1) === betterIfLess;
    changed = make('span', {class: better ? 'better' : 'worse'}, `${change > 1 ? '+' : '−'}${Math.abs(100 * (change - 1)).toFixed(1)} % against before`);
  }
  return make('div', {}, make('span', {}, name), make('b', {}, value), make('span', {}, more), changed);
}

function bar(name, value, widest, className) {
  return make('div', {class: `bar ${className}${value ? '' : ' none'}`,
    style: {width: `${Math.min(100, 100 * Math.abs(value) / widest)}%`, background: colour(name)}});
}

function drawStep(simulate) {
  const file = prediction(simulate);
  $('step-legend').hidden = !file;
  if (!file) {
    const missing = (simulate && simulate.files[0].missing) || [];
    $('step-note').textContent = 'No prediction: ' + (missing.map((each) => each.message + (each.help ? `; ${each.help}` : '')).join('. ') ||
      'the text is not a recipe');
    $('figures').replaceChildren();
    $('waterfall').replaceChildren($('waterfall').caption);
    $('stages').replaceChildren($('stages').caption);
    $('memory-note').textContent = '';
    $('memory-legend').replaceChildren();
    return;
  }
  const old = before || file;
  const tokens = (value) => digits(value, 4);
  $('figures').replaceChildren(
    figure('step time', seconds(file.step_time_s.value), range(seconds, file.step_time_s.low, file.step_time_s.high),
      file.step_time_s.value / old.step_time_s.value, true),
    figure('tokens/s/GPU', tokens(file.tokens_per_s_per_gpu.value), range(tokens, file.tokens_per_s_per_gpu.low, file.tokens_per_s_per_gpu.high),
      file.tokens_per_s_per_gpu.value / old.tokens_per_s_per_gpu.value, false),
    figure('TFLOP/s/GPU', digits(file.tflops_per_gpu.value, 3), file.mfu ? `MFU ${(100 * file.mfu.value).toFixed(1)} %` : '', 0, false));
  const terms = file.breakdown.map((term) => ({...term,
    old: (old.breakdown.find((each) => each.name === term.name) || {seconds: 0}).seconds}));
  const widest = Math.max(...terms.map((term) => Math.max(Math.abs(term.seconds), Math.abs(term.old))));
  const row = (name, graph, a, b, tag) => make('tr', {}, make('th', {scope: 'row'}, name), make(tag, {class: 'graph'}, ...graph),
    make('td', {class: 'number'}, a), make('td', {class: 'number'}, b));
  $('waterfall').replaceChildren($('waterfall').caption,
    make('thead', {}, make('tr', {}, make('th', {scope: 'col'}, 'what'), make('td', {}), make('th', {scope: 'col', class: 'number'}, 'before'),
      make('th', {scope: 'col', class: 'number'}, 'now'))),
    make('tbody', {}, ...terms.filter((term) => term.seconds || term.old).map((term) => {
      const line = row(start.terms[term.name] || term.name, [bar(term.name, term.old, widest, 'pale'), bar(term.name, term.seconds, widest, '')],
        seconds(term.old), seconds(term.seconds), 'td');
      line.dataset.term = term.name;
      return line;
    })),
    make('tfoot', {}, row('step', [], seconds(old.step_time_s.value), seconds(file.step_time_s.value), 'td')));
  const assumed = file.inputs.list.filter((each) => each.status === 'assumed').map((each) => each.name);
  $('step-note').textContent = (file.lint_errors ? 'Lint finds errors: the recipe would not run as written. ' : '') +
    'Intervals are 80 %.' + (assumed.length ? ` Assumed: ${assumed.join(', ')}.` : '');
  drawMemory(file);
}

const classes = [['weights', 'weights_gib', 'weights'], ['gradients', 'gradients_gib', 'gradients'], ['states', 'optimizer_gib', 'optimizer states'],
  ['activations', 'activations_gib', 'activations'], ['loss', 'loss_gib', 'logits and loss'], ['transient', 'transient_gib', 'transient'],
  ['graphs', 'graphs_gib', 'CUDA graphs'], ['buffers', 'buffers_gib', 'dispatcher buffers'],
  ['context', 'context_gib', 'fragments, context, communicators']];

function drawMemory(file) {
  const memory = file.memory, limit = memory.limit_gib || 0;
  const stages = memory.stages.map((stage, number) => {
    const known = classes.reduce((sum, [, key]) => sum + (stage[key] || 0), 0);
    return {...stage, needed: now.needed_gib[number], context_gib: Math.max(0, now.needed_gib[number] - known)};
  });
  const widest = 1.05 * Math.max(limit, ...stages.map((stage) => stage.needed));
  $('memory-note').textContent = `The fullest GPU needs ${gib(memory.needed_gib.value)} (${range(gib, memory.needed_gib.low, memory.needed_gib.high)})` +
    (limit ? ` of ${gib(limit)}; ${Math.round(100 * memory.out_of_memory)} % probability of running out.` : '.');
  $('memory-note').className = memory.out_of_memory > 0.5 ? 'soft worse' : 'soft';
  $('memory-legend').replaceChildren(...classes.filter(([, key]) => stages.some((stage) => stage[key] > 0.001 * widest))
    .map(([name, , text]) => make('span', {}, make('i', {style: {background: colour(name)}}), text)),
  limit ? make('span', {}, make('i', {class: 'line'}), 'the GPU’s limit') : '');
  $('stages').replaceChildren($('stages').caption,
    make('thead', {}, make('tr', {}, make('th', {scope: 'col'}, 'stage'), make('td', {}), make('th', {scope: 'col', class: 'number'}, 'needed'))),
    make('tbody', {}, ...stages.map((stage, number) => {
      let left = 0;
      const stack = make('div', {class: 'stack'});
      for (const [name, key] of classes) {
        const width = 100 * (stage[key] || 0) / widest;
        if (width > 0) { stack.append(make('i', {style: {left: `${left}%`, width: `${width}%`, background: colour(name)}})); }
        left += width;
      }
      if (limit) { stack.append(make('i', {class: 'limit', style: {left: `${100 * limit / widest}%`}})); }
      return make('tr', {}, make('th', {scope: 'row'}, String(number)), make('td', {class: 'graph'}, stack),
        make('td', {class: limit && stage.needed > limit ? 'number worse' : 'number'}, gib(stage.needed)));
    })));
}

// --- Dispatchers and plans --------------------------------------------------------------------------------------------

function drawDispatchers(advice) {
  const which = advice.which;
  $('dispatch-note').textContent = which && which.dispatcher ? `${which.dispatcher}: ${which.because}` : which ? which.because : '';
  const chosen = which ? which.dispatcher : '';
  $('dispatchers').replaceChildren($('dispatchers').caption,
    make('thead', {}, make('tr', {}, ...['dispatcher', 'step', 'memory', 'SMs', ''].map((name, number) =>
      name ? make('th', {scope: 'col', class: number > 0 && number < 4 ? 'number' : ''}, name) : make('td', {})))),
    make('tbody', {}, ...(advice.dispatchers || []).map((row) => make('tr', {class: row.name === chosen ? 'chosen' : ''},
      make('th', {scope: 'row'}, row.name + (row.present ? ' (now)' : '')),
      make('td', {class: 'number'}, row.step_time_s ? seconds(row.step_time_s.value) : ''),
      make('td', {class: row.memory && !row.memory.fits ? 'number worse' : 'number'}, row.memory ? gib(row.memory.needed_gib) : ''),
      make('td', {class: 'number'}, row.step_time_s ? String(row.sms) : ''),
      make('td', {class: 'why'}, row.legal ? (row.tie && row.rank > 1 ? 'too close to the first to call. ' : '') + (row.guidance || '')
        : `not valid: ${row.reason}${row.code ? ` (${row.code})` : ''}`)))));
}

const changeText = (each) => (each.to === null ? `remove ${each.field}`
  : each.from === null ? `add ${each.field}: ${each.to}` : `${each.field}: ${each.from} → ${each.to}`);
const changeItem = (each) => make('li', {}, make('code', {}, changeText(each)));

// What the search changed before it looked for plans, and the errors that it left.
function drawRepairs(advice) {
  const left = advice.errors_left || [];
  $('fixed').replaceChildren(...(advice.repairs.length ? [
    make('p', {}, make('strong', {}, 'Fixed first: '), 'lint finds errors. Plans and their factors refer to the recipe with these fixes' +
      (advice.step_time_s ? `, whose step takes ${seconds(advice.step_time_s.value)}` : '') + '; a plan that is applied makes them too.'),
    make('ul', {}, ...advice.repairs.flatMap((repair) => repair.changes.map((each) =>
      make('li', {}, make('code', {}, changeText(each)), ` (${repair.rule})`))))] : []),
  ...(left.length ? [make('p', {}, `Errors that no fix of lint settles: ${left.join(', ')}. A plan that settles one says so.`)] : []));
}

function planItem(plan, number, close) {
  const speed = plan.speedup, written = plan.diff && !plan.obstacle;
  const lines = (plan.diff || '').split('\n').map((line) => make('span', {class: line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : ''}, line + '\n'));
  const variables = Object.entries(plan.environment);
  return make('li', {}, make('div', {class: 'row'},
    make('strong', {}, `${number + 1}. ${plan.means ? plan.means + ': ' : ''}${close ? 'too close to call: ' : ''}${digits(speed.value, 3)} times as fast (${digits(speed.low, 3)} to ${digits(speed.high, 3)})`),
    written ? make('button', {type: 'button', class: 'apply', 'aria-label': `Apply plan ${number + 1}`, on: {click: () => change('/api/plan', {plan: number})}}, 'Apply') : null),
  plan.obstacle ? make('p', {class: 'obstacle'}, `The changes cannot be written into this text: ${plan.obstacle}.`) : null,
  make('ul', {}, ...plan.changes.map(changeItem)),
  plan.settles ? make('p', {class: 'soft'}, `Settles ${plan.settles.join(', ')}.`) : null,
  variables.length ? make('p', {class: 'soft'}, 'Variables of the launch: ',
    make('code', {class: 'environment'}, variables.map(([name, value]) => `${name}=${value}`).join(' ')), written ? '; the text does not contain them.' : '') : null,
  make('p', {class: 'soft'}, `step ${seconds(plan.step_time_s.value)}, memory ${gib(plan.memory.needed_gib)}, risk ${plan.risk.level}` +
    (plan.risk.because.length ? `: ${plan.risk.because.join('; ')}` : '')),
  plan.bring_up.length ? make('details', {class: 'steps'}, make('summary', {}, 'Bring-up, in this order'),
    make('ol', {}, ...plan.bring_up.map((each) => make('li', {}, each.what, ...(each.check ? [': check ', each.check] : []))))) : null,
  lines.length > 1 ? make('details', {}, make('summary', {}, 'Patch'), make('pre', {tabindex: 0, 'aria-label': `Patch of plan ${number + 1}`}, ...lines)) : null);
}

function drawPlans(advice) {
  const plans = [...(advice.plans || []), ...(advice.too_close || [])];
  const missing = (advice.missing || []).map((each) => each.message).join('. ');
  searched = missing ? `No advice: ${missing}` : plans.length
    ? `${advice.wall ? `${advice.wall.name} limits the step. ` : ''}${advice.search.looked_at} combinations were compared.`
    : 'Nothing that may change is clearly better.';
  drawRepairs(advice);
  $('plans').replaceChildren(...plans.map((plan, number) => planItem(plan, number, number >= (advice.plans || []).length)));
  $('advice-report').hidden = !!missing;
  markPlans(null);
}

// Plans are for the text and the target that were searched: the server says whether the page has others now.
function markPlans(outdated) {
  if (searched === null) { return; }
  $('search-note').textContent = outdated ? `Outdated: ${outdated}.` : searched;
  $('advice').classList.toggle('outdated', !!outdated);
  for (const button of document.querySelectorAll('#plans .apply, #advice-report')) { button.disabled = !!outdated; }
}

async function poll(what, show) {
  for (;;) {
    const answer = await ask('/api/progress', {what});
    show(answer);
    if (answer.state !== 'running') { return answer; }
    await new Promise((wake) => setTimeout(wake, pollPause));
  }
}

let tables = 0;  // number of the last comparison of dispatchers
async function compareDispatchers() {
  const own = ++tables;
  const answer = await ask('/api/search', {...state(), what: 'dispatchers'});
  if (answer.problem) { $('dispatch-note').textContent = answer.problem; return; }
  const last = await poll('dispatchers', () => {});
  if (own !== tables) { return; }
  if (last.advice) { drawDispatchers(last.advice); }
  else if (last.problem) {
    $('dispatch-note').textContent = last.problem;
    $('dispatchers').replaceChildren($('dispatchers').caption);
  }
}

async function searchPlans() {
  $('search').hidden = true;
  $('cancel').hidden = false;
  $('progress').hidden = false;
  $('progress').removeAttribute('value');
  $('cancel').focus({preventScroll: true});
  $('search-note').textContent = 'Searching…';
  searched = null;
  $('plans').replaceChildren();
  $('fixed').replaceChildren();
  try {
    const first = await ask('/api/search', {...state(), what: 'plans'});
    const last = first.problem ? first : await poll('plans', (answer) => {
      if (answer.planned) { $('progress').max = Math.max(answer.planned, answer.done); $('progress').value = answer.done; }
      if (answer.done) { $('search-note').textContent = `Searching: ${answer.done} of up to ${Math.max(answer.planned, answer.done)} combinations.`; }
    });
    if (last.advice) {
      drawPlans(last.advice);
      look();  // the text may have changed meanwhile
    } else { $('search-note').textContent = last.state === 'cancelled' ? 'Cancelled.' : last.problem || 'No result.'; }
  } finally {
    const focused = document.activeElement === $('cancel');
    $('cancel').hidden = $('progress').hidden = true;
    $('search').hidden = false;
    if (focused) { $('search').focus({preventScroll: true}); }
  }
}

// --- Requests ---------------------------------------------------------------------------------------------------------

async function look() {
  clearTimeout(timer);
  clearTimeout(movesTimer);
  clearTimeout(tableTimer);
  const own = ++asked, sent = state();
  let answer;
  try {
    answer = await ask('/api/look', sent);
  } catch {
    if (own === asked) { tell('`epwise explore` does not answer: it was ended, or the tunnel is closed.'); }
    return;
  }
  if (own !== asked) { return; }  // the text has changed since
  tell(answer.problem);
  if (answer.problem) { return; }
  now = {...answer, sent};
  drawFindings(answer.lint);
  drawTarget(answer.target);
  if (!before && prediction(answer.simulate)) { before = prediction(answer.simulate); }
  drawStep(answer.simulate);
  if (answer.controls) { drawControls(answer.controls); }
  markPlans(answer.outdated);
  document.body.dataset.answers = String(own);
  document.body.dataset.milliseconds = String(answer.milliseconds);
  movesTimer = setTimeout(() => judgeMoves(own).then(() => (own === asked ? checkFixes(own) : null)).catch(() => {}), movesPause);
  tableTimer = setTimeout(() => compareDispatchers().catch(() => {}), tablePause);
}

async function change(path, body) {
  const answer = await ask(path, {...state(), ...body});
  tell(answer.problem);
  const also = (answer.with || []).filter((field, at, all) => all.indexOf(field) === at);
  $('also').textContent = also.length ? `Also set, because the change needs it: ${also.join(', ')}.` : '';
  if (answer.text !== undefined) { replaceText(answer.text); }
  else { look(); tell(answer.problem); }
}

function download(name, type, content) {
  const link = make('a', {href: URL.createObjectURL(new Blob([content], {type})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function downloadReport(kind) {
  const answer = await ask('/api/report', {...state(), kind});
  tell(answer.problem);
  if (answer.html) { download(`${baseName().replace(/\.ya?ml$/, '')}-${kind}.html`, 'text/html', answer.html); }
}

const baseName = () => start.path.split('/').pop() || 'recipe.yaml';

function setTarget() {
  wish = {hw: $('hw').value || '', gpus: Math.min(Math.max(Math.trunc(Number($('gpus').value)) || 0, 0), 1000000)};
  look();
}

async function begin() {
  start = await ask('/api/start');
  if (start.problem) { tell(start.problem); return; }
  $('name').textContent = start.path;
  document.title = `${baseName()} - epwise explore`;
  $('hw').replaceChildren(make('option', {value: ''}, 'not chosen'),
    ...start.hardware.map((each) => make('option', {value: each.name}, each.title)));
  $('text').value = start.text;
  $('text').addEventListener('input', () => {
    drawMarks();
    clearTimeout(timer);
    timer = setTimeout(look, typingPause);
  });
  $('text').addEventListener('scroll', follow);
  window.addEventListener('resize', drawMarks);
  $('controls').addEventListener('submit', (event) => event.preventDefault());
  $('hw').addEventListener('change', setTarget);
  $('gpus').addEventListener('change', setTarget);
  $('gpus-slider').addEventListener('input', () => { $('gpus').value = 2 ** Number($('gpus-slider').value); });
  $('gpus-slider').addEventListener('change', setTarget);
  $('mark').addEventListener('click', () => { before = prediction(now && now.simulate) || before; drawStep(now.simulate); });
  $('search').addEventListener('click', () => searchPlans().catch((error) => tell(error.message)));
  $('cancel').addEventListener('click', () => ask('/api/cancel', {what: 'plans'}));
  $('save').addEventListener('click', () => download(baseName(), 'application/yaml', $('text').value));
  $('report').addEventListener('click', () => downloadReport('simulate'));
  $('advice-report').addEventListener('click', () => downloadReport('advise'));
  await look();
}

begin().catch((error) => tell(error.message));
