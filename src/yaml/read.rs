//! From text to nodes.

use granit_parser::{Event, Parser, ScalarStyle, Span};
use opcert_backend::foreign::is_unseen;

use super::node::Node;
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
    let mut reader = Reader::default();
    reader.read(text);
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
            if self.builder.depth() > DEEPEST {
                let message = format!("more than {DEEPEST} lists and mappings stand in each other here");
                return self.problems.push(Problem::at(position(span), message));
            }
            if self.problems.len() >= MOST_PROBLEMS {
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
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(at) = self.builder.end() {
                    self.refuse_twins(at);
                }
            }
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
