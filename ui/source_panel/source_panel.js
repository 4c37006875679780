import { copied } from "../listing/copy.js";
import { listing } from "../listing/listing.js";

export default function mount({ data, parentElement: root }) {
  const host = root.querySelector(".listing");
  root.querySelector(".bar b").textContent = data.file;
  root.querySelector(".where").textContent = data.where;
  host.ariaLabel = `${data.file}, ${data.where}`;
  const shown = data.file + data.where;
  listing(host, data.file, data.rows, null).highlight(data.lines, host.dataset.shown === shown);
  host.dataset.shown = shown;
  const copy = root.querySelector(".bar button");
  copy.onclick = () => copied(copy, data.text);
}
