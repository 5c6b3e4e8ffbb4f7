//! A backend that runs as a program of its own.

use std::process::ExitStatus;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use opcert_backend::protocol::{LONGEST_HEAD, MessageError, NamedPlace, Payload, Request, Response, line};
use opcert_backend::{
    Attempt, Attempted, Backend, BoundInput, CompileError, Descriptor, Fault, GuardedBuffer, Identity, Input, Operator,
    Output, Role, Support, guarded_memory,
};

use super::connection::{Connection, Exchange, Program, broken, unexpected};

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
    identity: Identity,
    guards: bool,
}

#[derive(Debug)]
struct Shared {
    program: Program,
    idle: Mutex<Vec<Connection>>,
    next_id: AtomicU64,
    vain_starts: AtomicU32,
}

/// A request that is ready to be sent.
struct Message<'a> {
    line: Vec<u8>,
    payload: Option<&'a Payload<'a>>,
    id: u64,
}

impl ProcessBackend {
    /// Starts the program and asks who it is.
    ///
    /// # Errors
    ///
    /// When it cannot be started or does not follow the protocol.
    pub fn start(program: Program) -> Result<Self, StartError> {
        let name = program.path.to_string_lossy().into_owned();
        let shared =
            Shared { program, idle: Mutex::default(), next_id: AtomicU64::new(1), vain_starts: AtomicU32::default() };
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

    /// Tells every process to stop, and says how each ended: its exit status, or nothing where it had to be ended.
    pub fn stop(&self) -> Vec<Option<ExitStatus>> {
        let idle = std::mem::take(&mut *self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner));
        idle.into_iter().map(|mut connection| connection.stop()).collect()
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
        let mut answers = self.supports_each(std::slice::from_ref(descriptor));
        answers.pop().unwrap_or_else(|| Support::No("the question was not answered".to_owned()))
    }

