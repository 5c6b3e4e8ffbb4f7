//! What is asked of a process about attempts, and what its answers make of them.

use opcert_backend::protocol::{LONGEST_HEAD, MessageError, NamedPlace, Payload, Request, Response, line};
use opcert_backend::{
    Attempt, Attempted, BoundInput, CompileError, Descriptor, Fault, GuardedBuffer, Role, broke, guarded_memory,
};

use super::ASIDE;
use super::exchange::{Exchange, broken, unexpected};

/// A request that is ready to be sent.
pub(super) struct Message<'a> {
    pub(super) line: Vec<u8>,
    pub(super) payload: Option<&'a Payload<'a>>,
    pub(super) id: u64,
}

impl<'a> Message<'a> {
    /// A request without tensors.
    pub(super) fn new(id: u64, request: &Request<&Descriptor>) -> Result<Self, Fault> {
        Ok(Self { line: line(request).map_err(|error| broken(&error))?, payload: None, id })
    }

    /// A request to run, with its inputs.
    pub(super) fn run(id: u64, descriptor: &Descriptor, poison: u8, payload: &'a Payload<'a>) -> Result<Self, Fault> {
        let message = Self::new(id, &Request::Run { id, descriptor, poison, payload: payload.bytes() })?;
        Ok(Self { payload: Some(payload), ..message })
    }
}

/// One request of an attempt: to run, or, where nothing is to be run, to compile.
pub(super) struct Asked<'a, 'b> {
    attempt: &'a Attempt<'b>,
    poison: Option<u8>,
}

/// The outputs of a run; none where it was to compile.
pub(super) type Reply = Result<Vec<GuardedBuffer>, CompileError>;

impl<'a, 'b> Asked<'a, 'b> {
    /// A `run` compiles as well, so that an attempt with runs needs no `compile`.
    pub(super) fn all_of(attempt: &'a Attempt<'b>) -> Vec<Self> {
        if attempt.poisons.is_empty() {
            return vec![Self { attempt, poison: None }];
        }
        attempt.poisons.iter().map(|&poison| Self { attempt, poison: Some(poison) }).collect()
    }

    /// What its inputs depend on: most are the same for every poison but that of other inputs, as nothing lies between
    /// their elements.
    pub(super) fn inputs_key(&self) -> Option<InputsKey<'b>> {
        let poison = self.poison?;
        let entries = self.attempt.descriptor.tensors.iter().filter(|entry| entry.role == Role::Input);
        let mut tensors = entries.map(|entry| &entry.tensor);
        let filled = tensors.all(|tensor| {
            tensor.is_packed() && tensor.total_bytes.is_none_or(|bytes| Some(bytes) == tensor.span_bytes())
        });
        // With its type: closures that hold nothing may all have one address.
        let source: *const InputsOf<'b> = self.attempt.inputs;
        Some((source, Some(poison).filter(|&poison| !filled || poison == ASIDE)))
    }

    pub(super) fn message<'m>(&self, id: u64, payload: Option<&'m Payload<'m>>) -> Result<Message<'m>, Fault> {
        let descriptor = &self.attempt.descriptor;
        match (self.poison, payload) {
            (Some(poison), Some(payload)) => Message::run(id, descriptor, poison, payload),
            _ => Message::new(id, &Request::Compile { id, descriptor }),
        }
    }

    /// Hears the answer.
    pub(super) fn hear(&self, exchange: &mut Exchange<'_>, id: u64) -> Result<Reply, Fault> {
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
pub(super) type InputsKey<'b> = (*const InputsOf<'b>, Option<u8>);

type InputsOf<'b> = dyn Fn(u8) -> Result<Vec<BoundInput<'b>>, Fault> + Sync + 'b;

/// The inputs of all runs, each laid out once.
pub(super) fn laid_out<'b>(asked: &[Asked<'_, 'b>]) -> Result<Vec<(InputsKey<'b>, Vec<BoundInput<'b>>)>, Fault> {
    let mut inputs: Vec<(InputsKey<'b>, Vec<BoundInput<'b>>)> = Vec::new();
    for each in asked {
        if let (Some(key), Some(poison)) = (each.inputs_key(), each.poison)
            && !inputs.iter().any(|(laid_out, _)| *laid_out == key)
        {
            inputs.push((key, (each.attempt.inputs)(poison)?));
        }
    }
    Ok(inputs)
}

pub(super) fn payload<'a>(inputs: &'a [BoundInput<'_>]) -> Result<Payload<'a>, Fault> {
    let tensors = inputs.iter().map(|(entry, buffer)| (&*entry.name, &entry.tensor, buffer.bytes()));
    Payload::new(tensors).map_err(|error| unwritten(&error))
}

pub(super) fn unwritten(error: &MessageError) -> Fault {
    Fault::Failed(format!("a request cannot be written: {error}"))
}

/// What came of attempts, from the answers to what was asked for them: up to the first dispatch that broke. What was
/// sent before that was known is answered all the same, and those answers mean nothing.
pub(super) fn joined<'b>(attempts: &[Attempt<'b>], asked: &[Asked<'_, 'b>], answers: Vec<Reply>) -> Vec<Attempted> {
    let mut attempted: Vec<Attempted> = Vec::with_capacity(attempts.len());
    let mut answers = asked.iter().zip(answers).peekable();
    for attempt in attempts {
        let mut outcome: Attempted = Ok(Vec::with_capacity(attempt.poisons.len()));
        let mut is_answered = false;
        while let Some((asked, answer)) = answers.next_if(|(asked, _)| std::ptr::eq(asked.attempt, attempt)) {
            is_answered = true;
            let Ok(runs) = outcome.as_mut().map_err(|_| ()) else { continue };
            match (answer, asked.poison) {
                _ if runs.last().is_some_and(broke) => {}
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

pub(super) fn heard_compiled(exchange: &mut Exchange<'_>, id: u64) -> Result<Result<(), CompileError>, Fault> {
    match answer_to(id, exchange.response()?)? {
        Response::Compiled { .. } => Ok(Ok(())),
        Response::Refused { error, .. } => Ok(Err(error)),
        Response::Fault { fault, .. } => Ok(Err(CompileError::Fault(fault))),
        other => Err(unexpected("compile", &other)),
    }
}

pub(super) fn heard_ran(
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
pub(super) fn answer_to(id: u64, response: Response) -> Result<Response, Fault> {
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
