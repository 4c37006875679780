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
  contents.replaceChildren(
    ...data.outline.map((one) => {
      const entry = button({ "data-name": one.name, class: one.inside && "inside" });
      entry.append(element("b", {}, one.short), one.duty ? ` ${one.duty}` : "");
      entry.onclick = () => {
        choose(one.name);
        if (root.querySelector(".sheet").clientWidth < 720) host.scrollIntoView({ block: "start" });
        setStateValue("definition", one.name);
      };
      return entry;
    }),
  );
  choose(view.name, view.shown === data.file + view.name);
  view.shown = data.file + view.name;
}
