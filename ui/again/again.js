// Asks for a run of the whole page as soon as the connection is there again.  Since it is on every page, it
// also sees to what is printed.

import { fitsPaper } from "../web/paper.js";

export default function mount({ parentElement: root, setStateValue }) {
  const host = root.querySelector(".again");
  const app = document.querySelector('[data-testid="stApp"]');
  const look = () => {
    const connected = app.dataset.testConnectionState === "CONNECTED";
    if (connected && host.lost) setStateValue("back", Date.now());
    host.lost = !connected;
  };
  const observer = new MutationObserver(look);
  observer.observe(app, { attributes: true, attributeFilter: ["data-test-connection-state"] });
  const printAsBefore = fitsPaper();
  return () => {
    observer.disconnect();
    printAsBefore();
  };
}
