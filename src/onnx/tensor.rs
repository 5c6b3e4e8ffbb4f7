//! Tensors with their elements.

use opcert_backend::{DataType, TensorDescriptor};
use prost::{DecodeError, Message as _};

use super::proto::TensorProto;
use super::wire::fields;

/// The most dimensions of a tensor that is read.
const MOST_DIMENSIONS: usize = 1 << 10;

/// A tensor with its elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnnxTensor {
    /// The type of each element.
    pub data_type: DataType,
    /// The size of each dimension, outermost first; empty for a scalar.
    pub sizes: Vec<u64>,
    /// All elements, packed, little-endian, in row-major order.
    pub elements: Vec<u8>,
}

/// Why a tensor cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TensorError {
    /// The bytes are no message of this kind.
    #[error("is no tensor of ONNX: {0}")]
    Protobuf(#[from] DecodeError),
    /// There is no such element type here.
    #[error("has elements of the type {0}, which no operator here takes")]
    DataType(String),
    /// A size is negative, or all of them together are too much.
    #[error("has the sizes {0:?}, which no tensor has")]
    Sizes(Vec<i64>),
    /// There are more dimensions than anything has.
    #[error("has {0} dimensions, expected {MOST_DIMENSIONS} at most")]
    Dimensions(usize),
    /// The elements are somewhere else.
    #[error("does not hold its elements: they are {0}")]
    Elsewhere(&'static str),
    /// The elements stand in a field for other types, or in several.
    #[error("has elements in `{found}`, expected them in `raw_data` or in `{expected}` alone")]
    Field {
        /// The field for the tensor's type.
        expected: &'static str,
        /// A field that has something in it.
        found: &'static str,
    },
    /// There are more or fewer elements than the sizes say.
    #[error("has {found} of {expected} {unit}")]
    Length {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
        /// What is counted.
        unit: &'static str,
    },
    /// An element is none of its type.
    #[error("has the element {value}, which is no {data_type}")]
    Element {
        /// The element, as it stands in the file.
        value: i128,
        /// The type that it should have.
        data_type: DataType,
    },
}

/// The number of a type, `TensorProto.DataType`, and what ONNX calls it.
const fn of_type(data_type: DataType) -> (i32, &'static str) {
    match data_type {
        DataType::F64 => (11, "DOUBLE"),
        DataType::F32 => (1, "FLOAT"),
        DataType::F16 => (10, "FLOAT16"),
        DataType::BF16 => (16, "BFLOAT16"),
        DataType::I64 => (7, "INT64"),
        DataType::I32 => (6, "INT32"),
        DataType::I16 => (5, "INT16"),
        DataType::I8 => (3, "INT8"),
        DataType::U64 => (13, "UINT64"),
        DataType::U32 => (12, "UINT32"),
        DataType::U16 => (4, "UINT16"),
        DataType::U8 => (2, "UINT8"),
        DataType::Bool => (9, "BOOL"),
    }
}

/// The names of the other types, for messages.
const OTHER_TYPES: [(i32, &str); 4] = [(0, "UNDEFINED"), (8, "STRING"), (14, "COMPLEX64"), (15, "COMPLEX128")];

/// The number of a type.
pub(super) const fn number(data_type: DataType) -> i32 {
    of_type(data_type).0
}

/// What ONNX calls a type.
pub(super) const fn name(data_type: DataType) -> &'static str {
    of_type(data_type).1
}

/// The type of a number.
pub(super) fn data_type(number: Option<i32>) -> Result<DataType, TensorError> {
    let number = number.unwrap_or(0);
    DataType::ALL.into_iter().find(|data_type| of_type(*data_type).0 == number).ok_or_else(|| {
        let name = OTHER_TYPES.iter().find(|(each, _)| *each == number).map(|(_, name)| format!("{name} ({number})"));
        TensorError::DataType(name.unwrap_or_else(|| number.to_string()))
    })
}

