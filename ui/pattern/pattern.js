const percent = (p) => p <= 0 ? "0 %" : p < 0.001 ? "< 0.1 %" : p > 0.999 ? "> 99.9 %"
  : (100 * p).toFixed(p < 0.0995 ? 1 : 0) + " %";
export default function ({ data, parentElement: root }) {
  const line = root.querySelector(".line"), svg = root.querySelector("svg"), canvas = root.querySelector("canvas");
  const T = data.pieces.length;
  const weights = Uint16Array.from({ length: T * T });
  const packed = new Uint16Array(Uint8Array.from(atob(data.weights), (c) => c.charCodeAt(0)).buffer);
  for (let t = 0, at = 0; t < T; t += 1) for (let s = 0; s <= t; s += 1, at += 1) weights[t * T + s] = packed[at];
  const weight = (t, s) => weights[t * T + s] / 65535;
  const signature = data.pieces.join("\u0000");
  if (line.dataset.signature !== signature) {
    line.dataset.signature = signature;
    line.dataset.chosen = data.start;
    line.replaceChildren(...data.pieces.map((piece, t) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = piece;
      return button;
    }));
  }
  const mix = (p) => {
    const place = Math.min(Math.max(p, 0), 1) * (data.ramp.length - 1);
    const low = Math.min(Math.floor(place), data.ramp.length - 2);
    const part = (k, i) => parseInt(data.ramp[low + k].slice(i, i + 2), 16);
    return [1, 3, 5].map((i) => Math.round(part(0, i) + (part(1, i) - part(0, i)) * (place - low)));
  };
  const paint = (chosen) => {
    canvas.width = canvas.height = T;
    const picture = canvas.getContext("2d"), image = picture.createImageData(T, T);
    for (let t = 0; t < T; t += 1) for (let s = 0; s < T; s += 1) {
      const rgb = s > t ? null : mix(weight(t, s));
      const edge = t === chosen && s > t;
      image.data.set(rgb ? [...rgb, 255] : edge ? [179, 32, 107, 130] : [0, 0, 0, 0], 4 * (t * T + s));
    }
    picture.putImageData(image, 0, 0);
  };
  const choose = (t, scroll) => {
    line.dataset.chosen = t;
    const buttons = [...line.children];
    buttons.forEach((button, i) => {
      button.setAttribute("aria-pressed", i === t);
      button.tabIndex = i === t ? 0 : -1;
    });
    const order = [...Array(t + 1).keys()].sort((a, b) => weight(t, b) - weight(t, a));
    root.querySelector(".said").textContent = `Token ${t}, ${data.pieces[t]}, looks at `
      + order.slice(0, 3).map((s) => `${s === t ? "itself" : "token " + s + ", " + data.pieces[s]} (${percent(weight(t, s))})`)
        .join("; ") + ".";
    const middle = (button) => button.offsetLeft + button.offsetWidth / 2, top = 136;
    svg.setAttribute("width", line.scrollWidth);
    svg.setAttribute("height", top);
    svg.replaceChildren(...order.slice(0, 40).filter((s) => weight(t, s) >= 0.01).map((s) => {
      const arc = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const a = middle(buttons[s]), b = middle(buttons[t]), h = s === t ? 14 : Math.min(126, 14 + (b - a) / 3);
      const from = s === t ? b - 12 : a, to = s === t ? b + 12 : b;
      arc.setAttribute("d", `M${from} ${top} C${from} ${top - h * 1.33} ${to} ${top - h * 1.33} ${to} ${top}`);
      arc.style.strokeWidth = 1 + 7 * weight(t, s);
      arc.style.opacity = 0.25 + 0.75 * weight(t, s);
      return arc;
    }));
    paint(t);
    if (scroll) {
      const box = root.querySelector(".words");
      box.scrollLeft = buttons[t].offsetLeft - box.clientWidth * 0.7;
    }
  };
  [...line.children].forEach((button, t) => { button.onclick = () => choose(t, false); });
  line.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const t = Math.min(T - 1, Math.max(0, Number(line.dataset.chosen) + step));
    choose(t, true);
    line.children[t].focus({ preventScroll: true });
  };
  canvas.ariaLabel = data.label;
  canvas.onclick = (event) => {
    const box = canvas.getBoundingClientRect();
    choose(Math.min(T - 1, Math.max(0, Math.floor((event.clientY - box.top) / box.height * T))), true);
  };
  choose(Math.min(Number(line.dataset.chosen), T - 1), true);
}
