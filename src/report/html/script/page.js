// What is shown. The address says it, so that every view has a link: `#matrix`, `#questions`, `#backends`,
// `#cases?operator=…&level=…`, `#case?id=…`.

const VIEWS = ["matrix", "cases", "case", "questions", "backends"];
let listAddress = "#cases";
let listed = [];
const heading = document.title;
const live = h("p", { class: "unseen", role: "status" });

function announce(words) {
  live.textContent = words;
}

/** The view and its state, as the address says. */
function read() {
  const [name, query] = location.hash.slice(1).split(/\?(.*)/s);
  const state = Object.fromEntries([...new URLSearchParams(query ?? "")]);
  return { view: VIEWS.includes(name) ? name : "matrix", state };
}

/** Shows what the address says. */
function route(moved) {
  const { view, state } = read();
  for (const name of VIEWS) document.getElementById(name).hidden = name !== view;
  for (const link of document.querySelectorAll(".banner nav a")) {
    const own = link.getAttribute("href").slice(1);
    if (own === view || (own === "cases" && view === "case")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (view === "cases") {
    showList(Object.fromEntries(KEYS.filter((key) => state[key]).map((key) => [key, state[key]])));
    listAddress = location.hash;
  }
  if (view === "case") showCase(state);
  const title = document.querySelector(`#${view} h2`);
  document.title = view === "matrix" ? heading : `${title.textContent} – ${heading}`;
  if (moved) {
    scrollTo(0, 0);
    title.focus({ preventScroll: true });
  }
}

const root = document.documentElement;
const theme = document.getElementById("theme");
const isDark = () =>
  (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
function showTheme() {
  theme.textContent = isDark() ? "Light" : "Dark";
  theme.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`);
}
theme.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  try {
    localStorage.setItem("opcert-theme", root.dataset.theme);
  } catch {
    // A page from a file may not be allowed to keep anything; the choice then lasts as long as the page is open.
  }
  showTheme();
});
try {
  const kept = localStorage.getItem("opcert-theme");
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
} catch {
  // As above.
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
theme.hidden = false;
showTheme();

/** Begins what needs the data. */
function begin() {
  root.classList.add("js");
  document.body.append(live);
  addEventListener("hashchange", () => route(true));
  // The skip link leads to what is shown, which its own address would change.
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("content").focus();
  });
  // From any of the three parts that need no script, all three are printed.
  addEventListener("beforeprint", () => {
    if (["cases", "case"].includes(read().view)) return;
    for (const name of ["matrix", "questions", "backends"]) document.getElementById(name).hidden = false;
  });
  addEventListener("afterprint", () => route(false));
  route(false);
}

/** Without the data, or in a browser that cannot unpack them, the tables stand there as they do without a script. */
function doWithout(reason) {
  const said = "The cases of this page cannot be read, and so there is no list of them, no search and no single case.";
  document.getElementById("cases-view").append(h("p", { class: "notice" }, `${said} The tables need none. (${reason})`));
}
const ready = unpack().then(begin, doWithout);
