//! Elements by the width of their bits, and how their bits compare.
//!
//! Few kernels serve all types: one of each width for what only copies or inspects bits, two of each width (integers,
//! floats) for what compares. Memory promises no alignment and is little-endian whatever the machine is.

use half::{bf16, f16};
use opcert_backend::DataType;
use opcert_refusals::Extreme;

/// The bits of an element.
pub(crate) trait Word: Copy + Eq + Default + Send + Sync {
    /// The element in memory.
    type Bytes: Copy + Send + Sync;
    /// A signed integer of as many bits.
    type Key: Key;
    /// The size in bytes.
    const BYTES: usize;
    /// The highest bit: the sign of a float or of a signed integer.
    const SIGN: Self;
    /// The bits that make a float non-zero.
    const ALL_BUT_SIGN: Self;
    /// The bits that make an integer non-zero.
    const ALL: Self;
    fn from_bytes(bytes: Self::Bytes) -> Self;
    fn to_bytes(self) -> Self::Bytes;
    /// The low bits of a wider number.
    fn truncated(bits: u64) -> Self;
    /// Whether any of some bits is set.
    fn is_any_set(self, of: Self) -> bool;
    /// Whole elements in memory; bytes behind the last whole one are left away.
    fn elements(memory: &[u8]) -> &[Self::Bytes];
    fn elements_mut(memory: &mut [u8]) -> &mut [Self::Bytes];
    /// Some bits of it turned around.
    fn flipped(self, bits: Self) -> Self;
    /// The bits as a signed integer.
    fn key(self) -> Self::Key;
    /// The key of a float, given the bits of its infinity.
    ///
    /// Infinities are values like any other, and both zeros are equal. NaNs are equal to each other and above all
    /// else. Where a document leaves them open, an index is in range all the same, whatever the input.
    fn float_key(self, infinity: Self) -> Self::Key;
    /// The same where NaNs, equal to each other, are below all else.
    fn float_key_above_nan(self, infinity: Self) -> Self::Key;
}

/// A number whose order is that of the elements.
pub(crate) trait Key: Copy + Default + Ord + Send + Sync {
    const LEAST: Self;
    /// No number.
    const NONE: Self;
    /// A number below 128, to be carried beside keys in lanes of the same width.
    fn lane(number: u8) -> Self;
    /// The sum of two such numbers, which is one too.
    fn plus(self, other: Self) -> Self;
    fn number(self) -> u64;
}

