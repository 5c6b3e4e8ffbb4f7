//! Fields of messages as they stand in a file, before anything is made of them: one of two bytes may become a structure
//! of two hundred.

use prost::bytes::Buf as _;
use prost::decode_length_delimiter;

/// A field of a message.
pub(super) struct Field<'a> {
    /// Its number.
    pub(super) number: usize,
    /// Its bytes, where it is one of those that have a length: a message, a text, bytes, packed numbers.
    pub(super) content: Option<&'a [u8]>,
}

/// Which fields of a message are messages of which fields are looked at.
pub(super) struct Inner(pub(super) &'static [(usize, &'static Self)]);

/// The fields of a message, as far as they can be told apart; what is wrong with one is for the decoder to say. Those of
/// a group, which no message of ONNX has, count as if they stood outside of it.
pub(super) fn fields(mut bytes: &[u8]) -> impl Iterator<Item = Field<'_>> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let key = decode_length_delimiter(&mut bytes).ok()?;
        let mut content = None;
        let fixed = match key & 7 {
            0 => {
                decode_length_delimiter(&mut bytes).ok()?;
                0
            }
            1 => 8,
            2 => {
                let length = decode_length_delimiter(&mut bytes).ok()?;
                content = Some(bytes.get(..length)?);
                length
            }
            3 | 4 => 0,
            5 => 4,
            _ => return None,
        };
        if bytes.len() < fixed {
            return None;
        }
        bytes.advance(fixed);
        Some(Field { number: key >> 3, content })
    })
}

/// The bytes of the fields of this number.
pub(super) fn contents(message: &[u8], number: usize) -> impl Iterator<Item = &[u8]> {
    fields(message).filter(move |field| field.number == number).filter_map(|field| field.content)
}

/// The number of fields of a message and of those in it.
pub(super) fn count(message: &[u8], inner: &Inner) -> usize {
    let of_field = |field: Field<'_>| {
        let inner = inner.0.iter().find(|(number, _)| *number == field.number);
        1 + inner.zip(field.content).map_or(0, |((_, inner), content)| count(content, inner))
    };
    fields(message).map(of_field).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_every_kind_are_told_apart() {
        // A number of two bytes, eight bytes, a text, four bytes, a group with a number in it.
        let message = b"\x08\x96\x01\x11\0\0\0\0\0\0\0\0\x1A\x02ab\x25\0\0\0\0\x2B\x30\x01\x2C";
        let found: Vec<_> = fields(message).map(|field| (field.number, field.content)).collect();
        let none = |number| (number, None);
        assert_eq!(found, [none(1), none(2), (3, Some(b"ab".as_slice())), none(4), none(5), none(6), none(5)]);
        assert_eq!(contents(message, 3).collect::<Vec<_>>(), [b"ab"]);
        // One that is longer than what is there, and one of a kind that there is not.
        assert_eq!(fields(b"\x08\x01\x1A\x05ab").count(), 1);
        assert_eq!(fields(b"\x08\x01\x0F").count(), 1);
    }

    #[test]
    fn fields_of_fields_are_counted_where_they_are_looked_at() {
        let message = b"\x0A\x04\x0A\0\x0A\0\x12\x04\x0A\0\x0A\0";
        assert_eq!(count(message, &Inner(&[])), 2);
        assert_eq!(count(message, &Inner(&[(1, &Inner(&[]))])), 4);
    }
}