impl OnnxTensor {
    /// A tensor of one dimension.
    #[must_use]
    pub fn list(data_type: DataType, elements: Vec<u8>) -> Self {
        Self { data_type, sizes: vec![(elements.len() / data_type.bytes()) as u64], elements }
    }

    /// The tensor as a file, with the name that an input or an output of a model has.
    #[must_use]
    pub fn encode(&self, name: &str) -> Vec<u8> {
        let proto = TensorProto {
            dims: self.sizes.iter().map(|&size| i64::try_from(size).unwrap_or(i64::MAX)).collect(),
            data_type: Some(number(self.data_type)),
            name: Some(name.to_owned()),
            raw_data: Some(self.elements.clone()),
            ..TensorProto::default()
        };
        proto.encode_to_vec()
    }

    /// Reads a file, and gives the name that the tensor has there too; it may be empty.
    ///
    /// # Errors
    ///
    /// When the bytes are no tensor, or one whose elements are not there, too many, too few, or none of their type.
    pub fn decode(file: &[u8]) -> Result<(String, Self), TensorError> {
        // Each may be a byte here, and is eight in a list.
        let dimensions = fields(file)
            .filter(|field| field.number == 1)
            .map(|field| field.content.map_or(1, |packed| packed.iter().filter(|&&byte| byte < 0x80).count()));
        let dimensions = dimensions.sum();
        if dimensions > MOST_DIMENSIONS {
            return Err(TensorError::Dimensions(dimensions));
        }
        let mut proto = TensorProto::decode(file)?;
        let name = proto.name.take().unwrap_or_default();
        Ok((name, Self::of(&proto)?))
    }

    fn of(proto: &TensorProto) -> Result<Self, TensorError> {
        if proto.data_location == Some(TensorProto::EXTERNAL) || proto.external_data.is_some() {
            return Err(TensorError::Elsewhere("in another file"));
        }
        if proto.segment.is_some() {
            return Err(TensorError::Elsewhere("one segment of several"));
        }
        let data_type = data_type(proto.data_type)?;
        let no_sizes = || TensorError::Sizes(proto.dims.clone());
        let sizes: Vec<u64> =
            proto.dims.iter().map(|&size| u64::try_from(size)).collect::<Result<_, _>>().map_err(|_| no_sizes())?;
        let packed = TensorDescriptor::packed(data_type, sizes.as_slice());
        let bytes = packed.span_bytes().and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(no_sizes)?;
        let elements = elements(proto, data_type, bytes)?;
        Ok(Self { data_type, sizes, elements })
    }
}

/// The fields that can hold elements, and how many each holds.
fn filled(proto: &TensorProto) -> [(&'static str, usize); 6] {
    [
        ("float_data", proto.float_data.len()),
        ("int32_data", proto.int32_data.len()),
        ("string_data", usize::from(proto.string_data.is_some())),
        ("int64_data", proto.int64_data.len()),
        ("double_data", proto.double_data.len()),
        ("uint64_data", proto.uint64_data.len()),
    ]
}

/// The field for elements of a type.
const fn field(data_type: DataType) -> &'static str {
    match data_type {
        DataType::F64 => "double_data",
        DataType::F32 => "float_data",
        DataType::I64 => "int64_data",
        DataType::U64 | DataType::U32 => "uint64_data",
        _ => "int32_data",
    }
}

