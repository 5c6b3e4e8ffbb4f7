//! Cases as tests of ONNX backends: models of one node of ONNX's own operators, those that a mapping leads to among them.

use std::collections::BTreeMap;

use opcert_backend::AttributeValue;

use super::asked::Asked;
use super::manifest::Task;
use super::written::Written;
use super::{ExportedFile, Exporter, Made, NotExported, OUTPUTS};
use crate::check::CheckedCase;
use crate::mapping::Mappings;
use crate::onnx::{DATA_SET, MODEL_FILE, Node, OnnxTensor, Value};

/// Models of a single node, and tensors in ONNX's own files.
pub(super) struct Onnx<'a>(pub(super) &'a Mappings);

/// The family of ONNX's own operators. Its levels are versions of the set of operators.
pub(super) const FAMILY: &str = "onnx";

const README: &str = include_str!("README.md");

/// The folder of a case, from that of the export.
pub(super) fn folder(case: &str) -> String {
    format!("node/test_{}", case.replace('/', "__"))
}

/// The name of the file with an output of a node, in the folder of outputs.
pub(super) fn output_file(place: usize) -> String {
    format!("output_{place}.npy")
}

impl Exporter for Onnx<'_> {
    fn made(&self, asked: &Asked<'_>) -> Result<Made, NotExported> {
        let cannot = |reason: &str| Err(NotExported::Inexpressible(reason.to_owned()));
        let CheckedCase::Valid(case) = asked.case else {
            return cannot("invalid descriptor: a model can only hold the operator of a valid one");
        };
        if asked.task() == Task::Compile {
            return cannot("descriptor only: a test of an ONNX backend has data");
        }
        let written = Written::of(case, &asked.descriptor, (self.0, FAMILY))?;
        let (operator, version) = written.operator();
        let outputs: Vec<_> = written.outputs().collect();
        let &[output] = outputs.as_slice() else { return cannot("outputs: a node has a single one here") };
        let mut attributes = BTreeMap::new();
        for given in &written.said.descriptor.attributes {
            let AttributeValue::Integer(value) = given.value else {
                return cannot("attribute: those of a node are integers here");
            };
            attributes.insert(given.name.clone(), value);
        }
        let tensors: Vec<(&str, OnnxTensor)> = written
            .inputs()
            .map(|(entry, elements)| {
                let (data_type, sizes) = (entry.tensor.data_type, entry.tensor.sizes.clone());
                (entry.name.as_str(), OnnxTensor { data_type, sizes, elements: elements.to_vec() })
            })
            .collect();
        let (data_type, sizes) = (output.tensor.data_type, output.tensor.sizes.clone());
        let mut value = Value::of(&output.name, data_type, &sizes);
        if written.follows(&output.name) {
            value.sizes = Some(vec![None; sizes.len()]);
        }
        let node = Node {
            operator: operator.to_owned(),
            opset: version.parse().map_err(|_| NotExported::Model(format!("`{version}` is no version")))?,
            attributes,
            inputs: tensors.iter().map(|(name, tensor)| Value::of(name, tensor.data_type, &tensor.sizes)).collect(),
            output: value,
        };
        let mut files = vec![(MODEL_FILE.to_owned(), node.encode(&asked.about().id))];
        let mut inputs = BTreeMap::new();
        for (place, (name, tensor)) in tensors.iter().enumerate() {
            let path = format!("{DATA_SET}0/input_{place}.pb");
            files.push((path.clone(), tensor.encode(name)));
            inputs.insert((*name).to_owned(), path);
        }
        if let Some(elements) = written.expected(asked)?.and_then(|expected| expected.into_iter().next()) {
            let expected = OnnxTensor { data_type, sizes, elements };
            files.push((format!("{DATA_SET}0/output_0.pb"), expected.encode(&output.name)));
        }
        let outputs = BTreeMap::from([(output.name.clone(), format!("{OUTPUTS}/{}", output_file(0)))]);
        let written_as = written.is_another().then_some(written.said.descriptor);
        Ok(Made { files, inputs, outputs, written_as })
    }

    fn shared(&self, _: &[String]) -> Vec<ExportedFile> {
        vec![("README.md".to_owned(), README.as_bytes().to_vec())]
    }
}
