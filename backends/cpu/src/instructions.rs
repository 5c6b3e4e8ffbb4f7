//! Which vector instructions the kernels use.
//!
//! A kernel is written once, as loops over slices that the compiler turns into vector instructions, and is compiled
//! once for each set of instructions. Which one runs is decided at run time, by what the processor has.
//!
//! Deliberately absent: intrinsics. On 64-bit ARM the baseline has vector instructions (NEON) already.

use std::env;

use opcert_backend::Fault;

/// The environment variable that bounds the instructions, to see what other processors run.
const AT_MOST: &str = "OPCERT_CPU_INSTRUCTIONS";

/// A set of vector instructions that this processor has, ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instructions(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only one set is known on this architecture"))]
enum Set {
    /// What every processor of the architecture has.
    Baseline,
    Avx2,
    Avx512,
}

/// A loop over slices. `run` has to be `#[inline(always)]`, as has all that it calls, to be compiled for each set.
pub(crate) trait Kernel {
    type Output;
    fn run(self) -> Self::Output;
}

impl Instructions {
    /// The best that this processor has and the environment allows: `OPCERT_CPU_INSTRUCTIONS` is `baseline`, `avx2`
    /// or `avx512`.
    ///
    /// # Errors
    ///
    /// [`Fault::Failed`] when the variable is anything else.
    pub(crate) fn allowed() -> Result<Self, Fault> {
        let at_most = match env::var_os(AT_MOST) {
            None => Set::Avx512,
            Some(name) if name == "avx512" => Set::Avx512,
            Some(name) if name == "avx2" => Set::Avx2,
            Some(name) if name == "baseline" => Set::Baseline,
            Some(name) => {
                let name = name.display();
                let expected = "expected `baseline`, `avx2` or `avx512`";
                return Err(Fault::Failed(format!("the environment variable `{AT_MOST}` is `{name}`, {expected}")));
            }
        };
        Ok(Self::all().into_iter().filter(|set| set.0 <= at_most).max().unwrap_or(Self(Set::Baseline)))
    }

    /// All that this processor has.
    pub(crate) fn all() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "only one set is known here"))]
        let mut sets = vec![Self(Set::Baseline)];
        #[cfg(target_arch = "x86_64")]
        {
            if x86_64::has_avx2() {
                sets.push(Self(Set::Avx2));
            }
            if x86_64::has_avx512() {
                sets.push(Self(Set::Avx512));
            }
        }
        sets
    }

    /// Runs a kernel as it was compiled for these instructions.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "the instructions have to be there")]
            // SAFETY: a value of this type is only made of sets that the processor was found to have.
            Set::Avx512 => unsafe { x86_64::avx512(kernel) },
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "the instructions have to be there")]
            // SAFETY: as above.
            Set::Avx2 => unsafe { x86_64::avx2(kernel) },
            _ => kernel.run(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::Kernel;

    /// Declares a function that runs a kernel with some instructions, and one that tells whether they are there.
    macro_rules! instructions {
        ($run:ident, $has:ident, $($feature:tt)*) => {
            pub(super) fn $has() -> bool {
                $(is_x86_feature_detected!($feature))&&*
            }

            $(#[target_feature(enable = $feature)])*
            pub(super) fn $run<K: Kernel>(kernel: K) -> K::Output {
                kernel.run()
            }
        };
    }

    instructions!(avx2, has_avx2, "avx2" "bmi1" "bmi2" "lzcnt" "popcnt");
    instructions!(
        avx512, has_avx512,
        "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl" "avx2" "bmi1" "bmi2" "lzcnt" "popcnt"
    );
}
