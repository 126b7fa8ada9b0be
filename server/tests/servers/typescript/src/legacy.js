const UNIT = "m²";

export function format(number) {
  return pad(number.toFixed(2)) + " " + UNIT;
}

function pad(text) {
  return text.padStart(8);
}

export function anything(box) {
  return box.describe() + box.area();
}
