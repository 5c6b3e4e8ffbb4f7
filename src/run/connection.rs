//! A process on the other side of the protocol, and the threads that talk with it.

use std::ffi::OsString;
use std::io::{BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opcert_backend::protocol::{
    MessageError, PROTOCOL_VERSION, Request, Response, read_message, read_payload, write_message,
};
use opcert_backend::{Fault, Identity};

/// So many characters of the end of what a program says on its standard error are kept.
const KEPT_COMPLAINTS: usize = 4000;

/// What to start.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program's path.
    pub path: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The folder to start it in; this program's own when none is given.
    pub folder: Option<PathBuf>,
    /// How long each answer may take.
    pub limit: Duration,
}

/// One process. Dropped, it is asked to stop and then ended.
#[derive(Debug)]
pub(super) struct Connection {
    child: Child,
    requests: Option<Sender<Vec<u8>>>,
    responses: Receiver<Result<(Response, Vec<u8>), MessageError>>,
    complaints: Arc<Mutex<String>>,
    /// The longest payload that the answer in course may bring.
    longest: Arc<AtomicU64>,
}

impl Connection {
    pub(super) fn open(program: &Program) -> std::io::Result<Self> {
        let mut command = Command::new(&program.path);
        command.args(&program.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &program.folder {
            command.current_dir(folder);
        }
        let mut child = command.spawn()?;
        let (requests, to_write) = channel();
        let (answered, responses) = channel();
        let complaints = Arc::new(Mutex::new(String::new()));
        let longest = Arc::new(AtomicU64::new(0));
        if let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        {
            std::thread::spawn(move || write_requests(stdin, &to_write));
            let allowed = Arc::clone(&longest);
            std::thread::spawn(move || read_responses(stdout, &answered, &allowed));
            let kept = Arc::clone(&complaints);
            std::thread::spawn(move || keep_complaints(stderr, &kept));
        }
        Ok(Self { child, requests: Some(requests), responses, complaints, longest })
    }

    pub(super) fn introduce(&mut self, limit: Duration) -> Result<(Identity, bool), Fault> {
        let start = Request::Start { protocol: PROTOCOL_VERSION };
        match self.exchange(&start, &[], 0, limit)?.0 {
            Response::Started { protocol: PROTOCOL_VERSION, identity, guards } => Ok((identity, guards)),
            Response::Started { protocol, .. } => {
                Err(Fault::Protocol(format!("it speaks protocol {protocol}, this is protocol {PROTOCOL_VERSION}")))
            }
            other => Err(unexpected("start", &other)),
        }
    }

    /// Sends one request and waits for one answer, with a payload of at most `longest` bytes. After a fault the
    /// connection is of no more use.
    pub(super) fn exchange(
        &mut self,
        request: &Request,
        payload: &[u8],
        longest: u64,
        limit: Duration,
    ) -> Result<(Response, Vec<u8>), Fault> {
        let mut message = Vec::with_capacity(payload.len() + 512);
        write_message(&mut message, request, payload).map_err(|error| Fault::Failed(error.to_string()))?;
        if let Ok(Ok((surplus, _))) = self.responses.try_recv() {
            return Err(Fault::Protocol(format!("the request before this one was answered twice: {surplus:?}")));
        }
        self.longest.store(longest, Ordering::Relaxed);
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
        // Its output ends a moment before it does, on a busy machine a long one; its last words may take as long.
        let mut ended = None;
        for _ in 0..400 {
            ended = self.child.try_wait().ok().flatten();
            std::thread::sleep(Duration::from_millis(5));
            if ended.is_some() {
                break;
            }
        }
        let end = ended.map_or_else(
            || "the process closed its output without ending".to_owned(),
            |status| format!("the process ended ({status})"),
        );
        let complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        let complaints = complaints.trim();
        if complaints.is_empty() { end } else { format!("{end}: {complaints}") }
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

fn read_responses(
    stdout: impl Read,
    answered: &Sender<Result<(Response, Vec<u8>), MessageError>>,
    longest: &AtomicU64,
) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let answer = read_message::<Response>(&mut stdout).and_then(|response| {
            let length = if let Response::Ran { payload, .. } = &response { *payload } else { 0 };
            let longest = longest.load(Ordering::Relaxed);
            if length > longest {
                let message = format!("{length} bytes are announced, and the outputs have no more than {longest}");
                return Err(MessageError::Payload(message));
            }
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

/// An answer of the wrong kind.
pub(super) fn unexpected(request: &str, response: &Response) -> Fault {
    Fault::Protocol(format!("`{request}` was answered by {response:?}"))
}
