//! From what is asked for to the rows that are measured.

use std::collections::BTreeSet;

use opcert_backend::{Backend, DataType, ForeignText};
use rayon::{ThreadPool, ThreadPoolBuildError};

use super::copying::COPIED_BYTES;
use super::load::Workloads;
use super::report::{Outcome, Row};
use super::size::{Sizes, written};
use super::workload::{Scale, Workload};
use crate::near::did_you_mean;
use crate::spec::Specs;

/// What is measured.
pub struct Bench<'a> {
    /// The specifications, which say what is valid at the level that the backend claims.
    pub specs: &'a Specs,
    /// The workloads that there are.
    pub all: &'a Workloads,
    /// The backend.
    pub backend: &'a dyn Backend,
    /// Whether it runs in a process of its own, which cannot be told how many threads to use.
    pub isolated: bool,
    /// The operators, by their ids; all of them if there are none.
    pub operators: Vec<String>,
    /// The workloads, by their names. If there are none: all of them, and where a range of sizes is asked for the one
    /// of each operator that stands for it.
    pub workloads: Vec<String>,
    /// The data types. If there are none: those of each workload, and where sizes are asked for the first of them.
    pub types: Vec<DataType>,
    /// The numbers of elements, if they are not those of each workload.
    pub sizes: Option<Sizes>,
    /// The numbers of threads; all cores if there is none.
    pub threads: Vec<usize>,
    /// The length of the arrays that the yardstick copies, in bytes: [`COPIED_BYTES`] where figures are to be compared.
    pub copied_bytes: usize,
}

/// Why nothing can be measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// An operator is not known.
    #[error("`{id}` is no operator that can be measured; there are {known}")]
    Operator {
        /// What was asked for.
        id: String,
        /// What there is, and what was perhaps meant.
        known: String,
    },
    /// An operator has no workloads.
    #[error("`{0}` has no workloads: the file `{0}.yaml` of a folder has them, which `--workloads DIR` names")]
    Nothing(String),
    /// No operator that was asked for has the workload.
    #[error("`{name}` is no workload of what is measured; there are {known}")]
    Workload {
        /// What was asked for.
        name: String,
        /// What there is, and what was perhaps meant.
        known: String,
    },
    /// A small workload has no size to choose.
    #[error("`{0}` is always of the same size: leave the size out")]
    Small(String),
    /// Threads cannot be chosen.
    #[error("a backend in a process of its own cannot be told how many threads to use")]
    Threads,
    /// Threads could not be started.
    #[error(transparent)]
    Pool(#[from] ThreadPoolBuildError),
}

/// One row that is to be measured.
pub(super) struct Item<'a> {
    pub(super) workload: &'a Workload,
    pub(super) data_type: DataType,
    /// How many elements are asked for.
    pub(super) asked: u64,
    pub(super) threads: Option<usize>,
    pub(super) pool: Option<&'a ThreadPool>,
}

impl<'a> Bench<'a> {
    /// Every workload at its own size and in its own types, on all cores.
    #[must_use]
    pub const fn new(specs: &'a Specs, all: &'a Workloads, backend: &'a dyn Backend, isolated: bool) -> Self {
        Self {
            specs,
            all,
            backend,
            isolated,
            operators: Vec::new(),
            workloads: Vec::new(),
            types: Vec::new(),
            sizes: None,
            threads: Vec::new(),
            copied_bytes: COPIED_BYTES,
        }
    }

