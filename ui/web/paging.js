// The keys that turn something on a screen that a room looks at, whatever was clicked last.

const STEPS = {
  n: [1, 0],
  " ": [1, 0],
  PageDown: [1, 0],
  ArrowDown: [1, 0],
  p: [-1, 0],
  PageUp: [-1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

// A keydown -> [rows, columns] to go, or null for a key that is someone else's: of a field that is typed
// into, and of a control that was reached with Tab, which keeps what it does with a key.
export function stepOf(event, tabbed = false) {
  const step = event.key === " " && event.shiftKey ? [-1, 0] : STEPS[event.key];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return null;
  if (event.shiftKey && event.key !== " ") return null;
  const on = event.composedPath()[0];
  if (on.matches?.("input:not([type=checkbox]), textarea, select")) return null;
  return tabbed && event.key === " " && on.matches?.("button, input, a, summary, [role=button]")
    ? null
    : step;
}

let tabbed = false; // whether where the focus is was reached with Tab

// Listens on the whole document, ahead of everything in it -> a function that ends it.
// turn(rows, columns); a key that is held down counts once.
export function listenForPages(turn) {
  let taken = null; // the key that is down and was ours: its release presses no button either
  const press = (event) => {
    if (event.key === "Tab") tabbed = true;
    const step = stepOf(event, tabbed);
    taken = step && event.key;
    if (!step) return;
    swallow(event);
    if (!event.repeat) turn(...step);
  };
  const release = (event) => {
    if (event.key === taken) swallow(event);
  };
  // A click on a button presses it; the Space that follows is the room's again.
  const point = () => {
    tabbed = false;
  };
  const heard = { keydown: press, keyup: release, pointerdown: point };
  for (const [kind, hear] of Object.entries(heard)) document.addEventListener(kind, hear, true);
  return () => {
    for (const [kind, hear] of Object.entries(heard)) document.removeEventListener(kind, hear, true);
  };
}

function swallow(event) {
  event.preventDefault();
  event.stopPropagation();
}
