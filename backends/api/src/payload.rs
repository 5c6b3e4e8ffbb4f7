//! Tensors behind a message, in the safetensors format, written from where they are and read to where they belong.

use std::io::{self, Read, Write};
use std::marker::PhantomData;

use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use serde::Deserializer as _;
use serde::de::IgnoredAny;

use crate::identity::EachOnce;
use crate::protocol::MessageError;
use crate::{DataType, TensorDescriptor};

/// The head of a payload (names, types, shapes) is at most so many bytes long.
pub const LONGEST_HEAD: u64 = 1 << 20;

/// The length of the number that a payload begins with: how long its head is.
const LENGTH_BYTES: usize = 8;

/// So many bytes are read at a time: they are still in the cache when they are looked at.
const PIECE: usize = 1 << 18;

/// A tensor with its name and its memory.
pub type NamedBytes<'a> = (&'a str, &'a TensorDescriptor, &'a [u8]);

/// A tensor with its name and the memory that it is to be read into.
pub type NamedPlace<'a> = (&'a str, &'a TensorDescriptor, &'a mut [u8]);

/// A payload that is ready to be written. The tensors stay where they are.
#[derive(Clone, Debug, Default)]
pub struct Payload<'a> {
    head: Vec<u8>,
    tensors: Vec<&'a [u8]>,
}

impl<'a> Payload<'a> {
    /// A payload of tensors. Those with longer elements come first, so that each is aligned for its type.
    ///
    /// # Errors
    ///
    /// When a tensor's memory is shorter than its descriptor says.
    pub fn new(tensors: impl IntoIterator<Item = NamedBytes<'a>>) -> Result<Self, MessageError> {
        let mut travelling = Vec::new();
        for (name, tensor, bytes) in tensors {
            let form = Form::of(name, tensor, bytes.len())?;
            let bytes = &bytes[..form.bytes];
            travelling.push((name, form, bytes));
        }
        travelling.sort_by_key(|(_, form, _)| std::cmp::Reverse(form.dtype.bitsize()));
        let mut end = 0;
        let infos = travelling.iter().map(|(name, form, _)| {
            let start = end;
            end += form.bytes;
            let info = TensorInfo { dtype: form.dtype, shape: form.shape.clone(), data_offsets: (start, end) };
            ((*name).to_owned(), info)
        });
        let infos = infos.collect();
        let malformed = |reason: String| MessageError::Payload(reason);
        let metadata = Metadata::new(None, infos).map_err(|error| malformed(error.to_string()))?;
        let mut head = vec![0; LENGTH_BYTES];
        serde_json::to_writer(&mut head, &metadata).map_err(|error| malformed(error.to_string()))?;
        head.resize(head.len().next_multiple_of(LENGTH_BYTES), b' ');
        let length = (head.len() - LENGTH_BYTES) as u64;
        head[..LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
        Ok(Self { head, tensors: travelling.into_iter().map(|(_, _, bytes)| bytes).collect() })
    }

    /// The number of bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.parts().map(|part| part.len() as u64).sum()
    }

    /// The bytes, in pieces.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(self.head.as_slice()).chain(self.tensors.iter().copied())
    }

    /// Writes all of it.
    ///
    /// # Errors
    ///
    /// When the stream breaks.
    pub fn write(&self, stream: &mut impl Write) -> io::Result<()> {
        self.parts().try_for_each(|part| stream.write_all(part))
    }
}

/// Reads the tensors of a payload of `length` bytes into memory.
///
/// All `length` bytes are taken from the stream, whatever is wrong with them, unless it ends or breaks.
///
/// # Errors
///
/// When the payload is not in the safetensors format, or is not the tensors that are asked for: one is missing or one
/// too many, of another type, shape or length; or when the stream ends or breaks.
pub fn read_payload(stream: &mut impl Read, length: u64, places: Vec<NamedPlace<'_>>) -> Result<(), MessageError> {
    read_watched(stream, length, places, |_, _| {})
}

