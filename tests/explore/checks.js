// What axe checks first, computed in the page: contrast, names, roles, ids, headings. Gives a list of complaints. Of reports, which
// nobody operates, only what concerns reading.
(() => {
  const complaints = [];
  const operated = document.getElementById('text') !== null;
  const seen = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility === 'visible' &&
    !element.closest('.hidden, .skip');
  const parse = (text) => {
    const numbers = text.match(/[\d.]+/g).map(Number);
    return {r: numbers[0], g: numbers[1], b: numbers[2], a: numbers.length > 3 ? numbers[3] : 1};
  };
  const over = (top, below) => ({r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a),
    b: top.b * top.a + below.b * (1 - top.a), a: 1});
  const groundOf = (element) => {
    let layers = [];
    for (let at = element; at; at = at.parentElement) { layers.push(parse(getComputedStyle(at).backgroundColor)); }
    return layers.reverse().reduce((below, top) => over(top, below), {r: 255, g: 255, b: 255, a: 1});
  };
  const light = ({r, g, b}) => {
    const part = (value) => { const c = value / 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const name = (element) => (element.getAttribute('aria-label') || (element.getAttribute('aria-labelledby') || '').split(' ')
    .map((id) => (document.getElementById(id) || {}).textContent || '').join(' ') ||
    [...(element.labels || [])].map((label) => label.textContent).join(' ') || element.textContent || '').trim();
  const where = (element) => `${element.tagName.toLowerCase()}${element.id ? '#' + element.id : ''} "${(element.textContent || '').trim().slice(0, 30)}"`;

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || !seen(element) || ['SCRIPT', 'STYLE', 'OPTION'].includes(element.tagName)) { continue; }
    texts += 1;
    if (parseFloat(getComputedStyle(element).fontSize) === 0) { continue; }
    const ground = groundOf(element);
    const ratio = contrast(over(parse(getComputedStyle(element).color), ground), ground);
    if (ratio < 4.5) { complaints.push(`contrast ${ratio.toFixed(2)} of ${where(element)}`); }
    const size = parseFloat(getComputedStyle(element).fontSize);
    if (size < 11.5) { complaints.push(`small letters: ${where(element)}`); }
  }
  if (texts < 40) { complaints.push(`only ${texts} texts were looked at`); }
  const area = document.getElementById('text');
  const bands = [...document.querySelectorAll('#bands div')].map((band) => parse(getComputedStyle(band).backgroundColor));
  for (const ground of operated ? [groundOf(area), ...bands] : []) {
    const ratio = contrast(parse(getComputedStyle(area).color), ground);
    if (ratio < 4.5) { complaints.push(`contrast ${ratio.toFixed(2)} of the recipe's text`); }
  }
  for (const element of document.querySelectorAll('button, select, input, textarea, progress, summary, a[href]')) {
    if (seen(element) && !name(element)) { complaints.push(`no name: ${where(element)}`); }
    if (seen(element) && element.tabIndex < 0 && element.tagName !== 'PROGRESS') { complaints.push(`not reached by keyboard: ${where(element)}`); }
  }
  for (const element of document.querySelectorAll('section')) {
    if (!name(element)) { complaints.push(`a region without a name: ${where(element)}`); }
  }
  for (const each of document.querySelectorAll('[aria-labelledby], [aria-describedby]')) {
    for (const id of `${each.getAttribute('aria-labelledby') || ''} ${each.getAttribute('aria-describedby') || ''}`.trim().split(/\s+/)) {
      if (!document.getElementById(id)) { complaints.push(`no element #${id}`); }
    }
  }
  const ids = [...document.querySelectorAll('[id]')].map((each) => each.id);
  for (const id of ids) { if (ids.indexOf(id) !== ids.lastIndexOf(id)) { complaints.push(`twice: #${id}`); } }
  let level = 0;
  for (const heading of document.querySelectorAll('h1, h2, h3, h4')) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) { complaints.push(`heading of level ${own} after ${level}`); }
    level = own;
  }
  for (const table of document.querySelectorAll('table')) {
    if (operated && (!table.caption || !table.caption.textContent)) { complaints.push(`a table without a caption: ${where(table)}`); }
    if (operated && table.rows.length > 0 && !table.querySelector('th[scope]')) { complaints.push(`a table without headers: ${where(table)}`); }
  }
  if (document.querySelectorAll('main').length !== 1 || document.querySelectorAll('h1').length !== 1) { complaints.push('not one main and one h1'); }
  if (!document.documentElement.lang) { complaints.push('no language'); }
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) {
    const wide = [...document.querySelectorAll('body *')].filter((each) => seen(each) && each.getBoundingClientRect().right > innerWidth + 1).slice(0, 3).map(where);
    complaints.push(`wider than the window: ${wide.join(', ')}`);
  }
  for (const element of document.querySelectorAll('button, h2, label, legend, output, #figures b, .number')) {
    if (seen(element) && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0) { complaints.push(`cut off: ${where(element)}`); }
  }
  for (const section of operated ? document.querySelectorAll('section') : []) {
    const right = section.getBoundingClientRect().right;
    for (const element of section.querySelectorAll('*')) {
      if (seen(element) && !element.closest('.scroll, #editor, pre') && element.getBoundingClientRect().right > right) {
        complaints.push(`outside its section: ${where(element)}`);
      }
    }
  }
  for (const element of document.querySelectorAll('input[type=range]')) {
    if (seen(element) && element.clientWidth < 80) { complaints.push(`too narrow to be moved: ${where(element)}`); }
  }
  return [...new Set(complaints)];
})()
