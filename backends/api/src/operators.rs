//! Typed views of the bundled operators' descriptors, for authors of backends.
//!
//! A view only finds the parts by name; whether they are valid is for the backend to check.

use crate::{AttributeValue, CompileError, Descriptor, Scalar, TensorDescriptor};

/// The enumerator that asks `directml/argmax` and `directml/argmin` for the first of equal extremes, and
/// `directml/cumulative_summation` to count from the first element.
pub const AXIS_DIRECTION_INCREASING: &str = "DML_AXIS_DIRECTION_INCREASING";
/// The enumerator that asks them for the last of equal extremes, and to count from the last element.
pub const AXIS_DIRECTION_DECREASING: &str = "DML_AXIS_DIRECTION_DECREASING";

/// The enumerator that asks `directml/depth_to_space1` and `directml/space_to_depth1` for channels of depth that are rows of blocks,
/// columns of blocks and channels of space.
pub const DEPTH_COLUMN_ROW: &str = "DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW";
/// The enumerator that asks them for channels of depth that are channels of space, rows of blocks and columns of blocks.
pub const COLUMN_ROW_DEPTH: &str = "DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH";

/// `directml/one_hot` (DML_ONE_HOT_OPERATOR_DESC).
#[derive(Clone, Copy, Debug)]
pub struct OneHot<'a> {
    /// Where On stands in each sequence; size 1 along `axis`.
    pub indices: &'a TensorDescriptor,
    /// Off and On.
    pub values: &'a TensorDescriptor,
    /// The result.
    pub output: &'a TensorDescriptor,
    /// The dimension along which sequences lie.
    pub axis: i64,
}

/// `directml/nonzero_coordinates` (DML_NONZERO_COORDINATES_OPERATOR_DESC).
#[derive(Clone, Copy, Debug)]
pub struct NonzeroCoordinates<'a> {
    /// The tensor that is searched.
    pub input: &'a TensorDescriptor,
    /// The number of non-zero elements, a scalar.
    pub count: &'a TensorDescriptor,
    /// One row per element of the input, `{1,…,1,M,N}`.
    pub coordinates: &'a TensorDescriptor,
}

/// `directml/gather_elements` (DML_GATHER_ELEMENTS_OPERATOR_DESC).
#[derive(Clone, Copy, Debug)]
pub struct GatherElements<'a> {
    /// What is picked from.
    pub input: &'a TensorDescriptor,
    /// Which element along `axis` each element of the output is.
    pub indices: &'a TensorDescriptor,
    /// The result, with the sizes of `indices`.
    pub output: &'a TensorDescriptor,
    /// The dimension along which elements are picked.
    pub axis: i64,
}

/// `directml/scatter_elements` (DML_SCATTER_OPERATOR_DESC).
#[derive(Clone, Copy, Debug)]
pub struct ScatterElements<'a> {
    /// What stays where nothing is written.
    pub input: &'a TensorDescriptor,
    /// To which element along `axis` each update goes.
    pub indices: &'a TensorDescriptor,
    /// What is written, with the sizes of `indices`.
    pub updates: &'a TensorDescriptor,
    /// The result, with the sizes of `input`.
    pub output: &'a TensorDescriptor,
    /// The dimension along which elements are named.
    pub axis: i64,
}

/// `directml/scatter_nd` (DML_SCATTER_ND_OPERATOR_DESC).
#[derive(Clone, Debug)]
pub struct ScatterNd<'a> {
    /// What stays where nothing is written.
    pub input: &'a TensorDescriptor,
    /// Tuples of indices, along its last dimension.
    pub indices: &'a TensorDescriptor,
    /// What is written: the dimensions of tuples, then those of the input behind what a tuple names.
    pub updates: &'a TensorDescriptor,
    /// The result, with the sizes of `input`.
    pub output: &'a TensorDescriptor,
    /// How many dimensions of `input` count, its last ones.
    pub input_dimensions: i64,
    /// How many dimensions of `indices` count, its last ones.
    pub indices_dimensions: i64,
}

