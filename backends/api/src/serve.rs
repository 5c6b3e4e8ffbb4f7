//! The backend's end of the protocol.

use std::io::{BufReader, BufWriter, Read, Write};

use crate::checksum::Checksum;
use crate::contain::contain;
use crate::dispatch::{BoundInput, guarded_dispatch, guarded_memory, input_fill};
use crate::payload::read_watched;
use crate::protocol::{MessageError, PROTOCOL_VERSION, Payload, Request, Response, line, read_message};
use crate::{Backend, CompileError, Descriptor, Fault, GuardedBuffer, NamedTensor, Operator, Role};

/// So many bytes are read or written at a time. What is longer passes by.
const BUFFER_BYTES: usize = 1 << 16;

/// Why serving ended early.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A message could not be read or answered.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The other side speaks another version.
    #[error("asked for protocol {asked}, this is protocol {PROTOCOL_VERSION}")]
    Version {
        /// The version asked for.
        asked: u32,
    },
}

/// Answers requests about `backend` until `stop` or the end of `requests`.
///
/// Outputs are allocated here, filled with the poison that the request names, between guard zones whose violation is
/// reported. A panic of the backend is reported as a crash and does not end the serving.
///
/// ```no_run
/// # fn backend() -> Box<dyn opcert_backend::Backend> { unimplemented!() }
/// let backend = backend();
/// opcert_backend::serve(&*backend, std::io::stdin().lock(), std::io::stdout().lock())?;
/// # Ok::<(), opcert_backend::ServeError>(())
/// ```
///
/// # Errors
///
/// When the stream breaks, or carries something that is no request of this version.
pub fn serve(backend: &dyn Backend, requests: impl Read, responses: impl Write) -> Result<(), ServeError> {
    let mut requests = BufReader::with_capacity(BUFFER_BYTES, requests);
    let mut responses = BufWriter::with_capacity(BUFFER_BYTES, responses);
    let mut server = Server { backend, compiled: None, inputs: Vec::new() };
    loop {
        // Several requests may have come at once; then their answers go out at once.
        if !requests.buffer().contains(&b'\n') {
            responses.flush().map_err(MessageError::from)?;
        }
        let request = match read_message(&mut requests) {
            Ok(Request::Stop) | Err(MessageError::Ended) => return Ok(()),
            Ok(request) => request,
            Err(error) => return Err(error.into()),
        };
        server.answer(request, &mut requests, &mut responses)?;
    }
}

/// A backend with the operator that was compiled last, since `compile` and `run` of one descriptor come together, and
/// the memory of its inputs.
struct Server<'a> {
    backend: &'a dyn Backend,
    compiled: Option<(Descriptor, Box<dyn Operator>)>,
    inputs: Vec<GuardedBuffer>,
}

