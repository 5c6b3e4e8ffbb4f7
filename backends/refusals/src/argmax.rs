//! The rules of `directml/argmax` (`003_b0ebd827180f1e7d.txt`) and of `directml/argmin`, whose page has the same ones.

use opcert_backend::operators::{AXIS_DIRECTION_DECREASING, AXIS_DIRECTION_INCREASING, ArgMax};
use opcert_backend::{CompileError, Descriptor};

use crate::axes::Asked;
use crate::level::Level;
use crate::reduce;
use crate::reduction::{Extreme, Reduction, Tie, Yield};
use crate::rejection::malformed;

/// What a valid descriptor asks for.
pub(crate) fn reduction(descriptor: &Descriptor, extreme: Extreme) -> Result<Reduction, CompileError> {
    let ArgMax { input, output, axis_count, axes, axis_direction } = ArgMax::try_from(descriptor)?;
    let asked = Asked {
        input,
        output,
        axis_count,
        axes,
        tie: tie(axis_direction)?,
        extreme,
        yields: Yield::Index,
        introduced: ("3_0", Level::L3_0),
        // Their table is REDUCE's from there on.
        rows: reduce::rows_of_indices,
    };
    asked.reduction(descriptor)
}

/// Which of equal elements a direction names.
///
/// # Errors
///
/// [`CompileError::Rejected`] for another name.
pub(crate) fn tie(direction: &str) -> Result<Tie, CompileError> {
    match direction {
        AXIS_DIRECTION_INCREASING => Ok(Tie::First),
        AXIS_DIRECTION_DECREASING => Ok(Tie::Last),
        _ => Err(malformed(format!(
            "`AxisDirection` is `{direction}`, expected `{AXIS_DIRECTION_INCREASING}` or `{AXIS_DIRECTION_DECREASING}`"
        ))),
    }
}
