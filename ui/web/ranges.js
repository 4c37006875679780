// A range answers at the first touch, before it is known whether the finger wants to move it or to scroll the
// page.  When the browser takes the touch for a scroll, it is put back to where it stood.
export function steady(input) {
  let stood = null;
  input.addEventListener("pointerdown", () => {
    stood = input.value;
  });
  input.addEventListener("pointercancel", () => {
    if (stood === null || input.value === stood) return;
    input.value = stood;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  return input;
}
