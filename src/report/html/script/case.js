// One case, with its tensors and where they differ.

/** Pairs of label and what belongs to it, as a description list. */
function facts(...pairs) {
  const known = pairs.filter(([, value]) => value !== "" && value !== undefined && value.length !== 0);
  return h(
    "dl",
    {},
    known.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}
const requirementLinks = (ids) =>
  ids.flatMap((id, at) => [at > 0 ? ", " : "", h("a", { href: address("cases", { q: id }) }, h("code", {}, id))]);

function showCase(state) {
  const found = cases.filter((item) => item.id === state.id);
  const view = document.getElementById("case-view");
  document.getElementById("case-title").replaceChildren(h("span", { class: "case-id" }, state.id || "Case"));
  if (found.length === 0) {
    view.replaceChildren(h("p", {}, "No log has this case."), h("p", {}, h("a", { href: "#cases" }, "All cases")));
    return;
  }
  const among = listed.length > 0 && listed.includes(found[0]) ? listed : cases;
  const at = among.indexOf(found[0]);
  const step = (item, name) => item && caseLink(item, name);
  view.replaceChildren(
    h(
      "nav",
      { class: "steps", "aria-label": "Other cases" },
      h("a", { href: listAddress }, "To the list"),
      step(among[at - 1], "Previous"),
      step(among[at + 1], "Next"),
    ),
    ...found.flatMap(caseParts),
  );
}

function caseParts(item) {
  const [first, last] = [item.levels[item.level], item.levels[item.until]];
  const span = refusal(item) ? `refused from ${first} to ${last}` : `from ${first} on`;
  const level = item.levels.length > 1 ? span : "";
  const authority =
    item.authority +
    (item.large ? "; of the large tier, counts for no verdict" : item.gates ? "" : "; counts for no verdict");
  const open = KINDS.open[1](item) ? "nothing, the answer is recorded" : "";
  const about = facts(
    ["About", item.title],
    ["Expected", refusal(item) ? "the descriptor is refused" : open],
    ["Operator", h("a", { href: address("cases", { operator: item.operator.id }) }, h("code", {}, item.operator.id))],
    ["Level", level],
    ["Source", sourceOf(item)],
    ["Authority", authority],
    [
      "Tensor",
      [
        item.operator.subject,
        item.type,
        item.dimensions < 0 ? "" : item.dimensions + "-D",
        item.strided ? "strided" : "packed",
      ]
        .filter(Boolean)
        .join(", "),
    ],
    ["Covers", requirementLinks(item.covers)],
    ["Documents", pages(item.operator)],
  );
  // Backends that came to the very same stand together.
  const groups = new Map();
  for (const backend of backends) {
    const outcome = outcomeOf(backend, item);
    if (!outcome) continue;
    const detail = backend.details[item.at] ?? {};
    const key = outcome.name + JSON.stringify(detail);
    if (!groups.has(key)) groups.set(key, { outcome, detail, members: [] });
    groups.get(key).members.push(backend);
  }
  const sorted = [...groups.values()].sort((one, other) => other.outcome.bad - one.outcome.bad);
  // What it came to stands first; why, with what was given, below what the case is.
  return [conclusion(sorted), about, ...givenParts(sorted), ...sorted.map((group) => result(item, group))];
}

/** What a group of backends came to, and which they are. */
const cameTo = ({ outcome, members }) => [
  chip(outcome),
  h("span", {}, members.map((backend) => backend.label).join(", ")),
];

const conclusion = (groups) =>
  h(
    "ul",
    { class: "outcomes", "aria-label": "Outcomes" },
    groups.map((group) => h("li", {}, cameTo(group))),
  );

/** Words that lead to an address; only what is on the web becomes a link. */
const webLink = (address, words) =>
  /^https?:\/\//i.test(address) ? h("a", { href: address, rel: "noreferrer noopener" }, words) : words;

/** The document and the section that a case is taken from. */
function sourceOf({ source, operator }) {
  const [name] = source;
  const address = Object.hasOwn(operator.pages, name ?? "") ? operator.pages[name] : "";
  return source.length > 0 ? webLink(address, source.join(": ")) : "";
}

/** The documents of an operator that everybody can read. */
const pages = ({ pages }) =>
  Object.entries(pages).flatMap(([name, address], at) => [at > 0 ? ", " : "", webLink(address, name)]);

/** What the backends were given that went wrong, and what the requirements say: each once, for it is the same for all. */
function givenParts(groups) {
  const once = (key) =>
    new Map(groups.flatMap(({ detail }) => (detail[key] ? [[JSON.stringify(detail[key]), detail[key]]] : []))).values();
  const parts = [];
  for (const [tensors, attributes] of once("given")) {
    parts.push(h("h3", {}, "Given"));
    for (const [name, descriptor, elements] of tensors) {
      parts.push(h("p", { class: "given" }, h("code", {}, text(name)), ": ", h("code", {}, text(descriptor))));
      if (elements >= 0)
        parts.push(h("pre", { tabindex: "0", role: "region", "aria-label": "Elements" }, text(elements)));
    }
    if (attributes.length > 0) parts.push(codeList(attributes));
  }
  for (const requirements of once("requirements"))
    parts.push(h("h3", {}, "What the requirements say"), codeList(requirements));
  return parts;
}

/** Pairs of a name in code and what belongs to it. */
const codeList = (pairs) =>
  h(
    "dl",
    {},
    pairs.map(([name, words]) => [h("dt", {}, h("code", {}, text(name))), h("dd", {}, text(words))]),
  );

function result(item, group) {
  const { outcome, detail, members } = group;
  const parts = [h("h3", {}, cameTo(group))];
  const paragraph = (place) => {
    const words = text(place);
    // What is long scrolls, and so has to be reached by the keyboard.
    const scrolls = words.length > 1000 && { tabindex: "0", role: "region", "aria-label": "Reason" };
    return h("p", { class: "reason", ...scrolls }, words);
  };
  if (detail.waiver) {
    const [reason, link, otherwise, explained] = detail.waiver;
    const target = link === null ? "" : text(link);
    parts.push(
      h("h4", {}, explained ? "Known failure" : "Known failure, unexplained: it waives nothing"),
      paragraph(reason),
      facts(["Tracked at", webLink(target, target)], ["Outcome otherwise", otherwise]),
    );
  }
  if (detail.reason !== undefined) parts.push(paragraph(detail.reason));
  for (const difference of detail.differences ?? []) parts.push(...differenceParts(difference));
  for (const [tensor, value] of detail.observed ?? []) {
    parts.push(
      h("h4", {}, "Answer: ", h("code", {}, text(tensor))),
      h("pre", { class: "diff", tabindex: "0", role: "region", "aria-label": "Answer" }, h("span", {}, text(value))),
    );
  }
  if (detail.derived?.length) {
    parts.push(h("h4", {}, "Derived, and why"), codeList(detail.derived));
  }
  if (outcome.bad || outcome.name === "expected-failure") {
    for (const repeat of new Set(members.map((backend) => backend.repeat)))
      parts.push(h("h4", {}, "Repeat"), command(repeat, item));
  }
  return h("article", {}, parts);
}

function differenceParts({ tensor, counts: [differing, defined, unwritten], first, expected, actual, why, tensors }) {
  const place = first ? ` at [${first.join(", ")}]` : "";
  const many = first
    ? `${number(differing)} of ${plural(defined, "defined element")} differ`
    : plural(defined, "element");
  const never = unwritten > 0 ? `, ${number(unwritten)} of them were never written` : "";
  const parts = [
    h(
      "h4",
      {},
      h("code", {}, text(tensor)),
      place,
      " is ",
      h("code", {}, text(actual)),
      ", expected ",
      h("code", {}, text(expected)),
    ),
    (why ?? []).map((line) => h("p", { class: "reason" }, text(line))),
    h("p", {}, many + never + "."),
  ];
  if (tensors) {
    const wanted = text(tensors[0]).split("\n");
    const given = tensors[1].text === undefined ? wanted.slice() : text(tensors[1].text).split("\n");
    for (const [line, place] of tensors[1].lines ?? []) given[line] = text(place);
    parts.push(
      h("p", { class: "quiet" }, "− expected, + actual"),
      h(
        "pre",
        { class: "diff", tabindex: "0", role: "region", "aria-label": "Expected and actual tensor" },
        diffLines(wanted, given),
      ),
    );
  }
  return parts;
}

function command(repeat, item) {
  const line = repeat.replaceAll("{case}", item.id).replaceAll("{test}", item.id.replaceAll("/", "::"));
  const shown = h("pre", {}, line);
  const copy = async (event) => {
    const button = event.currentTarget;
    try {
      await navigator.clipboard.writeText(line);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(shown);
      button.textContent = "Selected";
    }
    announce(button.textContent);
  };
  return h(
    "div",
    { class: "command" },
    shown,
    h("button", { type: "button", onclick: copy, "aria-label": "Copy the command" }, "Copy"),
  );
}

/** The lines of two tensors, which have the same shape: where they say different things, one under the other. */
function diffLines(wanted, given) {
  const lines = [];
  const line = (style, words, mark, parts) =>
    h("span", { class: style }, h("i", { class: "unseen" }, words), mark, parts);
  for (let at = 0; at < Math.max(wanted.length, given.length); at += 1) {
    const [own, other] = [wanted[at], given[at]].map((each) => each?.split(/([[\],\s]+)/) ?? []);
    const differs = (part, place, beside) => part !== beside[place] && /[^[\],\s]/.test(part);
    if (own.length === other.length && !own.some((part, place) => differs(part, place, other))) {
      lines.push(h("span", {}, "  ", wanted[at]));
      continue;
    }
    const marked = (parts, beside) =>
      parts.map((part, place) => (differs(part, place, beside) ? h("b", {}, part) : part));
    lines.push(line("minus", "expected ", "− ", marked(own, other)), line("plus", "actual ", "+ ", marked(other, own)));
  }
  return lines;
}
