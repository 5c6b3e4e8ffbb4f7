//! What a benchmark holds dispatches against.

use std::time::{Duration, Instant};

use opcert_backend::Fault;

use crate::device::Device;
use crate::kernel::too_large;
use crate::program::{Program, Transfer, word};
use crate::shader::Shader;

/// Work of known size on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yardstick {
    /// One pass of a shader that does nothing.
    Empty,
    /// One pass of a shader that copies so many bytes, 16 at a time.
    Copy {
        /// The bytes that are read, and as many are written.
        bytes: u64,
    },
    /// Every pipeline made anew, and each of them run once on a few bytes.
    Pipelines,
}

impl Yardstick {
    /// Does it once, and says how long the submission took, from handing it over to its end; for the pipelines, from
    /// making the first one to the end of the last.
    pub(crate) fn measure(self, device: &mut Device) -> Result<Duration, Fault> {
        match self {
            Self::Empty => {
                let mut program = Program::new(device.limits());
                program.pass(Shader::Empty, Vec::new(), Vec::new(), 1).map_err(too_large)?;
                device.run(&program, &[])?;
                Ok(device.submitted())
            }
            Self::Copy { bytes } => {
                let mut program = Program::new(device.limits());
                let source = program.region(bytes, Transfer::Scratch).map_err(too_large)?;
                let target = program.region(bytes, Transfer::Scratch).map_err(too_large)?;
                for window in program.windows(bytes / BLOCK, BLOCK) {
                    let read = program.window_of(source, &window, BLOCK);
                    let written = program.window_of(target, &window, BLOCK);
                    let blocks = window.end - window.start;
                    let bindings = vec![(0, read), (1, written)];
                    program.pass(Shader::Copy, bindings, vec![word(blocks)], blocks).map_err(too_large)?;
                }
                device.run(&program, &[])?;
                Ok(device.submitted())
            }
            Self::Pipelines => {
                device.forget_pipelines();
                let started = Instant::now();
                for &shader in Shader::ALL {
                    let mut program = Program::new(device.limits());
                    let region = program.region(1, Transfer::Scratch).map_err(too_large)?;
                    let bindings = (0..3).map(|binding| (binding, program.whole(region))).collect();
                    // Without a count there is nothing to do.
                    program.pass(shader, bindings, vec![0; 32], 1).map_err(too_large)?;
                    device.run(&program, &[])?;
                }
                Ok(started.elapsed())
            }
        }
    }
}

/// The bytes that an invocation of the copy takes.
const BLOCK: u64 = 16;
