//! NumPy's file format for one array: a header, and the elements behind it.
//!
//! A NumPy array has no bfloat16: its two bytes travel as `|V2`, as ml_dtypes writes them.

use std::fmt::Write as _;

use opcert_backend::{DataType, TensorDescriptor};
use serde::Deserialize;

use crate::layout::gather;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The elements begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// A header is at most this long, in bytes.
pub const LONGEST_HEAD: u64 = 1 << 17;

/// The bytes before the header's text in version 1.0: magic, version, length.
const HEAD: usize = 10;

/// Why bytes are no array, or not the one that is wanted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NpyError {
    /// Another kind of file.
    #[error("is no .npy file: it does not begin with `\\x93NUMPY`")]
    Magic,
    /// A version that is not known.
    #[error("is of version {0}.{1} of the .npy format; 1.0, 2.0 and 3.0 are known")]
    Version(u8, u8),
    /// The file ends before its time.
    #[error("ends before its time: {found} bytes, expected {expected}")]
    Short {
        /// How many bytes there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The file goes on behind the last element.
    #[error("goes on behind its last element: {found} bytes, expected {expected}")]
    Long {
        /// How many bytes there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// No file has so many elements.
    #[error("is said to have the shape {0:?}, which no file holds")]
    Endless(Vec<u64>),
    /// The header is none.
    #[error("has a header that cannot be read: `{0}`")]
    Header(String),
    /// The elements have another type, or the array another shape.
    #[error("is {found}, expected {expected}")]
    Other {
        /// What is wanted.
        expected: String,
        /// What is there.
        found: String,
        /// The sizes of the array, where they alone are others.
        sizes: Option<Vec<u64>>,
    },
}

/// What the header of a file says, as Python would print it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    descr: String,
    fortran_order: bool,
    shape: Vec<u64>,
}

/// An array as a file: packed elements, little-endian, in row-major order.
#[must_use]
pub fn write(data_type: DataType, sizes: &[u64], elements: &[u8]) -> Vec<u8> {
    let mut shape = String::new();
    for size in sizes {
        let _ = write!(shape, "{size}, ");
    }
    // A tuple of one has a comma, one of more ends without.
    let shape = if sizes.len() == 1 { shape.trim_end() } else { shape.trim_end_matches(", ") };
    let mut text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({shape}), }}", descr(data_type));
    let begin = (HEAD + text.len() + 1).next_multiple_of(ALIGNMENT);
    text.extend(std::iter::repeat_n(' ', begin - HEAD - text.len() - 1));
    text.push('\n');
    let mut file = Vec::with_capacity(begin + elements.len());
    file.extend(MAGIC);
    file.extend([1, 0]);
    file.extend((text.len() as u16).to_le_bytes());
    file.extend(text.as_bytes());
    file.extend(elements);
    file
}

/// The elements of the array in a file, packed, little-endian, in row-major order.
///
/// # Errors
///
/// When the file is damaged, or its array is not of this type and these sizes.
pub fn read(file: &[u8], data_type: DataType, sizes: &[u64]) -> Result<Vec<u8>, NpyError> {
    let (text, elements) = split(file)?;
    let header = header(text)?;
    let (order, kind) = header.descr.split_at_checked(1).unwrap_or_default();
    let fits = kinds(data_type).contains(&kind) && matches!(order, "<" | ">" | "|" | "=");
    if TensorDescriptor::packed(data_type, header.shape.as_slice()).span_bytes().is_none() {
        return Err(NpyError::Endless(header.shape));
    }
    if !fits || header.shape != sizes {
        let found = format!("{}{:?}", header.descr, header.shape);
        let expected = format!("{}{sizes:?}", descr(data_type));
        return Err(NpyError::Other { expected, found, sizes: fits.then_some(header.shape) });
    }
    let packed = TensorDescriptor::packed(data_type, sizes);
    let expected = packed.span_bytes().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX);
    match elements.len() {
        found if found < expected => return Err(NpyError::Short { expected, found }),
        found if found > expected => return Err(NpyError::Long { expected, found }),
        _ => {}
    }
    let mut elements =
        if header.fortran_order { gather(&column_major(packed), elements).into_owned() } else { elements.to_owned() };
    if order == ">" {
        elements.chunks_exact_mut(data_type.bytes()).for_each(<[u8]>::reverse);
    }
    Ok(elements)
}

