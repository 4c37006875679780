import { copied, listing } from "../listing/listing.js";
import { drawPicture } from "./picture.js";

const percent = (p) => p === 0 ? "0 %" : p < 0.001 ? "< 0.1 %" : p > 0.999 ? "> 99.9 %" : p < 0.0995 || p > 0.99
  ? (100 * p).toFixed(1) + " %" : (100 * p).toFixed(0) + " %";
const html = (name, text, properties = {}) => Object.assign(document.createElement(name),
  text === undefined ? {} : { textContent: text }, properties);
const HEADS = ["attention", "queries", "keys", "values", "qk_norm", "rope", "causal_softmax"];

export default function ({ data, parentElement: root, setStateValue: report }) {
  const setStateValue = data.files ? report : () => {};  // a picture for comparison tells nobody
  const at = (selector) => root.querySelector(selector);
  const view = root.diagramView ??= { open: new Set(), block: 1, head: 1, step: 0 };
  const { parts, live } = data, layers = data.layers;
  const parentOf = {};
  for (const half of data.picture.halves) for (const row of half.rows) for (const [id] of row) parentOf[id] = half.part;

  // What the address says is taken over when it changes; between that, the component's own state holds.
  const start = JSON.stringify(data.start);
  if (view.start !== start) {
    Object.assign(view, data.start, { start });
  }
  const { walk } = data;
  view.step = Math.min(Math.max(view.step, 0), walk.length);
  view.part ??= view.step ? walk[view.step - 1].part : "attention";
  if (!parts[view.part]) view.part = parentOf[view.part] ?? "attention";
  if (parentOf[view.part]) view.open.add(parentOf[view.part]);
  view.block = Math.min(Math.max(view.block, 1), layers);
  view.head = Math.min(Math.max(view.head, 1), data.heads);
  root.querySelector(".all").classList.toggle("compared", !data.files);

  // ---- the picture
  let drawn = view.drawn;
  const draw = () => {
    // Drawn anew only when it changes: an answer of the server must not swallow a press under way.
    const said = Object.entries(parts).map(([id, part]) => [id, part.title, part.label]);
    const signature = JSON.stringify([data.name, data.picture, said, [...view.open]]);
    if (view.signature !== signature) {
      const focused = root.activeElement?.dataset?.id;
      drawn = view.drawn = drawPicture(data, view.open);
      view.signature = signature;
      at(".picture").replaceChildren(drawn.svg);
      if (focused) drawn.svg.querySelector(`[data-id="${focused}"]`)?.focus({ preventScroll: true });
    }
    drawn.svg.onclick = (event) => {
      const g = event.target.closest("[data-id]");
      if (g) tap(g.dataset.id);
    };
    drawn.svg.onkeydown = (event) => {
      const g = event.target.closest("[data-id]");
      if (g && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); tap(g.dataset.id); }
    };
  };
  const mark = () => {
    for (const g of drawn.svg.querySelectorAll("[data-id]"))
      g.setAttribute("aria-pressed", String(g.dataset.id === view.part));
    const words = { addition1Words: "", addition2Words: "" };
    const lengths = live?.lengths, k = view.block - 1;
    const seen = lengths && [lengths.stream[0], lengths.stream[k], lengths.between[k], lengths.stream[k + 1],
      lengths.stream[layers]];
    const longest = lengths && Math.max(...lengths.stream, ...lengths.between);
    drawn.places.vectors.forEach((line, index) =>
      line.setAttribute("stroke-width", seen ? 2 + 24 * seen[index] / longest : 9));
    if (lengths) {
      words.addition1Words = "adds " + lengths.said.attention[k] + ", now " + lengths.said.between[k];
      words.addition2Words = "adds " + lengths.said.feed_forward[k] + ", now " + lengths.said.stream[k + 1];
    }
    for (const id in words) drawn.places[id].textContent = words[id];
    const likeliest = live?.parts?.loss;
    drawn.svg.querySelector('[data-id="loss"] .small').textContent =
      likeliest ? "likeliest next: " + likeliest.labels[0] + "  " + likeliest.values[0] : parts.loss.label;
  };

  // ---- the card
  const definition = (list, term, text, kind) => {
    if (!text) return;
    list.append(html("dt", term), html("dd", text, kind ? { className: kind } : {}));
  };
  const showCard = () => {
    const part = parts[view.part], card = at(".card"), list = html("dl");
    const shows = JSON.stringify([data.model, view.part, view.block, view.head, data.ask, live?.token, live?.error]);
    if (view.card === shows && !data.table) return;
    view.card = shows;
    card.style.setProperty("--part", `var(--mark-${part.mark})`);
    const back = html("button", "Back to the picture", { type: "button", className: "back" });
    back.onclick = () => at(".picture").scrollIntoView({ behavior: smooth(), block: "start" });
    definition(list, "Formula", part.formula, "formula");
    definition(list, "Shape", part.letters === part.shape ? part.shape : part.letters + ", here " + part.shape);
    definition(list, "Parameters", part.parameters);
    definition(list, "Paper", part.paper);
    const shown = [html("h2", part.title), html("p", part.duty, { className: "duty" })];
    if (part.differs) shown.push(html("p", part.differs, { className: "duty differs" }));
    const facts = html("div", undefined, { className: "facts" });
    facts.append(list);
    shown.push(facts);
    if (data.ask) facts.append(...liveNumbers());
    if (data.table) shown.push(differences());
    else shown.push(back);
    card.replaceChildren(...shown);
  };
  const differences = () => {
    const table = html("table"), head = table.createTHead().insertRow(), body = table.createTBody();
    for (const name of data.heading) head.append(html("th", name, { scope: "col" }));
    for (const [what, ours, theirs] of data.table) {
      const row = body.insertRow(), differs = ours !== theirs;
      row.className = differs ? "differs" : "";
      row.append(html("th", what, { scope: "row" }), html("td", ours), html("td", (differs ? "≠ " : "") + theirs));
    }
    return table;
  };
  const liveNumbers = () => {
    const box = html("div", undefined, { className: "live" });
    if (!live || live.error) {
      box.append(html("p", live ? live.error : "The measured numbers are on their way …"));
      return [box];
    }
    const measured = live.parts[view.part], inBlock = measured?.by_block;
    const title = "Measured at token " + live.token + ", " + live.pieces[live.token] + (inBlock ? ", in block " + view.block : "");
    const list = html("dl");
    const values = inBlock ? measured.values[view.block - 1] : measured?.values ?? [];
    values.forEach((value, index) => definition(list, measured.labels[index],
      Array.isArray(value) ? value[view.head - 1] : value));
    const shown = [box];
    box.append(html("h3", title), list);
    if (!values.length) box.append(html("p", "Nothing is measured at this part."));
    if (HEADS.includes(view.part)) {
      const heads = html("div", "Head ", { className: "heads", role: "group", ariaLabel: "Head" });
      for (let h = 1; h <= data.heads; h += 1) {
        const button = html("button", String(h), { type: "button", ariaPressed: String(h === view.head), ariaLabel: "Head " + h });
        button.onclick = () => { view.head = h; showCard(); at(`.heads button:nth-of-type(${h})`).focus(); setStateValue("head", h); };
        heads.append(button);
      }
      box.insertBefore(heads, list);
    }
    if (view.part === "attention" || view.part === "causal_softmax") {
      const weights = live.attention[view.block - 1][view.head - 1];
      const strip = html("div", undefined, { className: "strip", tabIndex: 0, role: "img", ariaLabel: "Where head " + view.head
        + " looks: " + weights.map((w, i) => [w, i]).sort((a, b) => b[0] - a[0]).slice(0, 5)
          .map(([w, i]) => live.pieces[i] + " " + percent(w)).join(", ") });
      weights.forEach((weight, index) => {
        const cell = html("span"), bar = html("i");
        bar.style.setProperty("--w", (100 * weight).toFixed(1) + "%");
        cell.append(bar, percent(weight), document.createElement("br"), live.pieces[index]);
        strip.append(cell);
      });
      shown.push(strip);
    }
    return shown;
  };

  // ---- the code
  const { highlight } = (() => {
    if (!data.files) return { highlight: () => {} };
    return { highlight: (quietly) => {
      const part = parts[view.part], host = at(".code .listing");
      const shown = listing(host, part.file, data.files[part.file], lineTapped);
      shown.highlight(part.lines, quietly);
      at(".code .bar b").textContent = part.file;
      at(".where").textContent = part.where + ": " + part.title;
      host.ariaLabel = part.file + ", " + part.where + ", " + part.title;
      at(".code .bar button").onclick = async (event) => {
        const button = event.currentTarget;
        button.textContent = (await copied(part.text)) ? "Copied" : "Could not copy";
        setTimeout(() => { button.textContent = "Copy these lines"; }, 1500);
      };
    } };
  })();
  const size = (id) => parts[id].lines.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const lineTapped = (line) => {
    const file = parts[view.part].file;
    const owners = Object.keys(parts)
      .filter(id => parts[id].file === file && parts[id].lines.some(([first, last]) => first <= line && line <= last))
      .sort((a, b) => size(a) - size(b));
    if (!owners.length) {
      at(".where").textContent = "line " + line + " belongs to no part of the picture";
      return;
    }
    // The narrowest part first; the same line again widens to the part around it.
    const again = view.line === line && owners.includes(view.part);
    view.line = line;
    choose(owners[again ? (owners.indexOf(view.part) + 1) % owners.length : 0], { quietly: true });
  };

  // ---- choosing
  const smooth = () => matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  const choose = (id, { quietly = false, silent = false } = {}) => {
    view.part = id;
    const parent = parentOf[id];
    if (parent && !view.open.has(parent)) { view.open.add(parent); draw(); }
    mark();
    showCard();
    highlight(quietly);
    if (!silent) setStateValue("selected", id);
  };
  const tap = (id) => {
    view.line = null;
    if (id === "attention" || id === "feed_forward") {
      if (view.part === id && view.open.has(id)) view.open.delete(id);
      else view.open.add(id);
      draw();
    }
    choose(id);
    if (at(".all").clientWidth < 720) at(".card").scrollIntoView({ behavior: smooth(), block: "start" });
  };

  // ---- the walk
  const walkTo = (step) => {
    view.step = step;
    const part = step ? walk[step - 1].part : view.part;
    choose(part, { silent: true });
    showWalk();
    drawn.svg.querySelector(`[data-id="${part}"]`).scrollIntoView({ behavior: smooth(),
      block: at(".all").clientWidth < 720 ? "center" : "nearest" });
    setStateValue("step", [step, part]);
  };
  const showWalk = () => {
    if (!walk.length) return;
    const bar = at(".walk"), had = bar.contains(root.activeElement) && root.activeElement.className;
    const button = (text, kind, to, usable = true) => {
      const made = html("button", text, { type: "button", className: kind, disabled: !usable });
      made.onclick = () => walkTo(to);
      return made;
    };
    const buttons = html("div", undefined, { className: "buttons" });
    bar.classList.toggle("walking", view.step > 0);
    if (!view.step) {
      buttons.append(button("Start the guided walk", "next", 1));
      bar.replaceChildren(buttons, html("p", "Follow one token from text to prediction, step by step, also with the arrow keys."));
    } else {
      buttons.append(button("Previous", "previous", view.step - 1, view.step > 1),
        button("Next", "next", view.step + 1, view.step < walk.length), button("End", "end", 0));
      const said = html("p", undefined, { ariaLive: "polite" });
      said.append(html("strong", `Step ${view.step} of ${walk.length}, ${parts[walk[view.step - 1].part].title}. `), walk[view.step - 1].text);
      bar.replaceChildren(buttons, said);
    }
    const again = had && bar.querySelector("button." + had);
    if (again) (again.disabled ? bar.querySelector("button:enabled") : again).focus({ preventScroll: true });
  };
  const arrows = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key], origin = event.composedPath()[0];
    const elsewhere = !event.composedPath().includes(root.querySelector(".all")) && origin !== document.body;
    const ownArrows = origin.closest?.("input, textarea, select, .listing, .strip, .chips, [contenteditable]");
    if (!by || !view.step || elsewhere || ownArrows || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = view.step + by;
    if (step >= 1 && step <= walk.length) { event.preventDefault(); walkTo(step); }
  };
  document.removeEventListener("keydown", view.arrows);
  document.addEventListener("keydown", arrows);
  view.arrows = arrows;

  // ---- block and token
  const tools = () => {
    if (!data.ask) { at(".tools").replaceChildren(); return; }
    const shows = JSON.stringify([data.ask, live?.token, live?.error, view.start]);
    if (view.tools === shows) return;
    view.tools = shows;
    const chips = html("div", undefined, { className: "chips", role: "group", ariaLabel: "Tokens", tabIndex: -1 });
    if (!live || live.error) chips.append(html("p", live ? live.error : "Reading your text …"));
    else live.pieces.forEach((piece, index) => {
      const chip = html("button", piece, { type: "button", ariaPressed: String(index === live.token), title: "token " + index });
      chip.onclick = () => {
        chips.querySelectorAll("button").forEach(other => { other.ariaPressed = String(other === chip); });
        setStateValue("token", index);
      };
      chips.append(chip);
    });
    const label = html("label"), range = html("input", undefined, { type: "range", min: 1, max: layers, step: 1, value: view.block });
    const said = html("output", view.block + " of " + layers);
    range.ariaLabel = "Block";
    range.disabled = layers === 1;
    range.oninput = () => {
      view.block = Number(range.value);
      said.textContent = view.block + " of " + layers;
      mark();
      showCard();
    };
    range.onchange = () => setStateValue("block", view.block);
    label.append(html("span", "Block"), range, said);
    const kept = at(".chips")?.scrollLeft, focused = root.activeElement;
    const place = focused?.parentElement?.className === "chips" ? [...focused.parentElement.children].indexOf(focused) : -1;
    at(".tools").replaceChildren(chips, label);
    if (place >= 0) chips.children[place]?.focus({ preventScroll: true });
    if (live?.note) at(".tools").append(html("p", live.note));
    if (kept) chips.scrollLeft = kept;
  };

  draw();
  tools();
  showWalk();
  choose(view.part, { silent: true, quietly: view.highlighted === view.part + data.model });
  view.highlighted = view.part + data.model;
  if (data.ask && !live && view.asked !== data.ask) {
    view.asked = data.ask;
    // After the picture has been painted, so that it never waits for the numbers.
    requestAnimationFrame(() => setTimeout(() => setStateValue("wanted", data.ask), 0));
  }
  return () => document.removeEventListener("keydown", arrows);
}
