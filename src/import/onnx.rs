//! Tests of ONNX backends: a folder with a model of one node and data for it.
//!
//! The node is the operator of the family `onnx` that has its name as a title. Inputs and output come in the order of the
//! specification, and the version of the set of operators says at which level the test is meant.

use std::path::Path;

use opcert_backend::{AttributeValue, Descriptor, NamedAttribute, NamedTensor, Role, TensorDescriptor};

use super::{Foreign, ForeignTensor, Found, LeftOut, LeftOuts, MOST_DIMENSIONS, MOST_ELEMENTS, ReadError};
use crate::export::{CASE_FILE, OUTPUTS};
use crate::onnx::{DATA_SET, DataSet, FolderError, FolderProblem, MODEL_FILE, Node, NodeTest, OnnxTensor};
use crate::spec::{Level, Operator, Specs, Tensor};

/// The family of ONNX's own operators.
const FAMILY: &str = "onnx";

/// The last version of the set of operators whose changes are known. That OneHot of version 28 takes bfloat16 is no level yet.
const LAST_OPSET: i64 = 28;

/// Reads the folder of a test: one for each set of data.
///
/// # Errors
///
/// When it is damaged, or its node is none that is specified.
pub(super) fn read(folder: &Path, specs: &Specs) -> Result<Found, ReadError> {
    let (test, others) = NodeTest::read(folder).map_err(|FolderError { path, problem }| {
        let reason = format!("{} {problem}", subject(&problem));
        ReadError { path, reason }
    })?;
    let name = folder.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let name = name.unwrap_or_default();
    let name = name.strip_prefix("test_").unwrap_or(&name);
    let tests = of_test(&test, name, specs).map_err(|reason| ReadError { path: folder.to_owned(), reason })?;
    let why =
        format!("the model has no such tensor, expected `{MODEL_FILE}` and `{DATA_SET}0/input_0.pb` for instance");
    // What an export puts beside a model says nothing of the test.
    let others = others.into_iter().filter(|name| ![CASE_FILE, OUTPUTS].contains(&name.as_str()));
    let mut left_out = LeftOuts::default();
    others.for_each(|name| left_out.add(|| LeftOut::new(name, &why)));
    Ok(Found { tests, left_out })
}

/// The same for a test that was read already.
///
/// # Errors
///
/// What is wrong with it, as a fragment that follows its name.
pub fn of_test(test: &NodeTest, name: &str, specs: &Specs) -> Result<Vec<Foreign>, String> {
    let operator = operator(&test.node, specs)?;
    let level = level(&test.node, operator)?;
    let of = |role| operator.tensors.iter().filter(move |tensor| tensor.role == role);
    let (given, inputs) = (test.node.inputs.len(), of(Role::Input).count());
    if given != inputs {
        return Err(format!("the model has `{}` with {given} inputs, expected {inputs}", operator.title));
    }
    let outputs: Vec<&Tensor> = of(Role::Output).collect();
    let &[output] = outputs.as_slice() else {
        let (title, count) = (&operator.title, outputs.len());
        return Err(format!("`{title}` has {count} outputs here, and the model a single one"));
    };
    let attributes = test.node.attributes.iter();
    let attributes =
        attributes.map(|(name, &value)| NamedAttribute { name: name.clone(), value: AttributeValue::Integer(value) });
    let attributes: Vec<NamedAttribute> = attributes.collect();
    let foreign = test.sets.iter().map(|set| {
        let inputs = of(Role::Input).zip(&set.inputs).map(|(input, tensor)| foreign(input, tensor));
        let name = if test.sets.len() == 1 { name.to_owned() } else { format!("{name}_{}", set.name) };
        let (operator_id, attributes) = (operator.id.clone(), attributes.clone());
        let mut foreign =
            Foreign { operator: operator_id, name, level: Some(level), tensors: inputs.collect(), attributes };
        let result = result(output, &test.node, set, || following(operator, &foreign, output, level))?;
        foreign.tensors.push(result);
        Ok(foreign)
    });
    foreign.collect()
}

