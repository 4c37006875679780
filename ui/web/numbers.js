// Numbers as a reader reads them, written as views/numbers.py writes them.

export const whole = (n) => n.toLocaleString("en-US");

// The word that goes with n: form(1, "is", "are") -> "is".
export const form = (n, one, many = `${one}s`) => (n === 1 ? one : many);

// 1 -> "1 token", 2 -> "2 tokens".
export const counted = (n, one, many) => `${whole(n)} ${form(n, one, many)}`;

// A share as 0.3 %, 97 %, > 99.9 %, < 0.1 %: only none of it is 0 %, and only all of it is 100 %.
// tenths: one decimal throughout, as for shares that are compared.
export function percent(p, tenths = false) {
  if (p === null || Number.isNaN(p)) return "–";
  if (!(p > -1e-4 && p < 1 + 1e-4)) throw new RangeError(`${p} is no share: a share lies between 0 and 1.`);
  if (p <= 0) return "0 %";
  if (p >= 1) return "100 %";
  if (p < 0.001) return "< 0.1 %";
  if (p > 0.999) return "> 99.9 %";
  return `${(100 * p).toFixed(tenths || p < 0.0995 || p > 0.99 ? 1 : 0)} %`;
}

// A probability from a softmax: never all or nothing, as 32 bits may round it.
export function probability(p) {
  if (p === 0) return "< 0.1 %";
  return p >= 1 ? "> 99.9 %" : percent(p);
}

// The same with enough digits for hovering.
export function exact(p) {
  if (p <= 0) return "less than 10⁻³⁷";
  if (p >= 1) return "more than 1 − 6 × 10⁻⁸";
  return p > 0.9999 ? `1 − ${digits(1 - p, 3)}` : digits(p, 4);
}

// A number between 0 and 1 with so many significant digits, without zeros at the end.
function digits(x, most) {
  const [first, power] = x.toExponential(most - 1).split("e");
  if (x < 1e-4) return `${first} × 10${raised(Number(power))}`;
  return String(Number(x.toPrecision(most)));
}

const raised = (power) => String(power).replace(/./g, (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]);
