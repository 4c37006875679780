import { copied } from "../listing/copy.js";
import { listing } from "../listing/listing.js";
import { button, element } from "../web/elements.js";

export default function mount({ data, parentElement: root, setStateValue }) {
  const host = root.querySelector(".listing");
  const contents = root.querySelector(".contents");
  root.codeView ??= {};
  const view = root.codeView;
  if (view.run !== data.run) Object.assign(view, { run: data.run, name: data.name });
  const { highlight } = listing(host, data.file, data.rows, null);
  const choose = (name, quietly) => {
    view.name = name;
    highlight(data.outline.find((one) => one.name === name)?.lines ?? [], quietly);
    for (const one of contents.querySelectorAll("button"))
      one.ariaPressed = String(one.dataset.name === name);
  };
  root.querySelector(".bar b").textContent = data.file;
  root.querySelector(".where").textContent = `${data.rows.length} lines`;
  host.ariaLabel = `${data.file}, ${data.rows.length} lines`;
  const copy = root.querySelector(".bar button");
  copy.onclick = () => copied(copy, data.text);
  build(contents, data.outline);
  contents.onclick = (event) => {
    const { name } = event.target.closest("button")?.dataset ?? {};
    if (name === undefined) return;
    choose(name);
    if (root.querySelector(".sheet").clientWidth < 720) host.scrollIntoView({ block: "start" });
    setStateValue("definition", name);
  };
  choose(view.name, view.shown === data.file + view.name);
  view.shown = data.file + view.name;
}

// Built once for a file: an answer of the server must take neither a press nor the focus from an entry.
function build(contents, outline) {
  const signature = JSON.stringify(outline.map((one) => [one.name, one.short, one.duty, one.inside]));
  if (contents.dataset.signature === signature) return;
  contents.dataset.signature = signature;
  const entries = outline.map((one) => {
    const attributes = { "data-name": one.name, class: one.inside && "inside" };
    return button(attributes, element("b", {}, one.short), one.duty ? ` ${one.duty}` : "");
  });
  contents.replaceChildren(...entries);
}
