// Making what is shown.  Text from outside becomes text nodes, never markup.

const given = (value) => value !== null && value !== undefined && value !== false;

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (given(value)) node.setAttribute(name, value === true ? "" : value);
  node.append(...children.filter(given));
  return node;
}

// element("button", { type: "button", disabled: false }, "Next"): attributes that are null, undefined or
// false are left out.
export const element = (name, attributes = {}, ...children) =>
  filled(document.createElement(name), attributes, children);

export const button = (attributes, ...children) =>
  element("button", { type: "button", ...attributes }, ...children);

// The same for a drawing.
export const shape = (name, attributes = {}, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// What the server is about to show elsewhere on the page is brought into view once it is there.
export function bringWhenThere(selector, block = "start", patience = 60) {
  const found = document.querySelector(selector);
  if (found) found.scrollIntoView({ block, behavior: calm() ? "auto" : "smooth" });
  else if (patience) setTimeout(bringWhenThere, 50, selector, block, patience - 1);
}