    fn supports_each(&self, descriptors: &[Descriptor]) -> Vec<Support> {
        descriptors.chunks(QUESTIONS).flat_map(|descriptors| self.shared.ask_each(descriptors)).collect()
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let message = self.shared.message(|id| Request::Compile { id, descriptor });
        let message = [message.map_err(CompileError::Fault)?];
        let compiled = self.shared.converse(&message, |exchange| heard_compiled(exchange, message[0].id));
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

/// One request of an attempt: to run, or, where nothing is to be run, to compile.
struct Asked<'a, 'b> {
    attempt: &'a Attempt<'b>,
    poison: Option<u8>,
}

/// The outputs of a run; none where it was to compile.
type Answer = Result<Vec<GuardedBuffer>, CompileError>;

impl<'a, 'b> Asked<'a, 'b> {
    /// A `run` compiles as well, so that an attempt with runs needs no `compile`.
    fn all_of(attempt: &'a Attempt<'b>) -> Vec<Self> {
        if attempt.poisons.is_empty() {
            return vec![Self { attempt, poison: None }];
        }
        attempt.poisons.iter().map(|&poison| Self { attempt, poison: Some(poison) }).collect()
    }

    /// What its inputs depend on: most are the same for every poison, as nothing lies between their elements.
    fn inputs_key(&self) -> Option<InputsKey> {
        let poison = self.poison?;
        let entries = self.attempt.descriptor.tensors.iter().filter(|entry| entry.role == Role::Input);
        let mut tensors = entries.map(|entry| &entry.tensor);
        let filled = tensors.all(|tensor| {
            tensor.is_packed() && tensor.total_bytes.is_none_or(|bytes| Some(bytes) == tensor.span_bytes())
        });
        let source = std::ptr::from_ref(self.attempt.inputs).cast::<()>();
        Some((source, Some(poison).filter(|_| !filled)))
    }

    fn message<'m>(&self, shared: &Shared, payload: Option<&'m Payload<'m>>) -> Result<Message<'m>, Fault> {
        let descriptor = &self.attempt.descriptor;
        match (self.poison, payload) {
            (Some(poison), Some(payload)) => shared.run(descriptor, poison, payload),
            _ => shared.message(|id| Request::Compile { id, descriptor }),
        }
    }

    /// Hears the answer.
    fn hear(&self, exchange: &mut Exchange<'_>, id: u64) -> Result<Answer, Fault> {
        let Some(poison) = self.poison else {
            return Ok(heard_compiled(exchange, id)?.map(|()| Vec::new()));
        };
        let outputs = self.attempt.outputs();
        let mut buffers =
            outputs.iter().map(|entry| guarded_memory(entry, poison)).collect::<Result<Vec<_>, Fault>>()?;
        let places = outputs.iter().zip(&mut buffers);
        let places = places.map(|(entry, buffer)| (&*entry.name, &entry.tensor, buffer.bytes_mut()));
        let ran = heard_ran(exchange, id, places.collect())?;
        Ok(ran.map(|()| buffers))
    }
}

/// What the inputs of a run depend on.
type InputsKey = (*const (), Option<u8>);

/// The inputs of all runs, each laid out once.
fn laid_out<'b>(asked: &[Asked<'_, 'b>]) -> Result<Vec<(InputsKey, Vec<BoundInput<'b>>)>, Fault> {
    let mut inputs: Vec<(InputsKey, Vec<BoundInput<'b>>)> = Vec::new();
    for each in asked {
        if let (Some(key), Some(poison)) = (each.inputs_key(), each.poison)
            && !inputs.iter().any(|(laid_out, _)| *laid_out == key)
        {
            inputs.push((key, (each.attempt.inputs)(poison)?));
        }
    }
    Ok(inputs)
}

fn payload<'a>(inputs: &'a [BoundInput<'_>]) -> Result<Payload<'a>, Fault> {
    let tensors = inputs.iter().map(|(entry, buffer)| (&*entry.name, &entry.tensor, buffer.bytes()));
    Payload::new(tensors).map_err(|error| unwritten(&error))
}

fn unwritten(error: &MessageError) -> Fault {
    Fault::Failed(format!("a request cannot be written: {error}"))
}

/// What came of attempts, from the answers to what was asked for them: up to the first dispatch that broke. What was
/// sent before that was known is answered all the same, and those answers mean nothing.
fn joined<'b>(attempts: &[Attempt<'b>], asked: &[Asked<'_, 'b>], answers: Vec<Answer>) -> Vec<Attempted> {
    let mut attempted: Vec<Attempted> = Vec::with_capacity(attempts.len());
    let mut answers = asked.iter().zip(answers).peekable();
    for attempt in attempts {
        let mut outcome: Attempted = Ok(Vec::with_capacity(attempt.poisons.len()));
        let mut is_answered = false;
        while let Some((asked, answer)) = answers.next_if(|(asked, _)| std::ptr::eq(asked.attempt, attempt)) {
            is_answered = true;
            let Ok(runs) = outcome.as_mut().map_err(|_| ()) else { continue };
            match (answer, asked.poison) {
                _ if runs.last().is_some_and(Result::is_err) => {}
                (Ok(_), None) => {}
                (Ok(outputs), Some(_)) => runs.push(Ok(outputs)),
                (Err(CompileError::Fault(fault)), Some(_)) => runs.push(Err(fault)),
                (Err(error), _) => outcome = Err(error),
            }
        }
        if !is_answered {
            break;
        }
        let is_broken = attempt.is_broken(&outcome);
        attempted.push(outcome);
        if is_broken {
            break;
        }
    }
    attempted
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
        let message = [self.shared.run(&self.descriptor, poison, &payload)?];
        let places = outputs.iter_mut().map(|output| (output.name, output.tensor, &mut *output.bytes));
        let ran = self.shared.converse(&message, |exchange| heard_ran(exchange, message[0].id, places.collect()))?;
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
            let rest = descriptors[answers.len()..].iter();
            let messages = rest.map(|each| self.message(|id| Request::Supports { id, descriptor: each }));
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
            answers.extend(heard.err().map(Support::Broken));
        }
        answers
    }

    /// Sends several requests at once and hears their answers, up to the first one that does not come.
    fn ask(&self, asked: &[Asked<'_, '_>]) -> Vec<Answer> {
        let mut answers: Vec<Answer> = Vec::with_capacity(asked.len());
        let heard = laid_out(asked).and_then(|inputs| {
            let payloads = inputs.iter().map(|(key, inputs)| Ok((*key, payload(inputs)?)));
            let payloads = payloads.collect::<Result<Vec<_>, Fault>>()?;
            let of = |asked: &Asked<'_, '_>| {
                let key = asked.inputs_key()?;
                payloads.iter().find(|(each, _)| *each == key).map(|(_, payload)| payload)
            };
            let messages = asked.iter().map(|asked| asked.message(self, of(asked)));
            let messages = messages.collect::<Result<Vec<_>, Fault>>()?;
            self.converse(&messages, |exchange| {
                for (asked, message) in asked.iter().zip(&messages) {
                    answers.push(asked.hear(exchange, message.id)?);
                }
                Ok(())
            })
        });
        answers.extend(heard.err().map(|fault| Err(CompileError::Fault(fault))));
        answers
    }

    /// A request to run, with its inputs.
    fn run<'a>(&self, descriptor: &Descriptor, poison: u8, payload: &'a Payload<'a>) -> Result<Message<'a>, Fault> {
        let length = payload.bytes();
        let message = self.message(|id| Request::Run { id, descriptor, poison, payload: length })?;
        Ok(Message { payload: Some(payload), ..message })
    }

    /// A request without tensors.
    fn message<'a, 'd>(&self, request: impl FnOnce(u64) -> Request<&'d Descriptor>) -> Result<Message<'a>, Fault> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let line = line(&request(id)).map_err(|error| broken(&error))?;
        Ok(Message { line, payload: None, id })
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
        let heard = hear(&mut connection.send(&parts, self.program.limit)?)?;
        self.give_back(connection);
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
            connection.introduce(self.program.limit)?;
            Ok(connection)
        });
        match &introduced {
            Ok(_) => self.vain_starts.store(0, Ordering::Relaxed),
            Err(_) => _ = self.vain_starts.fetch_add(1, Ordering::Relaxed),
        }
        introduced
    }

    fn give_back(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}

