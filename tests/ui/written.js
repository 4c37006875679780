// Reads calls as JSON from the standard input, [[function, ...arguments], ...], and prints what ui/web/numbers.js
// writes for each.
import { readFileSync } from "node:fs";
import * as numbers from "../../ui/web/numbers.js";

const calls = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(calls.map(([name, ...values]) => numbers[name](...values))));
