//! What is right, worked out once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use opcert_backend::Descriptor;

use crate::definition::{Evaluation, Fault};
use crate::spec::Operator;

/// So many bytes of answers are kept.
const MOST_KEPT: usize = 1 << 28;

/// What an operator's definition answers, each question worked out once.
#[derive(Debug)]
pub struct Answers {
    operator: Arc<Operator>,
    /// The levels at which the definition changes.
    changes: Vec<usize>,
    kept: Mutex<Kept>,
}

/// Answers by what was asked, and how many bytes they are.
#[derive(Debug, Default)]
struct Kept {
    bytes: usize,
    answers: HashMap<[u8; 32], Arc<Evaluation>>,
}

impl Answers {
    /// Nothing is known yet.
    #[must_use]
    pub fn of(operator: &Arc<Operator>) -> Arc<Self> {
        Arc::new(Self { operator: Arc::clone(operator), changes: operator.definition.levels(), kept: Mutex::default() })
    }

    /// What the definition gives.
    ///
    /// # Errors
    ///
    /// As for [`crate::definition::Definition::evaluate`].
    pub fn to(&self, descriptor: &Descriptor, inputs: &[(&str, &[u8])]) -> Result<Arc<Evaluation>, Fault> {
        let key = self.question(descriptor, inputs);
        if let Some(known) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).answers.get(&key) {
            return Ok(Arc::clone(known));
        }
        let found = Arc::new(self.operator.definition.evaluate(descriptor, inputs)?);
        let bytes: usize = found.outputs.iter().map(|output| output.bytes.len() + 8 * output.decided.len()).sum();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.bytes + bytes <= MOST_KEPT && kept.answers.insert(key, Arc::clone(&found)).is_none() {
            kept.bytes += bytes;
        }
        Ok(found)
    }
}

impl Answers {
    /// A digest of what the definition is asked. Levels between which it says the same are one.
    fn question(&self, descriptor: &Descriptor, inputs: &[(&str, &[u8])]) -> [u8; 32] {
        let mut digest = blake3::Hasher::new();
        let asked = self.operator.family.level(&descriptor.level);
        let begun = self.changes.iter().filter(|change| asked.is_some_and(|asked| **change <= asked.0)).count();
        let of_all = Descriptor { level: begun.to_string(), ..descriptor.clone() };
        digest.update(format!("{of_all:?}").as_bytes());
        for (name, bytes) in inputs {
            digest.update(name.as_bytes()).update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
        }
        *digest.finalize().as_bytes()
    }
}