/// The same, and `watch` sees each piece of a tensor, with its name, right after it was read. Pieces are whole blocks of
/// 32 bytes up to the last one.
pub(crate) fn read_watched(
    stream: &mut impl Read,
    length: u64,
    mut places: Vec<NamedPlace<'_>>,
    mut watch: impl FnMut(&str, &[u8]),
) -> Result<(), MessageError> {
    let mut rest = stream.take(length);
    let read = read_head(&mut rest, length).and_then(|head| {
        check(&head, rest.limit(), &places)?;
        for name in head.offset_keys() {
            let place = places.iter_mut().find(|(wanted, ..)| *wanted == name);
            let length = head.info(&name).map_or(0, |info| info.data_offsets.1 - info.data_offsets.0);
            if let Some((_, _, bytes)) = place {
                for piece in bytes[..length].chunks_mut(PIECE) {
                    read_exact(&mut rest, piece)?;
                    watch(&name, piece);
                }
            }
        }
        Ok(())
    });
    if matches!(read, Err(MessageError::Payload(_))) {
        io::copy(&mut rest, &mut io::sink())?;
    }
    read
}

fn read_head(stream: &mut impl Read, length: u64) -> Result<Metadata, MessageError> {
    let mut bytes = [0; LENGTH_BYTES];
    read_exact(stream, &mut bytes)?;
    let head = u64::from_le_bytes(bytes);
    if head > LONGEST_HEAD.min(length.saturating_sub(LENGTH_BYTES as u64)) {
        return Err(MessageError::Payload(format!("its head is {head} bytes long, and it is {length} bytes long")));
    }
    let mut text = vec![0; head as usize];
    read_exact(stream, &mut text)?;
    let wrong = |error: serde_json::Error| MessageError::Payload(error.to_string());
    // Of two tensors of one name, one would be passed over.
    let each_once = EachOnce::<IgnoredAny>(|name| format!("`{name}` stands there twice"), PhantomData);
    serde_json::Deserializer::from_slice(&text).deserialize_map(each_once).map_err(wrong)?;
    serde_json::from_slice(&text).map_err(wrong)
}

fn read_exact(stream: &mut impl Read, bytes: &mut [u8]) -> Result<(), MessageError> {
    stream.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => MessageError::Payload("it ends before its time".to_owned()),
        _ => MessageError::Stream(error),
    })
}