/// `directml/top_k1` (DML_TOP_K1_OPERATOR_DESC).
#[derive(Clone, Debug)]
pub struct TopK1<'a> {
    /// The sequences.
    pub input: &'a TensorDescriptor,
    /// The first `k` elements of each sequence in order.
    pub values: &'a TensorDescriptor,
    /// Where they stand in it, with the sizes of `values`.
    pub indices: &'a TensorDescriptor,
    /// The dimension along which sequences go.
    pub axis: i64,
    /// How many elements of each sequence come out.
    pub k: i64,
    /// [`AXIS_DIRECTION_INCREASING`] or [`AXIS_DIRECTION_DECREASING`].
    pub axis_direction: &'a str,
}

/// `directml/reverse_subsequences` (DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC).
#[derive(Clone, Copy, Debug)]
pub struct ReverseSubsequences<'a> {
    /// What is turned around.
    pub input: &'a TensorDescriptor,
    /// How many elements of each sequence are; size 1 along `axis`.
    pub lengths: &'a TensorDescriptor,
    /// The result, with the sizes of `input`.
    pub output: &'a TensorDescriptor,
    /// The dimension along which sequences lie.
    pub axis: i64,
}

/// `directml/depth_to_space1` and `directml/space_to_depth1` (DML_DEPTH_TO_SPACE1_OPERATOR_DESC and the like).
#[derive(Clone, Copy, Debug)]
pub struct DepthSpace<'a> {
    /// Batches, channels, rows and columns.
    pub input: &'a TensorDescriptor,
    /// The same otherwise arranged.
    pub output: &'a TensorDescriptor,
    /// The rows and the columns of a block.
    pub block_size: i64,
    /// What the channels of depth are made of.
    pub order: &'a str,
}

/// `directml/tile` (DML_TILE_OPERATOR_DESC).
#[derive(Clone, Copy, Debug)]
pub struct Tile<'a> {
    /// What is repeated.
    pub input: &'a TensorDescriptor,
    /// The copies side by side.
    pub output: &'a TensorDescriptor,
    /// The length that the descriptor gives for `repeats`.
    pub repeats_count: i64,
    /// How many copies there are along each dimension.
    pub repeats: &'a [i64],
}

/// `directml/slice1` (DML_SLICE1_OPERATOR_DESC).
#[derive(Clone, Copy, Debug)]
pub struct Slice1<'a> {
    /// What elements are taken out of.
    pub input: &'a TensorDescriptor,
    /// The elements that were taken.
    pub output: &'a TensorDescriptor,
    /// The length that the descriptor gives for `offsets`.
    pub dimension_count: i64,
    /// Where the window begins along each dimension.
    pub offsets: &'a [i64],
    /// How many elements it has along each dimension.
    pub sizes: &'a [i64],
    /// By how many elements each that is taken lies behind the one before; negative where they are taken from the end of the window.
    pub strides: &'a [i64],
}

/// `directml/padding1` (DML_PADDING1_OPERATOR_DESC).
#[derive(Clone, Copy, Debug)]
pub struct Padding1<'a> {
    /// What stands within.
    pub input: &'a TensorDescriptor,
    /// The input with something around it.
    pub output: &'a TensorDescriptor,
    /// What stands around it: a constant, or elements of the input.
    pub mode: &'a str,
    /// The constant, for the mode that has one.
    pub value: Scalar,
    /// The length that the descriptor gives for `start`.
    pub dimension_count: i64,
    /// How many places there are before the input along each dimension.
    pub start: &'a [i64],
    /// How many places there are behind it along each dimension.
    pub end: &'a [i64],
}

/// `directml/padding` (DML_PADDING_OPERATOR_DESC).
#[derive(Clone, Copy, Debug)]
pub struct Padding<'a> {
    /// What stands within.
    pub input: &'a TensorDescriptor,
    /// The input with something around it.
    pub output: &'a TensorDescriptor,
    /// What stands around it: a constant, or elements of the input.
    pub mode: &'a str,
    /// The value of the constant, for the mode that has one.
    pub value: f32,
    /// The length that the descriptor gives for `start`.
    pub dimension_count: i64,
    /// How many places there are before the input along each dimension.
    pub start: &'a [i64],
    /// How many places there are behind it along each dimension.
    pub end: &'a [i64],
}

