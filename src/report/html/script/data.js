"use strict";
// The data of `data.rs`, unpacked, and how elements are made of it. Text from outside only ever becomes text: nothing
// here or in the files behind it parses HTML.

let texts, outcomes, signs, families, operators, backends, cases;
const AUTHORITIES = ["stated", "derived", "unspecified", "undefined"];

const text = (place) => (place < 0 ? "" : texts[place]);

/** A case, of what the data have of it. */
const unfolded = (
  [folder, name, title, operator, level, until, flags, type, dimensions, covers, source],
  at,
) => ({
  at,
  folder: text(folder),
  name: text(name),
  id: (text(folder) && text(folder) + "/") + text(name),
  title: text(title),
  operator: operators[operator],
  place: operator,
  levels: families[operators[operator].family].levels,
  level,
  until,
  gates: (flags & 1) > 0,
  large: (flags & 2) > 0,
  strided: (flags & 4) > 0,
  authority: AUTHORITIES[flags >> 3],
  type: text(type),
  dimensions,
  covers: covers.map(text),
  source: source.map(text),
});

/** Unpacks the data, before which nothing that needs them is called. */
async function unpack() {
  const packed = Uint8Array.from(atob(document.getElementById("data").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const data = JSON.parse(await new Response(stream).text());
  ({ texts, outcomes, signs, families, operators, backends } = data);
  cases = data.cases.map(unfolded);
}

/** The outcome of a case on a backend, or nothing where its log has no such case. */
function outcomeOf(backend, item) {
  return outcomes[backend.outcomes.charCodeAt(item.at) - 97];
}
const refusal = (item) => item.until >= 0;
const applies = (item, level) => item.level <= level && (!refusal(item) || level <= item.until);
/** Whether a verdict on a backend may depend on a case; the same rule as that of the matrix. */
function counts(item, backend, refuses = backend.refuses) {
  const there = outcomeOf(backend, item) !== undefined && item.level <= backend.claimed[item.place];
  return there && !item.large && (refuses || !refusal(item));
}

/** An element with attributes and children; strings become text. */
function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(
    ...children.flat(3).filter((child) => child !== undefined && child !== null && child !== false && child !== ""),
  );
  return element;
}
const number = (value) => value.toLocaleString("en-GB").replaceAll(",", "\u2009");
const plural = (count, thing) => `${number(count)} ${thing}${count === 1 ? "" : "s"}`;
const sign = (look) => h("span", { "aria-hidden": "true" }, look.sign, " ");
const chip = (outcome, count) => h("span", { class: "chip " + outcome.class }, sign(outcome), count, outcome.name);
const address = (view, state) => {
  const filled = Object.entries(state).filter(([, value]) => value !== "" && value !== undefined);
  const query = new URLSearchParams(filled).toString().replaceAll("%2F", "/");
  return "#" + view + (query && "?" + query);
};
const caseLink = (item, ...inside) => h("a", { href: address("case", { id: item.id }) }, ...inside);
