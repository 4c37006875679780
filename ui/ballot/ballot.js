// A student's phone: join, read the text so far, vote, change the vote, see one's own point.
//
// Everything it tells the server is one state that stays: who this browser is and its last vote. A message
// that is lost or sent twice changes nothing, since the next one says the same again.

import { button, element } from "../web/elements.js";
import { counted } from "../web/numbers.js";
import { beat, stop } from "../web/pulse.js";

export default function mount({ data, parentElement: root, setStateValue }) {
  const host = root.querySelector(".ballot");
  host.phone ??= { token: token(), name: null, vote: null, beat: 0 };
  host.tell = (values = {}) => {
    Object.assign(host.phone, values);
    setStateValue("phone", { ...host.phone });
  };
  host.phone.beat = Math.max(host.phone.beat, data.beat);
  const drawn = JSON.stringify({ ...data, beat: 0 });
  if (host.drawn !== drawn) draw(host, data);
  host.drawn = drawn;
  const ask = () => host.tell({ beat: host.phone.beat + 1 });
  if (!host.asked) ask(); // the server does not know yet who this is
  host.asked = true;
  if (data.phase !== "gone") beat(host, data.every, ask);
  return () => stop(host);
}

// What names this browser, kept in it, so that loading again and a second tab are the same voter.
function token() {
  const made = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((b) => b.toString(16).padStart(2, "0"))
    .join("");
  try {
    const kept = localStorage.getItem("explorer-voter");
    if (kept) return kept;
    localStorage.setItem("explorer-voter", made);
  } catch {
    // a browser that keeps nothing is a new voter each time the page is loaded
  }
  return made;
}

function draw(host, data) {
  const field = host.querySelector("input[type=text]");
  const typed = field?.dataset.of === place(data) ? field.value : ""; // half a word stays when others vote
  const focused = Boolean(field) && host.getRootNode().activeElement === field;
  host.replaceChildren(...screen(host, data));
  const now = host.querySelector("input[type=text]");
  if (!now) return;
  now.dataset.of = place(data);
  if (typed) now.value = typed;
  if (focused) now.focus();
}

const place = (data) => `${data.phase} ${data.step} ${Boolean(data.seat)}`;

function screen(host, data) {
  if (data.phase === "asking") return [];
  if (data.phase === "gone") return [element("p", { class: "wrong" }, data.says)];
  if (!data.seat) return joining(host, data);
  const said = data.says ? [element("p", { class: "wrong", role: "alert" }, data.says)] : [];
  const top = [
    element("span", {}, "Room ", element("b", {}, data.code)),
    element("span", {}, data.seat.name),
  ];
  const bar = element("div", { class: "top" }, ...top);
  const body = { lobby: waiting, open: voting, shown: revealed, over }[data.phase];
  return [bar, ...body(host, data), ...said, score(data)];
}

function joining(host, data) {
  const field = element("input", {
    type: "text",
    maxlength: 16,
    placeholder: "A nickname, if you like",
    "aria-label": "Nickname",
    autocomplete: "off",
  });
  const form = element("form", {}, field, element("button", { type: "submit" }, "Join"));
  form.onsubmit = (event) => {
    event.preventDefault();
    host.tell({ name: field.value });
  };
  const about = "Nothing of you is kept but your votes, and those go when the room ends.";
  const says = data.says ? [element("p", { class: "wrong", role: "alert" }, data.says)] : [];
  const title = element("p", { class: "point" }, `Join room ${data.code}`);
  return [title, form, ...says, element("p", { class: "score" }, about)];
}

function waiting() {
  return [element("p", { class: "point" }, "You are in."), element("p", {}, "The game has not begun yet.")];
}

function soFar(data) {
  const after =
    data.right === null
      ? element("span", { class: "gap", role: "img", "aria-label": "what comes next?" }, "?")
      : element("span", { class: "next" }, data.right);
  return element("p", { class: "so-far", dir: "auto" }, data.before, after);
}

function voting(host, data) {
  return [soFar(data), ...(data.choices.length ? [choosing(host, data)] : typing(host, data)), mine(data)];
}

function vote(host, data, guess) {
  host.tell({ vote: { step: data.step, number: (host.phone.vote?.number ?? 0) + 1, ...guess } });
  host.querySelector(".mine")?.replaceChildren("Sending …");
}

function choosing(host, data) {
  const buttons = data.choices.map(([id, label]) => {
    const made = button({ "aria-pressed": String(data.mine?.id === id) }, label);
    made.onclick = () => vote(host, data, { id });
    return made;
  });
  return element("div", { class: "choices", role: "group", "aria-label": "What comes next?" }, ...buttons);
}

function typing(host, data) {
  const field = element("input", {
    type: "text",
    maxlength: 40,
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    "aria-label": "What comes next?",
    placeholder: "What comes next?",
  });
  const joined = element("input", { type: "checkbox" });
  const check = element("label", { class: "joined" }, joined, "goes on without a space");
  const form = element(
    "form",
    {},
    field,
    element("button", { type: "submit" }, data.mine ? "Change" : "Vote"),
    check,
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    if (field.value.trim()) vote(host, data, { text: field.value, joined: joined.checked });
    field.value = "";
  };
  return [form];
}

function mine(data) {
  const said = element("p", { class: "mine" });
  if (!data.mine) return said;
  said.append("Your vote: ", element("code", {}, data.mine.label));
  if (data.mine.pieces > 1) said.append(`, the first of its ${data.mine.pieces} pieces`);
  said.append(". You can change it until the answer is shown.");
  return said;
}

function revealed(_, data) {
  const own = data.mine ? ["You said ", element("code", {}, data.mine.label), "."] : ["You did not vote."];
  const hit = element("p", { class: "point" }, data.hit ? "Right: a point for you." : "No point this time.");
  return [soFar(data), hit, element("p", { class: "told" }, ...own)];
}

function over() {
  return [element("p", { class: "point" }, "The game is over. Thank you!")];
}

function score({ hits, places }) {
  const said = `${counted(hits, "point")} of ${places} so far`;
  return element("p", { class: "score" }, places ? said : "");
}
