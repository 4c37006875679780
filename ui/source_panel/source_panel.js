import { copied, listing } from "../listing/listing.js";

export default function ({ data, parentElement: root }) {
  const host = root.querySelector(".listing");
  root.querySelector(".bar b").textContent = data.file;
  root.querySelector(".where").textContent = data.where;
  host.ariaLabel = data.file + ", " + data.where;
  const shown = data.file + data.where;
  const { highlight } = listing(host, data.file, data.rows, null);
  highlight(data.lines, host.dataset.shown === shown);
  host.dataset.shown = shown;
  const button = root.querySelector("button");
  button.onclick = async () => {
    button.textContent = (await copied(data.text)) ? "Copied" : "Could not copy";
    setTimeout(() => { button.textContent = "Copy these lines"; }, 1500);
  };
}