    /// The workloads that are asked for.
    pub(super) fn chosen(&self) -> Result<Vec<&'a Workload>, BenchError> {
        let ids = || self.specs.operators.iter().map(|operator| operator.id.as_str());
        if let Some(id) = self.operators.iter().find(|id| !ids().any(|known| known == **id)) {
            let known: Vec<String> = ids().map(|known| format!("`{known}`")).collect();
            return Err(BenchError::Operator { id: id.clone(), known: known.join(", ") + &did_you_mean(id, ids()) });
        }
        let wanted = |id: &str| self.operators.is_empty() || self.operators.iter().any(|wanted| wanted == id);
        let has_some = |id: &str| self.all.all().any(|workload| workload.operator.id == id);
        if let Some(id) = ids().find(|id| wanted(id) && !has_some(id)) {
            return Err(BenchError::Nothing(id.to_owned()));
        }
        let there: Vec<&'a Workload> = self.all.all().filter(|workload| wanted(&workload.operator.id)).collect();
        for name in &self.workloads {
            let named: Vec<_> = there.iter().filter(|workload| workload.name == *name).collect();
            if named.is_empty() {
                let mut names = there.iter().map(|workload| format!("`{}`", workload.name)).collect::<Vec<_>>();
                let mut seen = BTreeSet::new();
                names.retain(|name| seen.insert(name.clone()));
                let meant = did_you_mean(name, there.iter().map(|workload| workload.name.as_str()));
                return Err(BenchError::Workload { name: name.clone(), known: names.join(", ") + &meant });
            }
            if self.sizes.is_some() && named.iter().all(|workload| workload.scale == Scale::Small) {
                return Err(BenchError::Small(name.clone()));
            }
        }
        let is_range = self.sizes.as_ref().is_some_and(Sizes::is_range);
        let wanted = |workload: &&Workload| {
            let named = self.workloads.contains(&workload.name);
            let by_default = self.workloads.is_empty() && (workload.grows || !is_range);
            (named || by_default) && (self.sizes.is_none() || workload.scale != Scale::Small)
        };
        Ok(there.into_iter().filter(wanted).collect())
    }

    /// The rows, in the order in which they are measured.
    pub(super) fn items<'p>(&self, workloads: &[&'p Workload], pools: &'p [(usize, ThreadPool)]) -> Vec<Item<'p>> {
        let mut items = Vec::new();
        for &workload in workloads {
            let types = match (self.types.as_slice(), &self.sizes) {
                ([], None) => &workload.types,
                ([], Some(_)) => &workload.types[..1],
                (types, _) => types,
            };
            let sizes = match (&self.sizes, workload.scale) {
                (Some(sizes), _) => sizes.elements().to_vec(),
                (None, Scale::Elements(elements)) => vec![elements],
                (None, Scale::Small) => vec![1],
            };
            let mut threads: Vec<_> = pools.iter().map(|(threads, pool)| (Some(*threads), Some(pool))).collect();
            if threads.is_empty() {
                threads.push((None, None));
            }
            for &data_type in types {
                for &(threads, pool) in &threads {
                    items.extend(sizes.iter().map(|&asked| Item { workload, data_type, asked, threads, pool }));
                }
            }
        }
        items
    }
}

impl Item<'_> {
    pub(super) fn row(&self) -> Row {
        Row {
            operator: self.workload.operator.id.as_str().into(),
            workload: self.workload.name.as_str().into(),
            data_type: self.data_type,
            tensor: self.workload.caption(self.asked).into(),
            elements: self.workload.elements(self.asked),
            threads: self.threads,
            outcome: Outcome::Unsupported(ForeignText::default()),
        }
    }

    pub(super) fn label(&self) -> String {
        let workload = self.workload;
        format!("{} {} {} {}", workload.operator.id, workload.name, self.data_type, workload.caption(self.asked))
    }

    /// The options that ask for this workload with so many elements.
    pub(super) fn options(&self, elements: u64) -> Vec<String> {
        let mut options = vec![
            format!("--operator {}", self.workload.operator.id),
            format!("--workload {}", self.workload.name),
            format!("--type {}", self.data_type),
        ];
        if self.workload.scale != Scale::Small {
            options.push(format!("--size {}", written(elements)));
        }
        options.extend(self.threads.map(|threads| format!("--threads {threads}")));
        options
    }
}