fn heard_compiled(exchange: &mut Exchange<'_>, id: u64) -> Result<Result<(), CompileError>, Fault> {
    match answer_to(id, exchange.response()?)? {
        Response::Compiled { .. } => Ok(Ok(())),
        Response::Refused { error, .. } => Ok(Err(error)),
        Response::Fault { fault, .. } => Ok(Err(CompileError::Fault(fault))),
        other => Err(unexpected("compile", &other)),
    }
}

fn heard_ran(
    exchange: &mut Exchange<'_>,
    id: u64,
    places: Vec<NamedPlace<'_>>,
) -> Result<Result<(), CompileError>, Fault> {
    match answer_to(id, exchange.response()?)? {
        Response::Ran { payload, .. } => {
            let longest = places.iter().map(|(.., bytes)| bytes.len() as u64).sum::<u64>() + LONGEST_HEAD;
            exchange.payload(payload, longest, places)?;
            Ok(Ok(()))
        }
        Response::Refused { error, .. } => Ok(Err(error)),
        Response::Fault { fault, .. } => Ok(Err(CompileError::Fault(fault))),
        other => Err(unexpected("run", &other)),
    }
}

/// The response, unless it is to another request.
fn answer_to(id: u64, response: Response) -> Result<Response, Fault> {
    let answered = match &response {
        Response::Supports { id, .. }
        | Response::Compiled { id }
        | Response::Ran { id, .. }
        | Response::Refused { id, .. }
        | Response::Fault { id, .. } => *id,
        Response::Started { .. } => 0,
    };
    if answered == id {
        return Ok(response);
    }
    Err(Fault::Protocol(format!("request {id} was answered by {answered}")))
}
