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

/** Adds up what counts for a verdict, as the matrix does: what applies, and beside it open questions that went wrong. */
function tally(items, backend, stated) {
  const cell = { applicable: 0, run: 0, passed: 0, waived: 0, openWrong: 0, openWaived: 0 };
  for (const item of items) {
    const outcome = outcomeOf(backend, item);
    if (!counts(item, backend) || (stated && item.authority !== "stated")) continue;
    const waiver = outcome.name === "expected-failure" && backend.details[item.at]?.waiver;
    const explained = Boolean(waiver && waiver[3]);
    if (item.gates) {
      cell.applicable += 1;
      cell.run += outcome.ran;
      cell.passed += outcome.name === "pass";
      cell.waived += explained;
    } else {
      cell.openWrong += outcome.bad || (outcome.name === "expected-failure" && !explained);
      cell.openWaived += explained;
    }
  }
  return cell;
}
const isEmpty = ({ applicable, openWrong, openWaived }) => applicable + openWrong + openWaived === 0;
const written = ({ applicable, run, passed, openWrong, openWaived }) =>
  [applicable, run, passed].join(" / ") + (openWrong + openWaived > 0 ? ` + ${openWrong + openWaived} open` : "");
/** The class of a cell. Its sign and its colours stand in the table that the matrix has them from. */
function look(cell) {
  if (isEmpty(cell)) return "none";
  if (cell.run > cell.passed + cell.waived || cell.openWrong > 0) return "bad";
  const [known, whole] = [cell.waived + cell.openWaived > 0, cell.applicable === cell.passed + cell.waived];
  return whole ? (known ? "waived" : "good") : known ? "part-waived" : "part";
}
