// A beat that asks the server how things stand: only while the page is seen, and never before the last answer.

const PATIENCE = 10000; // ms without an answer after which it asks again

// Call it whenever an answer has come.  ask: sends the question; every: ms from an answer to the next question.
export function beat(host, every, ask) {
  stop(host);
  const due = () => {
    if (document.hidden) return;
    ask();
    host.timer = setTimeout(due, PATIENCE);
  };
  host.seen = () => {
    if (!document.hidden) due();
  };
  document.addEventListener("visibilitychange", host.seen);
  host.timer = setTimeout(due, every * (0.8 + 0.4 * Math.random())); // phones must not ask in step
}

export function stop(host) {
  clearTimeout(host.timer);
  if (host.seen) document.removeEventListener("visibilitychange", host.seen);
}
