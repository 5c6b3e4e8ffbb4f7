//! A backend that runs as a program of its own.

use std::process::ExitStatus;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use opcert_backend::protocol::{Payload, Request, Response};
use opcert_backend::{
    Attempt, Attempted, Backend, CompileError, Descriptor, Fault, Identity, Input, Operator, Output, Support,
};

use super::asked::{Asked, Message, Reply, answer_to, heard_compiled, heard_ran, joined, laid_out, payload, unwritten};
use super::connection::{Connection, LONGEST_STOP};
use super::exchange::{Exchange, unexpected};
use super::introduction::Introduction;
use super::program::Program;

/// Requests go out together, before the first of them is answered, when their tensors have no more bytes than this.
const TOGETHER: u64 = 1 << 18;

/// So many questions are asked together.
const QUESTIONS: usize = 64;

/// After so many starts in a row that came to nothing, no further one is tried.
const VAIN_STARTS: u32 = 3;

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
#[derive(Clone, Debug)]
pub struct ProcessBackend {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    program: Program,
    /// What the program said of itself when it was first started. It says so at every further start, or is not asked.
    introduction: Introduction,
    idle: Mutex<Vec<Connection>>,
    next_id: AtomicU64,
    vain_starts: AtomicU32,
}

impl ProcessBackend {
    /// Starts the program and asks who it is.
    ///
    /// # Errors
    ///
    /// When it cannot be started or does not follow the protocol.
    pub fn start(program: Program) -> Result<Self, StartError> {
        let name = program.path.to_string_lossy().into_owned();
        let mut connection =
            Connection::open(&program).map_err(|error| StartError::Spawn { program: name.clone(), error })?;
        let introduction = connection.introduce(program.limit);
        let introduction = introduction.map_err(|fault| StartError::Introduction { program: name, fault })?;
        let shared = Shared {
            program,
            introduction,
            idle: Mutex::new(vec![connection]),
            next_id: AtomicU64::new(1),
            vain_starts: AtomicU32::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Tells every process to stop, and says how each ended: its exit status, or nothing where it had to be ended.
    pub fn stop(&self) -> Vec<Option<ExitStatus>> {
        self.shared.stop()
    }

    /// Whether the program guards its outputs and reports violations.
    #[must_use]
    pub fn guards(&self) -> bool {
        self.shared.introduction.guards
    }
}

impl Backend for ProcessBackend {
    fn identity(&self) -> Identity {
        self.shared.introduction.identity.clone()
    }

    fn operators(&self) -> Option<Vec<String>> {
        self.shared.introduction.operators.clone()
    }

    fn supports(&self, descriptor: &Descriptor) -> Support {
        let mut answers = self.supports_each(std::slice::from_ref(descriptor));
        answers.pop().unwrap_or_else(|| Support::Broken(Fault::Failed("the question was not answered".to_owned())))
    }

    fn supports_each(&self, descriptors: &[Descriptor]) -> Vec<Support> {
        descriptors.chunks(QUESTIONS).flat_map(|descriptors| self.shared.ask_each(descriptors)).collect()
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let id = self.shared.next_id();
        let message = [Message::new(id, &Request::Compile { id, descriptor }).map_err(CompileError::Fault)?];
        let compiled = self.shared.converse(&message, |exchange| heard_compiled(exchange, id));
        compiled.map_err(CompileError::Fault)??;
        Ok(Box::new(ProcessOperator { shared: Arc::clone(&self.shared), descriptor: descriptor.clone() }))
    }

    fn attempt_each(&self, attempts: &[Attempt<'_>]) -> Vec<Attempted> {
        if attempts.iter().map(bytes).sum::<u64>() <= TOGETHER {
            let asked: Vec<Asked<'_, '_>> = attempts.iter().flat_map(Asked::all_of).collect();
            return joined(attempts, &asked, self.shared.ask(&asked));
        }
        let mut attempted: Vec<Attempted> = Vec::with_capacity(attempts.len());
        for attempt in attempts {
            let asked = Asked::all_of(attempt);
            let mut answers = Vec::with_capacity(asked.len());
            for each in &asked {
                answers.extend(self.shared.ask(std::slice::from_ref(each)));
                if answers.last().is_some_and(Result::is_err) {
                    break;
                }
            }
            attempted.extend(joined(std::slice::from_ref(attempt), &asked, answers));
            if attempted.last().is_none_or(|attempted| attempt.is_broken(attempted)) {
                break;
            }
        }
        attempted
    }
}

/// The bytes that an attempt sends to and fro, about.
fn bytes(attempt: &Attempt<'_>) -> u64 {
    let tensors = attempt.descriptor.tensors.iter().map(|entry| entry.tensor.span_bytes().unwrap_or(u64::MAX));
    tensors.fold(0u64, u64::saturating_add).saturating_mul(attempt.poisons.len() as u64)
}

struct ProcessOperator {
    shared: Arc<Shared>,
    descriptor: Descriptor,
}

impl Operator for ProcessOperator {
    fn dispatch(&mut self, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault> {
        let poison = outputs.first().map_or(0, |output| output.poison);
        let inputs = inputs.iter().map(|input| (input.name, input.tensor, input.bytes));
        let payload = Payload::new(inputs).map_err(|error| unwritten(&error))?;
        let id = self.shared.next_id();
        let message = [Message::run(id, &self.descriptor, poison, &payload)?];
        let places = outputs.iter_mut().map(|output| (output.name, output.tensor, &mut *output.bytes));
        let ran = self.shared.converse(&message, |exchange| heard_ran(exchange, id, places.collect()))?;
        ran.map_err(|error| match error {
            CompileError::Fault(fault) => fault,
            error => Fault::Failed(format!("compiled before, and did not when it was to run: {error}")),
        })
    }
}

impl Shared {
    /// Asks about each of a few descriptors. One that ends the process does not spoil what is asked behind it.
    fn ask_each(&self, descriptors: &[Descriptor]) -> Vec<Support> {
        let mut answers = Vec::with_capacity(descriptors.len());
        while answers.len() < descriptors.len() {
            let already = answers.len();
            let rest = descriptors[already..].iter();
            let messages = rest.map(|descriptor| {
                let id = self.next_id();
                Message::new(id, &Request::Supports { id, descriptor })
            });
            let heard = messages.collect::<Result<Vec<_>, Fault>>().and_then(|messages| {
                self.converse(&messages, |exchange| {
                    for message in &messages {
                        answers.push(match answer_to(message.id, exchange.response()?)? {
                            Response::Supports { support, .. } => support,
                            Response::Fault { fault, .. } => Support::Broken(fault),
                            other => return Err(unexpected("supports", &other)),
                        });
                    }
                    Ok(())
                })
            });
            if let Err(fault) = heard {
                if answers.len() == descriptors.len() {
                    answers.truncate(already);
                }
                answers.push(Support::Broken(fault));
            }
        }
        answers
    }

    /// Sends several requests at once and hears their answers, up to the first one that does not come.
    fn ask<'b>(&self, asked: &[Asked<'_, 'b>]) -> Vec<Reply> {
        let mut answers: Vec<Reply> = Vec::with_capacity(asked.len());
        let heard = laid_out(asked).and_then(|inputs| {
            let payloads = inputs.iter().map(|(key, inputs)| Ok((*key, payload(inputs)?)));
            let payloads = payloads.collect::<Result<Vec<_>, Fault>>()?;
            let of = |asked: &Asked<'_, 'b>| {
                let key = asked.inputs_key()?;
                payloads.iter().find(|(each, _)| *each == key).map(|(_, payload)| payload)
            };
            let messages = asked.iter().map(|asked| asked.message(self.next_id(), of(asked)));
            let messages = messages.collect::<Result<Vec<_>, Fault>>()?;
            self.converse(&messages, |exchange| {
                for (asked, message) in asked.iter().zip(&messages) {
                    answers.push(asked.hear(exchange, message.id)?);
                }
                Ok(())
            })
        });
        if let Err(fault) = heard {
            // What came before it was asked, or with something behind it, answers nothing.
            if answers.len() == asked.len() {
                answers.clear();
            }
            answers.push(Err(CompileError::Fault(fault)));
        }
        answers
    }

    fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends messages over an idle or a new connection and hears the answers to them. The connection is kept unless
    /// something broke.
    fn converse<T>(
        &self,
        messages: &[Message<'_>],
        hear: impl FnOnce(&mut Exchange<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut connection = self.connect()?;
        let parts: Vec<&[u8]> = messages
            .iter()
            .flat_map(|message| {
                std::iter::once(message.line.as_slice()).chain(message.payload.into_iter().flat_map(Payload::parts))
            })
            .collect();
        let mut exchange = connection.send(&parts, self.program.limit)?;
        let heard = hear(&mut exchange)?;
        exchange.finish()?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        Ok(heard)
    }

    fn connect(&self) -> Result<Connection, Fault> {
        if let Some(connection) = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(connection);
        }
        if self.vain_starts.load(Ordering::Relaxed) >= VAIN_STARTS {
            return Err(Fault::Crashed(format!(
                "could not be started again, and was given up after {VAIN_STARTS} tries"
            )));
        }
        let opened = Connection::open(&self.program);
        let started = opened.map_err(|error| Fault::Crashed(format!("cannot be started again: {error}")));
        let introduced = started.and_then(|mut connection| {
            let introduction = connection.introduce(self.program.limit)?;
            match self.introduction.difference(&introduction) {
                None => Ok(connection),
                Some(difference) => Err(Fault::Protocol(format!("started again, it came as another: {difference}"))),
            }
        });
        match &introduced {
            Ok(_) => self.vain_starts.store(0, Ordering::Relaxed),
            Err(_) => _ = self.vain_starts.fetch_add(1, Ordering::Relaxed),
        }
        introduced
    }

    /// All of them together have the time that one has.
    fn stop(&self) -> Vec<Option<ExitStatus>> {
        let mut idle = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        idle.iter_mut().for_each(Connection::ask_to_stop);
        let deadline = Instant::now() + LONGEST_STOP;
        idle.into_iter().map(|mut connection| connection.stop(deadline)).collect()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.stop();
    }
}