fn elements(proto: &TensorProto, data_type: DataType, bytes: usize) -> Result<Vec<u8>, TensorError> {
    let expected = field(data_type);
    let raw = proto.raw_data.as_ref();
    let other = filled(proto).into_iter().find(|&(name, count)| count > 0 && (name != expected || raw.is_some()));
    if let Some((found, _)) = other {
        return Err(TensorError::Field { expected, found });
    }
    if let Some(raw) = raw {
        if raw.len() != bytes {
            return Err(TensorError::Length { found: raw.len(), expected: bytes, unit: "bytes" });
        }
        let odd = raw.iter().find(|&&byte| data_type == DataType::Bool && byte > 1);
        return odd.map_or(Ok(raw.clone()), |&byte| Err(TensorError::Element { value: byte.into(), data_type }));
    }
    let count = filled(proto).into_iter().find(|&(name, _)| name == expected).map_or(0, |(_, count)| count);
    let wanted = bytes / data_type.bytes();
    if count != wanted {
        return Err(TensorError::Length { found: count, expected: wanted, unit: "elements" });
    }
    match data_type {
        DataType::F64 => Ok(proto.double_data.iter().flat_map(|value| value.to_le_bytes()).collect()),
        DataType::F32 => Ok(proto.float_data.iter().flat_map(|value| value.to_le_bytes()).collect()),
        DataType::I64 => Ok(proto.int64_data.iter().flat_map(|value| value.to_le_bytes()).collect()),
        DataType::U64 | DataType::U32 => narrowed(&proto.uint64_data, data_type),
        _ => narrowed(&proto.int32_data, data_type),
    }
}

