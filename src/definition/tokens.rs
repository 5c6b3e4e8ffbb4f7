//! From text to tokens: names, numbers, signs, and where lines and blocks begin and end.

use super::Problem;
use crate::diagnostic::Position;

/// A part of the text, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) position: Position,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Name(String),
    Integer(i128),
    /// A text in quotes.
    Text(String),
    /// A sign of one or two characters.
    Sign(&'static str),
    /// The end of a statement.
    Newline,
    /// A block begins.
    Indent,
    /// A block ends.
    Dedent,
    /// The text ends.
    End,
}

/// The tokens of a text, and what the comments behind its lines name.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) tokens: Vec<Token>,
    /// The words of comments behind code. A comment that has a line of its own is for the reader alone.
    pub(super) citations: Vec<Citation>,
    pub(super) problems: Vec<Problem>,
}

/// A word of a comment behind code: it names a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The name, as it stands there.
    pub name: String,
    /// Where it stands.
    pub position: Position,
}

/// The longer ones first, where one begins as another does.
const SIGNS: [&str; 27] = [
    "==", "!=", "<<", ">>", "<=", ">=", "//", "&", "^", "|", "<", ">", "=", "+", "-", "*", "%", "(", ")", "[", "]",
    ",", ":", "/", ".", "{", "}",
];

/// Reads a text. Its lines count from 1, as do the columns.
pub(super) fn tokens(text: &str) -> Tokens {
    let mut lexer = Lexer { found: Tokens::default(), blocks: vec![0], open: Vec::new() };
    let mut lines = 0;
    for (number, line) in (1..).zip(text.lines()) {
        lexer.line(number, line);
        lines = number;
    }
    lexer.end(lines + 1);
    lexer.found
}

struct Lexer {
    found: Tokens,
    /// How far the blocks are indented in which the line stands.
    blocks: Vec<u32>,
    /// The brackets that are open: a statement goes on until they are closed.
    open: Vec<(&'static str, Position)>,
}

impl Lexer {
    fn line(&mut self, number: u32, line: &str) {
        let letters: Vec<char> = line.chars().collect();
        let indented = letters.iter().take_while(|&&letter| letter == ' ').count();
        let at = |start: usize, length: usize| Position {
            line: number,
            column: start as u32 + 1,
            length: length.max(1) as u32,
        };
        if let Some(tab) = letters.iter().position(|&letter| letter == '\t') {
            self.problem(at(tab, 1), "a tab stands here", "indent with spaces");
            return;
        }
        match letters.get(indented) {
            None | Some('#') => return,
            Some(_) if self.open.is_empty() => self.indentation(indented as u32, at(0, indented)),
            Some(_) => {}
        }
        let mut start = indented;
        while let Some(&letter) = letters.get(start) {
            let run = |wanted: fn(char) -> bool| letters[start..].iter().take_while(|&&each| wanted(each)).count();
            let length = match letter {
                ' ' => run(|each| each == ' '),
                '#' => {
                    self.comment(number, start + 1, &letters[start + 1..]);
                    letters.len() - start
                }
                '_' | 'a'..='z' | 'A'..='Z' => {
                    let length = run(|each| each == '_' || each.is_ascii_alphanumeric());
                    self.push(Kind::Name(letters[start..start + length].iter().collect()), at(start, length));
                    length
                }
                '0'..='9' => {
                    let length = run(|each| each == '_' || each.is_ascii_alphanumeric());
                    self.number(&letters[start..start + length].iter().collect::<String>(), at(start, length));
                    length
                }
                '"' | '\'' => self.text(&letters, start, number),
                _ => self.sign(&letters, start, number),
            };
            start += length;
        }
        if self.open.is_empty() {
            self.push(Kind::Newline, at(letters.len(), 1));
        }
    }

    fn indentation(&mut self, indented: u32, position: Position) {
        let last = |blocks: &[u32]| blocks.last().copied().unwrap_or(0);
        if indented > last(&self.blocks) {
            self.blocks.push(indented);
            self.push(Kind::Indent, position);
        }
        while indented < last(&self.blocks) {
            self.blocks.pop();
            self.push(Kind::Dedent, position);
            if indented > last(&self.blocks) {
                self.problem(position, "this line is indented like no block", "indent it like the line it belongs to");
                self.blocks.push(indented);
                break;
            }
        }
    }

