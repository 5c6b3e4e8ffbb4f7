//! Commands of a model: which operators run, in which order, and on what.

use super::inner;
use super::part::{Kind, Members, Part};

/// What a command that dispatches has.
pub(super) const OF_DISPATCHES: [&str; 3] = ["type", "dispatchable", "bindings"];

/// A command.
pub(super) struct Command<'a> {
    /// Its place among all commands, from 0.
    pub number: usize,
    /// What it is; empty where it does not say.
    pub kind: String,
    /// What it dispatches; empty where it does not say.
    pub dispatchable: String,
    /// All that stands in it.
    pub members: Members<'a>,
}

impl<'a> Command<'a> {
    /// Whatever is no object says nothing.
    pub(super) fn of(number: usize, part: Part<'a>) -> Result<Self, String> {
        let members = part.members().map_err(|reason| format!("`commands[{number}]` {reason}"))?.unwrap_or_default();
        let word = |name: &str| {
            let part = members.get(name).filter(|part| part.kind() == Kind::Text);
            let unreadable = || format!("`commands[{number}].{name}` is no text that can be read");
            part.map(|part| part.text().ok_or_else(unreadable)).transpose().map(Option::unwrap_or_default)
        };
        Ok(Self { number, kind: word("type")?, dispatchable: word("dispatchable")?, members })
    }

    pub(super) fn is_dispatch(&self) -> bool {
        self.kind.eq_ignore_ascii_case("dispatch")
    }

    /// What it binds, by tensor.
    pub(super) fn bindings(&self) -> Result<Members<'a>, String> {
        inner(&self.members, "bindings").map_err(|reason| format!("`commands[{}]` {reason}", self.number))
    }
}

/// Visits each command of a list, in order.
pub(super) fn each<'a>(
    commands: Part<'a>,
    mut visit: impl FnMut(Command<'a>, Part<'a>) -> Result<(), String>,
) -> Result<(), String> {
    let mut number = 0;
    commands.each(|part| {
        visit(Command::of(number, part)?, part)?;
        number += 1;
        Ok(())
    })
}