impl Server<'_> {
    fn answer(
        &mut self,
        request: Request,
        requests: &mut impl Read,
        responses: &mut impl Write,
    ) -> Result<(), ServeError> {
        let response = match request {
            Request::Start { protocol: PROTOCOL_VERSION } => Response::Started {
                protocol: PROTOCOL_VERSION,
                identity: self.backend.identity(),
                guards: true,
                operators: self.backend.operators(),
            },
            Request::Start { protocol } => return Err(ServeError::Version { asked: protocol }),
            Request::Supports { id, descriptor } => match contain(|| self.backend.supports(&descriptor)) {
                Ok(support) => Response::Supports { id, support },
                Err(fault) => Response::Fault { id, fault },
            },
            Request::Compile { id, descriptor } => match self.compile(&descriptor) {
                Ok(_) => Response::Compiled { id },
                Err(error) => Response::Refused { id, error },
            },
            Request::Run { id, descriptor, poison, payload } => {
                let inputs = self.inputs(&descriptor, poison, requests, payload)?;
                return self.run(id, &descriptor, poison, inputs, responses);
            }
            Request::Stop => return Ok(()),
        };
        send(responses, &response, &Payload::default())
    }

    fn compile(&mut self, descriptor: &Descriptor) -> Result<&mut dyn Operator, CompileError> {
        let operator = match self.compiled.take() {
            Some((kept, operator)) if kept == *descriptor => operator,
            other => {
                contain(|| drop(other)).map_err(CompileError::Fault)?;
                contain(|| self.backend.compile(descriptor)).unwrap_or_else(|fault| Err(CompileError::Fault(fault)))?
            }
        };
        Ok(&mut *self.compiled.insert((descriptor.clone(), operator)).1)
    }

    /// Reads the payload of a `run` to where the operator will see it. A payload that is not what it should be is a
    /// fault of this one request.
    fn inputs<'d>(
        &mut self,
        descriptor: &'d Descriptor,
        poison: u8,
        requests: &mut impl Read,
        length: u64,
    ) -> Result<Result<Vec<BoundInput<'d>>, Fault>, ServeError> {
        let entries = descriptor.tensors.iter().filter(|entry| entry.role == Role::Input);
        let mut kept = std::mem::take(&mut self.inputs).into_iter();
        let memory = |entry: &'d NamedTensor| {
            let fill = input_fill(poison);
            let again = kept.next().and_then(|buffer| buffer.again(entry, fill));
            Ok((entry, again.map_or_else(|| guarded_memory(entry, fill), Ok)?))
        };
        let mut inputs = match entries.map(memory).collect::<Result<Vec<BoundInput<'d>>, Fault>>() {
            Ok(inputs) => inputs,
            Err(fault) => {
                std::io::copy(&mut requests.take(length), &mut std::io::sink()).map_err(MessageError::from)?;
                return Ok(Err(fault));
            }
        };
        let mut checksums: Vec<Checksum> = inputs.iter().map(|_| Checksum::new()).collect();
        let names: Vec<&str> = inputs.iter().map(|(entry, _)| &*entry.name).collect();
        let places = inputs.iter_mut().map(|(entry, buffer)| (&*entry.name, &entry.tensor, buffer.bytes_mut()));
        let read = read_watched(requests, length, places.collect(), |name, bytes| {
            let index = names.iter().position(|each| *each == name);
            index.iter().for_each(|&index| checksums[index].add(bytes));
        });
        match read {
            Ok(()) => {
                for ((_, buffer), checksum) in inputs.iter_mut().zip(checksums) {
                    buffer.know(checksum);
                }
                Ok(Ok(inputs))
            }
            Err(error @ MessageError::Payload(_)) => Ok(Err(Fault::Protocol(error.to_string()))),
            Err(error) => Err(error.into()),
        }
    }

    fn run(
        &mut self,
        id: u64,
        descriptor: &Descriptor,
        poison: u8,
        inputs: Result<Vec<BoundInput<'_>>, Fault>,
        responses: &mut impl Write,
    ) -> Result<(), ServeError> {
        let nothing = Payload::default();
        let operator = match self.compile(descriptor) {
            Ok(operator) => operator,
            Err(error) => return send(responses, &Response::Refused { id, error }, &nothing),
        };
        let outputs: Vec<&NamedTensor> = descriptor.tensors.iter().filter(|entry| entry.role == Role::Output).collect();
        let dispatched = inputs.and_then(|inputs| {
            let buffers = guarded_dispatch(operator, &inputs, &outputs, poison)?;
            Ok((buffers, inputs.into_iter().map(|(_, buffer)| buffer).collect()))
        });
        let buffers = match dispatched {
            Ok((buffers, inputs)) => {
                self.inputs = inputs;
                buffers
            }
            Err(fault) => {
                let operator = self.compiled.take();
                let fault = contain(|| drop(operator)).err().unwrap_or(fault);
                return send(responses, &Response::Fault { id, fault }, &nothing);
            }
        };
        let results = outputs.iter().zip(&buffers);
        let payload = Payload::new(results.map(|(entry, buffer)| (&*entry.name, &entry.tensor, buffer.bytes())))?;
        send(responses, &Response::Ran { id, payload: payload.bytes() }, &payload)
    }
}

fn send(responses: &mut impl Write, response: &Response, payload: &Payload<'_>) -> Result<(), ServeError> {
    let broken = |error: std::io::Error| ServeError::Message(error.into());
    let line = line(response).map_err(|error| broken(error.into()))?;
    responses.write_all(&line).and_then(|()| payload.write(responses)).map_err(broken)
}
