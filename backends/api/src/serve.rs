//! The backend's end of the protocol.

use std::io::{BufRead, Write};

use crate::contain::contain;
use crate::dispatch::{BoundInput, guarded_dispatch, guarded_memory, input_fill};
use crate::protocol::{
    MessageError, PROTOCOL_VERSION, Request, Response, decode_payload, encode_payload, read_message, read_payload,
    write_message,
};
use crate::{Backend, CompileError, Descriptor, Fault, NamedTensor, Operator, Role};

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
pub fn serve(backend: &dyn Backend, mut requests: impl BufRead, mut responses: impl Write) -> Result<(), ServeError> {
    let mut server = Server { backend, compiled: None };
    loop {
        let request = match read_message(&mut requests) {
            Ok(Request::Stop) | Err(MessageError::Ended) => return Ok(()),
            Ok(request) => request,
            Err(error) => return Err(error.into()),
        };
        let length = if let Request::Run { payload, .. } = &request { *payload } else { 0 };
        let payload = read_payload(&mut requests, length)?;
        let (response, payload) = server.answer(request, &payload)?;
        write_message(&mut responses, &response, &payload).map_err(MessageError::from)?;
    }
}

/// A backend with the operator that was compiled last, since `compile` and `run` of one descriptor come together.
struct Server<'a> {
    backend: &'a dyn Backend,
    compiled: Option<(Descriptor, Box<dyn Operator>)>,
}

impl Server<'_> {
    fn answer(&mut self, request: Request, payload: &[u8]) -> Result<(Response, Vec<u8>), ServeError> {
        let response = match request {
            Request::Start { protocol: PROTOCOL_VERSION } => {
                Response::Started { protocol: PROTOCOL_VERSION, identity: self.backend.identity(), guards: true }
            }
            Request::Start { protocol } => return Err(ServeError::Version { asked: protocol }),
            Request::Supports { id, descriptor } => match contain(|| self.backend.supports(&descriptor)) {
                Ok(support) => Response::Supports { id, support },
                Err(fault) => Response::Fault { id, fault },
            },
            Request::Compile { id, descriptor } => match self.compile(&descriptor) {
                Ok(_) => Response::Compiled { id },
                Err(error) => Response::Refused { id, error },
            },
            Request::Run { id, descriptor, poison, .. } => {
                let operator = match self.compile(&descriptor) {
                    Ok(operator) => operator,
                    Err(error) => return Ok((Response::Refused { id, error }, Vec::new())),
                };
                match run(operator, &descriptor, payload, poison) {
                    Ok(outputs) => return Ok((Response::Ran { id, payload: outputs.len() as u64 }, outputs)),
                    Err(fault) => {
                        let operator = self.compiled.take();
                        Response::Fault { id, fault: contain(|| drop(operator)).err().unwrap_or(fault) }
                    }
                }
            }
            Request::Stop => return Err(MessageError::Ended.into()),
        };
        Ok((response, Vec::new()))
    }

    fn compile(&mut self, descriptor: &Descriptor) -> Result<&mut dyn Operator, CompileError> {
        let operator = match self.compiled.take() {
            Some((kept, operator)) if kept == *descriptor => operator,
            _ => {
                contain(|| self.backend.compile(descriptor)).unwrap_or_else(|fault| Err(CompileError::Fault(fault)))?
            }
        };
        Ok(&mut *self.compiled.insert((descriptor.clone(), operator)).1)
    }
}

fn run(operator: &mut dyn Operator, descriptor: &Descriptor, payload: &[u8], poison: u8) -> Result<Vec<u8>, Fault> {
    let named = |role: Role| descriptor.tensors.iter().filter(move |entry| entry.role == role);
    let mut inputs = named(Role::Input)
        .map(|entry| Ok((entry, guarded_memory(entry, input_fill(poison))?)))
        .collect::<Result<Vec<BoundInput<'_>>, Fault>>()?;
    let broken = |error: MessageError| Fault::Protocol(error.to_string());
    let places = inputs.iter_mut().map(|(entry, buffer)| (&*entry.name, &entry.tensor, buffer.bytes_mut()));
    decode_payload(payload, places).map_err(broken)?;
    let outputs: Vec<&NamedTensor> = named(Role::Output).collect();
    let buffers = guarded_dispatch(operator, &inputs, &outputs, poison)?;
    let results = outputs.iter().zip(&buffers);
    encode_payload(results.map(|(entry, buffer)| (&*entry.name, &entry.tensor, buffer.bytes()))).map_err(broken)
}