/// The sizes of an output that follow from the data of the inputs, if these are no larger than a case may have them.
fn following(operator: &Operator, foreign: &Foreign, output: &Tensor, level: Level) -> Option<Vec<u64>> {
    let is_large = |of: &TensorDescriptor| {
        of.sizes.len() > MOST_DIMENSIONS || of.element_count().is_none_or(|count| count > MOST_ELEMENTS)
    };
    if output.sizes.is_none() || foreign.tensors.iter().any(|tensor| is_large(&tensor.descriptor)) {
        return None;
    }
    let named = foreign.tensors.iter().map(|ForeignTensor { name, descriptor, .. }| NamedTensor {
        name: name.clone(),
        role: Role::Input,
        tensor: descriptor.clone(),
    });
    let descriptor = Descriptor {
        operator: operator.id.clone(),
        level: operator.family.level_name(level).to_owned(),
        tensors: named.collect(),
        attributes: foreign.attributes.clone(),
        constants: Vec::new(),
    };
    let given = foreign.tensors.iter().filter_map(|tensor| Some((tensor.name.as_str(), tensor.elements.as_deref()?)));
    let given: Vec<(&str, &[u8])> = given.collect();
    let sizes = operator.definition.sizes(&descriptor, &given).ok()?;
    sizes.into_iter().find(|(name, _)| *name == output.name).map(|(_, sizes)| sizes)
}

/// What a problem is one of.
const fn subject(problem: &FolderProblem) -> &'static str {
    match problem {
        FolderProblem::Model(_) => "the model",
        FolderProblem::Tensor(_) | FolderProblem::Other { .. } => "the tensor",
        FolderProblem::NoData => "the folder",
        FolderProblem::Absent(_) | FolderProblem::Unreadable(_) => "the file",
    }
}

/// The operator that a node is.
fn operator<'a>(node: &Node, specs: &'a Specs) -> Result<&'a Operator, String> {
    let of_family = || specs.operators.iter().filter(|operator| operator.family.name == FAMILY);
    let found = of_family().find(|operator| operator.title == node.operator);
    found.map(AsRef::as_ref).ok_or_else(|| {
        let known: Vec<&str> = of_family().map(|operator| operator.title.as_str()).collect();
        let expected = if known.is_empty() {
            format!("and the specifications have no operators of the family `{FAMILY}`")
        } else {
            format!("expected one of {}", known.join(", "))
        };
        format!("the model has the operator `{}`, {expected}", node.operator)
    })
}

/// The level that a version of the set of operators is. Between two levels the lower one holds.
fn level(node: &Node, operator: &Operator) -> Result<Level, String> {
    let levels = operator.family.levels.iter().enumerate();
    let begun = levels.filter(|(_, first)| first.parse().is_ok_and(|first: i64| first <= node.opset));
    let last = begun.map(|(at, _)| Level(at)).max().filter(|_| node.opset <= LAST_OPSET);
    last.ok_or_else(|| {
        let Node { operator, opset, .. } = node;
        format!("the model has `{operator}` of version {opset} of ONNX's operators; 1 to {LAST_OPSET} are known")
    })
}

fn foreign(specified: &Tensor, tensor: &OnnxTensor) -> ForeignTensor {
    let descriptor = TensorDescriptor::packed(tensor.data_type, tensor.sizes.clone());
    ForeignTensor { name: specified.name.clone(), descriptor, elements: Some(tensor.elements.clone()) }
}

