//! The page in a real browser: what people see, search, link to and reach with the keyboard, and that nothing a backend
//! says becomes more than text. Each test is ignored where there is no Chromium.

mod browser;
mod command;
mod doctored;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use browser::Browser;
use libtest_mimic::{Arguments, Failed, Trial};
use opcert::judge::{CaseEvent, Outcome};
use opcert::report::{Log, Matrix, html, svg};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Pages to be opened: one backend, the same with an operator that the lowest levels do not have, and three backends of
/// which two do much wrong.
struct Pages {
    _folder: TempDir,
    one: PathBuf,
    few: PathBuf,
    three: PathBuf,
    picture: PathBuf,
    logs: Vec<Log>,
}

type Tested = Result<(), Failed>;

fn pages() -> Result<Pages, Failed> {
    let folder = TempDir::new()?;
    let right = doctored::right(folder.path(), &doctored::BY_HAND)?;
    let few = doctored::right(folder.path(), &["directml/one_hot/documented/*"])?;
    let logs = vec![right.clone(), doctored::faulty(&right), doctored::hostile(&right)];
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        fs::write(&path, text).map(|()| path)
    };
    let one = write("one.html", html(&logs[..1]))?;
    let few = write("few.html", html(&[few]))?;
    let three = write("three.html", html(&logs))?;
    let picture = write("picture.svg", svg(&logs))?;
    Ok(Pages { one, few, three, picture, logs, _folder: folder })
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trial = |name: &str, test: fn() -> Tested| {
        let there = browser::find().is_some();
        let trial = Trial::test(name, test).with_ignored_flag(!there);
        if there { trial } else { trial.with_kind("there is no Chromium") }
    };
    let trials = vec![
        trial("the_figures_on_the_way_down_are_those_of_the_matrix", figures),
        trial("a_case_has_a_link_and_shows_its_tensors", permalink),
        trial("the_list_is_searched_filtered_and_sorted", search),
        trial("nothing_that_a_backend_says_becomes_more_than_text", hostile),
        trial("without_scripts_the_tables_are_there", no_scripts),
        trial("cases_that_cannot_be_read_are_said_to_be_and_the_tables_are_there", damaged),
        trial("all_is_reached_and_done_with_the_keyboard", keyboard),
        trial("structure_and_names_are_there_for_a_screen_reader", structure),
        trial("text_stands_out_in_light_and_dark", colours),
        trial("what_matters_most_comes_first", first),
        trial("the_page_fits_a_telephone", narrow),
        trial("the_picture_is_well_formed_and_its_texts_fit", picture),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Fails with what was found unless it is what was expected.
fn expect(what: &str, found: &Value, expected: &Value) -> Tested {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found}, expected {expected}").into()) }
}

/// Nothing was loaded but the file, and the console is empty.
fn quiet(browser: &Browser) -> Tested {
    let foreign: Vec<&String> = browser
        .asked_for
        .iter()
        .filter(|url| !["file:///", "data:,", "about:blank"].iter().any(|start| url.starts_with(start)))
        .collect();
    if !foreign.is_empty() {
        return Err(format!("the page asks for {foreign:?}").into());
    }
    if browser.complaints.is_empty() { Ok(()) } else { Err(browser.complaints.join("\n").into()) }
}

/// Runs one of the checks that stand in a file of their own.
fn check(browser: &mut Browser, call: &str) -> Result<Value, String> {
    browser.evaluate(&format!("(() => {{\n{}\nreturn {call};\n}})()", include_str!("browser/checks.js")))
}

/// The first case of a log whose outputs differ.
fn failed(log: &Log) -> Result<&CaseEvent, Failed> {
    Ok(log.cases.iter().find(|case| !case.differences.is_empty()).ok_or("nothing failed")?)
}

/// Every kind of view.
fn views(log: &Log) -> Result<Vec<String>, Failed> {
    let list = "#cases?operator=directml/one_hot&level=6_4&backend=cpu".to_owned();
    let case = format!("#case?id={}", failed(log)?.case);
    Ok(["#matrix", "#questions", "#backends"].map(str::to_owned).into_iter().chain([list, case]).collect())
}

fn figures() -> Tested {
    let pages = pages()?;
    let mut browser = Browser::start(1280, 900)?;
    browser.open(&pages.three, "")?;
    let compared = check(&mut browser, "figures()")?;
    let levels = pages.logs.iter().map(|log| {
        let matrix = Matrix::of(log);
        matrix.operators.iter().flat_map(|operator| &operator.levels).filter(|row| row.is_counted()).count()
    });
    // Two verdicts on each; levels at which nothing changes share a cell.
    let most = 2 * levels.sum::<usize>() as u64;
    let links = compared["links"].as_u64().ok_or_else(|| compared.to_string())?;
    if links < most / 6 || links > most || compared["types"] != json!(true) {
        return Err(format!("{compared} were compared, of at most {most}").into());
    }
    quiet(&browser)
}

