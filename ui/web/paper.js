// Plotly draws a picture for the screen's width: printed, it is made as narrow as the sheet.

const SHEET = 660; // px between the margins of A4 upright

const fit = () => {
  for (const plot of document.querySelectorAll(".js-plotly-plot"))
    plot.style.zoom = Math.min(1, SHEET / plot.clientWidth);
};

const restore = () => {
  for (const plot of document.querySelectorAll(".js-plotly-plot")) plot.style.zoom = "";
};

// -> what takes this back.
export function fitsPaper() {
  window.addEventListener("beforeprint", fit);
  window.addEventListener("afterprint", restore);
  return () => {
    window.removeEventListener("beforeprint", fit);
    window.removeEventListener("afterprint", restore);
  };
}
