// What the tests of the page look at, run in the page.

const all = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());

/** Goes to another address of the page, and is there once the page has heard of it, which may be later than the next turn. */
const go = (href) =>
  new Promise((done) => {
    if (new URL(href, location.href).href === location.href) return done();
    addEventListener("hashchange", () => done(), { once: true });
    location.hash = href;
  });

/** Waits until something is so; goes on after ten seconds, since what is checked then says what is not. */
async function until(isSo) {
  for (const end = Date.now() + 10_000; !isSo() && Date.now() < end; ) {
    await new Promise((done) => setTimeout(done, 10));
  }
}

/** The view and what has the focus, once the heading of this view has it. */
async function arrived(view) {
  const found = () => [location.hash.split("?")[0], document.activeElement.tagName];
  await until(() => found().join() === [view, "H2"].join());
  return found();
}

/** Follows every cell of the matrix and compares its figures with those it leads to. */
async function figures() {
  const figures = (text) =>
    (text.match(/(\d+) \/ (\d+) \/ (\d+)(?: \+ (\d+) open)?/) ?? [])
      .slice(1)
      .concat([0, 0, 0, 0])
      .slice(0, 4)
      .map((figure) => Number(figure ?? 0));
  const sum = (texts) =>
    texts
      .map(figures)
      .reduce((total, each) => total.map((value, at) => value + each[at]), [0, 0, 0, 0])
      .join(" / ");
  const links = [...document.querySelectorAll("#matrix a.cell")].map((link) => [
    link.getAttribute("href"),
    link.querySelector(".figures").textContent,
    link.classList.contains("basis-stated"),
  ]);
  let types = 0;
  for (const [href, cell, stated] of links) {
    await go(href);
    const rows = [...document.querySelectorAll("#results .counts tbody tr")].map(
      (row) => row.cells[stated ? 1 : 2].textContent,
    );
    if (sum(rows) !== sum([cell])) return `${href}: ${sum(rows)}, the matrix has ${cell}`;
    const valid = [...document.querySelectorAll("#results .counts tbody tr")]
      .slice(0, 2)
      .map((row) => row.cells[2].textContent);
    const cells = [...document.querySelectorAll("#results .types a")].map((each) => each.ariaLabel);
    if (sum(cells) !== sum(valid)) return `${href}: types ${sum(cells)}, layouts ${sum(valid)}`;
    types += cells.length;
  }
  return { links: links.length, types: types > links.length };
}

/** A case as it is shown. */
function shownCase() {
  const heading = document.querySelector("#case h2").textContent;
  return {
    heading,
    visible: ["case", "matrix"].map((id) => document.getElementById(id).checkVisibility()),
    title: document.title.startsWith(heading),
    expected: all("#case .minus b").map((element) => element.textContent),
    actual: all("#case .plus b").map((element) => element.textContent),
    // What it came to, before anything else.
    outcomes: all("#case nav + .outcomes li").map((element) => element.textContent),
    given: all("#case .given, #case .given + pre").map((element) => element.textContent),
    // The first list is about the case.
    said: all("#case dl")
      .slice(1)
      .flatMap((list) => [...list.querySelectorAll("dd")].map((element) => element.textContent)),
    command: all("#case .command pre").map((element) => element.textContent),
  };
}

const found = () =>
  Number(document.querySelector(".found").textContent.replaceAll("\u2009", "").match(/^\d+/)?.[0] ?? 0);

/** Sorts by dimension count, and says what came of it. */
function sorted() {
  document.querySelector("[data-column=dimensions] button").click();
  const shown = all(".list tbody tr")
    .map((row) => parseInt(row.cells[3].textContent, 10))
    .filter((count) => !Number.isNaN(count));
  return [document.querySelector("[data-column=dimensions]").ariaSort, document.activeElement.textContent, shown];
}

/** What an attack would change. */
function harm() {
  return {
    ran: typeof owned,
    elements: document.querySelectorAll("img, iframe, object, embed, form[action], [onerror], [onload]").length,
    scripts: document.scripts.length,
    links: [...document.links].filter((link) => !/^(https?|file):$/.test(link.protocol)).length,
  };
}

