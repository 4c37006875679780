// Where a key leads in a row of so many, or null when it leads nowhere.
export function stepped(key, at, count) {
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: count - 1 }[key];
  return to === undefined || to < 0 || to >= count ? null : to;
}

// One Tab stop for a row of buttons; the arrow keys, Home and End go from one to the next.
export function roving(row, buttons, start, onReach = () => {}) {
  const reach = (to) => {
    for (const one of buttons) one.tabIndex = -1;
    if (buttons[to]) buttons[to].tabIndex = 0;
  };
  row.onkeydown = (event) => {
    const at = buttons.indexOf(event.target);
    const to =
      at < 0 || event.altKey || event.ctrlKey || event.metaKey
        ? null
        : stepped(event.key, at, buttons.length);
    if (to === null) return;
    event.preventDefault();
    reach(to);
    buttons[to].focus();
    onReach(to);
  };
  row.addEventListener("focusin", (event) => {
    if (buttons.includes(event.target)) reach(buttons.indexOf(event.target));
  });
  reach(Math.max(start, 0));
}
