//! A backend that runs as a program of its own.

use std::ffi::OsString;
use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opcert_backend::protocol::{
    MessageError, PROTOCOL_VERSION, Request, Response, decode_payload, encode_payload, read_message, read_payload,
    write_message,
};
use opcert_backend::{Backend, CompileError, Descriptor, Fault, Identity, Input, Operator, Output, Support};

/// So many characters of the end of what a program says on its standard error are kept.
const KEPT_COMPLAINTS: usize = 4000;

/// What to start.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program's path.
    pub path: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// How long each answer may take.
    pub limit: Duration,
}

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
        match self.shared.ask(request, &[]) {
            Ok((Response::Supports { support, .. }, _)) => support,
            // What is wrong will come to light when it is asked to compile.
            _ => Support::Yes,
        }
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        let request = |id| Request::Compile { id, descriptor: descriptor.clone() };
        match self.shared.ask(request, &[]).map_err(CompileError::Fault)?.0 {
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
        match self.shared.ask(request, &payload)? {
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

fn unexpected(request: &str, response: &Response) -> Fault {
    Fault::Protocol(format!("`{request}` was answered by {response:?}"))
}

impl Shared {
    /// Sends a request over an idle or a new connection, and waits for the answer to it.
    fn ask(&self, request: impl Fn(u64) -> Request, payload: &[u8]) -> Result<(Response, Vec<u8>), Fault> {
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
        let (response, results) = connection.exchange(&request(id), payload, self.program.limit)?;
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

/// One process. Dropped, it is asked to stop and then ended.
#[derive(Debug)]
struct Connection {
    child: Child,
    requests: Option<Sender<Vec<u8>>>,
    responses: Receiver<Result<(Response, Vec<u8>), MessageError>>,
    complaints: Arc<Mutex<String>>,
}

impl Connection {
    fn open(program: &Program) -> std::io::Result<Self> {
        let mut command = Command::new(&program.path);
        command.args(&program.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (requests, to_write) = channel();
        let (answered, responses) = channel();
        let complaints = Arc::new(Mutex::new(String::new()));
        if let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        {
            std::thread::spawn(move || write_requests(stdin, &to_write));
            std::thread::spawn(move || read_responses(stdout, &answered));
            let kept = Arc::clone(&complaints);
            std::thread::spawn(move || keep_complaints(stderr, &kept));
        }
        Ok(Self { child, requests: Some(requests), responses, complaints })
    }

    fn introduce(&mut self, limit: Duration) -> Result<(Identity, bool), Fault> {
        let start = Request::Start { protocol: PROTOCOL_VERSION };
        match self.exchange(&start, &[], limit)?.0 {
            Response::Started { protocol: PROTOCOL_VERSION, identity, guards } => Ok((identity, guards)),
            Response::Started { protocol, .. } => {
                Err(Fault::Protocol(format!("it speaks protocol {protocol}, this is protocol {PROTOCOL_VERSION}")))
            }
            other => Err(unexpected("start", &other)),
        }
    }

    /// Sends one request and waits for one answer. After a fault the connection is of no more use.
    fn exchange(&mut self, request: &Request, payload: &[u8], limit: Duration) -> Result<(Response, Vec<u8>), Fault> {
        let mut message = Vec::with_capacity(payload.len() + 512);
        write_message(&mut message, request, payload).map_err(|error| Fault::Failed(error.to_string()))?;
        // A process that is gone shows in what it answers.
        let _ = self.requests.as_ref().map(|requests| requests.send(message));
        match self.responses.recv_timeout(limit) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(MessageError::Ended | MessageError::Stream(_))) | Err(RecvTimeoutError::Disconnected) => {
                Err(Fault::Crashed(self.obituary()))
            }
            Ok(Err(error)) => Err(Fault::Protocol(error.to_string())),
            Err(RecvTimeoutError::Timeout) => {
                // Ending it may fail only because it ended just now.
                let _ = self.child.kill();
                Err(Fault::Hung(format!("within {} s", limit.as_secs_f64())))
            }
        }
    }

    /// How the process ended, and what it said last.
    fn obituary(&mut self) -> String {
        let _ = self.child.kill();
        let ended = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        let complaints = complaints.trim();
        if complaints.is_empty() {
            format!("the process ended ({ended})")
        } else {
            format!("the process ended ({ended}): {complaints}")
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(requests) = self.requests.take() {
            let mut stop = Vec::new();
            let _ = write_message(&mut stop, &Request::Stop, &[]);
            let _ = requests.send(stop);
        }
        // One that has stopped answering is not waited for.
        let answer = self.responses.recv_timeout(Duration::from_millis(200));
        if !matches!(answer, Ok(Err(MessageError::Ended)) | Err(RecvTimeoutError::Disconnected)) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

fn write_requests(mut stdin: ChildStdin, requests: &Receiver<Vec<u8>>) {
    while let Ok(message) = requests.recv() {
        if stdin.write_all(&message).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_responses(stdout: impl Read, answered: &Sender<Result<(Response, Vec<u8>), MessageError>>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let answer = read_message::<Response>(&mut stdout).and_then(|response| {
            let length = if let Response::Ran { payload, .. } = &response { *payload } else { 0 };
            Ok((response, read_payload(&mut stdout, length)?))
        });
        let broken = answer.is_err();
        if answered.send(answer).is_err() || broken {
            return;
        }
    }
}

fn keep_complaints(mut stderr: impl Read, kept: &Mutex<String>) {
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = stderr.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_str(&String::from_utf8_lossy(&buffer[..length]));
        let start = kept.len().saturating_sub(KEPT_COMPLAINTS);
        let start = (start..=kept.len()).find(|&index| kept.is_char_boundary(index)).unwrap_or(0);
        kept.drain(..start);
    }
}
