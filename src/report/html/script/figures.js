// The way down: from an operator at a level to a data type and a dimension count.

function crumbs(state) {
  const steps = [["matrix", {}, "Matrix"]];
  const path = {};
  if (state.backend) path.backend = state.backend;
  for (const key of ["operator", "level", "type", "dimensions"]) {
    if (!state[key]) continue;
    path[key] = state[key];
    steps.push([
      "cases",
      { ...path },
      key === "level" ? "level " + state[key] : key === "dimensions" ? state[key] + "-D" : state[key],
    ]);
  }
  if (steps.length === 1) return "";
  const links = steps.map(([view, to, name], at) =>
    h("li", {}, h("a", { href: address(view, to), "aria-current": at === steps.length - 1 && "true" }, name)),
  );
  return h("nav", { "aria-label": "Where this is" }, h("ol", { class: "crumbs" }, links));
}

/** The figures of an operator at a level on a backend, by layout and by data type and dimension count. */
function figures(state) {
  const backend = chosenBackend(state);
  if (!state.operator || !backend) return "";
  const items = pick({ operator: state.operator, level: state.level, backend: backend.key });
  const row = (name, chosen) => {
    const cells = [true, false].map((stated) => tally(chosen, backend, stated));
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      cells.map((cell) => h("td", {}, isEmpty(cell) ? "–" : written(cell))),
    );
  };
  const kinds = ["packed", "strided"].map((kind) => row(KINDS[kind][0], items.filter(KINDS[kind][1])));
  const refused = items.filter(refusal);
  if (backend.refuses && refused.length > 0) kinds.push(row(KINDS.refusals[0], refused));
  const head = (...names) =>
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        names.map((name) => h("th", { scope: "col" }, name)),
      ),
    );
  const where = `${state.operator}${state.level ? " at " + state.level : ", all levels"}, ${backend.label}`;
  return h(
    "div",
    { class: "figures-panel" },
    h(
      "div",
      {},
      h("h3", {}, "What counts", backends.length > 1 && h("small", {}, " on " + backend.label)),
      scroll(
        "Figures of " + where,
        h(
          "table",
          { class: "counts" },
          h("caption", { class: "unseen" }, "Applicable, run and passed: " + where),
          head("applicable / run / passed", "stated", "stated and derived"),
          h("tbody", {}, kinds),
        ),
      ),
    ),
    typeGrid(
      state,
      backend,
      items.filter((item) => !refusal(item)),
      where,
      head,
    ),
  );
}

function typeGrid(state, backend, items, where, head) {
  const operator = operators.find((each) => each.id === state.operator);
  const counted = items.filter((item) => item.dimensions >= 0 && !isEmpty(tally([item], backend, false)));
  const types = families[operator.family].types.filter((type) => counted.some((item) => item.type === type));
  const dimensions = [...new Set(counted.map((item) => item.dimensions))].sort((one, other) => one - other);
  if (types.length === 0) return "";
  const cell = (type, count) => {
    const figures = tally(
      counted.filter((item) => item.type === type && item.dimensions === count),
      backend,
      false,
    );
    if (isEmpty(figures)) return h("td", {});
    const style = look(figures);
    const chosen = state.type === type && state.dimensions === String(count);
    const to = address("cases", { ...state, q: "", kind: "", outcome: "", type, dimensions: count });
    const name = `${type}, ${count}-D: ${written(figures)}`;
    return h(
      "td",
      {},
      h(
        "a",
        { class: "cell " + style, href: to, "aria-current": chosen && "true", "aria-label": name },
        h(
          "span",
          { class: "figures" },
          sign({ sign: signs[style] }),
          style === "good" ? number(figures.applicable) : written(figures),
        ),
      ),
    );
  };
  const rows = types.map((type) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, type),
      dimensions.map((count) => cell(type, count)),
    ),
  );
  return h(
    "div",
    {},
    h("h3", {}, `Data type × dimension count of ${operator.subject}`),
    scroll(
      "Data types and dimension counts of " + where,
      h(
        "table",
        { class: "types" },
        h("caption", { class: "unseen" }, "Applicable, run and passed per data type and dimension count: " + where),
        head("", ...dimensions.map((count) => count + "-D")),
        h("tbody", {}, rows),
      ),
    ),
    h("p", { class: "quiet" }, "One figure where all that applies ran and passed."),
  );
}
