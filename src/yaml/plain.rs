//! Texts of plain blocks, nearly all that case files consist of: each key at the beginning of a line, and behind it a word, a
//! text in quotes, brackets around such, or deeper lines.
//!
//! They are read here, since the parser takes many times as long for the same. Whatever is doubtful in the least is left to
//! the parser, which then reads the whole text.

use super::tree::Kind;
use crate::diagnostic::Position;

/// Brackets that stand deeper in each other are left to the parser.
const DEEPEST: usize = 16;

/// A key of more letters is left to the parser, which allows for only so many.
const LONGEST_KEY: usize = 256;

/// What stands in a text, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Plain(&'a str),
    Quoted(&'a str),
    Begin(Kind),
    End,
}

/// Reads a text, and says whether it could: otherwise what was taken means nothing.
pub(super) fn read<'a>(text: &'a str, take: impl FnMut(Part<'a>, Position)) -> bool {
    let is_plain = |byte: u8| byte == b'\n' || (b' '..=b'~').contains(&byte);
    text.bytes().all(is_plain) && Reading { text, at: 0, line: 1, line_begins: 0, take }.file().is_some()
}

struct Reading<'a, F> {
    text: &'a str,
    /// The byte that is looked at.
    at: usize,
    /// The number of its line, from 1.
    line: u32,
    /// The first byte of its line.
    line_begins: usize,
    take: F,
}