/// The size of each dimension of the array in a file.
///
/// # Errors
///
/// When the header is damaged.
pub fn sizes(file: &[u8]) -> Result<Vec<u64>, NpyError> {
    Ok(header(split(file)?.0)?.shape)
}

/// The array in a file, whatever it is: its type, its sizes, and its elements as [`read`] gives them.
///
/// # Errors
///
/// When the file is damaged, or its elements are of a type that is not known.
pub fn read_any(file: &[u8]) -> Result<(DataType, Vec<u64>, Vec<u8>), NpyError> {
    let Header { descr, shape, .. } = header(split(file)?.0)?;
    let kind = descr.trim_start_matches(['<', '>', '|', '=']);
    let data_type = DataType::ALL.into_iter().find(|&data_type| kinds(data_type).contains(&kind));
    let Some(data_type) = data_type else {
        let found = format!("{descr}{shape:?}");
        return Err(NpyError::Other { expected: "numbers".to_owned(), found, sizes: None });
    };
    let elements = read(file, data_type, &shape)?;
    Ok((data_type, shape, elements))
}

/// The text of the header, and what is behind it.
fn split(file: &[u8]) -> Result<(&str, &[u8]), NpyError> {
    let short = |expected| NpyError::Short { expected, found: file.len() };
    let rest = file.strip_prefix(MAGIC).ok_or(NpyError::Magic)?;
    let (&[major, minor], rest) = rest.split_first_chunk().ok_or(short(HEAD))?;
    let (length, rest) = match major {
        1 => rest.split_first_chunk().map(|(bytes, rest)| (u32::from(u16::from_le_bytes(*bytes)), rest)),
        2 | 3 => rest.split_first_chunk().map(|(bytes, rest)| (u32::from_le_bytes(*bytes), rest)),
        _ => return Err(NpyError::Version(major, minor)),
    }
    .ok_or(short(HEAD))?;
    let length = length as usize;
    let (text, elements) =
        rest.split_at_checked(length).ok_or_else(|| short((file.len() - rest.len()).saturating_add(length)))?;
    let text = std::str::from_utf8(text).map_err(|_| NpyError::Header("no text".to_owned()))?;
    Ok((text.trim(), elements))
}

/// Reads a dictionary as Python prints it: the same as JSON but for quotes, brackets, capitals and last commas.
fn header(text: &str) -> Result<Header, NpyError> {
    let mut json = String::with_capacity(text.len());
    for letter in text.replace("True", "true").replace("False", "false").chars() {
        match letter {
            '\'' => json.push('"'),
            '(' => json.push('['),
            ')' | '}' => {
                json.truncate(json.trim_end().trim_end_matches(',').len());
                json.push(if letter == ')' { ']' } else { '}' });
            }
            other => json.push(other),
        }
    }
    serde_json::from_str(&json).map_err(|_| NpyError::Header(text.chars().take(120).collect()))
}

fn column_major(packed: TensorDescriptor) -> TensorDescriptor {
    let strides = (0..packed.sizes.len()).map(|dimension| packed.sizes[..dimension].iter().product());
    TensorDescriptor { strides: Some(strides.collect()), ..packed }
}

/// The type of elements as it stands in a header that opcert writes.
fn descr(data_type: DataType) -> String {
    let order = if data_type.bytes() == 1 || data_type == DataType::BF16 { '|' } else { '<' };
    format!("{order}{}", kinds(data_type)[0])
}