/// The output: what is expected of it, or else what the model says of its sizes or what follows.
fn result(
    specified: &Tensor,
    node: &Node,
    set: &DataSet,
    following: impl FnOnce() -> Option<Vec<u64>>,
) -> Result<ForeignTensor, String> {
    if let Some(tensor) = &set.expected {
        return Ok(foreign(specified, tensor));
    }
    let sizes = node.output.sizes.iter().flatten().copied().collect::<Option<Vec<u64>>>();
    let Node { output, .. } = node;
    let sizes = sizes.filter(|_| output.sizes.is_some()).or_else(following).ok_or_else(|| {
        let (set, name) = (&set.name, &output.name);
        format!("`{set}` expects nothing, and the model does not say the sizes of `{name}`: it is {output}")
    })?;
    if !output.takes(&OnnxTensor { data_type: output.data_type, sizes: sizes.clone(), elements: Vec::new() }) {
        return Err(format!("`{}` is {output} in the model, and the data make the sizes {sizes:?}", output.name));
    }
    let descriptor = TensorDescriptor::packed(node.output.data_type, sizes);
    Ok(ForeignTensor { name: specified.name.clone(), descriptor, elements: None })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::sync::LazyLock;

    use opcert_backend::DataType;

    use super::*;
    use crate::case::Expectation;
    use crate::onnx::Value;
    use crate::source::Source;

    static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::load(&Source::embedded_specs()).unwrap());

    fn integers(data_type: DataType, sizes: &[u64], elements: &[i64]) -> OnnxTensor {
        let bytes = elements.iter().flat_map(|element| element.to_le_bytes()[..data_type.bytes()].to_vec());
        OnnxTensor { data_type, sizes: sizes.to_vec(), elements: bytes.collect() }
    }

    fn node(
        operator: &str,
        opset: i64,
        attributes: &[(&str, i64)],
        inputs: &[OnnxTensor],
        output: &OnnxTensor,
    ) -> Node {
        let value = |name: &str, tensor: &OnnxTensor| Value::of(name, tensor.data_type, &tensor.sizes);
        Node {
            operator: operator.to_owned(),
            opset,
            attributes: BTreeMap::from_iter(attributes.iter().map(|&(name, value)| (name.to_owned(), value))),
            inputs: inputs.iter().enumerate().map(|(place, tensor)| value(&place.to_string(), tensor)).collect(),
            output: value("y", output),
        }
    }

    /// What is read of a folder with a node and this data.
    fn read_folder(node: &Node, inputs: &[OnnxTensor], output: Option<&OnnxTensor>) -> Result<Foreign, String> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(MODEL_FILE), node.encode("")).unwrap();
        let set = folder.path().join("test_data_set_0");
        fs::create_dir(&set).unwrap();
        for (place, tensor) in inputs.iter().enumerate() {
            fs::write(set.join(format!("input_{place}.pb")), tensor.encode("")).unwrap();
        }
        if let Some(output) = output {
            fs::write(set.join("output_0.pb"), output.encode("")).unwrap();
        }
        let mut found = read(folder.path(), &SPECS).map_err(|error| error.reason)?.tests;
        Ok(found.remove(0))
    }

    fn read_as(
        operator: &str,
        opset: i64,
        attributes: &[(&str, i64)],
        inputs: &[OnnxTensor],
        output: &OnnxTensor,
    ) -> Result<Foreign, String> {
        read_folder(&node(operator, opset, attributes, inputs, output), inputs, Some(output))
    }

    /// Indices of INT32, `depth` 3 and the values 7 and 9.
    fn one_hot(indices: &[i64]) -> [OnnxTensor; 3] {
        let indices = integers(DataType::I32, &[indices.len() as u64], indices);
        [indices, integers(DataType::U8, &[1], &[3]), integers(DataType::I8, &[2], &[7, 9])]
    }

    #[test]
    fn a_node_is_the_operator_that_has_its_name() {
        let output = integers(DataType::I8, &[3, 2], &[7, 9, 7, 7, 9, 7]);
        let Foreign { operator, level, tensors, attributes, .. } =
            read_as("OneHot", 11, &[("axis", -2)], &one_hot(&[-1, 0]), &output).unwrap();
        let eleven = SPECS.operator("onnx/one_hot").unwrap().family.level("11");
        assert_eq!((operator.as_str(), level), ("onnx/one_hot", eleven));
        let said = tensors.iter().map(|each| format!("{} {} {:?}", each.name, each.descriptor, each.elements));
        let expected = [
            "indices i32[2] Some([255, 255, 255, 255, 0, 0, 0, 0])",
            "depth u8[1] Some([3])",
            "values i8[2] Some([7, 9])",
            "output i8[3, 2] Some([7, 9, 7, 7, 9, 7])",
        ];
        assert_eq!(said.collect::<Vec<_>>(), expected);
        assert_eq!(attributes, [NamedAttribute { name: "axis".to_owned(), value: AttributeValue::Integer(-2) }]);
    }

    #[test]
    fn a_version_between_two_levels_is_the_lower_one() {
        let (x, y) = (integers(DataType::I8, &[2], &[0, 1]), integers(DataType::I64, &[1, 1], &[1]));
        let level = |opset| {
            let foreign = read_as("NonZero", opset, &[], std::slice::from_ref(&x), &y)?;
            let operator = SPECS.operator("onnx/non_zero").unwrap();
            Ok(operator.family.level_name(foreign.level.unwrap()).to_owned())
        };
        for (opset, expected) in [(1, "1"), (8, "1"), (9, "9"), (10, "9"), (11, "11"), (13, "13"), (28, "13")] {
            assert_eq!(level(opset), Ok(expected.to_owned()), "{opset}");
        }
        for opset in [i64::MIN, 0, 29] {
            let expected = format!("the model has `NonZero` of version {opset} of ONNX's operators; 1 to 28 are known");
            assert_eq!(level(opset), Err(expected));
        }
    }

    #[test]
    fn the_version_says_what_a_test_means() {
        let complete = |opset, indices: &[i64], output: &[i64]| {
            let output = integers(DataType::I8, &[2, 3], output);
            let imported = read_as("OneHot", opset, &[], &one_hot(indices), &output).unwrap().complete(&SPECS);
            let imported = imported.map_err(|error| error.to_string())?;
            let level = imported.case.operator.family.level_name(imported.case.level.unwrap()).to_owned();
            let said: Vec<String> = imported.disagreements.iter().map(ToString::to_string).collect();
            Ok::<_, String>((level, imported.compared, said))
        };
        let (off, from_end) = ([7, 9, 7, 7, 7, 7], [7, 9, 7, 7, 7, 9]);
        let agrees = |level: &str| Ok((level.to_owned(), true, Vec::new()));
        assert_eq!(complete(9, &[1, -1], &off), agrees("9"));
        assert_eq!(complete(10, &[1, -1], &off), agrees("9"));
        assert_eq!(complete(11, &[1, -1], &from_end), agrees("11"));
        assert_eq!(complete(28, &[1, -1], &from_end), agrees("11"));
        // What no version changes begins with the first.
        assert_eq!(complete(13, &[1, 2], &from_end), agrees("9"));
        let differs = "`output` at [1, 2] is 7 in the file, and follows from the specification as 9";
        assert_eq!(complete(11, &[1, -1], &off), Ok(("11".to_owned(), true, vec![differs.to_owned()])));
        let error = complete(8, &[1, 2], &off).unwrap_err();
        assert!(error.starts_with("the file has values of `output`, and `onnx/one_hot` is refused at 1: "), "{error}");
        assert!(error.ends_with("[onnx/one_hot/introduced]"), "{error}");
    }

    #[test]
    fn what_is_no_case_has_a_reason() {
        let data = || integers(DataType::I8, &[2], &[0, 1]);
        let output = integers(DataType::I64, &[1], &[1]);
        let error = |operator: &str, opset, attributes: &[(&str, i64)], inputs: &[OnnxTensor]| {
            let foreign = match read_as(operator, opset, attributes, inputs, &output) {
                Ok(foreign) => foreign,
                Err(reason) => return reason,
            };
            foreign.complete(&SPECS).unwrap_err().to_string()
        };
        assert_eq!(
            error("Gather", 13, &[], &[data()]),
            "the model has the operator `Gather`, expected one of ArgMax, ArgMin, NonZero, OneHot"
        );
        assert_eq!(error("ArgMax", 13, &[], &[data(), data()]), "the model has `ArgMax` with 2 inputs, expected 1");
        assert_eq!(error("NonZero", 13, &[("axis", 0)], &[data()]), "`onnx/non_zero` has no attribute `axis`");
        let refused = |level: &str, requirement: &str, error: String| {
            let beginning = format!("the file has values of `reduced`, and `onnx/arg_max` is refused at {level}: ");
            let end = format!("[onnx/arg_max/{requirement}]");
            assert!(error.starts_with(&beginning) && error.ends_with(&end), "{error}");
        };
        refused("13", "axis-in-range", error("ArgMax", 13, &[("axis", 1)], &[data()]));
        refused("1", "axis-names-a-dimension", error("ArgMax", 1, &[("axis", 1)], &[data()]));
        refused("11", "no-last-index", error("ArgMax", 11, &[("select_last_index", 1)], &[data()]));
        refused("13", "output-shape", error("ArgMax", 13, &[], &[integers(DataType::I8, &[2, 2], &[0, 1, 2, 3])]));
    }

    #[test]
    fn what_a_version_leaves_open_is_observed_there() {
        let (data, reduced) = (integers(DataType::I8, &[2], &[0, 1]), integers(DataType::I64, &[1], &[0]));
        let read = |opset| read_as("ArgMax", opset, &[("axis", -1)], std::slice::from_ref(&data), &reduced).unwrap();
        let imported = read(10).complete(&SPECS).unwrap();
        assert!(!imported.compared && matches!(imported.case.expectation, Expectation::Observe));
        assert_eq!(imported.case.covers, ["onnx/arg_max/negative-axis-before-11"]);
        assert_eq!(imported.case.level, imported.case.operator.family.level("1"));
        assert_eq!(read(11).complete(&SPECS).unwrap().disagreements.len(), 1);
    }

    #[test]
    fn what_is_refused_above_the_version_of_a_test_is_no_case() {
        let data = integers(DataType::I8, &[0, 2], &[]);
        let reduced = integers(DataType::I64, &[0, 1], &[]);
        let read = |opset| read_as("ArgMax", opset, &[("axis", 1)], std::slice::from_ref(&data), &reduced).unwrap();
        let error = |opset| read(opset).complete(&SPECS).unwrap_err().to_string();
        assert_eq!(error(1), "it is meant for 1, and a case of it can be asked for from 12 on");
        assert!(error(11).contains("is refused at 11: "), "{}", error(11));
        let imported = read(12).complete(&SPECS).unwrap();
        assert!(matches!(imported.case.expectation, Expectation::Observe), "{:?}", imported.case.expectation);
    }

    #[test]
    fn more_dimensions_than_lists_in_each_other_are_refused() {
        let x = integers(DataType::I8, &[1; 33], &[1]);
        let y = integers(DataType::I64, &[33, 1], &[0; 33]);
        let error = read_as("NonZero", 13, &[], &[x], &y).unwrap().complete(&SPECS).unwrap_err();
        assert_eq!(error.to_string(), "`X` has 33 dimensions, expected 32 at most");
    }

    #[test]
    fn sizes_that_nothing_says_are_missing() {
        let x = integers(DataType::I8, &[2], &[0, 1]);
        let mut model = node("NonZero", 13, &[], std::slice::from_ref(&x), &integers(DataType::I64, &[1, 1], &[1]));
        let known = read_folder(&model, std::slice::from_ref(&x), None).unwrap();
        assert_eq!((known.tensors[1].descriptor.sizes.as_slice(), &known.tensors[1].elements), (&[1, 1][..], &None));
        // Those that follow from values do so here as well.
        for sizes in [Some(vec![Some(1), None]), None] {
            model.output.sizes = sizes;
            let found = read_folder(&model, std::slice::from_ref(&x), None).unwrap();
            assert_eq!(found.tensors[1].descriptor.sizes, [1, 1]);
        }
        // What is larger than a case may be is not gone through.
        let wide = integers(DataType::I8, &[1; 33], &[1]);
        let unsized_output =
            Node { output: model.output.clone(), ..node("NonZero", 13, &[], std::slice::from_ref(&wide), &x) };
        let error = read_folder(&unsized_output, &[wide], None).unwrap_err();
        assert!(error.ends_with("does not say the sizes of `y`: it is INT64"), "{error}");
        model.output.sizes = Some(vec![Some(2), None]);
        let error = read_folder(&model, std::slice::from_ref(&x), None).unwrap_err();
        assert_eq!(error, "`y` is INT64[2, ?] in the model, and the data make the sizes [1, 1]");
        let reduced = integers(DataType::I64, &[1], &[1]);
        let mut model = node("ArgMax", 13, &[], std::slice::from_ref(&x), &reduced);
        for (sizes, shown) in [(Some(vec![None]), "INT64[?]"), (None, "INT64")] {
            model.output.sizes = sizes;
            let error = read_folder(&model, std::slice::from_ref(&x), None).unwrap_err();
            let why = "`test_data_set_0` expects nothing, and the model does not say the sizes of `y`";
            assert_eq!(error, format!("{why}: it is {shown}"));
        }
    }

    #[test]
    fn specifications_without_the_family_are_named() {
        let none = Specs { operators: Vec::new(), ..Specs::load(&Source::embedded_specs()).unwrap() };
        let node = node("NonZero", 13, &[], &[], &integers(DataType::I64, &[1], &[1]));
        let error = of_test(&NodeTest { node, sets: Vec::new() }, "none", &none).unwrap_err();
        let expected =
            "the model has the operator `NonZero`, and the specifications have no operators of the family `onnx`";
        assert_eq!(error, expected);
    }
}
