// Links to other pages of the explorer: what was chosen comes along.

import { element } from "./elements.js";

// What the pages share of the address.
const SHARED = /^(model|text|own|product|own_product|repeat|own_repeat|token|block|head)$/;

// A link to a page: a plain tap tells the server through go("page", name), which keeps the session.
export function pageLink(page, label, go) {
  const shared = [...new URLSearchParams(location.search)].filter(([name]) => SHARED.test(name));
  const link = element("a", { href: `./${page}?${new URLSearchParams(shared)}`, class: "onward" }, label);
  link.onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go("page", page);
  };
  return link;
}
