//! From text to nodes.

use granit_parser::{Event, Parser, ScalarStyle, Span};
use opcert_backend::foreign::is_unseen;

use super::node::Node;
use super::plain::{self, Part};
use super::tree::{Builder, Kind, MOST};
use crate::diagnostic::{Position, Problem};

/// Lists and mappings may stand in each other so deep; no format of opcert comes near.
const DEEPEST: usize = 64;

/// So many problems of a file are found; whoever mends them finds the others.
pub const MOST_PROBLEMS: usize = 1000;

/// Reads the one document of a file.
///
/// # Errors
///
/// Every duplicate key, anchor, alias and tag; or the first place where the text is no YAML.
pub fn parse(text: &str) -> Result<Node, Vec<Problem>> {
    if text.len() > MOST {
        let message = format!("{} bytes of YAML, expected {MOST} at most", text.len());
        return Err(vec![Problem::of_file(message)]);
    }
    let mut reader = Reader::plainly(text).unwrap_or_default();
    if !reader.ended {
        reader.read(text);
    }
    if reader.problems.is_empty() {
        if reader.ended {
            return Ok(Node::first_of(reader.builder.finish()));
        }
        reader.problems.push(Problem::of_file("the file is empty"));
    }
    // A key that stands twice is found at the end of its mapping.
    reader.problems.sort_by_key(|problem| problem.position);
    Err(reader.problems)
}

fn position(span: Span) -> Position {
    let one_line = span.start.line() == span.end.line();
    Position {
        line: span.start.line() as u32,
        column: span.start.col() as u32 + 1,
        length: if one_line { (span.end.col() - span.start.col()).max(1) as u32 } else { 1 },
    }
}

#[derive(Default)]
struct Reader {
    builder: Builder,
    /// Whether the document has ended.
    ended: bool,
    /// Used again for each mapping.
    keys: Vec<u32>,
    problems: Vec<Problem>,
}

impl Reader {
    /// Reads a text without the parser, where that can be done and finds no problem.
    fn plainly(text: &str) -> Option<Self> {
        let mut reader = Self::default();
        let ended = plain::read(text, |part, position| match part {
            Part::Plain(text) => reader.builder.scalar(text, false, position),
            Part::Quoted(text) => reader.builder.scalar(text, true, position),
            Part::Begin(kind) => reader.begin(kind, 0, false, position),
            Part::End => reader.end(),
        });
        reader.ended = ended;
        (ended && reader.problems.is_empty()).then_some(reader)
    }

    /// Reads until the end, or until there are too many problems, or one that does not let go on.
    fn read(&mut self, text: &str) {
        let options = granit_parser::options! { strict_indentation: true };
        for event in Parser::new_from_str_with_options(text, options) {
            let (event, span) = match event {
                Ok(event) => event,
                Err(error) => {
                    let marker = error.marker();
                    let at = Position { line: marker.line() as u32, column: marker.col() as u32 + 1, length: 1 };
                    return self.problems.push(Problem::at(at, format!("not YAML: {}", error.info())));
                }
            };
            self.take(event, position(span));
            if self.builder.depth() > DEEPEST || self.problems.len() >= MOST_PROBLEMS {
                return;
            }
        }
    }