/// `directml/cumulative_summation` (DML_CUMULATIVE_SUMMATION_OPERATOR_DESC).
#[derive(Clone, Copy, Debug)]
pub struct CumulativeSummation<'a> {
    /// What is added up.
    pub input: &'a TensorDescriptor,
    /// The sum of all elements up to each, with the sizes of `input`.
    pub output: &'a TensorDescriptor,
    /// The dimension along which elements are added up.
    pub axis: i64,
    /// From which end they are counted: [`AXIS_DIRECTION_INCREASING`] or [`AXIS_DIRECTION_DECREASING`].
    pub direction: &'a str,
    /// Whether an element is left out of its own sum.
    pub exclusive: bool,
}

/// `directml/diagonal_matrix1` (DML_DIAGONAL_MATRIX1_OPERATOR_DESC).
#[derive(Clone, Copy, Debug)]
pub struct DiagonalMatrix1<'a> {
    /// What stands beside the diagonals, with the sizes of `output`; zeros where it is left out.
    pub input: Option<&'a TensorDescriptor>,
    /// Matrices, in its last two dimensions.
    pub output: &'a TensorDescriptor,
    /// What stands on the diagonals that are filled.
    pub value: Scalar,
    /// The first of them: its column less its row.
    pub begin: i64,
    /// The first one behind them. Where it is less than `begin`, those from `begin` on are filled and those before this one.
    pub end: i64,
}

/// `directml/gather` (DML_GATHER_OPERATOR_DESC).
#[derive(Clone, Copy, Debug)]
pub struct Gather<'a> {
    /// What is picked from.
    pub input: &'a TensorDescriptor,
    /// Which slice across `axis` each position of its last `index_dimensions` dimensions is.
    pub indices: &'a TensorDescriptor,
    /// The result: the input with those dimensions in place of `axis`, cropped in front.
    pub output: &'a TensorDescriptor,
    /// The dimension across which slices are picked.
    pub axis: i64,
    /// How many dimensions of `indices` count, its last ones.
    pub index_dimensions: i64,
}

/// `directml/gather_nd1` (DML_GATHER_ND1_OPERATOR_DESC).
#[derive(Clone, Copy, Debug)]
pub struct GatherNd1<'a> {
    /// What is picked from.
    pub input: &'a TensorDescriptor,
    /// Tuples of indices, along its last dimension.
    pub indices: &'a TensorDescriptor,
    /// The result: the dimensions of tuples, then those of the input behind what a tuple names.
    pub output: &'a TensorDescriptor,
    /// How many dimensions of `input` count, its last ones.
    pub input_dimensions: i64,
    /// How many dimensions of `indices` count, its last ones.
    pub indices_dimensions: i64,
    /// How many of those go along with each other, the first ones of each tensor.
    pub batch_dimensions: i64,
}

/// `directml/argmax` (DML_ARGMAX_OPERATOR_DESC), and `directml/argmin`, which has the same members.
#[derive(Clone, Copy, Debug)]
pub struct ArgMax<'a> {
    /// The tensor that is reduced.
    pub input: &'a TensorDescriptor,
    /// The indices.
    pub output: &'a TensorDescriptor,
    /// The length that the descriptor gives for `axes`.
    pub axis_count: i64,
    /// The reduced dimensions.
    pub axes: &'a [i64],
    /// [`AXIS_DIRECTION_INCREASING`] or [`AXIS_DIRECTION_DECREASING`].
    pub axis_direction: &'a str,
}

/// `directml/reduce_argmax`, `reduce_argmin`, `reduce_max` and `reduce_min` (DML_REDUCE_OPERATOR_DESC with one function
/// each).
#[derive(Clone, Copy, Debug)]
pub struct Reduce<'a> {
    /// The enumerator of the function.
    pub function: &'a str,
    /// The tensor that is reduced.
    pub input: &'a TensorDescriptor,
    /// The results.
    pub output: &'a TensorDescriptor,
    /// The length that the descriptor gives for `axes`.
    pub axis_count: i64,
    /// The reduced dimensions.
    pub axes: &'a [i64],
}