/** Begins to note what gets the focus. */
function noteFocus() {
  window.noted = new Set();
  window.invisible = [];
  window.wanted = all('a[href], button, select, input, [tabindex="0"]').filter(
    (element) => element.type !== "radio" || element.checked,
  );
  return window.wanted.length;
}

/** Notes what has the focus, and whether that is seen. Behind the last element comes none. */
function note() {
  if (document.activeElement === document.body) return;
  window.noted.add(document.activeElement);
  const style = getComputedStyle(document.activeElement);
  if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2)
    window.invisible.push(document.activeElement.outerHTML);
}

const missed = () => [
  window.wanted.filter((element) => !window.noted.has(element)).map((element) => element.outerHTML),
  window.invisible,
];

/** What is wrong with the structure that a screen reader goes by. */
function structure() {
  const problems = [];
  const must = (holds, words) => holds || problems.push(words);
  must(document.documentElement.lang === "en", "language");
  for (const part of ["header", "nav", "main", "footer"]) must(all(part).length >= 1, part);
  must(all("h1").length === 1 && all("main").length === 1, "one h1 and one main");
  let before = 0;
  for (const heading of all("h1, h2, h3, h4")) {
    const rank = Number(heading.tagName[1]);
    must(rank <= before + 1, `${heading.textContent} is of rank ${rank} behind ${before}`);
    before = rank;
  }
  for (const cell of all("th")) must(["col", "row", "rowgroup"].includes(cell.scope), "scope of " + cell.textContent);
  for (const table of all("table")) must(table.caption?.textContent, "caption");
  for (const control of all("input, select")) must(control.labels.length > 0, "label of " + control.outerHTML);
  for (const area of all("[tabindex='0']"))
    must(area.getAttribute("role") === "region" && area.ariaLabel, "name of " + area.className);
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  must(new Set(ids).size === ids.length, "ids twice");
  for (const pointing of document.querySelectorAll("[aria-labelledby]"))
    must(ids.includes(pointing.getAttribute("aria-labelledby")), "what labels");
  must(all("nav [aria-current=page]").length === 1, "current page");
  for (const sign of all(".cell, .chip")) must(/[a-z0-9]/.test(sign.textContent), "words beside " + sign.outerHTML);
  return problems;
}

/** Texts with a contrast below 4.5 to 1. */
function weak() {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const luminance = (colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255);
    const linear = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const ratios = new Map();
  const known = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (
      !texts.currentNode.textContent.trim() ||
      !element.checkVisibility() ||
      element.closest("script, noscript, .unseen, option")
    )
      continue;
    const grounds = [];
    for (let above = element; above; above = above.parentElement)
      grounds.unshift(getComputedStyle(above).backgroundColor);
    const colours = [...grounds, getComputedStyle(element).color];
    const key = colours.join();
    if (!known.has(key)) {
      const [ground, ink] = [luminance(grounds), luminance(colours)];
      known.set(key, (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05));
    }
    if (known.get(key) < 4.5) ratios.set(`${element.tagName} ${element.className}`, known.get(key));
  }
  return known.size > 3 ? [...ratios] : "no colours were seen";
}

const ground = () => getComputedStyle(document.body).backgroundColor;

/** What is wrong with the picture. */
function picture() {
  const bars = [...document.querySelectorAll("g")];
  const box = (text) => text.getBBox();
  return {
    root: document.documentElement.tagName,
    errors: document.querySelectorAll("parsererror").length,
    described: document.querySelector("desc").textContent.includes("(applicable, run, passed)"),
    narrow: Number(document.documentElement.getAttribute("width")) <= 900,
    many: bars.length > 10,
    overflowing: bars
      .filter((bar) => box(bar.querySelector("text")).width > bar.querySelector("rect").width.baseVal.value)
      .map((bar) => bar.textContent),
    colliding: [...document.querySelectorAll(".backend, .family")]
      .filter((name) => box(name).x < 0 || box(name).x + box(name).width > 230)
      .map((name) => name.textContent),
    outside: [...document.querySelectorAll("text")]
      .filter((text) => box(text).x + box(text).width > 900)
      .map((text) => text.textContent),
  };
}
