// Reads calls as JSON from the standard input, [[function, ...arguments], ...], and prints what ui/web/numbers.js
// writes for each.
import { readFileSync } from "node:fs";
import { counted, exact, form, percent, probability, whole } from "../../ui/web/numbers.js";

const written = { counted, exact, form, percent, probability, whole };
const calls = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(calls.map(([name, ...values]) => written[name](...values))));