/// Nothing is returned for what is left to the parser.
impl<'a, F: FnMut(Part<'a>, Position)> Reading<'a, F> {
    fn file(&mut self) -> Option<()> {
        // How deep the mappings are indented that have not ended.
        let mut open: Vec<usize> = Vec::new();
        // Whether a mapping has to begin: that of the file, or one under a key.
        let mut awaited = true;
        while self.at < self.text.len() {
            let indentation = self.spaces();
            match self.byte()? {
                b'\n' if indentation == 0 => {
                    self.end_line();
                    continue;
                }
                b'#' => {
                    self.at = self.line_ends();
                    self.end_line();
                    continue;
                }
                _ => {}
            }
            if awaited {
                open.last().map_or(indentation == 0, |&outer| outer < indentation).then_some(())?;
                open.push(indentation);
                self.give(Part::Begin(Kind::Mapping), self.at);
            }
            while *open.last()? > indentation {
                open.pop();
                self.give(Part::End, self.at);
            }
            (*open.last()? == indentation).then_some(())?;
            awaited = self.entry(indentation)?;
        }
        (!awaited).then_some(())?;
        open.iter().for_each(|_| self.give(Part::End, self.at));
        Some(())
    }

    /// A key and what stands behind it on its line; whether that is nothing, so that deeper lines have to follow.
    fn entry(&mut self, indentation: usize) -> Option<bool> {
        self.byte().filter(u8::is_ascii_alphanumeric)?;
        self.key()?;
        if self.is_line_end() {
            self.end_line();
            return Some(true);
        }
        (self.spaces() > 0).then_some(())?;
        match self.byte()? {
            b'[' | b'{' => self.collection(indentation, 1)?,
            b'"' | b'\'' => self.quoted()?,
            _ => self.rest_of_line()?,
        }
        self.is_line_end().then(|| self.end_line())?;
        Some(false)
    }

    /// Words behind a key: they end with the line.
    fn rest_of_line(&mut self) -> Option<()> {
        let (begin, end) = (self.at, self.line_ends());
        let words = &self.text.as_bytes()[begin..end];
        let begins = match words {
            [b'~'] => true,
            [b'-' | b'+' | b'.', second, ..] => second.is_ascii_alphanumeric() || *second == b'.',
            [first, ..] => first.is_ascii_alphanumeric(),
            [] => false,
        };
        let is_plain = begins && !words.ends_with(b" ") && !words.iter().any(|byte| matches!(byte, b':' | b'#'));
        is_plain.then(|| {
            self.at = end;
            self.give(Part::Plain(&self.text[begin..end]), begin);
        })
    }

    /// A list or mapping that begins at its bracket.
    fn collection(&mut self, indentation: usize, depth: usize) -> Option<()> {
        let (closing, kind) = match self.byte()? {
            b'[' => (b']', Kind::Sequence),
            _ => (b'}', Kind::Mapping),
        };
        self.at += 1;
        self.give(Part::Begin(kind), self.at - 1);
        self.gap(indentation)?;
        let mut behind_comma = false;
        while behind_comma || self.byte()? != closing {
            if kind == Kind::Mapping {
                self.key()?;
                (self.gap(indentation)? > 0).then_some(())?;
            }
            match self.byte()? {
                b'[' | b'{' if depth < DEEPEST => self.collection(indentation, depth + 1)?,
                b'"' => self.quoted()?,
                b'~' => {
                    self.at += 1;
                    self.give(Part::Plain("~"), self.at - 1);
                }
                _ => self.word()?,
            }
            self.gap(indentation)?;
            behind_comma = match self.byte()? {
                b',' => {
                    self.at += 1;
                    self.gap(indentation)?;
                    true
                }
                byte if byte == closing => false,
                _ => return None,
            };
        }
        self.at += 1;
        self.give(Part::End, self.at - 1);
        Some(())
    }

    /// A key with its colon.
    fn key(&mut self) -> Option<()> {
        let begin = self.at;
        self.word()?;
        (self.byte()? == b':' && self.at - begin <= LONGEST_KEY).then(|| self.at += 1)
    }

    fn word(&mut self) -> Option<()> {
        let begin = self.at;
        self.at += self.text.as_bytes()[begin..].iter().take_while(|&&byte| is_of_word(byte)).count();
        let word = &self.text[begin..self.at];
        // A dash alone begins a block.
        (!word.is_empty() && word != "-").then(|| self.give(Part::Plain(word), begin))
    }

    /// A text in quotes in which nothing has another meaning.
    fn quoted(&mut self) -> Option<()> {
        let (begin, quote) = (self.at, self.byte()?);
        let inside = &self.text.as_bytes()[begin + 1..];
        // No further than it has to be looked: there may be a million of these on a line.
        let length = inside.iter().position(|&byte| byte == quote || byte == b'\n')?;
        let text = &self.text[begin + 1..begin + 1 + length];
        self.at = begin + length + 2;
        let is_closed = inside[length] == quote && self.byte() != Some(quote);
        let is_plain = is_closed && (quote == b'\'' || !text.contains('\\'));
        is_plain.then(|| self.give(Part::Quoted(text), begin))
    }

    /// Blanks and at most one end of a line, behind which it goes on deeper; how many bytes.
    fn gap(&mut self, indentation: usize) -> Option<usize> {
        let begin = self.at;
        self.spaces();
        if self.byte()? == b'\n' {
            self.end_line();
            (self.spaces() > indentation).then_some(())?;
        }
        Some(self.at - begin)
    }

    /// Goes behind blanks; how many there are.
    fn spaces(&mut self) -> usize {
        let count = self.text.as_bytes()[self.at..].iter().take_while(|&&byte| byte == b' ').count();
        self.at += count;
        count
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn is_line_end(&self) -> bool {
        matches!(self.byte(), None | Some(b'\n'))
    }

    fn line_ends(&self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        self.at + rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())
    }

    /// Goes to the beginning of the next line, from the end of one.
    fn end_line(&mut self) {
        self.at = (self.at + 1).min(self.text.len());
        self.line += 1;
        self.line_begins = self.at;
    }

    /// Gives away what begins there and ends here. All letters are of one byte.
    fn give(&mut self, part: Part<'a>, begin: usize) {
        let length = (self.at - begin).max(1) as u32;
        let column = (begin - self.line_begins) as u32 + 1;
        (self.take)(part, Position { line: self.line, column, length });
    }
}

/// Whether this stands in words that have no other meaning, wherever they are.
const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.' | b'_' | b'/')
}
