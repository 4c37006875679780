// Bring what is talked about between the page's header and the bar of the walk, and move nothing else.

import { calm } from "../web/elements.js";

const TOOK = 220; // ms
const ROOM = 8; // px kept free above and below

// How far to scroll so that top…bottom lies in from…to; what is too high shows its top.
export function distance(top, bottom, from, to) {
  if (bottom - top > to - from || top < from) return top - from;
  return bottom > to ? bottom - to : 0;
}

// What has to be seen, and, if there is room for both, what had better be: [top, bottom] each.
export function widened([top, bottom], beside, room) {
  if (!beside) return [top, bottom];
  const both = [Math.min(top, beside.top), Math.max(bottom, beside.bottom)];
  return both[1] - both[0] <= room ? both : [top, bottom];
}

// boxes: where things are drawn now; beside: what is shown too if there is room; bar: its height.
export function bringBetween(host, boxes, beside, bar, still) {
  const scroller = scrollerOf(host);
  if (!scroller || !boxes.length) return;
  const header = document.querySelector('[data-testid="stHeader"]')?.getBoundingClientRect().bottom ?? 0;
  const free = [Math.max(header, 0) + ROOM, innerHeight - bar - ROOM];
  const ends = [Math.min(...boxes.map((b) => b.top)), Math.max(...boxes.map((b) => b.bottom))];
  glide(scroller, distance(...widened(ends, beside, free[1] - free[0]), ...free), still || calm());
}

function scrollerOf(host) {
  let one = host;
  while (one && !(one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY)))
    one = one.parentElement ?? one.getRootNode().host;
  return one;
}

function glide(scroller, by, atOnce) {
  const run = {};
  scroller.diagramRun = run;
  if (atOnce || !by) {
    scroller.scrollTop += by;
    return;
  }
  const from = scroller.scrollTop;
  const began = performance.now();
  const step = (now) => {
    if (scroller.diagramRun !== run) return; // another step was taken meanwhile
    const part = Math.min((now - began) / TOOK, 1);
    scroller.scrollTop = from + by * (1 - (1 - part) ** 3);
    if (part < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}