fn permalink() -> Tested {
    let pages = pages()?;
    let mut browser = Browser::start(1280, 900)?;
    let failed = failed(&pages.logs[1])?;
    browser.open(&pages.three, &format!("#case?id={}", failed.case))?;
    let command = pages.logs[1].header.repeat.replace("{case}", &failed.case);
    let shown = check(&mut browser, "shownCase()")?;
    expect("expected", &shown["expected"][0], &json!("7"))?;
    expect("actual", &shown["actual"][0], &json!("3"))?;
    expect("command", &shown["command"][0], &json!(command))?;
    let given = json!(["Input: Sizes:{2,3}, Strides:{4,1}, DataType:FLOAT32", "[[5, 5, 5],\n [5, 5, 5]]"]);
    let shown_given = shown["given"].as_array().ok_or("nothing is given")?;
    expect("what was given", &json!(shown_given[..2]), &given)?;
    let outcomes = shown["outcomes"].as_array().ok_or("no outcomes")?;
    let words: Vec<&str> = outcomes.iter().filter_map(Value::as_str).collect();
    let first = words.first().is_some_and(|first| first.contains("fail") && first.contains("faulty one"));
    let last = words.last().is_some_and(|last| last.contains("pass") && last.contains("cpu"));
    if !first || !last {
        return Err(format!("the case came to {words:?}").into());
    }
    let said = shown["said"].as_array().ok_or("nothing is said")?;
    // Another log of the same case says that it was given something else; both are shown.
    let text = json!("It has to be so.");
    expect("the attribute and the requirement", &json!([said[0], said.contains(&text)]), &json!(["1", true]))?;
    let rest = json!([shown["heading"], shown["visible"], shown["title"]]);
    expect("the case", &rest, &json!([failed.case, [true, false], true]))?;
    // Other links on the page that is open already.
    browser.go("#questions")?;
    expect("the questions", &check(&mut browser, "all('#questions, #case').length")?, &json!(1))?;
    let other = &pages.logs[0].cases[1].case;
    browser.go(&format!("#case?id={other}"))?;
    expect("the other case", &check(&mut browser, "shownCase().heading")?, &json!(other))?;
    // The document that a case is taken from is a click away.
    let documented = pages.logs[0].cases.iter().find(|case| case.source.is_some()).ok_or("no case has a source")?;
    let (name, section) = documented.source.as_ref().ok_or("it has no source")?;
    let operator = pages.logs[0].header.operators.iter().find(|operator| operator.id == documented.operator);
    let page = operator.and_then(|operator| operator.pages.get(name)).ok_or("the document has no page")?;
    browser.go(&format!("#case?id={}", documented.case))?;
    let link =
        "(({ textContent, href }) => [textContent, href])(document.querySelector('#case-view dd a[href^=http]'))";
    expect("the source", &browser.evaluate(link)?, &json!([format!("{name}: {section}"), page]))?;
    browser.go("#case?id=no/such/case")?;
    let said = browser.evaluate("document.querySelector('#case-view').textContent.includes('No log has this case')")?;
    expect("a case that is not there", &said, &json!(true))?;
    quiet(&browser)
}

