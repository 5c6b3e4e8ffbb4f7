//! The streams of a program on their way to the process that starts it.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

/// What a program reads and writes.
#[derive(Debug)]
pub(super) struct Streams {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// Sends streams, which stay open here.
pub(super) fn send(socket: &UnixStream, streams: &Streams) -> io::Result<()> {
    let descriptors = [streams.stdin.as_fd(), streams.stdout.as_fd(), streams.stderr.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::Error::other("three streams are too many"));
    }
    // A message has to have a byte.
    sendmsg(socket, &[IoSlice::new(&[0])], &mut control, SendFlags::empty())?;
    Ok(())
}

/// Receives what [`send`] sent.
pub(super) fn receive(socket: &UnixStream) -> io::Result<Streams> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    #[cfg(target_os = "linux")]
    let flags = RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = RecvFlags::empty();
    recvmsg(socket, &mut [IoSliceMut::new(&mut [0])], &mut control, flags)?;
    let received = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    let mut received = received.flatten();
    match (received.next(), received.next(), received.next()) {
        (Some(stdin), Some(stdout), Some(stderr)) => Ok(Streams { stdin, stdout, stderr }),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
