// Which cases are shown, and what they add up to.

const KEYS = ["q", "operator", "level", "type", "dimensions", "kind", "backend", "outcome", "sort"];
const KINDS = {
  packed: ["valid, packed", (item) => !refusal(item) && !item.strided],
  strided: ["valid, strided", (item) => !refusal(item) && item.strided],
  refusals: ["invalid descriptors", refusal],
  open: ["open questions", (item) => item.authority === "unspecified" || item.authority === "undefined"],
};
const haystacks = [];
/** All that a search looks through, in lower case. */
function haystack(item) {
  const found = backends.map((backend) => outcomeOf(backend, item)?.name ?? "");
  const words = [item.id, item.title, item.type, item.authority, ...item.covers, ...item.source, ...new Set(found)];
  return (haystacks[item.at] ??= words.join("\n").toLowerCase());
}

function chosenBackend(state) {
  return backends.length === 1 ? backends[0] : backends.find((backend) => backend.key === state.backend);
}

/** What a backend answered to an open question, to be compared. */
function answer(backend, item) {
  return JSON.stringify(backend.details[item.at]?.observed ?? []);
}

/** The cases that a state of the list picks. */
function pick(state) {
  const operator = operators.find((each) => each.id === state.operator);
  const words = (state.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const backend = chosenBackend(state);
  const looked = backend ? [backend] : backends;
  const wanted = {
    bad: (found) => found.some((outcome) => outcome.bad),
    differ: (found, item) =>
      found.some((outcome) => outcome !== found[0]) || new Set(looked.map((each) => answer(each, item))).size > 1,
  };
  const test = wanted[state.outcome] ?? ((found) => found.some((outcome) => outcome.name === state.outcome));
  return cases.filter((item) => {
    if (operator && item.operator !== operator) return false;
    if (state.level && !applies(item, item.levels.indexOf(state.level))) return false;
    if (state.type && item.type !== state.type) return false;
    if (state.dimensions && String(item.dimensions) !== state.dimensions) return false;
    if (state.kind && KINDS[state.kind] && !KINDS[state.kind][1](item)) return false;
    const found = looked.map((each) => outcomeOf(each, item)).filter(Boolean);
    if (found.length === 0) return false;
    if (state.outcome && !test(found, item)) return false;
    return words.length === 0 || words.every((word) => haystack(item).includes(word));
  });
}

/** Adds up what counts for a verdict: applicable, run, passed. */
function tally(items, backend, stated) {
  const cell = [0, 0, 0];
  for (const item of items) {
    const outcome = outcomeOf(backend, item);
    if (!counts(item, backend) || (stated && item.authority !== "stated")) continue;
    cell[0] += 1;
    cell[1] += outcome.ran;
    cell[2] += outcome.name === "pass";
  }
  return cell;
}
const look = ([applicable, run, passed]) =>
  applicable === 0
    ? ["none", "–"]
    : applicable === passed
      ? ["good", "✓"]
      : run === passed
        ? ["part", "◐"]
        : ["bad", "✕"];