    fn comment(&mut self, line: u32, start: usize, letters: &[char]) {
        let mut at = 0;
        while at < letters.len() {
            let length = letters[at..].iter().take_while(|&&letter| letter != ' ' && letter != ',').count();
            if length > 0 {
                let position = Position { line, column: (start + at) as u32 + 1, length: length as u32 };
                self.found.citations.push(Citation { name: letters[at..at + length].iter().collect(), position });
            }
            at += length.max(1);
        }
    }

    fn number(&mut self, text: &str, position: Position) {
        let digits = text.replace('_', "");
        let value = match digits.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16).ok(),
            // Python refuses leading zeros as well.
            None if digits.len() > 1 && digits.starts_with('0') => None,
            None => digits.parse().ok(),
        };
        match value {
            Some(value) => self.push(Kind::Integer(value), position),
            None => {
                let message = format!("`{text}` is no integer of at most 128 bits");
                self.problem(position, &message, "numbers are whole, decimal or hexadecimal (`0x1F`)");
                // So that what stands around it is read all the same.
                self.push(Kind::Integer(0), position);
            }
        }
    }

    /// A text in quotes, which ends where it began with nothing in it that means something else. Gives the number of letters.
    fn text(&mut self, letters: &[char], start: usize, line: u32) -> usize {
        let at = |length: usize| Position { line, column: start as u32 + 1, length: length as u32 };
        let quote = letters[start];
        let inside = letters[start + 1..].iter().take_while(|&&each| each != quote).count();
        let text: String = letters[start + 1..start + 1 + inside].iter().collect();
        if start + 1 + inside == letters.len() {
            self.problem(
                at(1),
                &format!("this `{quote}` is never closed"),
                "a text ends on the line that it begins on",
            );
        } else if text.contains('\\') {
            self.problem(at(inside + 2), "`\\` has no meaning in a text", "a text stands for itself");
        }
        let length = (inside + 2).min(letters.len() - start);
        self.push(Kind::Text(text), at(length));
        length
    }

    /// Gives the number of letters.
    fn sign(&mut self, letters: &[char], start: usize, line: u32) -> usize {
        let at = |length: usize| Position { line, column: start as u32 + 1, length: length as u32 };
        let begins = |sign: &&&str| {
            sign.chars().enumerate().all(|(offset, letter)| letters.get(start + offset) == Some(&letter))
        };
        let Some(&sign) = SIGNS.iter().find(begins) else {
            let letter = letters[start];
            self.problem(at(1), &format!("`{letter}` is no sign of the language"), "specs/README.md lists all of them");
            return 1;
        };
        let position = at(sign.len());
        match sign {
            "(" | "[" | "{" => self.open.push((sign, position)),
            ")" | "]" | "}" => {
                let fits = |open: &str| matches!((open, sign), ("(", ")") | ("[", "]") | ("{", "}"));
                match self.open.pop() {
                    Some((open, _)) if fits(open) => {}
                    Some((open, _)) => {
                        self.problem(position, &format!("`{sign}` stands where `{open}` is to be closed"), "");
                    }
                    None => self.problem(position, &format!("`{sign}` closes nothing"), ""),
                }
            }
            _ => {}
        }
        self.push(Kind::Sign(sign), position);
        sign.len()
    }

    fn end(&mut self, line: u32) {
        let position = Position { line, column: 1, length: 1 };
        if let Some((open, position)) = self.open.pop() {
            self.problem(position, &format!("this `{open}` is never closed"), "");
            self.push(Kind::Newline, position);
        }
        while self.blocks.len() > 1 {
            self.blocks.pop();
            self.push(Kind::Dedent, position);
        }
        self.push(Kind::End, position);
    }

    fn push(&mut self, kind: Kind, position: Position) {
        self.found.tokens.push(Token { kind, position });
    }

    fn problem(&mut self, position: Position, message: &str, help: &str) {
        let problem = Problem::at(position, message);
        self.found.problems.push(if help.is_empty() { problem } else { problem.with_help(help) });
    }
}
