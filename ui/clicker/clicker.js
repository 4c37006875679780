// A presenter's clicker leads to the lesson's next state, or back: Page Down and Page Up, unless what is on
// screen has something to turn itself; when that is through, it says so.

export default function mount({ parentElement: root, setTriggerValue }) {
  const host = root.querySelector(".clicker");
  stop(host);
  const turn = (by) => setTriggerValue("turned", by);
  host.pressing = (event) => {
    const by = { PageDown: 1, PageUp: -1 }[event.key];
    const typing = event.composedPath()[0].matches?.("input, textarea, select, [contenteditable]");
    if (!by || typing || event.defaultPrevented || event.repeat) return;
    event.preventDefault();
    turn(by);
  };
  host.past = (event) => turn(event.detail);
  document.addEventListener("keydown", host.pressing);
  document.addEventListener("turned-past", host.past);
  return () => stop(host);
}

function stop(host) {
  document.removeEventListener("keydown", host.pressing);
  document.removeEventListener("turned-past", host.past);
}