fn search() -> Tested {
    let pages = pages()?;
    let log = &pages.logs[1];
    let mut browser = Browser::start(1280, 900)?;
    let counted = |test: &dyn Fn(&CaseEvent) -> bool| log.cases.iter().filter(|case| test(case)).count();
    let has = |case: &CaseEvent, word: &str| {
        let texts = [Some(&case.case), case.title.as_ref(), case.data_type.as_ref()].into_iter().flatten();
        texts.chain(&case.covers).any(|text| text.to_lowercase().contains(word))
    };
    let one = &log.cases[3];
    let requirement = one.covers.first().ok_or("no requirement")?;
    let backend = log.header.backend.name.raw().replace(' ', "+");
    let of_outcome = |outcome| counted(&|case| case.outcome == outcome);
    let queries: [(String, usize); 7] = [
        (format!("q={}", one.case), counted(&|case| case.case.starts_with(&one.case))),
        (format!("q={requirement}"), counted(&|case| has(case, requirement))),
        ("q=FLOAT16".to_owned(), counted(&|case| has(case, "float16"))),
        ("q=second+dimension".to_owned(), counted(&|case| has(case, "second") && has(case, "dimension"))),
        (
            "type=FLOAT32&dimensions=2".to_owned(),
            counted(&|case| case.data_type.as_deref() == Some("FLOAT32") && case.dimensions == Some(2)),
        ),
        (format!("backend={backend}&outcome=fail"), of_outcome(Outcome::Fail)),
        (format!("backend={backend}&outcome=bad"), counted(&|case| case.outcome.is_bad())),
    ];
    for (query, expected) in queries {
        browser.open(&pages.three, &format!("#cases?{query}"))?;
        expect(&query, &check(&mut browser, "found()")?, &json!(expected))?;
        if expected == 0 {
            return Err(format!("`{query}` finds nothing, which shows nothing").into());
        }
    }
    // Typed by a person: the address follows, and it is said how many there are.
    browser.open(&pages.three, "#cases")?;
    browser.evaluate("document.querySelector('[name=q]').focus()")?;
    browser.call("Input.insertText", &json!({ "text": "float16" }))?;
    let state =
        "[location.hash, document.activeElement.name, document.querySelector('[role=status]').textContent > '']";
    expect("typed", &browser.evaluate(state)?, &json!(["#cases?q=float16", "q", true]))?;
    expect("found", &check(&mut browser, "found()")?, &json!(counted(&|case| has(case, "float16"))))?;
    for order in ["ascending", "descending"] {
        let state = check(&mut browser, "sorted()")?;
        let mut counts: Vec<u64> = state[2].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
        counts.sort_unstable();
        if order == "descending" {
            counts.reverse();
        }
        expect("sorted", &state, &json!([order, "Dimensions", counts]))?;
        if counts.first() == counts.last() {
            return Err("there is nothing to be sorted".into());
        }
    }
    quiet(&browser)
}

fn hostile() -> Tested {
    let pages = pages()?;
    let log = &pages.logs[2];
    let mut browser = Browser::start(1280, 900)?;
    let attack = "%3C/script%3E%3Cscript%3Eowned()%3C/script%3E";
    let mut views: Vec<String> = ["#matrix", "#questions", "#backends"].map(str::to_owned).to_vec();
    views.extend(["cases?operator", "cases?q", "cases?backend", "case?id", "x"].map(|key| format!("#{key}={attack}")));
    let said = log.cases.iter().filter(|case| case.reason.is_some()).take(24);
    let answered = log.cases.iter().filter(|case| !case.observed.is_empty()).take(2);
    views.extend(said.chain(answered).map(|case| format!("#case?id={}", case.case)));
    browser.open(&pages.three, "")?;
    let mut shown = String::new();
    for view in &views {
        browser.go(view)?;
        let harmless = json!({ "ran": "undefined", "elements": 0, "scripts": 2, "links": 0 });
        expect(view, &check(&mut browser, "harm()")?, &harmless)?;
        let text = browser.evaluate("document.title + document.body.innerText")?;
        let text = text.as_str().ok_or("no text")?;
        if let Some(letter) = text.chars().find(|letter| doctored::UNSEEN.contains(letter)) {
            return Err(format!("{view} shows {letter:?}").into());
        }
        shown.push_str(text);
    }
    let script = browser.evaluate("typeof webLink('javascript:owned()', 'words')")?;
    expect("what does not lead to the web is no link", &script, &json!("string"))?;
    let attacks = ["</script><script>owned()</script>", "<img src=x onerror=owned()>", "javascript:owned()"];
    for text in attacks.into_iter().chain([
        "\\u{2028}",
        "\\u{202e}",
        "&lt;b&gt;owned()&amp;",
        "more characters, which the event log has",
    ]) {
        if !shown.contains(text) {
            return Err(format!("`{text}` is not shown as it is").into());
        }
    }
    quiet(&browser)
}

/// Of a page that came in part, or in a browser that cannot unpack what it carries.
fn damaged() -> Tested {
    let pages = pages()?;
    let page = fs::read_to_string(&pages.one)?;
    let mut browser = Browser::start(1280, 900)?;
    for (what, whole, damaged) in [
        ("no data of zlib", "type=\"application/zlib\">", "type=\"application/zlib\">AAAA"),
        ("no Base64", "type=\"application/zlib\">", "type=\"application/zlib\">*"),
        ("no data", "id=\"data\"", "id=\"other\""),
    ] {
        let damaged = page.replacen(whole, damaged, 1);
        if damaged == page {
            return Err(format!("{what}: nothing is damaged").into());
        }
        fs::write(&pages.few, damaged)?;
        browser.open(&pages.few, "#cases?q=float16")?;
        let said = "[document.querySelector('#cases-view .notice').textContent.includes('cannot be read'), \
                     document.querySelector('#matrix .grid').checkVisibility(), document.documentElement.className]";
        expect(what, &browser.evaluate(said)?, &json!([true, true, ""]))?;
    }
    quiet(&browser)
}

