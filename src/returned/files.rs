//! Files that others wrote: opened where they are regular ones, and read where they are no longer than they can be.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// A regular file that has `most` bytes at most, and its length. A link, a pipe or a device could lead anywhere, or never end.
pub(super) fn open(path: &Path, most: u64) -> io::Result<(File, u64)> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("cannot be read: it is no regular file"));
    }
    let (file, length) = crate::file::open(path, u64::MAX).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => error,
        _ => io::Error::other(format!("cannot be read: {error}")),
    })?;
    if length > most {
        return Err(io::Error::other(format!("has {length} bytes, expected {most} at most")));
    }
    Ok((file, length))
}

/// The bytes of a file that has `most` of them at most.
pub(super) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, length) = open(path, most)?;
    let mut bytes = Vec::with_capacity(length as usize);
    file.take(most).read_to_end(&mut bytes).map_err(|error| io::Error::other(format!("cannot be read: {error}")))?;
    Ok(bytes)
}

/// The first bytes of a file, so many at most.
pub(super) fn beginning(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, _) = open(path, u64::MAX)?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