/// `openvino/one_hot_1` and `openvino/one_hot_16` (OneHot-1 and OneHot-16).
#[derive(Clone, Copy, Debug)]
pub struct OpenVinoOneHot<'a> {
    /// Where `on_value` stands in each sequence.
    pub indices: &'a TensorDescriptor,
    /// The size of the new dimension; its value is among the descriptor's constants.
    pub depth: &'a TensorDescriptor,
    /// The value at the index.
    pub on_value: &'a TensorDescriptor,
    /// The value everywhere else.
    pub off_value: &'a TensorDescriptor,
    /// The result, one dimension more than `indices`.
    pub output: &'a TensorDescriptor,
    /// Where the new dimension stands; negative counts from the end of the output's dimensions.
    pub axis: i64,
    /// Whether an index below 0 counts from the end: the mode `normalize`, which OneHot-1 does not have.
    pub normalizes: bool,
}

fn tensor<'a>(descriptor: &'a Descriptor, name: &str) -> Result<&'a TensorDescriptor, CompileError> {
    descriptor.tensor(name).ok_or_else(|| missing(descriptor, name))
}

fn missing(descriptor: &Descriptor, name: &str) -> CompileError {
    CompileError::Rejected { requirement: None, reason: format!("`{}` is given without `{name}`", descriptor.operator) }
}