fn no_scripts() -> Tested {
    let pages = pages()?;
    let mut browser = Browser::start(1280, 900)?;
    browser.call("Emulation.setScriptExecutionDisabled", &json!({ "value": true }))?;
    browser.open(&pages.three, "")?;
    let sections =
        "['matrix', 'questions', 'backends', 'cases'].map(id => document.getElementById(id).checkVisibility())";
    expect("sections", &browser.evaluate(sections)?, &json!([true, true, true, true]))?;
    // A table of levels for each family.
    let rest = "[document.documentElement.className, \
                 ...['#matrix .grid', '#theme', 'noscript'].map(selector => all(selector).length)]";
    expect("the rest", &check(&mut browser, rest)?, &json!(["", 5, 0, 1]))?;
    // The two verdicts need the style sheet alone.
    let shows = "['all', 'stated'].map(basis => all('.cell.basis-' + basis).length > 0)";
    expect("at first", &check(&mut browser, shows)?, &json!([true, false]))?;
    browser.evaluate("document.querySelector('#basis-stated').click()")?;
    expect("then", &check(&mut browser, shows)?, &json!([false, true]))?;
    quiet(&browser)
}

fn keyboard() -> Tested {
    let pages = pages()?;
    let mut browser = Browser::start(1280, 900)?;
    for view in views(&pages.logs[1])? {
        let view = view.replace("&backend=cpu", "&backend=cpu&q=rank");
        browser.open(&pages.three, &view)?;
        // The first Tab starts at the part that the link leads to; browsers also stop at texts that scroll.
        let count = check(&mut browser, "noteFocus()")?.as_u64().ok_or("no count")?;
        for _ in 0..2 * count + 10 {
            browser.press("Tab")?;
            check(&mut browser, "note()")?;
            if check(&mut browser, "missed()")?[0] == json!([]) {
                break;
            }
        }
        let what = format!("not reached, or without a focus that is seen, at {view}");
        expect(&what, &check(&mut browser, "missed()")?, &json!([[], []]))?;
    }
    // From the matrix to a case and back to its list with nothing but Tab and Enter.
    browser.open(&pages.three, "")?;
    browser.press("Tab")?;
    browser.press("Enter")?;
    expect("the skip link", &browser.evaluate("document.activeElement.id")?, &json!("content"))?;
    for (goal, view) in [("#matrix a.cell.bad", "#cases"), (".list tbody a", "#case"), (".steps a", "#cases")] {
        let there = format!("document.activeElement.matches({})", json!(goal));
        let mut presses = 0;
        while browser.evaluate(&there)? != json!(true) {
            presses += 1;
            if presses > 400 {
                return Err(format!("`{goal}` is not reached").into());
            }
            browser.press("Tab")?;
        }
        browser.press("Enter")?;
        expect(goal, &check(&mut browser, &format!("arrived({})", json!(view)))?, &json!([view, "H2"]))?;
    }
    quiet(&browser)
}

fn structure() -> Tested {
    let pages = pages()?;
    let mut browser = Browser::start(1280, 900)?;
    for (page, view) in [&pages.one, &pages.three].into_iter().flat_map(|page| {
        let views = views(&pages.logs[1]).unwrap_or_default();
        views.into_iter().map(move |view| (page, view))
    }) {
        browser.open(page, &view)?;
        expect(&format!("structure at {view}"), &check(&mut browser, "structure()")?, &json!([]))?;
        let tree = browser.call("Accessibility.getFullAXTree", &json!({}))?;
        let nodes = tree["nodes"].as_array().ok_or("no accessibility tree")?;
        let roles = ["link", "button", "combobox", "searchbox", "radio", "checkbox", "table", "region", "navigation"];
        let named = nodes
            .iter()
            .filter(|node| node["ignored"] != json!(true) && roles.iter().any(|role| node["role"]["value"] == *role));
        let named: Vec<&Value> = named.collect();
        if named.len() < 5 {
            return Err(format!("the accessibility tree at {view} has {} such nodes", named.len()).into());
        }
        if let Some(node) = named.iter().find(|node| node["name"]["value"].as_str().is_none_or(str::is_empty)) {
            return Err(format!("at {view}, this has no name: {node}").into());
        }
    }
    quiet(&browser)
}

