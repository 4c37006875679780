import { copied, listing } from "../listing/listing.js";

export default function ({ data, parentElement: root, setStateValue }) {
  const host = root.querySelector(".listing"), contents = root.querySelector(".contents");
  const view = root.codeView ??= {};
  if (view.run !== data.run) Object.assign(view, { run: data.run, name: data.name });
  const { highlight } = listing(host, data.file, data.rows, null);
  const choose = (name, quietly) => {
    view.name = name;
    const found = data.outline.find(one => one.name === name);
    highlight(found ? found.lines : [], quietly);
    for (const button of contents.querySelectorAll("button"))
      button.ariaPressed = String(button.dataset.name === name);
  };
  root.querySelector(".bar b").textContent = data.file;
  root.querySelector(".where").textContent = data.rows.length + " lines";
  host.ariaLabel = data.file + ", " + data.rows.length + " lines";
  root.querySelector(".bar button").onclick = async (event) => {
    const button = event.currentTarget;
    button.textContent = (await copied(data.text)) ? "Copied" : "Could not copy";
    setTimeout(() => { button.textContent = "Copy the file"; }, 1500);
  };
  contents.replaceChildren(...data.outline.map((one) => {
    const button = document.createElement("button"), name = document.createElement("b");
    name.textContent = one.short;
    button.type = "button";
    button.dataset.name = one.name;
    button.className = one.inside ? "inside" : "";
    button.append(name, one.duty ? " " + one.duty : "");
    button.onclick = () => {
      choose(one.name);
      if (root.querySelector(".sheet").clientWidth < 720) host.scrollIntoView({ block: "start" });
      setStateValue("definition", one.name);
    };
    return button;
  }));
  choose(view.name, view.shown === data.file + view.name);
  view.shown = data.file + view.name;
}
