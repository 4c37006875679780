// listing(host, file, rows, onLine) draws a file's lines once and gives back { highlight(lines, quietly) }.
// Text is only ever set as textContent.
export function listing(host, file, rows, onLine) {
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
      row.append("\n");
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

export async function copied(text) {
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