impl<'a> TryFrom<&'a Descriptor> for OneHot<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        Ok(Self {
            indices: tensor(descriptor, "IndicesTensor")?,
            values: tensor(descriptor, "ValuesTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            axis: descriptor.integer("Axis").ok_or_else(|| missing(descriptor, "Axis"))?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for NonzeroCoordinates<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            count: tensor(descriptor, "OutputCountTensor")?,
            coordinates: tensor(descriptor, "OutputCoordinatesTensor")?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for GatherElements<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            indices: tensor(descriptor, "IndicesTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            axis: descriptor.integer("Axis").ok_or_else(|| missing(descriptor, "Axis"))?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for ScatterElements<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            indices: tensor(descriptor, "IndicesTensor")?,
            updates: tensor(descriptor, "UpdatesTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            axis: descriptor.integer("Axis").ok_or_else(|| missing(descriptor, "Axis"))?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for ScatterNd<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        let integer = |name: &str| descriptor.integer(name).ok_or_else(|| missing(descriptor, name));
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            indices: tensor(descriptor, "IndicesTensor")?,
            updates: tensor(descriptor, "UpdatesTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            input_dimensions: integer("InputDimensionCount")?,
            indices_dimensions: integer("IndicesDimensionCount")?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for TopK1<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        let integer = |name: &str| descriptor.integer(name).ok_or_else(|| missing(descriptor, name));
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            values: tensor(descriptor, "OutputValueTensor")?,
            indices: tensor(descriptor, "OutputIndexTensor")?,
            axis: integer("Axis")?,
            k: integer("K")?,
            axis_direction: descriptor
                .enumerator("AxisDirection")
                .ok_or_else(|| missing(descriptor, "AxisDirection"))?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for ReverseSubsequences<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            lengths: tensor(descriptor, "SequenceLengthsTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            axis: descriptor.integer("Axis").ok_or_else(|| missing(descriptor, "Axis"))?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for DepthSpace<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            block_size: descriptor.integer("BlockSize").ok_or_else(|| missing(descriptor, "BlockSize"))?,
            order: descriptor.enumerator("Order").ok_or_else(|| missing(descriptor, "Order"))?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for Tile<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            repeats_count: descriptor.integer("RepeatsCount").ok_or_else(|| missing(descriptor, "RepeatsCount"))?,
            repeats: descriptor.integers("Repeats").ok_or_else(|| missing(descriptor, "Repeats"))?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for Slice1<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        let numbers = |name: &str| descriptor.integers(name).ok_or_else(|| missing(descriptor, name));
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            dimension_count: descriptor
                .integer("DimensionCount")
                .ok_or_else(|| missing(descriptor, "DimensionCount"))?,
            offsets: numbers("InputWindowOffsets")?,
            sizes: numbers("InputWindowSizes")?,
            strides: numbers("InputWindowStrides")?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for Padding1<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        let numbers = |name: &str| descriptor.integers(name).ok_or_else(|| missing(descriptor, name));
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            mode: descriptor.enumerator("PaddingMode").ok_or_else(|| missing(descriptor, "PaddingMode"))?,
            value: descriptor.scalar("PaddingValue").ok_or_else(|| missing(descriptor, "PaddingValue"))?,
            dimension_count: descriptor
                .integer("DimensionCount")
                .ok_or_else(|| missing(descriptor, "DimensionCount"))?,
            start: numbers("StartPadding")?,
            end: numbers("EndPadding")?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for Padding<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        let numbers = |name: &str| descriptor.integers(name).ok_or_else(|| missing(descriptor, name));
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            mode: descriptor.enumerator("PaddingMode").ok_or_else(|| missing(descriptor, "PaddingMode"))?,
            value: descriptor.float32("PaddingValue").ok_or_else(|| missing(descriptor, "PaddingValue"))?,
            dimension_count: descriptor
                .integer("DimensionCount")
                .ok_or_else(|| missing(descriptor, "DimensionCount"))?,
            start: numbers("StartPadding")?,
            end: numbers("EndPadding")?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for CumulativeSummation<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            axis: descriptor.integer("Axis").ok_or_else(|| missing(descriptor, "Axis"))?,
            direction: descriptor.enumerator("AxisDirection").ok_or_else(|| missing(descriptor, "AxisDirection"))?,
            exclusive: descriptor.boolean("HasExclusiveSum").ok_or_else(|| missing(descriptor, "HasExclusiveSum"))?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for DiagonalMatrix1<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        let integer = |name: &str| descriptor.integer(name).ok_or_else(|| missing(descriptor, name));
        Ok(Self {
            input: descriptor.tensor("InputTensor"),
            output: tensor(descriptor, "OutputTensor")?,
            value: descriptor.scalar("Value").ok_or_else(|| missing(descriptor, "Value"))?,
            begin: integer("DiagonalFillBegin")?,
            end: integer("DiagonalFillEnd")?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for Gather<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        let integer = |name: &str| descriptor.integer(name).ok_or_else(|| missing(descriptor, name));
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            indices: tensor(descriptor, "IndicesTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            axis: integer("Axis")?,
            index_dimensions: integer("IndexDimensions")?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for GatherNd1<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        let integer = |name: &str| descriptor.integer(name).ok_or_else(|| missing(descriptor, name));
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            indices: tensor(descriptor, "IndicesTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            input_dimensions: integer("InputDimensionCount")?,
            indices_dimensions: integer("IndicesDimensionCount")?,
            batch_dimensions: integer("BatchDimensionCount")?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for ArgMax<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        Ok(Self {
            input: tensor(descriptor, "InputTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            axis_count: descriptor.integer("AxisCount").ok_or_else(|| missing(descriptor, "AxisCount"))?,
            axes: descriptor.integers("Axes").ok_or_else(|| missing(descriptor, "Axes"))?,
            axis_direction: descriptor
                .enumerator("AxisDirection")
                .ok_or_else(|| missing(descriptor, "AxisDirection"))?,
        })
    }
}

impl<'a> TryFrom<&'a Descriptor> for Reduce<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        Ok(Self {
            function: descriptor.enumerator("Function").ok_or_else(|| missing(descriptor, "Function"))?,
            input: tensor(descriptor, "InputTensor")?,
            output: tensor(descriptor, "OutputTensor")?,
            axis_count: descriptor.integer("AxisCount").ok_or_else(|| missing(descriptor, "AxisCount"))?,
            axes: descriptor.integers("Axes").ok_or_else(|| missing(descriptor, "Axes"))?,
        })
    }
}

/// What OneHot-16 has more than OneHot-1.
const MODE: &str = "negative_indices_mode";

impl<'a> TryFrom<&'a Descriptor> for OpenVinoOneHot<'a> {
    type Error = CompileError;

    fn try_from(descriptor: &'a Descriptor) -> Result<Self, CompileError> {
        Ok(Self {
            indices: tensor(descriptor, "indices")?,
            depth: tensor(descriptor, "depth")?,
            on_value: tensor(descriptor, "on_value")?,
            off_value: tensor(descriptor, "off_value")?,
            output: tensor(descriptor, "output")?,
            axis: descriptor.integer("axis").ok_or_else(|| missing(descriptor, "axis"))?,
            normalizes: match descriptor.attribute(MODE) {
                None => false,
                Some(AttributeValue::String(mode)) if mode == "ignore-negative" => false,
                Some(AttributeValue::String(mode)) if mode == "normalize" => true,
                Some(other) => {
                    let reason = format!("`{MODE}` is {other:?}, expected ignore-negative or normalize");
                    return Err(CompileError::Rejected { requirement: None, reason });
                }
            },
        })
    }
}
