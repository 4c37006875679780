// Asks again and again how the room stands, and hears a presenter's clicker.

import { beat, stop } from "../web/pulse.js";

export default function mount({ data, parentElement: root, setStateValue }) {
  const host = root.querySelector(".pulse");
  host.told ??= { beat: 0, pressed: 0 };
  host.told.beat = Math.max(host.told.beat, data.beat);
  const tell = () => setStateValue("told", { ...host.told, at: data.at });
  const ask = () => {
    host.told.beat += 1;
    tell();
  };
  document.removeEventListener("keydown", host.turning);
  host.turning = (event) => {
    if (!turns(event)) return;
    event.preventDefault();
    host.told.pressed += 1;
    tell();
  };
  document.addEventListener("keydown", host.turning);
  beat(host, data.every, ask);
  return () => {
    stop(host);
    document.removeEventListener("keydown", host.turning);
  };
}

function turns(event) {
  const typing = event.composedPath()[0].matches?.("input, textarea, select, [contenteditable]");
  if (typing || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  return event.key === "PageDown" || event.key === "n";
}