/// Whether a head describes exactly the tensors that are asked for, and exactly the bytes behind it.
fn check(head: &Metadata, bytes: u64, places: &[NamedPlace<'_>]) -> Result<(), MessageError> {
    let wrong = |reason: String| Err(MessageError::Payload(reason));
    for (name, tensor, memory) in places {
        let Some(found) = head.info(name) else { return wrong(format!("`{name}` is missing")) };
        let form = Form::of(name, tensor, memory.len())?;
        if found.dtype != form.dtype || found.shape != form.shape {
            let (found, shape) = (found.dtype, &found.shape);
            return wrong(format!("`{name}` is {found:?}{shape:?}, expected {:?}{:?}", form.dtype, form.shape));
        }
    }
    let known = |name: &String| places.iter().any(|(wanted, ..)| wanted == name);
    if let Some(name) = head.offset_keys().iter().find(|name| !known(name)) {
        return wrong(format!("`{name}` is not asked for"));
    }
    if head.data_len() as u64 != bytes {
        return wrong(format!("{bytes} bytes are behind the head, and its tensors have {}", head.data_len()));
    }
    Ok(())
}

/// How a tensor travels: a packed one as what it is, a strided one as the bytes of its memory.
struct Form {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: usize,
}

impl Form {
    fn of(name: &str, tensor: &TensorDescriptor, memory: usize) -> Result<Self, MessageError> {
        if !tensor.is_packed() {
            return Ok(Self { dtype: Dtype::U8, shape: vec![memory], bytes: memory });
        }
        let span = tensor.span_bytes().and_then(|span| usize::try_from(span).ok()).filter(|span| *span <= memory);
        let bytes = span.ok_or_else(|| MessageError::Payload(format!("`{name}` has {memory} bytes: too few")))?;
        let shape = tensor.sizes.iter().map(|&size| size as usize).collect();
        Ok(Self { dtype: dtype(tensor.data_type), shape, bytes })
    }
}

const fn dtype(data_type: DataType) -> Dtype {
    match data_type {
        DataType::F64 => Dtype::F64,
        DataType::F32 => Dtype::F32,
        DataType::F16 => Dtype::F16,
        DataType::BF16 => Dtype::BF16,
        DataType::I64 => Dtype::I64,
        DataType::I32 => Dtype::I32,
        DataType::I16 => Dtype::I16,
        DataType::I8 => Dtype::I8,
        DataType::U64 => Dtype::U64,
        DataType::U32 => Dtype::U32,
        DataType::U16 => Dtype::U16,
        DataType::U8 => Dtype::U8,
        DataType::Bool => Dtype::BOOL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(tensors: &[NamedBytes<'_>]) -> Vec<u8> {
        let payload = Payload::new(tensors.iter().copied()).unwrap();
        let mut bytes = Vec::new();
        payload.write(&mut bytes).unwrap();
        assert_eq!(bytes.len() as u64, payload.bytes());
        bytes
    }

    #[test]
    fn tensors_arrive_where_they_belong_and_other_readers_understand_them() {
        let small = TensorDescriptor::packed(DataType::U8, [3]);
        let large = TensorDescriptor::packed(DataType::I64, [1, 2]);
        let strided = TensorDescriptor { strides: Some(vec![2]), ..TensorDescriptor::packed(DataType::U8, [2]) };
        let numbers: Vec<u8> = (1..=16).collect();
        let bytes = written(&[("a", &small, &[7, 8, 9, 0]), ("b", &large, &numbers), ("c", &strided, &[4, 5, 6])]);

        let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        assert_eq!(file.tensor("a").unwrap().data(), [7, 8, 9]);
        assert_eq!((file.tensor("b").unwrap().dtype(), file.tensor("b").unwrap().data()), (Dtype::I64, &numbers[..]));
        assert_eq!(file.tensor("c").unwrap().shape(), [3]);

        let (mut a, mut b, mut c) = ([0; 4], [0; 16], [0; 3]);
        let places = vec![("c", &strided, &mut c[..]), ("a", &small, &mut a[..]), ("b", &large, &mut b[..])];
        let mut stream = bytes.chain(&b"rest"[..]);
        read_payload(&mut stream, bytes.len() as u64, places).unwrap();
        assert_eq!((a, b.as_slice(), c), ([7, 8, 9, 0], &numbers[..], [4, 5, 6]));
        let mut rest = String::new();
        stream.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "rest");
    }

    #[test]
    fn what_is_not_asked_for_is_refused_and_taken_from_the_stream() {
        let tensor = TensorDescriptor::packed(DataType::U8, [2]);
        let other = TensorDescriptor::packed(DataType::I8, [2]);
        let longer = TensorDescriptor::packed(DataType::U8, [3]);
        let good = written(&[("a", &tensor, &[1, 2])]);
        let mut endless = good.clone();
        endless[..8].copy_from_slice(&(1u64 << 40).to_le_bytes());
        let one = r#""a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}"#;
        let head = format!("{{{one},{one}}}");
        let twice = [&(head.len() as u64).to_le_bytes(), head.as_bytes(), &[1, 2]].concat();
        let cases: [(Vec<u8>, &str); 8] = [
            (twice, "`a` stands there twice"),
            (written(&[("b", &tensor, &[1, 2])]), "`a` is missing"),
            (written(&[("a", &tensor, &[1, 2]), ("b", &tensor, &[1, 2])]), "`b` is not asked for"),
            (written(&[("a", &other, &[1, 2])]), "`a` is I8[2], expected U8[2]"),
            (written(&[("a", &longer, &[1, 2, 3])]), "`a` is U8[3], expected U8[2]"),
            ([&good[..], &[0]].concat(), "3 bytes are behind the head, and its tensors have 2"),
            (endless, "its head is 1099511627776 bytes long"),
            (vec![1, 0, 0, 0, 0, 0, 0, 0, b'?'], "expected value at line 1"),
        ];
        for (bytes, expected) in cases {
            let mut memory = [0; 2];
            let mut stream = bytes.chain(&b"rest"[..]);
            let error =
                read_payload(&mut stream, bytes.len() as u64, vec![("a", &tensor, &mut memory[..])]).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
            let mut rest = String::new();
            stream.read_to_string(&mut rest).unwrap();
            assert_eq!(rest, "rest", "{expected}");
        }
        let mut memory = [0; 2];
        let places = vec![("a", &tensor, &mut memory[..])];
        let error = read_payload(&mut &good[..good.len() - 1], good.len() as u64, places).unwrap_err();
        assert!(error.to_string().contains("it ends before its time"), "{error}");
    }
}