/// What may stand behind the byte order for a type.
const fn kinds(data_type: DataType) -> &'static [&'static str] {
    match data_type {
        DataType::F64 => &["f8"],
        DataType::F32 => &["f4"],
        DataType::F16 => &["f2"],
        DataType::BF16 => &["V2"],
        DataType::I64 => &["i8"],
        DataType::I32 => &["i4"],
        DataType::I16 => &["i2"],
        DataType::I8 => &["i1"],
        DataType::U64 => &["u8"],
        DataType::U32 => &["u4"],
        DataType::U16 => &["u2"],
        DataType::U8 => &["u1"],
        DataType::Bool => &["b1"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of version 1.0 with this header.
    fn file(header: &str, elements: &[u8]) -> Vec<u8> {
        let length = (header.len() as u16).to_le_bytes();
        [&MAGIC[..], &[1, 0], &length, header.as_bytes(), elements].concat()
    }

    #[test]
    fn the_header_is_the_one_that_numpy_writes() {
        let written = write(DataType::I32, &[2, 1], &[1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(written[..10], *b"\x93NUMPY\x01\x00\x76\x00");
        assert_eq!(written[10..128].trim_ascii(), b"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 1), }");
        assert_eq!(written[127], b'\n');
        assert_eq!(written[128..], [1, 0, 0, 0, 2, 0, 0, 0]);
        let head = |data_type, sizes: &[u64]| header(split(&write(data_type, sizes, &[])).unwrap().0).unwrap();
        assert_eq!(head(DataType::BF16, &[5]).descr, "|V2");
        assert_eq!((head(DataType::U8, &[5]).descr.as_str(), head(DataType::U8, &[5]).shape), ("|u1", vec![5]));
        assert_eq!(sizes(&write(DataType::U8, &[2, 0], &[])).unwrap(), [2, 0]);
        assert!(std::str::from_utf8(&write(DataType::U8, &[5], &[])[10..128]).unwrap().contains("(5,)"));
        assert!(std::str::from_utf8(&write(DataType::U8, &[], &[1])[10..128]).unwrap().contains("()"));
    }

    #[test]
    fn what_is_written_is_read() {
        for data_type in DataType::ALL {
            for sizes in [&[][..], &[3], &[2, 3], &[2, 0, 1]] {
                let bytes = sizes.iter().product::<u64>() as usize * data_type.bytes();
                let elements: Vec<u8> = (0..bytes).map(|byte| byte as u8).collect();
                assert_eq!(read(&write(data_type, sizes, &elements), data_type, sizes).unwrap(), elements);
            }
        }
    }

    #[test]
    fn other_writers_are_read_too() {
        let spaced = file(
            "{ \"shape\":(2,3),\"fortran_order\" : True, 'descr': '>u2' }\n",
            &[0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6],
        );
        assert_eq!(read(&spaced, DataType::U16, &[2, 3]).unwrap(), [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]);
        let mut second = file("", b"");
        second.splice(6.., [2, 0, 56, 0, 0, 0]);
        second.extend(b"{'descr': '|b1', 'fortran_order': False, 'shape': (1,)} \n");
        second[8] = (second.len() - 12) as u8;
        second.push(1);
        assert_eq!(read(&second, DataType::Bool, &[1]).unwrap(), [1]);
    }

    #[test]
    fn damage_is_named() {
        let good = write(DataType::U16, &[2], &[1, 0, 2, 0]);
        let error = |bytes: &[u8]| read(bytes, DataType::U16, &[2]).unwrap_err().to_string();
        assert!(error(b"PK\x03\x04").starts_with("is no .npy file"));
        assert_eq!(error(&good[..9]), "ends before its time: 9 bytes, expected 10");
        assert_eq!(error(&good[..20]), "ends before its time: 20 bytes, expected 128");
        assert_eq!(error(&good[..good.len() - 1]), "ends before its time: 3 bytes, expected 4");
        assert_eq!(error(&[&good[..], &[0]].concat()), "goes on behind its last element: 5 bytes, expected 4");
        assert_eq!(
            error(&[&good[..6], &[9, 1], &good[8..]].concat()),
            "is of version 9.1 of the .npy format; 1.0, 2.0 and 3.0 are known"
        );
        assert_eq!(error(&write(DataType::I16, &[2], &[0; 4])), "is <i2[2], expected <u2[2]");
        assert_eq!(error(&write(DataType::U16, &[2, 1], &[0; 4])), "is <u2[2, 1], expected <u2[2]");
        // Of so many elements not even the count can be said.
        assert_eq!(
            error(&file("{'descr': '<u2', 'fortran_order': False, 'shape': (18446744073709551615, 2)}", &[])),
            "is said to have the shape [18446744073709551615, 2], which no file holds"
        );
        assert_eq!(
            error(&file("{'descr': [('a', '<u2')]}", &[])),
            "has a header that cannot be read: `{'descr': [('a', '<u2')]}`"
        );
    }
}
