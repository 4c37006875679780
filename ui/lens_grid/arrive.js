// On a phone the chosen cell is on screen when the page opens, once what stands above has its height, and
// unless the reader was quicker.

const DEEDS = ["pointerdown", "wheel", "keydown"];
const AGAIN = 60; // ms between two looks
const STILL = 5; // looks without a change
const MOST = 40; // looks

export function arrive(lens) {
  if (!lens.narrow || lens.data.teaching || lens.view.column) return;
  lens.bring(lens.place()[0], lens.marked[0]);
  whenStill(lens.area, () => {
    bringToScreen(lens);
    lens.host.dataset.arrived = "yes";
  });
}

// A link's cell is brought there; without a link, where the output lies further down, the lowest row that is on
// screen is chosen.
function bringToScreen(lens) {
  const [g, r, c] = lens.place();
  const column = lens.tables[g].cells.map((row) => row[c]);
  const seen = (td) => td.getBoundingClientRect().bottom <= innerHeight;
  if (seen(column[r])) return;
  if (lens.view.scroll) column[r].scrollIntoView({ block: "center", behavior: "instant" });
  else if (seen(column[0])) lens.choose(g, column.findLastIndex(seen), c);
  else column[r].scrollIntoView({ block: "center", behavior: "instant" }); // a phone on its side
}

function whenStill(node, then) {
  let [before, still, left] = [null, 0, MOST];
  const end = () => {
    left = 0;
    for (const deed of DEEDS) document.removeEventListener(deed, end, true);
  };
  const look = () => {
    if (!left) return;
    const { top } = node.getBoundingClientRect();
    still = top === before ? still + 1 : 0;
    before = top;
    left -= 1;
    if (left && still < STILL) {
      setTimeout(look, AGAIN);
      return;
    }
    end();
    then();
  };
  for (const deed of DEEDS) document.addEventListener(deed, end, true);
  look();
}
