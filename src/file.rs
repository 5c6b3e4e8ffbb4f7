//! Files from outside: regular ones alone, and none longer than what it holds can be; and files that are written, which are
//! as regular.
//!
//! A pipe may keep its reader waiting for ever, a device may have no end, and with some of them opening already does
//! something. So nothing is opened before it is known what it is, and that is looked at again once it is open. What else is
//! in a folder is told, for those who look for a file that is not there.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The most bytes of a file that people write: a specification, cases, known failures.
pub const LONGEST_TEXT: u64 = 1 << 24;
/// The most bytes of a key, of a file that lists keys, or of a signature.
pub const LONGEST_KEY: u64 = 1 << 20;
/// The most bytes of an event log, and of any other file of a bundle.
pub const LONGEST_LOG: u64 = 1 << 30;
/// The most bytes of a file with tensors: as many as a message of Protocol Buffers may have.
pub const LONGEST_DATA: u64 = 1 << 31;

/// Opens a file that has `most` bytes at most, without ever waiting for it, and gives its length.
///
/// # Errors
///
/// When there is no such file, when it is a pipe, a device, a socket or a folder, and when it is longer.
pub fn open(path: &Path, most: u64) -> io::Result<(File, u64)> {
    length(&path.metadata()?, most)?;
    // What stands there may have been replaced since, by something that would keep us waiting.
    let file = without_waiting(File::options().read(true)).open(path)?;
    let length = length(&file.metadata()?, most)?;
    Ok((file, length))
}

/// The bytes of a file that has `most` of them at most.
///
/// # Errors
///
/// Those of [`open`], and when it cannot be read, or grows beyond `most` meanwhile.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, length) = open(path, most)?;
    let mut bytes = Vec::new();
    // One byte more shows the end without asking for more memory.
    bytes.try_reserve_exact(length as usize + 1)?;
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_long(bytes.len() as u64, most)) } else { Ok(bytes) }
}

/// The text of a file that has `most` bytes at most.
///
/// # Errors
///
/// Those of [`read`], and when it is no UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("it is no UTF-8: byte {place} does not belong there"))
    })
}

/// Makes a file, or empties the one that is there, without ever waiting for it.
///
/// # Errors
///
/// When something else stands there, and when it cannot be made.
pub fn create(path: &Path) -> io::Result<File> {
    if let Ok(metadata) = path.metadata() {
        length(&metadata, u64::MAX)?;
    }
    let file = without_waiting(File::options().write(true).create(true).truncate(false)).open(path)?;
    length(&file.metadata()?, u64::MAX)?;
    file.set_len(0)?;
    Ok(file)
}

/// Writes a file.
///
/// # Errors
///
/// Those of [`create`], and when it cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create(path)?.write_all(bytes)
}

/// Puts a file where a file or nothing stands. It appears whole or not at all.
///
/// # Errors
///
/// When something else stands there, a link to a file included, and when it cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(metadata) => drop(length(&metadata, u64::MAX)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = path.with_file_name(format!(".{name}.unfinished"));
    write(&unfinished, bytes)?;
    fs::rename(&unfinished, path)
}

/// Opens nothing that keeps whoever opens it waiting. On Windows nothing that would is said to be a file.
fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32);
    }
    options
}

fn length(metadata: &Metadata, most: u64) -> io::Result<u64> {
    if !metadata.is_file() {
        let message = format!("it is a {}, expected a file", kind(metadata.file_type()));
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    if metadata.len() > most { Err(too_long(metadata.len(), most)) } else { Ok(metadata.len()) }
}

fn too_long(length: u64, most: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it has {length} bytes, expected {most} at most"))
}

/// What something is that is no file.
fn kind(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "pipe";
        }
        if kind.is_socket() {
            return "socket";
        }
    }
    if kind.is_dir() {
        "folder"
    } else if kind.is_symlink() {
        "link"
    } else {
        "device"
    }
}

/// What is in a folder, in no order; nothing where it cannot be read. A path without a name is the folder that one is in.
pub fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let is_here = folder.as_os_str().is_empty();
    let found = fs::read_dir(if is_here { Path::new(".") } else { folder }).into_iter().flatten().flatten();
    found.map(move |entry| if is_here { PathBuf::from(entry.file_name()) } else { entry.path() })
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::FileTypeExt;

    use rustix::fs::{FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn only_files_of_a_limited_length_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "text").unwrap();
        assert_eq!(read_text(&at("file"), 4).unwrap(), "text");
        let said = |path: &Path, most| read_text(path, most).unwrap_err().to_string();
        assert_eq!(said(&at("file"), 3), "it has 4 bytes, expected 3 at most");
        assert_eq!(said(folder.path(), 4), "it is a folder, expected a file");
        mknodat(rustix::fs::CWD, at("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        assert_eq!(said(&at("pipe"), 4), "it is a pipe, expected a file");
        assert_eq!(write(&at("pipe"), b"text").unwrap_err().to_string(), "it is a pipe, expected a file");
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        for (name, what) in [("pipe", "pipe"), ("link", "link")] {
            let said = replace(&at(name), b"text").unwrap_err().to_string();
            assert_eq!(said, format!("it is a {what}, expected a file"));
        }
        assert!(at("pipe").symlink_metadata().unwrap().file_type().is_fifo());
        replace(&at("new"), b"longer").unwrap();
        replace(&at("new"), b"text").unwrap();
        assert_eq!(read_text(&at("new"), 4).unwrap(), "text");
        write(&at("written"), b"longer").unwrap();
        write(&at("written"), b"text").unwrap();
        assert_eq!(read_text(&at("written"), 4).unwrap(), "text");
        assert_eq!(said(Path::new("/dev/zero"), 4), "it is a device, expected a file");
        // No length is known of what the kernel makes up.
        assert!(said(Path::new("/proc/self/maps"), 4).starts_with("it has 5 bytes, expected 4"));
        fs::write(at("bytes"), b"a\xFF").unwrap();
        assert_eq!(said(&at("bytes"), 4), "it is no UTF-8: byte 1 does not belong there");
        assert_eq!(read(&at("none"), 4).unwrap_err().kind(), io::ErrorKind::NotFound);
        let sparse = File::create(at("sparse")).unwrap();
        sparse.set_len(1 << 40).unwrap();
        assert_eq!(said(&at("sparse"), LONGEST_DATA), "it has 1099511627776 bytes, expected 2147483648 at most");
    }
}
