//! Lists and mappings in brackets that hold nothing but plain words and numbers: nearly all that case files consist of.
//!
//! They are read here, and the parser is given a text in which they are empty, since it takes many times as long for the
//! same. Letters alone decide what may be one of them, without knowing whether a comment or a text is around it;
//! [`FlowCollections::all_taken`] says at the end whether the parser came by every one.

use std::ops::Range;

use super::tree::Kind;
use crate::diagnostic::Position;

/// Those that hold more in each other are left to the parser, so that no letter is looked at more than so often.
const DEEPEST: usize = 16;

/// A key of more letters is left to the parser, which allows for only so many.
const LONGEST_KEY: usize = 256;

/// Those of a text that stand in no other.
#[derive(Debug, Default)]
pub(super) struct FlowCollections {
    /// Each with its brackets, in bytes.
    ranges: Vec<Range<usize>>,
    /// How many the parser has come by.
    taken: usize,
}

/// What is in a collection, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Word(&'a str),
    Begin(Kind),
    End,
}

impl FlowCollections {
    /// Those of a text, and the text with nothing but space between their brackets.
    pub(super) fn of(text: &str) -> (Self, String) {
        let bytes = text.as_bytes();
        let mut blank = String::with_capacity(text.len());
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let (mut seen, mut line, mut indentation) = (0, 0, spaces(bytes));
        for (begin, _) in text.match_indices(['[', '{']) {
            if let Some(end) = text[seen..begin].rfind('\n') {
                line = seen + end + 1;
                indentation = spaces(&bytes[line..]);
            }
            seen = begin;
            if begin < blank.len() {
                continue;
            }
            // A dash, a question mark or a colon may begin a block inside its line: the lines that follow would belong deeper.
            let may_continue = !matches!(bytes[line + indentation], b'-' | b'?' | b':');
            let scan = Scan { bytes, indentation: may_continue.then_some(indentation) };
            if let Some(end) = scan.collection(begin, 1) {
                blank.push_str(&text[blank.len()..=begin]);
                let inside = &text[begin + 1..end - 1];
                blank.extend(inside.chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }));
                blank.push_str(&text[end - 1..end]);
                ranges.push(begin..end);
            }
        }
        blank.push_str(&text[blank.len()..]);
        (Self { ranges, taken: 0 }, blank)
    }

    /// What is in the collection that begins at this byte and place, if it is one of these.
    pub(super) fn take<'a>(
        &mut self,
        text: &'a str,
        begin: usize,
        kind: Kind,
        position: Position,
    ) -> impl Iterator<Item = (Part<'a>, Position)> + use<'a> {
        let found = self.ranges.get(self.taken).filter(|range| range.start == begin).cloned();
        let found = found.filter(|_| (text.as_bytes()[begin] == b'[') == (kind == Kind::Sequence));
        self.taken += usize::from(found.is_some());
        let inside = found.map_or("", |range| &text[range.start + 1..range.end - 1]);
        parts(inside, Position { column: position.column + 1, ..position })
    }

    /// Whether the parser came by each of them: none was part of a comment or of a text.
    pub(super) fn all_taken(&self) -> bool {
        self.taken == self.ranges.len()
    }
}

/// What is in a collection, given the text between its brackets and where it begins.
fn parts(mut rest: &str, mut position: Position) -> impl Iterator<Item = (Part<'_>, Position)> {
    std::iter::from_fn(move || {
        loop {
            let length = rest.bytes().take_while(|&byte| is_of_word(byte)).count().max(1);
            let (part, behind) = (rest.get(..length)?, &rest[length..]);
            let place = Position { length: length as u32, ..position };
            rest = behind;
            position.column += length as u32;
            let part = match part {
                "\n" => {
                    position = Position { line: position.line + 1, column: 1, ..position };
                    continue;
                }
                " " | "," | ":" => continue,
                "[" => Part::Begin(Kind::Sequence),
                "{" => Part::Begin(Kind::Mapping),
                "]" | "}" => Part::End,
                word => Part::Word(word),
            };
            return Some((part, place));
        }
    })
}

/// Looks for the end of what can be read here. Everything that YAML gives another meaning, or none, has no end.
struct Scan<'a> {
    bytes: &'a [u8],
    /// How deep the line is indented in which it begins, where other lines may continue it: they have to be deeper.
    indentation: Option<usize>,
}

impl Scan<'_> {
    /// The byte behind a list or mapping that begins at its bracket.
    fn collection(&self, begin: usize, depth: usize) -> Option<usize> {
        let closing = if self.bytes[begin] == b'[' { b']' } else { b'}' };
        let mut at = self.space(begin + 1)?;
        if self.bytes.get(at) == Some(&closing) {
            return Some(at + 1);
        }
        loop {
            if closing == b'}' {
                at = self.key(at)?;
            }
            at = match self.bytes.get(at)? {
                b'[' | b'{' if depth < DEEPEST => self.collection(at, depth + 1)?,
                _ => self.word(at)?,
            };
            at = self.space(at)?;
            match self.bytes.get(at)? {
                b',' => at = self.space(at + 1)?,
                byte if *byte == closing => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// The byte behind a key, its colon and space.
    fn key(&self, begin: usize) -> Option<usize> {
        let colon = self.word(begin)?;
        if self.bytes.get(colon) != Some(&b':') || colon - begin > LONGEST_KEY {
            return None;
        }
        self.space(colon + 1).filter(|&value| value > colon + 1)
    }

    fn word(&self, begin: usize) -> Option<usize> {
        let word = self.bytes[begin..].iter().take_while(|&&byte| is_of_word(byte)).count();
        // A dash alone begins a block.
        (word > 0 && self.bytes[begin..begin + word] != *b"-").then_some(begin + word)
    }

    /// The byte behind blanks and at most one end of a line.
    fn space(&self, begin: usize) -> Option<usize> {
        let end = begin + spaces(&self.bytes[begin..]);
        if self.bytes.get(end) != Some(&b'\n') {
            return Some(end);
        }
        let indented = spaces(&self.bytes[end + 1..]);
        self.indentation.filter(|&least| indented > least).map(|_| end + 1 + indented)
    }
}

fn spaces(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| byte == b' ').count()
}

/// Whether this stands in words that have no other meaning, wherever they are.
const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.' | b'_' | b'/')
}
