const written = (v) => v >= 1000 ? Math.round(v / 10 ** (Math.floor(Math.log10(v)) - 1))
  * 10 ** (Math.floor(Math.log10(v)) - 1) : Number(v.toPrecision(2));
export default function ({ data, parentElement: root, setStateValue }) {
  const host = root.querySelector(".guess");
  host.ariaLabel = data.caption;
  root.querySelector(".key").textContent = data.key;
  const value = (at) => Math.exp(Math.log(data.high) * at / 100);
  const signature = data.names.join("\u0000");
  if (host.dataset.signature !== signature) {
    host.dataset.signature = signature;
    host.replaceChildren(...data.names.map((name, i) => {
      const row = document.createElement("label"), text = document.createElement("span");
      const track = document.createElement("span"), even = document.createElement("i");
      const input = document.createElement("input"), n = document.createElement("span");
      row.className = "row"; track.className = "track"; even.className = "even"; n.className = "n";
      text.textContent = name;
      even.style.left = data.even + "%";
      Object.assign(input, { type: "range", min: 0, max: 100, step: 1, value: data.guesses[i] });
      const show = () => {
        input.style.setProperty("--at", input.value + "%");
        n.textContent = written(value(Number(input.value))).toLocaleString("en-US");
        input.setAttribute("aria-valuetext", "perplexity " + n.textContent);
      };
      input.oninput = show;
      input.onchange = () => {
        setStateValue("guesses", [...host.querySelectorAll("input")].map(e => Number(e.value)));
      };
      show();
      track.append(input, even);
      row.append(text, track, n);
      return row;
    }));
  }
  host.querySelectorAll("input").forEach((input, i) => {
    if (Number(input.value) !== data.guesses[i] && root.activeElement !== input) {
      input.value = data.guesses[i];
      input.oninput();
    }
  });
}
