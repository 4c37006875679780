// A place from 0 to 1 on a ramp of colours ("#rrggbb") -> [red, green, blue].
export function rampAt(ramp, p) {
  const place = Math.min(Math.max(p, 0), 1) * (ramp.length - 1);
  const low = Math.min(Math.floor(place), ramp.length - 2);
  const part = (step, i) => parseInt(ramp[low + step].slice(i, i + 2), 16);
  return [1, 3, 5].map((i) => Math.round(part(0, i) + (part(1, i) - part(0, i)) * (place - low)));
}

export const rampColour = (ramp, p) => `rgb(${rampAt(ramp, p).join(", ")})`;
