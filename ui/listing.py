"""How a file's lines are drawn inside a component: numbered, some highlighted, copied without numbers.

JS defines listing(host, file, rows, onLine), which draws once for each file and gives back
{ highlight(lines, quietly) }; text is only ever set as textContent.
"""

CSS = """
.listing { overflow: auto; max-height: var(--listing-height, 26rem); border: 1px solid var(--st-border-color);
  border-radius: 6px; background: var(--st-background-color); scrollbar-width: thin; }
.listing:focus-visible { outline: 3px solid var(--mark-accent); outline-offset: 1px; }
.listing pre { margin: 0; padding: .4rem 0; min-width: max-content; font: .8rem/1.6 var(--st-code-font);
  color: var(--st-text-color); tab-size: 4; }
.row { display: block; padding-right: 1rem; border-left: 4px solid transparent; scroll-margin: 4rem; }
.row .n { display: inline-block; width: 3.2rem; padding: 0 .9rem 0 0; margin: 0; border: 0; background: none;
  font: inherit; color: var(--mark-norm); text-align: right; user-select: none; -webkit-user-select: none; }
.row .n::before { content: attr(data-n); }
button.n { cursor: pointer; }
button.n:focus-visible { outline: 3px solid var(--mark-accent); outline-offset: -3px; }
.row.on { border-left-color: var(--mark-accent);
  background: color-mix(in srgb, var(--mark-accent) 11%, var(--st-background-color)); }
.row.on .n { color: var(--st-text-color); font-weight: 600; }
.clickable .row:hover { background: var(--st-secondary-background-color); cursor: pointer; }
.clickable .row.on:hover {
  background: color-mix(in srgb, var(--mark-accent) 17%, var(--st-background-color)); }
.row .k, .row .d { font-weight: 650; }
.row .d { text-decoration: underline 1px var(--mark-norm); text-underline-offset: .2em; }
.row .c, .row .t { color: color-mix(in srgb, var(--mark-norm) 88%, var(--st-text-color)); }
.row .c { font-style: italic; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .8rem; min-height: 2.75rem; margin-bottom: .3rem;
  font: .9rem/1.3 var(--st-font); color: var(--st-text-color); }
.bar b { font: 600 .9rem var(--st-code-font); }
.bar .where { flex: 1 1 8rem; color: var(--mark-norm); }
.bar button { min-height: 2.75rem; min-width: 2.75rem; padding: 0 .9rem; font: inherit; color: inherit;
  background: none; border: 1px solid var(--st-border-color); border-radius: 6px; cursor: pointer; }
.bar button:focus-visible { outline: 3px solid var(--mark-accent); outline-offset: 1px; }
"""

JS = """
function listing(host, file, rows, onLine) {
  let pre = host.querySelector("pre");
  const signature = file + rows.length + (onLine ? "!" : "");
  if (!pre || pre.dataset.signature !== signature) {
    pre = document.createElement("pre");
    pre.dataset.signature = signature;
    rows.forEach((pieces, index) => {
      const row = document.createElement("span"), number = document.createElement(onLine ? "button" : "span");
      row.className = "row";
      row.dataset.line = index + 1;
      number.className = "n";
      number.dataset.n = index + 1;
      if (onLine) { number.type = "button"; number.tabIndex = -1; number.ariaLabel = "Line " + (index + 1); }
      row.append(number);
      for (const [kind, text] of pieces) {
        const piece = document.createElement("span");
        if (kind) piece.className = kind;
        piece.textContent = text;
        row.append(piece);
      }
      row.append("\\n");
      pre.append(row);
    });
    host.classList.toggle("clickable", Boolean(onLine));
    host.replaceChildren(pre);
    host.scrollTop = 0;
  }
  const all = pre.children;
  if (onLine) {
    const tabTo = (button) => {
      pre.querySelectorAll('button[tabindex="0"]').forEach(b => { b.tabIndex = -1; });
      button.tabIndex = 0;
    };
    if (!pre.querySelector('button[tabindex="0"]')) tabTo(all[0].firstChild);
    pre.onclick = (event) => {
      const row = event.target.closest(".row");
      const picked = host.getRootNode().getSelection?.() ?? document.getSelection();
      if (!row || (picked && !picked.isCollapsed && picked.toString().length > 1)) return;
      tabTo(row.firstChild);
      onLine(Number(row.dataset.line));
    };
    pre.onkeydown = (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], row = event.target.closest(".row");
      const next = step && row && all[Number(row.dataset.line) - 1 + step];
      if (!next) return;
      event.preventDefault();
      event.stopPropagation();
      tabTo(next.firstChild);
      next.firstChild.focus();
    };
  }
  const highlight = (lines, quietly) => {
    const on = new Set();
    for (const [first, last] of lines) for (let n = first; n <= last; n += 1) on.add(n);
    for (const row of all) row.classList.toggle("on", on.has(Number(row.dataset.line)));
    if (quietly || !lines.length) return;
    // The file scrolls, not the page: as much of the lines as fits, their first line near the top.
    const top = all[lines[0][0] - 1], end = all[lines[lines.length - 1][1] - 1];
    const spare = host.clientHeight - (end.offsetTop + end.offsetHeight - top.offsetTop);
    host.scrollTop = top.offsetTop - pre.offsetTop - Math.max(24, spare / 2);
  };
  return { highlight };
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {  // a page served without https has no clipboard: select the text and copy it the old way
    const field = document.createElement("textarea");
    field.value = text;
    field.style.cssText = "position:fixed;opacity:0";
    document.body.append(field);
    field.select();
    const worked = document.execCommand("copy");
    field.remove();
    return worked;
  }
}
"""
