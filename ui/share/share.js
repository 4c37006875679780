// Share: this very state as a QR code, in large type, and to copy.  The browser's own address holds the state, so
// it is asked for what it shows when the button is pressed, and the server draws the code.

import { element } from "../web/elements.js";
import { copied } from "../listing/copy.js";

export default function mount({ data, parentElement: root, setTriggerValue }) {
  const host = root.querySelector(".share");
  const at = (name) => host.querySelector(name);
  at(".open").onclick = () => {
    host.waiting = true;
    setTriggerValue("asked", { path: location.pathname, query: location.search });
  };
  at(".close").onclick = () => at("dialog").close();
  at("dialog").onclick = (event) => event.target === at("dialog") && at("dialog").close();
  if (!data.address) return;
  at(".copy").onclick = () => copied(at(".copy"), data.address);
  at(".code").replaceChildren(
    ...(data.picture ? [element("img", { src: data.picture, alt: "QR code" })] : []),
  );
  at(".where").textContent = data.address;
  at(".where").classList.toggle("long", data.address.length > 160);
  at(".says").textContent = data.says;
  if (host.waiting) at("dialog").showModal();
  host.waiting = false;
}
