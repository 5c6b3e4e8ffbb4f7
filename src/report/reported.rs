//! What the table, the picture and the badge need to know of a run. A log has it, and so has a certificate alone.

use super::{Certified, CertifiedBackend, Log, Matrix};
use crate::judge::FamilyInfo;

/// A run, as far as its matrix goes.
pub trait Reported {
    /// What was run.
    fn backend(&self) -> CertifiedBackend;

    /// Whether all of the embedded suite was run.
    fn is_complete(&self) -> bool;

    /// How many cases the suite has that was run.
    fn cases(&self) -> usize;

    /// The families whose operators were run, and maybe others.
    fn families(&self) -> &[FamilyInfo];

    /// The matrix.
    fn matrix(&self) -> Matrix;
}

impl Reported for Log {
    fn backend(&self) -> CertifiedBackend {
        CertifiedBackend::from(self.header.backend.clone())
    }

    fn is_complete(&self) -> bool {
        self.header.complete
    }

    fn cases(&self) -> usize {
        self.header.planned
    }

    fn families(&self) -> &[FamilyInfo] {
        &self.header.families
    }

    fn matrix(&self) -> Matrix {
        Matrix::of(self)
    }
}

impl Reported for Certified {
    fn backend(&self) -> CertifiedBackend {
        self.certificate.backend.clone()
    }

    fn is_complete(&self) -> bool {
        self.certificate.run.complete
    }

    fn cases(&self) -> usize {
        self.certificate.totals.cases
    }

    fn families(&self) -> &[FamilyInfo] {
        &self.families
    }

    fn matrix(&self) -> Matrix {
        self.matrix.clone()
    }
}

impl<R: Reported + ?Sized> Reported for Box<R> {
    fn backend(&self) -> CertifiedBackend {
        (**self).backend()
    }

    fn is_complete(&self) -> bool {
        (**self).is_complete()
    }

    fn cases(&self) -> usize {
        (**self).cases()
    }

    fn families(&self) -> &[FamilyInfo] {
        (**self).families()
    }

    fn matrix(&self) -> Matrix {
        (**self).matrix()
    }
}