fn colours() -> Tested {
    let pages = pages()?;
    let mut browser = Browser::start(1280, 900)?;
    let mut grounds = Vec::new();
    for scheme in ["light", "dark"] {
        let feature = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.call("Emulation.setEmulatedMedia", &feature)?;
        for view in views(&pages.logs[1])? {
            browser.open(&pages.three, &view)?;
            expect(&format!("weak at {view}, {scheme}"), &check(&mut browser, "weak()")?, &json!([]))?;
        }
        grounds.push(check(&mut browser, "ground()")?);
    }
    if grounds[0] == grounds[1] {
        return Err(format!("light and dark have the same ground {}", grounds[0]).into());
    }
    // The switch, which is remembered.
    browser.evaluate("document.querySelector('#theme').click()")?;
    expect("switched", &check(&mut browser, "ground()")?, &grounds[0])?;
    // What a page stores reaches another one by way of the browser, at some time: under load not at once.
    let mut ground = Value::Null;
    for _ in 0..20 {
        browser.open(&pages.three, "")?;
        ground = check(&mut browser, "ground()")?;
        if ground == grounds[0] {
            break;
        }
    }
    expect("remembered", &ground, &grounds[0])?;
    quiet(&browser)
}

fn first() -> Tested {
    let pages = pages()?;
    let mut browser = Browser::start(400, 800)?;
    browser.open(&pages.three, "")?;
    let lines = "all('.summary li').map(line => line.textContent)";
    let lines = check(&mut browser, lines)?;
    let lines: Vec<&str> = lines.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    expect("lines", &json!(lines.len()), &json!(pages.logs.len()))?;
    for (log, line) in pages.logs.iter().zip(&lines) {
        let outcomes = log.footer().outcomes;
        let missing = outcomes.iter().find(|(outcome, count)| !line.contains(&format!("{count} {outcome}")));
        if let Some((outcome, count)) = missing {
            return Err(format!("`{line}` does not tell of {count} {outcome}").into());
        }
    }
    // Below the tables' heads the highest level stands first, and where nobody has a verdict only once it is asked for.
    let levels = "all('.grid:first-of-type .level').map(head => head.textContent.split(' ').pop())";
    browser.open(&pages.few, "")?;
    let known = &pages.logs[0].header.families[0].levels;
    let shown = check(&mut browser, levels)?;
    expect("the first level", &shown[0], &json!(known.last()))?;
    let folded = check(&mut browser, "[...document.querySelectorAll('.folded')].some(cell => cell.checkVisibility())")?;
    expect("folded", &folded, &json!(false))?;
    let before = shown.as_array().map_or(0, Vec::len);
    browser.evaluate("document.querySelector('#unfold').click()")?;
    let shown = check(&mut browser, levels)?;
    let all = shown.as_array().ok_or("no levels")?;
    if all.len() <= before || !all.contains(&json!(known[0])) {
        return Err(format!("`{}` is shown in none of {shown}, {before} before", known[0]).into());
    }
    // A list that nobody sorted begins with what went wrong.
    browser.open(&pages.three, "#cases?backend=faulty+one")?;
    let top = check(&mut browser, "document.querySelector('.list tbody .chip').classList.contains('bad')")?;
    expect("the first case is bad", &top, &json!(true))?;
    quiet(&browser)
}

fn narrow() -> Tested {
    let pages = pages()?;
    let mut browser = Browser::start(400, 800)?;
    for view in views(&pages.logs[2])? {
        browser.open(&pages.three, &view)?;
        let widths = browser.evaluate("[innerWidth, document.documentElement.scrollWidth <= innerWidth]")?;
        expect(&view, &widths, &json!([400, true]))?;
    }
    // Answers stand below each other, each with the backend that gave it.
    browser.open(&pages.three, "#questions")?;
    let asked = "(box => [box.scrollWidth <= box.clientWidth, all('#questions td').every(answer => \
                 getComputedStyle(answer, '::before').content === JSON.stringify(answer.dataset.backend))])\
                 (document.querySelector('#questions .scroll'))";
    expect("the questions", &check(&mut browser, asked)?, &json!([true, true]))?;
    quiet(&browser)
}

fn picture() -> Tested {
    let pages = pages()?;
    let mut browser = Browser::start(1280, 900)?;
    browser.open(&pages.picture, "")?;
    let right = json!({ "root": "svg", "errors": 0, "described": true, "narrow": true, "many": true,
        "overflowing": [], "colliding": [], "outside": [] });
    expect("the picture", &check(&mut browser, "picture()")?, &right)?;
    quiet(&browser)
}
