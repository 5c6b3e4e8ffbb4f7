//! The shaders, as the build script compiled them.

/// Makes an enumeration of the shaders and the table of their code.
macro_rules! shaders {
    ($($(#[$about:meta])* $shader:ident = $name:literal,)*) => {
        /// A shader. What each does, and what its constants and bindings are, stands at the head of its file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub(crate) enum Shader {
            $($(#[$about])* $shader,)*
        }

        impl Shader {
            /// Every shader, in the order of their numbers.
            pub(crate) const ALL: &[Self] = &[$(Self::$shader,)*];

            /// The name that its compiled form has.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$shader => $name,)*
                }
            }

            /// Its SPIR-V as little-endian words.
            const fn bytes(self) -> &'static [u8] {
                match self {
                    $(Self::$shader => include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".spv")),)*
                }
            }
        }
    };
}

shaders! {
    ArgmaxDirect = "argmax_direct",
    Around = "around",
    Combine = "combine",
    CombineWide = "combine_wide",
    Coordinates = "coordinates",
    Copy = "copy",
    Diagonal = "diagonal",
    ElementwiseAnd = "elementwise_and",
    ElementwiseBitAnd = "elementwise_bit_and",
    ElementwiseBitCount = "elementwise_bit_count",
    ElementwiseBitNot = "elementwise_bit_not",
    ElementwiseBitOr = "elementwise_bit_or",
    ElementwiseBitXor = "elementwise_bit_xor",
    ElementwiseClip = "elementwise_clip",
    ElementwiseEquals = "elementwise_equals",
    ElementwiseGreater = "elementwise_greater",
    ElementwiseGreaterOrEqual = "elementwise_greater_or_equal",
    ElementwiseIf = "elementwise_if",
    ElementwiseIsInfinity = "elementwise_is_infinity",
    ElementwiseIsNan = "elementwise_is_nan",
    ElementwiseIsNegativeInfinity = "elementwise_is_negative_infinity",
    ElementwiseIsPositiveInfinity = "elementwise_is_positive_infinity",
    ElementwiseLess = "elementwise_less",
    ElementwiseLessOrEqual = "elementwise_less_or_equal",
    ElementwiseMax = "elementwise_max",
    ElementwiseMin = "elementwise_min",
    ElementwiseNot = "elementwise_not",
    ElementwiseOr = "elementwise_or",
    ElementwiseShiftLeft = "elementwise_shift_left",
    ElementwiseShiftRight = "elementwise_shift_right",
    ElementwiseXor = "elementwise_xor",
    Empty = "empty",
    Fill = "fill",
    Gather = "gather",
    List = "list",
    Mark = "mark",
    MarkWide = "mark_wide",
    Move = "move",
    NonzeroDirect = "nonzero_direct",
    OneHotDirect = "one_hot_direct",
    OneHotPlanes = "one_hot_planes",
    OneHotRows = "one_hot_rows",
    Pick = "pick",
    Place = "place",
    Reduce = "reduce",
    ReduceColumns = "reduce_columns",
    ReduceRows = "reduce_rows",
    ReduceWide = "reduce_wide",
    Resolve = "resolve",
    ScanDown = "scan_down",
    ScanUp = "scan_up",
    Scatter = "scatter",
    Turn = "turn",
    Update = "update",
}

impl Shader {
    /// Its SPIR-V.
    pub(crate) fn code(self) -> Vec<u32> {
        let words = self.bytes().chunks_exact(4);
        words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    }

    /// How much of what a pass counts as invocations one workgroup does.
    pub(crate) const fn workgroup(self) -> u64 {
        match self {
            // Each invocation of `fill.wgsl` fills 16 blocks, and these are what is counted.
            Self::Fill => 64 * 16,
            _ => 64,
        }
    }
}
