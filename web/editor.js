/* The editor: a text field over a coloured copy of its text, with errors under their lines. The colours come from the
 * grammar of the other editors. */
'use strict';
function makeEditor(field, copy, notes, grammar) {
  const rules = grammar.patterns.map(p => grammar.repository[p.include.slice(1)])
    .map(r => ({ match: new RegExp(r.match, 'g'), kind: (r.name || r.captures[1].name).split('.')[0], part: !r.name }));
  let errors = [];

  /* The pieces of a line: the rule that matches first has it, of two at one place the one that stands first. */
  function pieces(line) {
    const found = [];
    for (let at = 0; at < line.length;) {
      let best = null, kind = '';
      for (const rule of rules) {
        rule.match.lastIndex = at;
        const hit = rule.match.exec(line);
        if (!hit || !hit[0]) continue;
        if (rule.part) hit.index += hit[0].length - hit[1].length; /* the word alone, without the space before it */
        if (!best || hit.index < best.index) { best = hit; kind = rule.kind; best.word = rule.part ? hit[1] : hit[0]; }
      }
      if (!best) { found.push(['', line.slice(at)]); break; }
      if (best.index > at) found.push(['', line.slice(at, best.index)]);
      found.push([kind, best.word]);
      at = best.index + best.word.length;
    }
    return found;
  }
  const element = (name, kind, text) => { const e = document.createElement(name); e.className = kind; e.textContent = text; return e; };

  function colour() {
    const lines = field.value.split('\n');
    copy.replaceChildren(...lines.map(line => {
      const row = element('div', '', '');
      row.append(...pieces(line).map(([kind, text]) => kind ? element('span', kind, text) : text), line ? '' : '\u200b');
      return row;
    }));
    field.style.height = copy.offsetHeight + 'px';
    field.style.width = Math.max(copy.scrollWidth, copy.parentElement.clientWidth) + 'px';
    place();
  }
  /* Each error below its line: where it points to, but right of what the next line has, if there is room. */
  function place() {
    const lines = field.value.split('\n'), height = copy.firstChild.offsetHeight, letter = measure(), caret = caretLine();
    notes.replaceChildren(...errors.filter(e => e.line >= 1 && e.line <= lines.length).flatMap(e => {
      const mark = element('div', 'mark ' + e.severity, ''), note = element('div', 'said ' + e.severity, e.message);
      const below = (lines[e.line] || '').length, column = Math.max(e.column - 1, 0), room = copy.parentElement.clientWidth / letter - e.message.length - 2;
      const left = below > column && below + 1 < room ? below + 1 : Math.min(column, Math.max(room, 0));
      mark.style.cssText = `left:${column * letter}px;top:${(e.line - 1) * height}px;height:${height}px;width:${(e.length || 1) * letter}px`;
      note.style.cssText = `left:${left * letter}px;top:${e.line * height}px`;
      note.dataset.line = e.line;
      note.hidden = caret === e.line && left <= below; /* who writes there sees what is written; the list below has it */
      return [mark, note];
    }));
  }
  function measure() { const probe = element('span', '', 'm'.repeat(50)); copy.append(probe); const width = probe.getBoundingClientRect().width / 50; probe.remove(); return width; }
  const caretLine = () => document.activeElement === field ? field.value.slice(0, field.selectionStart).split('\n').length - 1 : -1;

  field.addEventListener('input', () => { errors = []; colour(); });
  document.addEventListener('selectionchange', () => { if (errors.length) place(); });
  addEventListener('resize', colour);
  return {
    get text() { return field.value; },
    set text(text) { field.value = text; errors = []; field.setSelectionRange(0, 0); colour(); },
    set errors(list) { errors = list; place(); },
    goTo(line, column) {
      const at = field.value.split('\n').slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0) + Math.max(column - 1, 0);
      field.focus();
      field.setSelectionRange(at, at);
    },
  };
}
