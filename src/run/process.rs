//! A backend that runs as a program of its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use opcert_backend::protocol::{MessageError, Request, Response, decode_payload, encode_payload};
use opcert_backend::{Backend, CompileError, Descriptor, Fault, Identity, Input, Operator, Output, Support};

use super::connection::{Connection, Program, unexpected};

/// A payload may be longer than its tensors by so much: names, types and shapes.
const HEADER_BYTES: u64 = 1 << 20;

/// Why a program is no backend.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// It could not be started.
    #[error("`{program}` cannot be started: {error}")]
    Spawn {
        /// The program.
        program: String,
        /// Why.
        error: std::io::Error,
    },
    /// It did not introduce itself.
    #[error("`{program}` was started and did not introduce itself: {fault}")]
    Introduction {
        /// The program.
        program: String,
        /// What happened instead.
        fault: Fault,
    },
}

/// A backend on the other side of the protocol. Several processes are started when several threads ask at once; one
/// that crashes or hangs is replaced.
#[derive(Debug)]
pub struct ProcessBackend {
    shared: Arc<Shared>,
    identity: Identity,
    guards: bool,
}

#[derive(Debug)]
struct Shared {
    program: Program,
    idle: Mutex<Vec<Connection>>,
    next_id: AtomicU64,
}

impl ProcessBackend {
    /// Starts the program and asks who it is.
    ///
    /// # Errors
    ///
    /// When it cannot be started or does not follow the protocol.
    pub fn start(program: Program) -> Result<Self, StartError> {
        let name = program.path.to_string_lossy().into_owned();
        let shared = Shared { program, idle: Mutex::default(), next_id: AtomicU64::new(1) };
        let mut connection =
            Connection::open(&shared.program).map_err(|error| StartError::Spawn { program: name.clone(), error })?;
        match connection.introduce(shared.program.limit) {
            Ok((identity, guards)) => {
                shared.give_back(connection);
                Ok(Self { shared: Arc::new(shared), identity, guards })
            }
            Err(fault) => Err(StartError::Introduction { program: name, fault }),
        }
    }

    /// Whether the program guards its outputs and reports violations.
    #[must_use]
    pub const fn guards(&self) -> bool {
        self.guards
    }
}

impl Backend for ProcessBackend {
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        let request = |id| Request::Supports { id, descriptor: descriptor.clone() };
        match self.shared.ask(request, &[], 0) {
            Ok((Response::Supports { support, .. }, _)) => support,
            Ok((Response::Fault { fault, .. }, _)) | Err(fault) => Support::Broken(fault),
            Ok((other, _)) => Support::Broken(unexpected("supports", &other)),
        }
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let request = |id| Request::Compile { id, descriptor: descriptor.clone() };
        match self.shared.ask(request, &[], 0).map_err(CompileError::Fault)?.0 {
            Response::Compiled { .. } => {
                Ok(Box::new(ProcessOperator { shared: Arc::clone(&self.shared), descriptor: descriptor.clone() }))
            }
            Response::Refused { error, .. } => Err(error),
            Response::Fault { fault, .. } => Err(CompileError::Fault(fault)),
            other => Err(CompileError::Fault(unexpected("compile", &other))),
        }
    }
}

struct ProcessOperator {
    shared: Arc<Shared>,
    descriptor: Descriptor,
}

impl Operator for ProcessOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let broken = |error: MessageError| Fault::Protocol(error.to_string());
        let payload = encode_payload(inputs.iter().map(|input| (input.name, input.tensor, input.bytes)));
        let payload = payload.map_err(broken)?;
        let poison = outputs.first().map_or(0, |output| output.poison);
        let length = payload.len() as u64;
        let request = |id| Request::Run { id, descriptor: self.descriptor.clone(), poison, payload: length };
        let expected: usize = outputs.iter().map(|output| output.bytes.len()).sum();
        match self.shared.ask(request, &payload, expected as u64 + HEADER_BYTES)? {
            (Response::Ran { .. }, results) => {
                let outputs = outputs.iter_mut().map(|output| (output.name, output.tensor, &mut *output.bytes));
                decode_payload(&results, outputs).map_err(broken)
            }
            (Response::Fault { fault, .. }, _) => Err(fault),
            (Response::Refused { error, .. }, _) => {
                Err(Fault::Failed(format!("compiled before, and did not when it was to run: {error}")))
            }
            (other, _) => Err(unexpected("run", &other)),
        }
    }
}

impl Shared {
    /// Sends a request over an idle or a new connection, and waits for the answer to it, with a payload of at most
    /// `longest` bytes.
    fn ask(
        &self,
        request: impl Fn(u64) -> Request,
        payload: &[u8],
        longest: u64,
    ) -> Result<(Response, Vec<u8>), Fault> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => {
                let opened = Connection::open(&self.program);
                let mut connection = opened.map_err(|error| Fault::Crashed(format!("cannot be restarted: {error}")))?;
                connection.introduce(self.program.limit)?;
                connection
            }
        };
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (response, results) = connection.exchange(&request(id), payload, longest, self.program.limit)?;
        let answered = match &response {
            Response::Supports { id, .. }
            | Response::Compiled { id }
            | Response::Ran { id, .. }
            | Response::Refused { id, .. }
            | Response::Fault { id, .. } => *id,
            Response::Started { .. } => 0,
        };
        if answered != id {
            return Err(Fault::Protocol(format!("request {id} was answered by {answered}")));
        }
        self.give_back(connection);
        Ok((response, results))
    }

    fn give_back(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}
