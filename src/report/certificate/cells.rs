//! The cells of the matrix, as a certificate has them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::report::{Cell, Counts, LevelRow, OperatorMatrix};

/// An operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CertifiedOperator {
    /// Every feature level of the family.
    pub levels: BTreeMap<String, CertifiedLevel>,
    /// The data types of the operator's subject tensor that occur, each with a cell per dimension count, all levels.
    pub types: BTreeMap<String, CertifiedType>,
}

/// A cell per dimension count.
pub type CertifiedType = BTreeMap<String, CertifiedCell>;

/// An operator at a feature level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CertifiedLevel {
    /// On what the documents say alone.
    pub stated: CertifiedVerdict,
    /// Also on what follows from them.
    pub derived: CertifiedVerdict,
}

/// A verdict and the cells it rests on, which are left out where nothing is counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CertifiedVerdict {
    /// In the words of the matrix: `conforms`, `partial`, `not claimed` and so on.
    pub standing: String,
    /// Valid descriptors, packed tensors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packed: Option<CertifiedCell>,
    /// Valid descriptors, strided tensors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strided: Option<CertifiedCell>,
    /// Invalid descriptors, packed tensors. Left out where their refusal is not claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusals_packed: Option<CertifiedCell>,
    /// Invalid descriptors, strided tensors. Left out where their refusal is not claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusals_strided: Option<CertifiedCell>,
}

/// How many cases apply, ran and passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CertifiedCell {
    /// Cases that count here.
    pub applicable: usize,
    /// Those that ran.
    pub run: usize,
    /// Those that passed.
    pub passed: usize,
    /// Those that failed as is known and explained. They are not among the passed ones.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waived: usize,
    /// Those that the backend says it does not do: it does not support them, or does not claim strided tensors. What is
    /// merely missing is not among them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// Cases beside those that count: they put an open question, and went wrong in a way that no answer to it allows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub open_wrong: usize,
    /// The same, where that is known and explained.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub open_waived: usize,
    /// Cases beside those that count: they put an open question, and nothing came back.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub open_missing: usize,
}

impl CertifiedOperator {
    pub(super) fn of(matrix: &OperatorMatrix, complete: bool) -> Self {
        let levels = matrix.levels.iter().map(|row| (row.level.clone(), CertifiedLevel::of(row, complete)));
        let cells = |cells: &[(usize, Cell)]| {
            cells.iter().map(|(count, cell)| (count.to_string(), CertifiedCell::from(*cell))).collect()
        };
        let types = matrix.types.iter().map(|(name, of_type)| (name.clone(), cells(of_type)));
        Self { levels: levels.collect(), types: types.collect() }
    }
}

impl CertifiedLevel {
    fn of(row: &LevelRow, complete: bool) -> Self {
        let verdict = |at: usize| {
            let Counts { packed, strided, refusals_packed, refusals_strided } = row.counts[at];
            let valid = |cell: Cell| row.is_counted().then(|| CertifiedCell::from(cell));
            let refused = |cell: Cell| valid(cell).filter(|_| row.refusals_claimed);
            CertifiedVerdict {
                standing: row.standings[at].name(complete),
                packed: valid(packed),
                strided: valid(strided),
                refusals_packed: refused(refusals_packed),
                refusals_strided: refused(refusals_strided),
            }
        };
        Self { stated: verdict(0), derived: verdict(1) }
    }
}

impl From<Cell> for CertifiedCell {
    fn from(cell: Cell) -> Self {
        let Cell { applicable, run, passed, waived, left_out, open_wrong, open_waived, open_missing } = cell;
        Self { applicable, run, passed, waived, left_out, open_wrong, open_waived, open_missing }
    }
}

impl From<CertifiedCell> for Cell {
    fn from(cell: CertifiedCell) -> Self {
        let CertifiedCell { applicable, run, passed, waived, left_out, open_wrong, open_waived, open_missing } = cell;
        Self { applicable, run, passed, waived, left_out, open_wrong, open_waived, open_missing }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference to skip_serializing_if")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}
