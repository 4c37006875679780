import { copied } from "../listing/copy.js";
import { listing } from "../listing/listing.js";

// On a phone the lines are folded: their file and what they do are said, and a tap opens them.
const NARROW = "(max-width: 640px)";

export default function mount({ data, parentElement: root }) {
  const host = root.querySelector(".listing");
  for (const one of root.querySelectorAll("b")) one.textContent = data.file;
  for (const one of root.querySelectorAll(".where")) one.textContent = data.where;
  host.ariaLabel = `${data.file}, ${data.where}`;
  const { highlight } = listing(host, data.file, data.rows, null);
  const shown = data.file + data.where;
  highlight(data.lines, host.dataset.shown === shown);
  host.dataset.shown = shown;
  const copy = root.querySelector(".bar button");
  copy.onclick = () => copied(copy, data.text);
  return folded(root.querySelector("details"), () => highlight(data.lines));
}

// place(): brings the lines into sight, which needs their sizes.
function folded(details, place) {
  const narrow = matchMedia(NARROW);
  const follow = () => {
    details.open = !narrow.matches;
  };
  details.dataset.ready ??= follow() ?? "1"; // a reader's own tap is kept when the page runs anew
  details.ontoggle = () => details.open && narrow.matches && place();
  narrow.addEventListener("change", follow);
  return () => narrow.removeEventListener("change", follow);
}