macro_rules! words {
    ($($word:ty, $key:ty, $bytes:literal;)*) => {$(
        impl Key for $key {
            const LEAST: Self = Self::MIN;
            const NONE: Self = -1;

            #[inline(always)]
            fn lane(number: u8) -> Self {
                number as Self
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn number(self) -> u64 {
                self as u64
            }
        }

        impl Word for $word {
            type Bytes = [u8; $bytes];
            type Key = $key;
            const BYTES: usize = $bytes;
            const SIGN: Self = 1 << (Self::BITS - 1);
            const ALL_BUT_SIGN: Self = Self::MAX >> 1;
            const ALL: Self = Self::MAX;

            #[inline(always)]
            fn from_bytes(bytes: Self::Bytes) -> Self {
                Self::from_le_bytes(bytes)
            }

            #[inline(always)]
            fn to_bytes(self) -> Self::Bytes {
                self.to_le_bytes()
            }

            #[inline(always)]
            fn truncated(bits: u64) -> Self {
                bits as Self
            }

            #[inline(always)]
            fn is_any_set(self, of: Self) -> bool {
                self & of != 0
            }

            #[inline(always)]
            fn elements(memory: &[u8]) -> &[Self::Bytes] {
                memory.as_chunks().0
            }

            #[inline(always)]
            fn elements_mut(memory: &mut [u8]) -> &mut [Self::Bytes] {
                memory.as_chunks_mut().0
            }

            #[inline(always)]
            fn flipped(self, bits: Self) -> Self {
                self ^ bits
            }

            #[inline(always)]
            fn key(self) -> Self::Key {
                self.cast_signed()
            }

            #[inline(always)]
            fn float_key(self, infinity: Self) -> Self::Key {
                let magnitude = (self & !Self::SIGN).cast_signed().min((infinity + 1).cast_signed());
                // As signed integers, negative NaNs lie between negative infinity and zero.
                let is_negative_number = self.cast_signed() <= (Self::SIGN | infinity).cast_signed();
                if is_negative_number { -magnitude } else { magnitude }
            }

            #[inline(always)]
            fn float_key_above_nan(self, infinity: Self) -> Self::Key {
                let key = self.float_key(infinity);
                // Only that of NaNs is above that of infinity.
                if key > infinity.cast_signed() { -key } else { key }
            }
        }
    )*};
}

words! {
    u8, i8, 1;
    u16, i16, 2;
    u32, i32, 4;
    u64, i64, 8;
}

/// How the elements of a type are ordered.
pub(crate) trait Order: Copy + Send + Sync {
    type Word: Word;
    fn key(self, bytes: <Self::Word as Word>::Bytes) -> KeyOf<Self>;
}

/// The key of an order's elements.
pub(crate) type KeyOf<O> = <<O as Order>::Word as Word>::Key;

/// The order of integers, or the opposite one.
#[derive(Clone, Copy)]
pub(crate) struct Integers<W> {
    flipped: W,
}

/// The order of floats, or the opposite one, in which a NaN is the greatest key.
#[derive(Clone, Copy)]
pub(crate) struct Floats<W> {
    infinity: W,
    flipped: W,
}

/// The order of floats, or the opposite one, in which a NaN is not the greatest key but the least.
#[derive(Clone, Copy)]
pub(crate) struct FloatsAboveNan<W>(pub(crate) Floats<W>);

impl<W: Word> Integers<W> {
    /// The order in which an extreme is the greatest key.
    pub(crate) fn new(data_type: DataType, extreme: Extreme) -> Self {
        let ascending = if data_type.is_signed_integer() { W::default() } else { W::SIGN };
        Self {
            flipped: match extreme {
                Extreme::Greatest => ascending,
                Extreme::Least => ascending.flipped(W::ALL),
            },
        }
    }
}

impl<W: Word> Floats<W> {
    /// The order in which an extreme is the greatest key but for a NaN; `None` for integers.
    pub(crate) fn new(data_type: DataType, extreme: Extreme) -> Option<Self> {
        let infinity = match data_type {
            DataType::F64 => f64::INFINITY.to_bits(),
            DataType::F32 => f32::INFINITY.to_bits().into(),
            DataType::F16 => f16::INFINITY.to_bits().into(),
            DataType::BF16 => bf16::INFINITY.to_bits().into(),
            _ => return None,
        };
        let flipped = match extreme {
            Extreme::Greatest => W::default(),
            Extreme::Least => W::SIGN,
        };
        Some(Self { infinity: W::truncated(infinity), flipped })
    }
}

impl<W: Word> Order for Integers<W> {
    type Word = W;

    #[inline(always)]
    fn key(self, bytes: W::Bytes) -> W::Key {
        W::from_bytes(bytes).flipped(self.flipped).key()
    }
}

impl<W: Word> Order for Floats<W> {
    type Word = W;

    #[inline(always)]
    fn key(self, bytes: W::Bytes) -> W::Key {
        W::from_bytes(bytes).flipped(self.flipped).float_key(self.infinity)
    }
}

impl<W: Word> Order for FloatsAboveNan<W> {
    type Word = W;

    #[inline(always)]
    fn key(self, bytes: W::Bytes) -> W::Key {
        let Self(Floats { infinity, flipped }) = self;
        W::from_bytes(bytes).flipped(flipped).float_key_above_nan(infinity)
    }
}