/// Elements that stand in a wider field. The 16-bit floats are the numbers of their patterns.
fn narrowed<T: Copy + Into<i128>>(wide: &[T], data_type: DataType) -> Result<Vec<u8>, TensorError> {
    let width = data_type.bytes();
    let bits = 8 * width as u32;
    let (least, greatest) = match data_type {
        DataType::Bool => (0, 1),
        _ if data_type.is_signed_integer() => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
        _ => (0, (1_i128 << bits) - 1),
    };
    let mut elements = Vec::with_capacity(wide.len() * width);
    for &value in wide {
        let value: i128 = value.into();
        if !(least..=greatest).contains(&value) {
            return Err(TensorError::Element { value, data_type });
        }
        elements.extend_from_slice(&value.to_le_bytes()[..width]);
    }
    Ok(elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_tensor_is_that_of_onnx() {
        let tensor =
            OnnxTensor { data_type: DataType::I32, sizes: vec![1, 2], elements: vec![3, 0, 0, 0, 255, 255, 255, 255] };
        // By hand: dims 1 and 2 (field 1), data_type 6 (2), name "x" (8), raw_data of 8 bytes (9).
        let expected = b"\x08\x01\x08\x02\x10\x06\x42\x01x\x4A\x08\x03\0\0\0\xFF\xFF\xFF\xFF";
        assert_eq!(tensor.encode("x"), expected);
        assert_eq!(OnnxTensor::decode(expected).unwrap(), ("x".to_owned(), tensor));
    }

    #[test]
    fn every_type_goes_there_and_back() {
        for data_type in DataType::ALL {
            for sizes in [&[][..], &[0, 3], &[2, 1]] {
                let bytes = sizes.iter().product::<u64>() as usize * data_type.bytes();
                let elements = (0..bytes).map(|byte| (byte % 2) as u8).collect();
                let tensor = OnnxTensor { data_type, sizes: sizes.to_vec(), elements };
                assert_eq!(OnnxTensor::decode(&tensor.encode("")).unwrap().1, tensor);
            }
        }
    }

    fn typed(data_type: DataType, fill: impl FnOnce(&mut TensorProto)) -> Result<Vec<u8>, String> {
        let mut proto = TensorProto { dims: vec![2], data_type: Some(number(data_type)), ..TensorProto::default() };
        fill(&mut proto);
        OnnxTensor::decode(&proto.encode_to_vec()).map(|(_, tensor)| tensor.elements).map_err(|error| error.to_string())
    }

    #[test]
    fn elements_in_the_field_of_their_type_are_read() {
        let int32 = |data_type, values: [i32; 2]| typed(data_type, |proto| proto.int32_data = values.to_vec()).unwrap();
        assert_eq!(int32(DataType::I32, [i32::MIN, 1]), [0, 0, 0, 128, 1, 0, 0, 0]);
        assert_eq!(int32(DataType::I16, [-2, 32767]), [254, 255, 255, 127]);
        assert_eq!(int32(DataType::U16, [65535, 1]), [255, 255, 1, 0]);
        assert_eq!(int32(DataType::I8, [-128, 127]), [128, 127]);
        assert_eq!(int32(DataType::U8, [255, 0]), [255, 0]);
        assert_eq!(int32(DataType::Bool, [1, 0]), [1, 0]);
        // 1.0 and the negative zero, as patterns.
        assert_eq!(int32(DataType::F16, [0x3C00, 0x8000]), [0, 0x3C, 0, 0x80]);
        assert_eq!(int32(DataType::BF16, [0x3F80, 0x8000]), [0x80, 0x3F, 0, 0x80]);
        let unsigned = |data_type| typed(data_type, |proto| proto.uint64_data = vec![u32::MAX.into(), 1]).unwrap();
        assert_eq!(unsigned(DataType::U32), [255, 255, 255, 255, 1, 0, 0, 0]);
        assert_eq!(unsigned(DataType::U64), [255, 255, 255, 255, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        let signed = typed(DataType::I64, |proto| proto.int64_data = vec![-1, 2]).unwrap();
        assert_eq!(signed, [255, 255, 255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 0, 0, 0]);
        let single = typed(DataType::F32, |proto| proto.float_data = vec![1.0, -0.0]).unwrap();
        assert_eq!(single, [0, 0, 0x80, 0x3F, 0, 0, 0, 0x80]);
        let double = typed(DataType::F64, |proto| proto.double_data = vec![1.0, -0.0]).unwrap();
        assert_eq!(double, [0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0x80]);
    }

    #[test]
    fn damage_is_named() {
        let error = |data_type, fill: fn(&mut TensorProto)| typed(data_type, fill).unwrap_err();
        assert!(OnnxTensor::decode(b"\x93NUMPY").unwrap_err().to_string().starts_with("is no tensor of ONNX: "));
        assert_eq!(
            error(DataType::F32, |proto| proto.data_type = Some(8)),
            "has elements of the type STRING (8), which no operator here takes"
        );
        assert_eq!(
            error(DataType::F32, |proto| proto.data_type = None),
            "has elements of the type UNDEFINED (0), which no operator here takes"
        );
        assert_eq!(error(DataType::F32, |proto| proto.dims = vec![-1]), "has the sizes [-1], which no tensor has");
        assert_eq!(
            error(DataType::F32, |proto| proto.dims = vec![1 << 62, 4]),
            format!("has the sizes {:?}, which no tensor has", [1_i64 << 62, 4])
        );
        assert_eq!(
            error(DataType::F32, |proto| proto.data_location = Some(1)),
            "does not hold its elements: they are in another file"
        );
        assert_eq!(
            error(DataType::F32, |proto| proto.segment = Some(Vec::new())),
            "does not hold its elements: they are one segment of several"
        );
        assert_eq!(
            error(DataType::F32, |proto| proto.double_data = vec![1.0; 2]),
            "has elements in `double_data`, expected them in `raw_data` or in `float_data` alone"
        );
        assert_eq!(
            error(DataType::F32, |proto| (proto.raw_data, proto.float_data) = (Some(vec![0; 8]), vec![0.0; 2])),
            "has elements in `float_data`, expected them in `raw_data` or in `float_data` alone"
        );
        assert_eq!(error(DataType::F32, |proto| proto.raw_data = Some(vec![0; 7])), "has 7 of 8 bytes");
        assert_eq!(error(DataType::F32, |proto| proto.float_data = vec![0.0]), "has 1 of 2 elements");
        assert_eq!(error(DataType::F32, |_| {}), "has 0 of 2 elements");
        assert_eq!(error(DataType::U8, |proto| proto.int32_data = vec![0, 256]), "has the element 256, which is no u8");
        assert_eq!(error(DataType::U8, |proto| proto.int32_data = vec![-1, 0]), "has the element -1, which is no u8");
        assert_eq!(
            error(DataType::Bool, |proto| proto.raw_data = Some(vec![1, 2])),
            "has the element 2, which is no bool"
        );
        assert_eq!(
            error(DataType::U32, |proto| proto.uint64_data = vec![1 << 32, 0]),
            "has the element 4294967296, which is no u32"
        );
    }
}
