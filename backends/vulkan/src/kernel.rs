//! What the operators have in common: a program for a device.

use opcert_backend::{Fault, Input, Output};

use crate::device::Device;
use crate::program::{Program, RegionId, TooLarge};

/// A compiled operator, whatever device it comes to run on.
pub(crate) trait Kernel: Send {
    /// Runs once.
    ///
    /// # Errors
    ///
    /// When a tensor is not bound or too large, or the device fails.
    fn run(&self, device: &mut Device, inputs: &[Input<'_>], outputs: &mut [Output<'_>]) -> Result<(), Fault>;
}

/// A tensor that does not fit is memory that is not to be had.
pub(crate) fn too_large(TooLarge(reason): TooLarge) -> Fault {
    Fault::OutOfMemory(reason)
}

/// Runs a program whose inputs stand in these regions, and brings back what is in that of its output.
///
/// # Errors
///
/// When the device fails.
pub(crate) fn run(
    device: &mut Device,
    program: &Program,
    inputs: &[(RegionId, &[u8])],
    (region, output): (RegionId, &mut [u8]),
) -> Result<(), Fault> {
    let mut uploads = inputs.to_vec();
    if program.regions[region.0].transfer.uploads() {
        uploads.push((region, &*output));
    }
    device.run(program, &uploads)?;
    device.read(region, output);
    Ok(())
}
