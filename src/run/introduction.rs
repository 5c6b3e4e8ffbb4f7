//! What a program says of itself when it is started.

use std::time::Duration;

use opcert_backend::foreign::printable_line;
use opcert_backend::protocol::{PROTOCOL_VERSION, Request, Response, line};
use opcert_backend::{Descriptor, Fault, Identity};

use super::connection::Connection;
use super::exchange::{broken, unexpected};

/// A program may take so long to introduce itself, if its answers may not take longer: runtimes are loaded then.
const LONGEST_START: Duration = Duration::from_secs(60);

/// The same at every start, and of every process that runs beside others: a certificate names one implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Introduction {
    pub(super) identity: Identity,
    /// Whether its outputs lie between guard zones.
    pub(super) guards: bool,
    /// The operators that it has code for, where it keeps a list of them.
    pub(super) operators: Option<Vec<String>>,
}

impl Introduction {
    /// What another one says otherwise.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        if self.guards != other.guards {
            return Some(format!("`guards` was {}, and now it is {}", self.guards, other.guards));
        }
        if self.operators != other.operators {
            let [was, is] = [self, other].map(|each| each.operators.as_ref().map(|names| names.join(", ")));
            let said = |names: Option<String>| {
                names.map_or("left out".to_owned(), |names| format!("`{}`", printable_line(&names)))
            };
            return Some(format!("`operators` was {}, and now it is {}", said(was), said(is)));
        }
        self.identity.difference(&other.identity)
    }
}

impl Connection {
    /// The first exchange: who is there.
    pub(super) fn introduce(&mut self, limit: Duration) -> Result<Introduction, Fault> {
        let start =
            line(&Request::<Descriptor>::Start { protocol: PROTOCOL_VERSION }).map_err(|error| broken(&error))?;
        let parts = [start.as_slice()];
        let mut exchange = self.send(&parts, limit.max(LONGEST_START))?;
        let introduction = match exchange.response()? {
            Response::Started { protocol: PROTOCOL_VERSION, identity, guards, operators } => {
                Introduction { identity, guards, operators }
            }
            Response::Started { protocol, .. } => {
                let other = format!("it speaks protocol {protocol}, this is protocol {PROTOCOL_VERSION}");
                return Err(Fault::Protocol(other));
            }
            other => return Err(unexpected("start", &other)),
        };
        exchange.finish()?;
        self.guards = introduction.guards;
        introduction.identity.flaw().map_or(Ok(introduction), |flaw| Err(Fault::Protocol(flaw)))
    }
}
