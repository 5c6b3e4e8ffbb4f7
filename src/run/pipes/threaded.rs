//! Pipes of which each has a thread that may wait for it for ever. What the threads read comes over a channel, and what they
//! write goes over another; neither holds more than a few pieces, so that a program that floods waits as it does at a pipe.
//!
//! The threads end when the pipes do, that is when the program and all that it started has ended.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::process::ChildStdin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Instant;

use super::{Ends, PIPE_BYTES, Pipes};
use crate::run::complaints::Complaints;

/// So many bytes are read at a time.
const READ_BYTES: usize = 1 << 17;
/// So many pieces are on their way from the threads.
const READ_AHEAD: usize = 8;

/// What the threads have to tell.
#[derive(Debug)]
enum Event {
    Output(Vec<u8>),
    /// The output has ended, or cannot be read.
    OutputEnded(Option<io::Error>),
    Complaint(Vec<u8>),
    /// Nothing more will be heard.
    ComplaintsEnded,
    /// There is room to write again.
    Room,
}

#[derive(Debug)]
pub(super) struct Threaded {
    events: Receiver<Event>,
    /// What has been read of the output, and how much of the first piece is used.
    output: VecDeque<Vec<u8>>,
    used: usize,
    /// How the output ended.
    ended: Option<Option<io::Error>>,
    complaints: Complaints,
    is_heard_out: bool,
    input: Option<SyncSender<Vec<u8>>>,
    /// How many bytes wait for the program to read them.
    unwritten: Arc<AtomicUsize>,
}

impl Threaded {
    pub(super) fn new((stdin, mut stdout, mut stderr): Ends) -> io::Result<Self> {
        let (told, events) = sync_channel(READ_AHEAD);
        let (input, pieces) = sync_channel(1);
        let unwritten = Arc::new(AtomicUsize::new(0));
        let (tells, left) = (told.clone(), Arc::clone(&unwritten));
        start("stdin", move || write_all(stdin, &pieces, &tells, &left))?;
        let tells = told.clone();
        start("stdout", move || {
            let end = read_all(&mut stdout, |piece| tells.send(Event::Output(piece)).is_ok());
            let _ = tells.send(Event::OutputEnded(end));
        })?;
        start("stderr", move || {
            read_all(&mut stderr, |piece| told.send(Event::Complaint(piece)).is_ok());
            let _ = told.send(Event::ComplaintsEnded);
        })?;
        Ok(Self {
            events,
            output: VecDeque::new(),
            used: 0,
            ended: None,
            complaints: Complaints::default(),
            is_heard_out: false,
            input: Some(input),
            unwritten,
        })
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Output(piece) => self.output.push_back(piece),
            Event::OutputEnded(end) => self.ended = Some(end),
            Event::Complaint(piece) => self.complaints.keep(&piece),
            Event::ComplaintsEnded => self.is_heard_out = true,
            Event::Room => {}
        }
    }

    /// Takes what the threads have told.
    fn take_all(&mut self) {
        for _ in 0..READ_AHEAD {
            let Ok(event) = self.events.try_recv() else { return };
            self.take(event);
        }
    }
}

fn start(stream: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(stream.to_owned()).spawn(work).map(drop)
}

/// Reads until the stream ends or nobody takes the pieces; the error by which it ended.
fn read_all(stream: &mut impl Read, mut give: impl FnMut(Vec<u8>) -> bool) -> Option<io::Error> {
    let mut piece = vec![0; READ_BYTES];
    loop {
        match stream.read(&mut piece) {
            Ok(0) => return None,
            Ok(length) => {
                // A short piece is copied, so that not every answer takes a long one.
                let is_short = length < READ_BYTES / 4;
                let mut whole = if is_short { piece[..length].to_vec() } else { std::mem::take(&mut piece) };
                whole.truncate(length);
                if !give(whole) {
                    return None;
                }
                piece.resize(READ_BYTES, 0);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // So Windows says that the other end was closed.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return None,
            Err(error) => return Some(error),
        }
    }
}

/// Writes what comes until nothing does any more or the program listens no more.
fn write_all(mut stdin: ChildStdin, pieces: &Receiver<Vec<u8>>, told: &SyncSender<Event>, unwritten: &AtomicUsize) {
    for piece in pieces {
        if stdin.write_all(&piece).is_err() {
            return;
        }
        unwritten.fetch_sub(piece.len(), Ordering::SeqCst);
        // Where nobody looks at what is told, nobody waits for room: that it is full says as much.
        let _ = told.try_send(Event::Room);
    }
}

impl Pipes for Threaded {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.output.is_empty() {
            self.take_all();
        }
        let Some(piece) = self.output.front() else {
            return match &mut self.ended {
                None => Err(ErrorKind::WouldBlock.into()),
                Some(end) => end.take().map_or(Ok(0), Err),
            };
        };
        let read = (&piece[self.used..]).read(bytes)?;
        self.used += read;
        if self.used == piece.len() {
            self.output.pop_front();
            self.used = 0;
        }
        Ok(read)
    }

    fn write(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let input = self.input.as_ref().ok_or(ErrorKind::BrokenPipe)?;
        if self.unwritten.load(Ordering::SeqCst) > PIPE_BYTES {
            return Err(ErrorKind::WouldBlock.into());
        }
        let mut piece = Vec::new();
        for part in parts {
            piece.extend_from_slice(&part[..part.len().min(PIPE_BYTES - piece.len())]);
        }
        let written = piece.len();
        self.unwritten.fetch_add(written, Ordering::SeqCst);
        match input.try_send(piece) {
            Ok(()) => Ok(written),
            Err(error) => {
                self.unwritten.fetch_sub(written, Ordering::SeqCst);
                let is_full = matches!(error, TrySendError::Full(_));
                Err(if is_full { ErrorKind::WouldBlock } else { ErrorKind::BrokenPipe }.into())
            }
        }
    }

    fn close_input(&mut self) {
        self.input = None;
    }

    fn hear(&mut self) -> &Complaints {
        self.take_all();
        &self.complaints
    }

    fn hear_out(&mut self, deadline: Instant) -> &Complaints {
        while !self.is_heard_out {
            match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(event) => self.take(event),
                Err(_) => break,
            }
        }
        &self.complaints
    }

    fn has_unread(&mut self, deadline: Instant) -> bool {
        // The thread may not have got to say yet that all is written.
        while self.unwritten.load(Ordering::SeqCst) > 0 {
            match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(event) => self.take(event),
                Err(_) => return self.unwritten.load(Ordering::SeqCst) > 0,
            }
        }
        false
    }

    fn wait(&mut self, _: bool, deadline: Instant) -> io::Result<()> {
        if !self.output.is_empty() || self.ended.is_some() {
            return Ok(());
        }
        // Room that comes after a write found none is told.
        match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(event) => self.take(event),
            Err(RecvTimeoutError::Timeout) => return Err(ErrorKind::TimedOut.into()),
            Err(RecvTimeoutError::Disconnected) => self.ended = Some(None),
        }
        Ok(())
    }
}