    fn take(&mut self, event: Event<'_>, position: Position) {
        match event {
            Event::DocumentStart(..) if self.ended => {
                self.problems
                    .push(Problem::at(position, "a second document begins").with_help("one file, one document"));
            }
            Event::DocumentEnd => self.ended = true,
            // What stands in a second document is not looked at.
            _ if self.ended => {}
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_extras(anchor, tag.is_some(), position);
                self.refuse_unseen(&text, position);
                self.builder.scalar(&text, style != ScalarStyle::Plain, position);
            }
            Event::SequenceStart(_, anchor, tag) => self.begin(Kind::Sequence, anchor, tag.is_some(), position),
            Event::MappingStart(_, anchor, tag) => self.begin(Kind::Mapping, anchor, tag.is_some(), position),
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(_) => {
                self.problems
                    .push(Problem::at(position, "an alias is not part of the format").with_help("write the value out"));
                self.builder.scalar("", false, position);
            }
            _ => {}
        }
    }

    fn begin(&mut self, kind: Kind, anchor: usize, tagged: bool, position: Position) {
        self.refuse_extras(anchor, tagged, position);
        if self.builder.expects_key() {
            self.problems.push(Problem::at(position, "a key must be a name"));
        }
        self.builder.begin(kind, position);
        if self.builder.depth() == DEEPEST + 1 {
            let message = format!("more than {DEEPEST} lists and mappings stand in each other here");
            self.problems.push(Problem::at(position, message));
        }
    }

    fn end(&mut self) {
        if let Some(at) = self.builder.end() {
            self.refuse_twins(at);
        }
    }

    fn refuse_extras(&mut self, anchor: usize, tagged: bool, position: Position) {
        if anchor != 0 {
            self.problems
                .push(Problem::at(position, "an anchor is not part of the format").with_help("write the value out"));
        }
        if tagged {
            self.problems.push(Problem::at(position, "a tag is not part of the format"));
        }
    }

    /// Names and texts of a file come to stand in messages, in reports and on a terminal.
    fn refuse_unseen(&mut self, text: &str, position: Position) {
        if let Some(letter) = text.chars().find(|&letter| is_unseen(letter)) {
            let message = format!("U+{:04X} stands in this text, and cannot be seen", u32::from(letter));
            self.problems.push(Problem::at(position, message).with_help("write what can be seen"));
        }
    }

    /// Refuses the keys of a mapping that stand there before. Where one is no name, nothing is compared.
    fn refuse_twins(&mut self, at: u32) {
        let tree = self.builder.tree();
        if tree.kind(at) != Kind::Mapping {
            return;
        }
        self.keys.clear();
        self.keys.extend(tree.keys(at));
        if self.keys.iter().any(|&key| !matches!(tree.kind(key), Kind::Plain | Kind::Quoted)) {
            return;
        }
        self.keys.sort_unstable_by_key(|&key| (tree.text(key), key));
        let twins = self.keys.windows(2).filter(|pair| tree.text(pair[0]) == tree.text(pair[1]));
        let twice = |pair: &[u32]| {
            Problem::at(tree.position(pair[1]), format!("the key `{}` stands here twice", tree.text(pair[1])))
        };
        let left = MOST_PROBLEMS.saturating_sub(self.problems.len());
        self.problems.extend(twins.take(left).map(twice));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// What the parser reads from a text must be what is read from it without one; returns whether it is read so.
    fn is_read_as_the_parser_reads_it(text: &str) -> bool {
        let plainly = Reader::plainly(text);
        if let Some(reader) = &plainly {
            let mut parsed = Reader::default();
            parsed.read(text);
            assert!(parsed.problems.is_empty() && parsed.ended, "{text:?}\n{:?}", parsed.problems);
            assert!(reader.builder.tree() == parsed.builder.tree(), "{text:?}");
        }
        plainly.is_some()
    }

    #[test]
    fn what_is_plain_is_read_as_the_parser_reads_it() {
        let quickly = [
            "a: [1, -2.5e-3, .inf, null]",
            "a:\n  b: [1,\n    2,3]\n  c: {d: 1,\n   e: 2}",
            "a: [1,\n  2\n  ]",
            "a: {b: [x/y, [], {}]}\n",
            "a:  b c (d), e^2 {f} [g] *h\nb: ~\nc: -1\nd: .5",
            "# a: b\na:\n# b\n\n      b:\n        c: d\n  # e\nf: g\n",
            "a: \"b: [c] # d\"\nb: '\\'\nc: \"\"\nd: [\"e, f\", {g: \"h\"}]",
            "a/b.c-d_e: f\n1: 2\n",
            "\n\na: b\n\n",
            "a: 'b [1, 2]'",
            "a: b [1, 2]",
            "a: [~, {b: ~}]",
            "# [1]\na: b",
        ];
        for text in quickly {
            assert!(is_read_as_the_parser_reads_it(text), "{text:?}");
        }
        let by_the_parser = [
            "a: |\n  [1, 2]",
            "a: [1, 2",
            "a: [1]]",
            "a: [1,\n2]",
            "a: {b: 1, b: 2}",
            "[1]: a",
            "[1, 2]: a",
            "{a: b}: c",
            "[[1]: a]",
            "[{a: b}: c]",
            "a: [-]",
            "a: [~b]",
            "a: [~~]",
            "a: [-, 1]",
            "a: [- 1]",
            "a: [1,, 2]",
            "a: [1, 2, ]",
            "a: {b}",
            "a: {b:c}",
            "a: {b: }",
            "a: {b: c: d}",
            "a: [b: c]",
            "a: [b c]",
            "a: [b\n  c]",
            "a: [? b]",
            "a: ['b']",
            "a: [&b c]",
            "a: [*b]",
            "a: [!b c]",
            "a: [1] b",
            "a: [1]\n b",
            "- - [1,\n   2]",
            "- a: [1,\n  2]",
            "a: [1,\n\n  2]",
            "a: [1,\t2]",
            "a: [1,\r\n 2]",
            "a: [1 # b\n  , 2]",
            "a: [1] # [2]",
            "a: [%b]",
            "a: [@b]",
            "a: [`b]",
            "[",
            "{",
            "]",
            "a: {b: [}]",
            "--- [1]\n--- [2]",
            "a: {b:\n  - c}",
            "",
            "a",
            "a:",
            "a: ",
            "a:b",
            "a: b ",
            "a: b\n  c",
            "a: b\n  c: d",
            "a: b: c",
            "a: b # c",
            "a: b\n # c\n  d: e",
            "a:\nb: c",
            "a:\n  b: c\n d: e",
            "a:\n  b: c\n    d: e",
            " a: b",
            "a: b\n ",
            "a: - b",
            "a: -",
            "a: --- b",
            "a:\n- b",
            "a: >\n  b",
            "a: |",
            "a: \"b\" c",
            "a: \"b\\n\"",
            "a: \"b\n  c\"",
            "a: 'b''c'",
            "a: '\u{27}''",
            "a: [\"b\" c]",
            "a: [\"b\": c]",
            "a: b\na: c",
            "? a\n: b",
            "-a: b",
            "---\na: b",
            "...\na: b",
            "a: b\n...\n",
            "{a: {b: [x/y, [], {}]}, c: d}",
            "- [1, 2]\n- {a: b}",
            "\u{e4}: [1, \u{fc}]\nb: [1]",
            "a: \u{85}b",
            "\u{feff}a: b",
            "a: b\r\n",
        ];
        for text in by_the_parser {
            assert!(!is_read_as_the_parser_reads_it(text), "{text:?}");
        }
    }

    /// Texts of two letters and more, and real cases, with some letters exchanged by chance.
    #[test]
    fn whatever_is_plain_is_read_as_the_parser_reads_it() {
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/directml/nonzero_coordinates/generated/paths.yaml");
        let real = std::fs::read_to_string(file).unwrap();
        assert!(is_read_as_the_parser_reads_it(&real));
        let plain = "a: {b: [1, 2, {c: d}],\n  e: [[3],\n   [-4]]}\n# f\ng:\n  h: i j\n  k:\n    l: \"m: n\"\no: 'p'\n";
        let cases: Vec<&str> = real.split("\n\n").skip(1).filter(|case| case.len() < 1000).collect();
        let letters: Vec<char> = "[]{},,:: -\n#'\"?a1|>&*!%@\t~".chars().collect();
        let mut state = 1_u64;
        let mut next = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut quickly = 0;
        for round in 0..60_000 {
            let mut text: Vec<char> = match round % 3 {
                0 => (0..next(9)).map(|_| letters[next(letters.len())]).collect(),
                1 => plain.chars().collect(),
                _ => "cases:\n".chars().chain(cases[next(cases.len())].chars()).collect(),
            };
            for _ in 0..=next(4) {
                let at = next(text.len() + 1);
                match (next(3), text.get_mut(at)) {
                    (0, Some(letter)) => *letter = letters[next(letters.len())],
                    (1, Some(_)) => drop(text.remove(at)),
                    _ => text.insert(at, letters[next(letters.len())]),
                }
            }
            quickly += usize::from(is_read_as_the_parser_reads_it(&text.iter().collect::<String>()));
        }
        assert!(quickly > 3000, "{quickly}");
    }
}
