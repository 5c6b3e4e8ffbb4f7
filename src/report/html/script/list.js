// The list of cases with its search.

function select(name, label, options, state) {
  const control = h("select", { name }, h("option", { value: "" }, "any"));
  for (const [value, shown] of options) control.append(h("option", { value }, shown ?? value));
  control.value = state[name] ?? "";
  return h("label", {}, label, control);
}

/** The controls above the list. What they offer depends on the operator. */
function filters(state) {
  const operator = operators.find((each) => each.id === state.operator);
  const family = operator && families[operator.family];
  const items = cases.filter((item) => !operator || item.operator === operator);
  const types = (family ? family.types : families.flatMap((each) => each.types)).filter((type) =>
    items.some((item) => item.type === type),
  );
  const dimensions = [...new Set(items.map((item) => item.dimensions))]
    .filter((count) => count >= 0)
    .sort((one, other) => one - other);
  const special = [
    ["bad", "anything wrong"],
    ...(backends.length > 1 ? [["differ", "backends differ, answers included"]] : []),
  ];
  const search = h("input", {
    type: "search",
    name: "q",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "id, title, requirement, outcome, type",
  });
  search.value = state.q ?? "";
  return h(
    "form",
    {
      class: "filters",
      role: "search",
      "aria-label": "Cases",
      onsubmit: (event) => event.preventDefault(),
      oninput: filtered,
    },
    h("label", { class: "wide" }, "Search", search),
    select(
      "operator",
      "Operator",
      operators.map((each) => [each.id]),
      state,
    ),
    family &&
      family.levels.length > 1 &&
      select(
        "level",
        "Applies at level",
        family.levels.map((level) => [level]),
        state,
      ),
    select(
      "type",
      "Data type",
      [...new Set(types)].map((type) => [type]),
      state,
    ),
    select(
      "dimensions",
      "Dimensions",
      dimensions.map((count) => [String(count), count + "-D"]),
      state,
    ),
    select(
      "kind",
      "Kind",
      Object.entries(KINDS).map(([key, [name]]) => [key, name]),
      state,
    ),
    backends.length > 1 &&
      select(
        "backend",
        "Backend",
        backends.map((each) => [each.key, each.label]),
        state,
      ),
    select("outcome", "Outcome", [...special, ...outcomes.map((outcome) => [outcome.name])], state),
    h(
      "button",
      {
        type: "button",
        onclick: () => {
          location.hash = "#cases";
        },
      },
      "Clear",
    ),
  );
}

/** A control was changed: the address follows, and so does what is below the controls. */
function filtered(event) {
  const state = { sort: read().state.sort };
  for (const [key, value] of new FormData(event.currentTarget)) state[key] = value;
  if (event.target.name === "operator") delete state.level;
  history.replaceState(null, "", address("cases", state));
  listAddress = location.hash;
  if (event.target.name === "operator") {
    showList(state);
    document.querySelector("#cases-view [name=operator]").focus();
  } else {
    showResults(state, document.getElementById("results"));
  }
}

/** So many rows at first; a button shows more. */
const ROWS = 200;

const scroll = (label, table) =>
  h("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, table);

/** How a case's outcomes are told in one line: one on one backend, else how many backends came to each. */
function outcomeCell(item, backend) {
  if (backend) {
    const outcome = outcomeOf(backend, item);
    return outcome ? chip(outcome) : "";
  }
  const found = new Map();
  for (const each of backends) {
    const outcome = outcomeOf(each, item);
    if (outcome) found.set(outcome, (found.get(outcome) ?? 0) + 1);
  }
  return [...found]
    .sort(([one], [other]) => outcomes.indexOf(one) - outcomes.indexOf(other))
    .map(([outcome, count]) => chip(outcome, backends.length > 1 ? `${count} ` : ""));
}

/** The least level of a case, or the levels at which it is refused. */
function levelText(item) {
  const [first, last] = [item.levels[item.level], item.levels[item.until]];
  if (!refusal(item)) return first;
  return item.levels.length > 1 ? `refused ${first} – ${last}` : "refused";
}

const ORDERS = {
  case: (one, other) => one.at - other.at,
  level: (one, other) => one.level - other.level,
  type: (one, other) => one.type.localeCompare(other.type, "en"),
  dimensions: (one, other) => one.dimensions - other.dimensions,
  outcome: (one, other) => worst(other) - worst(one),
};
/** What is wrong comes before what is remarkable, and that before what passed. */
function worst(item) {
  const ranks = backends.map((backend) => outcomeOf(backend, item)).filter(Boolean);
  return Math.max(...ranks.map((outcome) => (outcome.bad ? outcomes.length : outcomes.indexOf(outcome))));
}

const isWrong = (item, backend) => (backend ? [backend] : backends).some((each) => outcomeOf(each, item)?.bad);

/** What is below the controls. */
function showResults(state, place, shown = ROWS) {
  const items = pick(state);
  const backend = chosenBackend(state);
  const [key, direction] = (state.sort ?? "").split("-");
  // Where no order is asked for, what went wrong comes first.
  const order = ORDERS[key] ?? ((one, other) => isWrong(other, backend) - isWrong(one, backend));
  items.sort((one, other) => order(one, other) * (direction === "down" ? -1 : 1) || one.at - other.at);
  const counting = items.filter((item) =>
    (backend ? [backend] : backends).some((each) => !isEmpty(tally([item], each, false))),
  );
  const column = (name, label) => {
    const sorted = key === name ? (direction === "down" ? "descending" : "ascending") : "none";
    const next = { ...state, sort: sorted === "ascending" ? name + "-down" : name };
    const again = () => {
      history.replaceState(null, "", address("cases", next));
      listAddress = location.hash;
      showResults(next, place, shown);
      place.querySelector(`[data-column=${name}] button`).focus();
    };
    return h(
      "th",
      { scope: "col", "aria-sort": sorted, "data-column": name },
      h("button", { type: "button", onclick: again }, label),
    );
  };
  const rows = items
    .slice(0, shown)
    .map((item) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, caseLink(item, h("code", {}, item.id)), item.title && h("small", {}, item.title)),
        h("td", {}, levelText(item)),
        h("td", {}, item.type),
        h("td", {}, item.dimensions < 0 ? "" : item.dimensions + "-D"),
        h("td", {}, outcomeCell(item, backend)),
      ),
    );
  const more =
    items.length > shown &&
    h(
      "button",
      {
        type: "button",
        class: "more",
        onclick: () => {
          showResults(state, place, shown + 5 * ROWS);
          place.querySelectorAll(".list tbody a")[shown]?.focus();
        },
      },
      `Show more: ${number(items.length - shown)} are left`,
    );
  const found =
    items.length === 0
      ? "No case fits."
      : `${plural(items.length, "case")}, ${number(counting.length)} of which count for a verdict.`;
  announce(found);
  place.replaceChildren(
    crumbs(state),
    figures(state),
    h("p", { class: "found" }, found),
    items.length === 0
      ? ""
      : scroll(
          "Cases",
          h(
            "table",
            { class: "list" },
            h("caption", { class: "unseen" }, "Cases"),
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                column("case", "Case"),
                column("level", "Level"),
                column("type", "Type"),
                column("dimensions", "Dimensions"),
                column("outcome", backend || backends.length === 1 ? "Outcome" : "Outcomes, backends"),
              ),
            ),
            h("tbody", {}, rows),
          ),
        ),
    more || "",
  );
  listed = items;
}

function showList(state) {
  const results = h("div", { id: "results" });
  document.getElementById("cases-view").replaceChildren(filters(state), results);
  showResults(state, results);
}
