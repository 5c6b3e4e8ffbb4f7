//! The matrix that a certificate states, for where its log is not at hand.

use super::{Certificate, CertifiedCell, CertifiedLevel, CertifiedOperator, CertifiedVerdict};
use crate::judge::{FamilyInfo, OperatorInfo};
use crate::report::{Cell, Counts, LevelRow, Matrix, OperatorMatrix, Standing};
use crate::spec::Specs;

/// A certificate with the families and operators that it speaks of.
#[derive(Clone, Debug)]
pub struct Certified {
    /// The certificate.
    pub certificate: Certificate,
    /// The families of its operators.
    pub families: Vec<FamilyInfo>,
    /// What it states.
    pub matrix: Matrix,
}

/// Why a certificate gives no matrix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertifiedError {
    /// An operator is not specified.
    #[error("`{0}` is no operator that is specified here")]
    Operator(String),
    /// The levels of an operator are not those of its family.
    #[error("`{operator}` has the levels {found}, expected {expected}")]
    Levels {
        /// The operator.
        operator: String,
        /// Those of the certificate.
        found: String,
        /// Those of the specification.
        expected: String,
    },
    /// A verdict is not what its figures come to.
    #[error("`{operator}` at {level} is said to be `{stated}`, and its figures come to `{found}`")]
    Standing {
        /// The operator.
        operator: String,
        /// The level.
        level: String,
        /// What the certificate says.
        stated: String,
        /// What follows from its cells.
        found: String,
    },
}

impl Certified {
    /// Reads the matrix from a certificate. Titles, and the order of operators, levels and types, are those of the
    /// specifications.
    ///
    /// # Errors
    ///
    /// Operators and levels that are not specified; verdicts that are not what their figures come to.
    pub fn of(certificate: Certificate, specs: &Specs) -> Result<Self, CertifiedError> {
        if let Some(id) = certificate.operators.keys().find(|id| specs.operator(id).is_none()) {
            return Err(CertifiedError::Operator(id.clone()));
        }
        let certified = |id: &String| certificate.operators.get(id);
        let of_certificate = specs.operators.iter().filter_map(|operator| Some((operator, certified(&operator.id)?)));
        let mut families: Vec<FamilyInfo> = Vec::new();
        let mut operators = Vec::new();
        for (operator, certified) in of_certificate {
            let family = FamilyInfo::from(&*operator.family);
            operators.push(of_operator(OperatorInfo::from(&**operator), &family, certified, &certificate)?);
            if families.iter().all(|known| known.name != family.name) {
                families.push(family);
            }
        }
        Ok(Self { families, matrix: Matrix { operators }, certificate })
    }
}

fn of_operator(
    operator: OperatorInfo,
    family: &FamilyInfo,
    certified: &CertifiedOperator,
    certificate: &Certificate,
) -> Result<OperatorMatrix, CertifiedError> {
    if certified.levels.len() != family.levels.len()
        || !family.levels.iter().all(|name| certified.levels.contains_key(name))
    {
        let found = certified.levels.keys().map(String::as_str).collect::<Vec<_>>().join(" ");
        return Err(CertifiedError::Levels { operator: operator.id, found, expected: family.levels.join(" ") });
    }
    let rows = family.levels.iter().filter_map(|name| Some((name, certified.levels.get(name)?)));
    let levels = rows.map(|(name, level)| row(&operator, name, level, certificate)).collect::<Result<_, _>>()?;
    let types = family.types.iter().filter_map(|name| {
        let cells = certified.types.get(name)?;
        let mut cells: Vec<(usize, Cell)> =
            cells.iter().filter_map(|(count, cell)| Some((count.parse().ok()?, Cell::from(*cell)))).collect();
        cells.sort_by_key(|(count, _)| *count);
        Some((name.clone(), cells))
    });
    Ok(OperatorMatrix { types: types.collect(), operator, has_cases: true, levels })
}

fn row(
    operator: &OperatorInfo,
    name: &str,
    level: &CertifiedLevel,
    certificate: &Certificate,
) -> Result<LevelRow, CertifiedError> {
    let (stated, derived) = (counts(&level.stated), counts(&level.derived));
    let standing = |verdict: &CertifiedVerdict, counts: Counts| {
        standing(verdict, counts, certificate.run.complete).map_err(|found| CertifiedError::Standing {
            operator: operator.id.clone(),
            level: name.to_owned(),
            stated: verdict.standing.clone(),
            found,
        })
    };
    Ok(LevelRow {
        level: name.to_owned(),
        standings: [standing(&level.stated, stated)?, standing(&level.derived, derived)?],
        counts: [stated, derived],
        refusals_claimed: certificate.backend.refuses_invalid,
    })
}

fn counts(verdict: &CertifiedVerdict) -> Counts {
    let cell = |cell: Option<CertifiedCell>| cell.map(Cell::from).unwrap_or_default();
    Counts {
        packed: cell(verdict.packed),
        strided: cell(verdict.strided),
        refusals_packed: cell(verdict.refusals_packed),
        refusals_strided: cell(verdict.refusals_strided),
    }
}

/// The standing of which a verdict has the name: what the cells come to, or a reason why there are none. What they come
/// to instead, if it is neither.
fn standing(verdict: &CertifiedVerdict, counts: Counts, complete: bool) -> Result<Standing, String> {
    let found = counts.standing();
    let nothing = verdict.packed.is_none();
    let candidates = [
        (found, true),
        // Below the level that introduced the operator only refusals count.
        (Standing::Absent, found != Standing::Partial),
        (Standing::NotClaimed, nothing),
        (Standing::NotAskedFor, nothing),
    ];
    let mut possible = candidates.into_iter().filter(|(_, possible)| *possible).map(|(standing, _)| standing);
    let named = possible.find(|standing| standing.name(complete) == verdict.standing);
    named.ok_or_else(|| found.name(complete))
}
