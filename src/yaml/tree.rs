//! How nodes are kept: a short record for each, in the order of the file, and all texts in one.
//!
//! A file may consist of nothing but values of a letter. A node with memory of its own would take fifty times as much.

use std::ops::{Index, IndexMut};

use crate::diagnostic::Position;

/// All nodes of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tree {
    records: Records,
    texts: String,
}

/// Records in pieces: a list that grows is held twice for a while, and has room for as many again afterwards.
#[derive(Debug, Default, PartialEq, Eq)]
struct Records {
    pieces: Vec<Vec<Record>>,
}

/// The records of a piece.
const PIECE: usize = 1 << 12;

impl Records {
    fn len(&self) -> usize {
        self.pieces.last().map_or(0, |last| (self.pieces.len() - 1) * PIECE + last.len())
    }

    fn push(&mut self, record: Record) {
        if let Some(last) = self.pieces.last_mut().filter(|last| last.len() < PIECE) {
            return last.push(record);
        }
        // Most trees are small, and the first piece grows with them.
        let mut piece = Vec::with_capacity(if self.pieces.is_empty() { 4 } else { PIECE });
        piece.push(record);
        self.pieces.push(piece);
    }
}

impl Index<usize> for Records {
    type Output = Record;

    fn index(&self, at: usize) -> &Record {
        &self.pieces[at / PIECE][at % PIECE]
    }
}

impl IndexMut<usize> for Records {
    fn index_mut(&mut self, at: usize) -> &mut Record {
        &mut self.pieces[at / PIECE][at % PIECE]
    }
}

/// A node. Lists and mappings are followed by what is in them, keys before their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record {
    position: Position,
    /// Where the text of a scalar begins; for others the record behind their last part.
    place: u32,
    /// The kind in the two lowest bits, and above them the bytes of the text, the items of the list, or the keys of the
    /// mapping.
    extent: u32,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Quoted,
    Sequence,
    Mapping,
}

/// The most bytes of a text, and the most parts of a node.
pub(super) const MOST: usize = (u32::MAX >> 2) as usize;

impl Tree {
    pub(super) fn kind(&self, at: u32) -> Kind {
        [Kind::Plain, Kind::Quoted, Kind::Sequence, Kind::Mapping][(self.record(at).extent & 3) as usize]
    }

    pub(super) fn position(&self, at: u32) -> Position {
        self.record(at).position
    }

    /// The text of a scalar.
    pub(super) fn text(&self, at: u32) -> &str {
        let begin = self.record(at).place as usize;
        &self.texts[begin..begin + self.extent(at) as usize]
    }

    /// How many items a list has, or how many keys a mapping.
    pub(super) fn extent(&self, at: u32) -> u32 {
        self.record(at).extent >> 2
    }

    /// The record behind a node and all that is in it.
    pub(super) fn behind(&self, at: u32) -> u32 {
        match self.kind(at) {
            Kind::Plain | Kind::Quoted => at + 1,
            Kind::Sequence | Kind::Mapping => self.record(at).place,
        }
    }

    /// The records of the keys of a mapping.
    pub(super) fn keys(&self, at: u32) -> impl Iterator<Item = u32> {
        let behind = self.behind(at);
        let first = Some(at + 1).filter(|&key| key < behind);
        std::iter::successors(first, move |&key| Some(self.behind(self.behind(key))).filter(|&next| next < behind))
    }

    fn record(&self, at: u32) -> &Record {
        &self.records[at as usize]
    }
}

/// Makes a tree, one node behind the other.
#[derive(Debug, Default)]
pub(super) struct Builder {
    tree: Tree,
    /// The lists and mappings whose end has not come yet, and how many nodes each has had.
    open: Vec<(u32, u32)>,
}

impl Builder {
    pub(super) fn scalar(&mut self, text: &str, quoted: bool, position: Position) {
        let kind = if quoted { Kind::Quoted } else { Kind::Plain };
        let begin = self.tree.texts.len();
        self.tree.texts.push_str(text);
        self.add(kind, position, begin, text.len());
    }

    pub(super) fn begin(&mut self, kind: Kind, position: Position) {
        let at = self.tree.records.len();
        self.add(kind, position, 0, 0);
        self.open.push((at as u32, 0));
    }

    /// Ends the list or mapping that was begun last, and says which it is.
    pub(super) fn end(&mut self) -> Option<u32> {
        let (at, parts) = self.open.pop()?;
        let parts = if self.tree.kind(at) == Kind::Mapping { parts / 2 } else { parts };
        let behind = self.tree.records.len() as u32;
        let record = &mut self.tree.records[at as usize];
        record.place = behind;
        record.extent |= parts << 2;
        Some(at)
    }

    /// Adds a node of another tree with all that is in it.
    pub(super) fn copy(&mut self, other: &Tree, from: u32) {
        let first = self.tree.records.len();
        for at in from..other.behind(from) {
            match other.kind(at) {
                Kind::Plain | Kind::Quoted => {
                    let begin = self.tree.texts.len();
                    self.tree.texts.push_str(other.text(at));
                    self.tree.records.push(Record { place: begin as u32, ..*other.record(at) });
                }
                Kind::Sequence | Kind::Mapping => {
                    let behind = (other.behind(at) - from) as usize + first;
                    self.tree.records.push(Record { place: behind as u32, ..*other.record(at) });
                }
            }
        }
        self.count();
    }

    /// How many lists and mappings are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether the next node is the key of a mapping.
    pub(super) fn expects_key(&self) -> bool {
        self.open.last().is_some_and(|&(at, parts)| self.tree.kind(at) == Kind::Mapping && parts % 2 == 0)
    }

    pub(super) const fn tree(&self) -> &Tree {
        &self.tree
    }

    /// All nodes; an empty one where there is none.
    pub(super) fn finish(mut self) -> Tree {
        if self.tree.records.len() == 0 {
            self.scalar("", false, Position::default());
        }
        self.tree
    }

    fn add(&mut self, kind: Kind, position: Position, place: usize, extent: usize) {
        self.count();
        let extent = (extent as u32) << 2 | kind as u32;
        self.tree.records.push(Record { position, place: place as u32, extent });
    }

    /// One more node of what is open.
    fn count(&mut self) {
        if let Some((_, parts)) = self.open.last_mut() {
            *parts += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_takes_twenty_bytes() {
        assert_eq!(size_of::<Record>(), 20);
    }
}
