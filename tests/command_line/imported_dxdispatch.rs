//! Models of DxDispatch that become cases: those that opcert writes, and those that a person might.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use crate::VARIED;
use crate::command::opcert;
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Suite};
use opcert::import::{Foreign, ForeignTensor, Found, LeftOut, read};
use opcert::source::Source;
use opcert::spec::{Operator, Specs};
use opcert_backend::{AttributeValue, DataType, NamedAttribute, TensorDescriptor};

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::load(&Source::embedded_specs()).unwrap());

/// A descriptor without a size that follows from sizes and strides.
fn plain(tensor: &TensorDescriptor) -> TensorDescriptor {
    let implied = tensor.span_bytes().and_then(|span| span.checked_next_multiple_of(4));
    let total_bytes = tensor.total_bytes.filter(|total| Some(*total) != implied);
    // No size can be stated of a tensor without elements but one that is not 0.
    let total_bytes = if implied == Some(0) { total_bytes.or(Some(4)) } else { total_bytes };
    // No strides are the same as an empty list of them.
    let strides = tensor.strides.clone().filter(|strides| !strides.is_empty());
    TensorDescriptor { total_bytes, strides, ..tensor.clone() }
}

/// A UINT makes 2^32 more of a negative number, and an INT does not.
fn passed(operator: &Operator, attribute: &NamedAttribute) -> NamedAttribute {
    let is_signed = operator.attribute(&attribute.name).unwrap().is_signed;
    let unsigned = |number: i64| if number < 0 && !is_signed { number + (1 << 32) } else { number };
    let value = match attribute.value.clone() {
        AttributeValue::Integer(number) => AttributeValue::Integer(unsigned(number)),
        AttributeValue::Integers(numbers) => AttributeValue::Integers(numbers.into_iter().map(unsigned).collect()),
        other => other,
    };
    NamedAttribute { name: attribute.name.clone(), value }
}

#[test]
fn what_is_exported_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let ran = opcert(folder.path(), &[&["export", "--format", "dxdispatch", "cases"], VARIED].concat());
    assert_eq!(ran.code, 0, "{}", ran.said());
    let suite = Suite::load(&CaseSource(Source::embedded_cases()), &SPECS, |_| true).unwrap();
    let (mut descriptors, mut tensors, mut scalars) = (0, 0, 0);
    for case in &suite.cases {
        let id = &case.about().id;
        let model = folder.path().join("cases/cases").join(id).join("model.json");
        if !model.exists() {
            continue;
        }
        let Found { tests: found, left_out } = read(&model, &SPECS).unwrap();
        assert_eq!(
            left_out.named.iter().filter(|part| !part.part.starts_with("commands[")).count(),
            0,
            "{id}: {left_out:?}"
        );
        // Both dispatches have the same data, whatever lies between the elements.
        let [found] = found.as_slice() else { panic!("{id}: {} tests", found.len()) };
        let (descriptor, inputs) = match case {
            CheckedCase::Valid(case) => (&case.descriptor, case.inputs.as_slice()),
            CheckedCase::Refused(case) => (&case.descriptor, &[][..]),
        };
        assert_eq!(found.operator, case.about().operator.title, "{id}");
        assert_eq!(found.name, case.about().name(), "{id}");
        assert_eq!(found.tensors.len(), descriptor.tensors.len(), "{id}");
        let sent: Vec<NamedAttribute> =
            descriptor.attributes.iter().map(|each| passed(&case.about().operator, each)).collect();
        let is_scalar = |attribute: &NamedAttribute| {
            matches!(attribute.value, AttributeValue::Scalar(_) | AttributeValue::Float32(_))
        };
        if sent.iter().any(is_scalar) {
            // Members of their own say which types they have, or the specification does.
            let completed = found.clone().complete(&SPECS).unwrap_or_else(|error| panic!("{id}: {error}"));
            assert_eq!(completed.case.attributes, sent, "{id}");
            scalars += 1;
        } else {
            assert_eq!(found.attributes.len(), sent.len(), "{id}");
            for attribute in &sent {
                assert!(found.attributes.contains(attribute), "{id}: {attribute:?}");
            }
        }
        for entry in &descriptor.tensors {
            let tensor = found.tensors.iter().find(|tensor| tensor.name == entry.name).unwrap();
            assert_eq!(tensor.descriptor, plain(&entry.tensor), "{id}: `{}`", entry.name);
            let data = inputs.iter().find(|input| input.name == entry.name);
            assert_eq!(tensor.elements.as_deref(), data.map(|input| input.data.elements()).as_deref(), "{id}");
            tensors += usize::from(data.is_some());
        }
        descriptors += 1;
    }
    assert!(descriptors > 3500 && tensors > 3000, "{descriptors} descriptors, {tensors} tensors with data");
    assert!(scalars > 1000, "{scalars} descriptors with scalars");
}

/// All that the tool lets pass: long forms, comments, last commas, defaults, offsets, every form of values.
const BY_HAND: &str = r#"// One-hot, by hand
{
    "resources": {
        "indices": { "initialValues": [9, 2, 0, 3], "initialValuesDataType": "UINT32" },
        "values": { "initialValues": { "valueStart": 1, "valueDelta": 0.5, "valueCount": 2 }, "initialValuesDataType": "FLOAT32", },
        "out": { "initialValues": { "value": 0, "valueCount": 12 }, "initialValuesDataType": "FLOAT32" }
    },
    "dispatchables": {
        "first": {
            "type": "DML_OPERATOR_ONE_HOT",
            "desc": {
                "IndicesTensor": {
                    "Type": "DML_TENSOR_TYPE_BUFFER",
                    "Desc": {
                        "DataType": "DML_TENSOR_DATA_TYPE_UINT32", "DimensionCount": 4, "Sizes": [1, 1, 3, 1],
                        "Strides": null, "Flags": "DML_TENSOR_FLAG_NONE", "TotalTensorSizeInBytes": 0
                    }
                },
                "ValuesTensor": { "DataType": "FLOAT32", "Sizes": [1, 1, 1, 2], "Strides": [2, 2, 2, 1], "Flags": ["DML_TENSOR_FLAG_OWNED_BY_DML"] },
                "OutputTensor": { "DataType": "FLOAT32", "Sizes": [1, 1, 3, 4, 9], "DimensionCount": 4, "TotalTensorSizeInBytes": 64, "GuaranteedBaseOffsetAlignment": 16 },
                "Axis": 3
            },
            "bindings": { "ValuesTensor": ["values"] },
            "executionFlags": ["DISABLE_META_COMMANDS"]
        },
        "second": {
            "type": "ARGMAX",
            "InputTensor": { "DataType": "FLOAT32", "Sizes": [1, 1, 3, 4] },
            "OutputTensor": { "DataType": "UINT32", "Sizes": [1, 1, 1, 4] },
            "AxisCount": 1, "Axes": [2], "AxisDirection": "DECREASING"
        },
        "shader": { "type": "hlsl", "sourcePath": "x.hlsl" }
    },
    "commands": [
        {
            "type": "Dispatch", "dispatchable": "first",
            "bindings": { "IndicesTensor": { "name": "indices", "elementOffset": 1 }, "OutputTensor": "out" }
        },
        /* what the first one writes */
        { "type": "dispatch", "dispatchable": "second", "bindings": { "InputTensor": "out", "OutputTensor": "out" } },
        { "type": "print", "resource": "out" },
    ]
}
the rest"#;

fn tensor(name: &str, descriptor: TensorDescriptor, elements: Option<Vec<u8>>) -> ForeignTensor {
    ForeignTensor { name: name.to_owned(), descriptor, elements }
}

#[test]
fn a_model_by_hand_is_read_as_dxdispatch_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.json");
    // `Strides` may not be null: that is the one thing here that the tool would refuse.
    fs::write(&file, BY_HAND.replace("\"Strides\": null, ", "")).unwrap();
    let Found { tests: mut found, left_out } = read(&file, &SPECS).unwrap();
    found.iter_mut().for_each(|found| found.tensors.sort_by(|one, other| one.name.cmp(&other.name)));
    found.iter_mut().for_each(|found| found.attributes.sort_by(|one, other| one.name.cmp(&other.name)));
    let indices = [2u32, 0, 3].map(u32::to_le_bytes).concat();
    let values = [1f32, 1.5].map(f32::to_le_bytes).concat();
    let packed = TensorDescriptor::packed;
    let attribute = |name: &str, value| NamedAttribute { name: name.to_owned(), value };
    let first = Foreign {
        operator: "DML_ONE_HOT_OPERATOR_DESC".to_owned(),
        name: "mine_first".to_owned(),
        level: None,
        tensors: vec![
            tensor("IndicesTensor", packed(DataType::U32, [1, 1, 3, 1]), Some(indices)),
            tensor(
                "OutputTensor",
                TensorDescriptor { total_bytes: Some(64), alignment: 16, ..packed(DataType::F32, [1, 1, 3, 4]) },
                None,
            ),
            tensor(
                "ValuesTensor",
                TensorDescriptor {
                    strides: Some(vec![2, 2, 2, 1]),
                    flags: vec!["OWNED_BY_DML".to_owned()],
                    ..packed(DataType::F32, [1, 1, 1, 2])
                },
                Some(values),
            ),
        ],
        attributes: vec![attribute("Axis", AttributeValue::Integer(3))],
    };
    let second = Foreign {
        operator: "DML_ARGMAX_OPERATOR_DESC".to_owned(),
        name: "mine_second".to_owned(),
        level: None,
        tensors: vec![
            // An operator wrote it, so that nobody knows it before the model runs.
            tensor("InputTensor", packed(DataType::F32, [1, 1, 3, 4]), None),
            tensor("OutputTensor", packed(DataType::U32, [1, 1, 1, 4]), None),
        ],
        attributes: vec![
            attribute("Axes", AttributeValue::Integers(vec![2])),
            attribute("AxisCount", AttributeValue::Integer(1)),
            attribute("AxisDirection", AttributeValue::Enumerator("DECREASING".to_owned())),
        ],
    };
    assert_eq!(found, [first, second]);
    let left_out: Vec<String> = left_out.named.iter().map(ToString::to_string).collect();
    assert_eq!(
        left_out,
        [
            "`…` is left out: it stands behind the end of the model",
            "`dispatchables.first.executionFlags` is left out: it says how to run the operator, and a case does not",
            "`the data of dispatchables.second.InputTensor` is left out: an operator writes `out` before, so that \
             nothing is known of it",
            "`dispatchables.shader` is left out: it is of the type `hlsl`, which is no operator of DirectML",
            "`commands[2]` is left out: it is of the type `print`, and dispatches nothing",
        ]
    );

    let ran = opcert(folder.path(), &["import", "mine.json", "--out", "cases"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    assert!(left_out.iter().all(|part| ran.err.contains(part.as_str())), "{}", ran.err);
    let ran = opcert(folder.path(), &["run", "--cases", "cases"]);
    assert!(ran.code == 0 || ran.code == 4, "{}", ran.said());
    assert!(ran.out.contains("2 pass"), "{}", ran.said());
}

#[test]
fn a_fraction_and_what_has_more_than_32_bits_are_no_axes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.json");
    let good = BY_HAND.replace("\"Strides\": null, ", "");
    for (written, said) in [
        ("3.5", "3.5"),
        ("4294967296", "4294967296"),
        ("-2147483649", "-2147483649"),
        ("18446744073709551615", "18446744073709551615"),
        ("1e39", "1e39"),
    ] {
        fs::write(&file, good.replacen("\"Axis\": 3", &format!("\"Axis\": {written}"), 1)).unwrap();
        let test = read(&file, &SPECS).unwrap().tests.swap_remove(0);
        let error = test.complete(&SPECS).unwrap_err().to_string();
        let expected =
            format!("the attribute `Axis` of `directml/one_hot` is {said}, expected a whole number of 32 bits");
        assert_eq!(error, expected);
    }
}

/// A number of 32 bits may be written as an integer of any size, and BOOL is a word of JSON.
#[test]
fn numbers_in_floating_point_and_truth_values_are_what_their_members_hold() {
    let folder = tempfile::tempdir().unwrap();
    let clip = "directml/element_wise_clip/by_hand/uint64_beyond_the_sign";
    let sums = "directml/cumulative_summation/by_hand/matrix";
    let ran = opcert(folder.path(), &["export", "--format", "dxdispatch", "models", clip, sums]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let completed = |case: &str, of: &str, by: &str| {
        let file = folder.path().join("models/cases").join(case).join("model.json");
        let good = fs::read_to_string(&file).unwrap();
        assert!(good.contains(of), "{good}");
        let changed = folder.path().join("models/cases").join(case).join("changed.json");
        fs::write(&changed, good.replace(of, by)).unwrap();
        read(&changed, &SPECS).unwrap().tests.swap_remove(0).complete(&SPECS)
    };
    let value = |case: &str, of: &str, by: &str, name: &str| {
        let imported = completed(case, of, by).unwrap();
        imported.case.attributes.iter().find(|each| each.name == name).unwrap().value.clone()
    };
    for (written, number) in
        [("16", 16.0), ("-9007199254740993", -9_007_199_254_740_992.0), ("18446744073709551615", 2f32.powi(64))]
    {
        let member = format!("\"Min\": {written}");
        assert_eq!(value(clip, "\"Min\": 9.223372e+18", &member, "Min"), AttributeValue::Float32(number.into()));
    }
    let exclusive = "\"HasExclusiveSum\": false";
    assert_eq!(value(sums, exclusive, exclusive, "HasExclusiveSum"), AttributeValue::Boolean(false));
    assert_eq!(value(sums, exclusive, "\"HasExclusiveSum\": true", "HasExclusiveSum"), AttributeValue::Boolean(true));
    for (case, of, by, expected) in [
        (
            sums,
            exclusive,
            "\"HasExclusiveSum\": 1",
            "the attribute `HasExclusiveSum` of `directml/cumulative_summation` is 1, expected a truth value",
        ),
        (
            clip,
            "\"Min\": 9.223372e+18",
            "\"Min\": true",
            "the attribute `Min` of `directml/element_wise_clip` is true, expected a number in floating point",
        ),
    ] {
        assert_eq!(completed(case, of, by).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_list_has_the_signs_that_its_type_has() {
    let folder = tempfile::tempdir().unwrap();
    let ran = opcert(folder.path(), &["export", "--format", "dxdispatch", "cases", "directml/slice1/by_hand/reversed"]);
    assert_eq!(ran.code, 0, "{}", ran.said());
    let file = folder.path().join("cases/cases/directml/slice1/by_hand/reversed/model.json");
    let good = fs::read_to_string(&file).unwrap();
    let completed = |of: &str, by: &str| {
        assert!(good.contains(of), "{good}");
        fs::write(&file, good.replace(of, by)).unwrap();
        read(&file, &SPECS).unwrap().tests.swap_remove(0).complete(&SPECS)
    };
    let whole = completed("[-1]", "[-1]").unwrap();
    let strides = whole.case.attributes.iter().find(|each| each.name == "InputWindowStrides").unwrap();
    assert_eq!(strides.value, AttributeValue::Integers(vec![-1]));
    for (of, by, expected) in [
        (
            "\"InputWindowOffsets\": [0]",
            "\"InputWindowOffsets\": [-1]",
            "the attribute `InputWindowOffsets` of `directml/slice1` is {-1}, expected whole numbers from 0 to 4294967295",
        ),
        (
            "[-1]",
            "[2147483648]",
            "the attribute `InputWindowStrides` of `directml/slice1` is {2147483648}, expected whole numbers from \
             -2147483648 to 2147483647",
        ),
    ] {
        assert_eq!(completed(of, by).unwrap_err().to_string(), expected);
    }
    fs::write(&file, good.replace("[-1]", "[-2147483649]")).unwrap();
    let error = read(&file, &SPECS).unwrap_err().to_string();
    assert!(
        error.ends_with("has -2147483649 where a whole number from -2147483648 to 4294967295 is wanted"),
        "{error}"
    );
}

#[test]
fn a_model_that_is_damaged_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.json");
    let message = |text: &str| {
        fs::write(&file, text).unwrap();
        read(&file, &SPECS).unwrap_err().to_string()
    };
    let good = BY_HAND.replace("\"Strides\": null, ", "");
    for (from, to, expected) in [
        (
            "\"UINT32\" }",
            "\"UINT33\" }",
            "`dispatchables.first` binds to `IndicesTensor` what has the data type `UINT33`, which is not known",
        ),
        ("[9, 2, 0, 3]", "[9, 2]", "is too short: `indices` has values for 4 bytes, expected 12"),
        ("\"name\": \"indices\"", "\"name\": \"other\"", "binds to `IndicesTensor` what is no resource: `other`"),
        (
            "\"DimensionCount\": 4, \"Sizes\": [1, 1, 3, 1]",
            "\"DimensionCount\": 5, \"Sizes\": [1, 1, 3, 1]",
            "`dispatchables.first` has a `IndicesTensor` that has 5 dimensions and a list with fewer numbers",
        ),
        (
            "\"Sizes\": [1, 1, 3, 1]",
            "\"Sizes\": [1, 1, -3, 1]",
            "has -3 where a whole number from 0 to 4294967295 is wanted",
        ),
        ("\"commands\"", "\"comands\"", "the model has no list `commands`"),
        ("\"resources\"", "\"resource\"", "the model has no object `resources`"),
        ("\"type\": \"ARGMAX\",", "", "`dispatchables.second` has no `type`"),
        ("\"first\": {", "\"first\": ", "is no JSON: "),
        ("\"resources\"", "\"commands\": [], \"resources\"", "the model has `commands` twice"),
        ("\"out\": {", "\"values\": {", "`resources` has `values` twice"),
        (
            "\"OutputTensor\": \"out\" }\n        },",
            "\"OutputTensor\": {\"name\": \"out\", \"name\": \"out\"} }\n        },",
            "`commands[0]` binds to `OutputTensor` what has `name` twice",
        ),
        (
            "\"OutputTensor\": \"out\" }\n        },",
            "\"OutputTensor\": [[[\"out\"]]] }\n        },",
            "`commands[0]` binds to `OutputTensor` what is neither a name nor an object",
        ),
        ("\"desc\": {", "\"Desc\": {}, \"desc\": {", "`dispatchables.first` has both a `desc` and a `Desc`"),
        (
            "\"valueStart\": 1,",
            "\"valueStart\": 1, \"sourcePath\": \"x\",",
            "has `initialValues` with `sourcePath`, expected valueStart, valueDelta, valueCount alone",
        ),
        ("\"Desc\": {", "\"Desc\": 5, \"other\": {", "has a `IndicesTensor` that has a `Desc` that is no object"),
        ("\"Axis\": 3", "\"Axis\": 3, \"Axis\": 0", "`dispatchables.first` has a `desc` that has `Axis` twice"),
        ("\"type\": \"print\"", "\"type\": \"print\", \"type\": \"dispatch\"", "`commands[2]` has `type` twice"),
        (
            "\"bindings\": { \"InputTensor\": \"out\", \"OutputTensor\": \"out\" }",
            "\"bindings\": [\"out\"]",
            "`commands[1]` has `bindings` that is no object",
        ),
        (
            "\"bindings\": { \"ValuesTensor\": [\"values\"] }",
            "\"bindings\": \"values\"",
            "`dispatchables.first` has `bindings` that is no object",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        let found = message(&good.replacen(from, to, 1));
        assert!(found.contains(expected), "{found}\nexpected {expected}");
    }
    let empty = "{\"resources\": {}, \"dispatchables\": {}, \"commands\": []}";
    assert!(message(empty).ends_with("the model has no operator of DirectML"), "{}", message(empty));
    let shader = empty.replace("\"dispatchables\": {}", "\"dispatchables\": {\"blur\": {\"type\": \"hlsl\"}}");
    let ran = opcert(folder.path(), &["import", "mine.json"]);
    assert_eq!(ran.code, 2, "{}", ran.said());
    fs::write(&file, shader).unwrap();
    let ran = opcert(folder.path(), &["import", "mine.json"]);
    let part = "has no operator of DirectML: `dispatchables.blur` is left out: it is of the type `hlsl`";
    assert!(ran.code == 2 && ran.err.contains(part), "{}", ran.said());
    assert!(read(Path::new("not/there.json"), &SPECS).is_err());
    for (from, to, expected) in [
        ("\"desc\": {", "\"desc\": {}, \"other\": {", "the tensor `IndicesTensor` of `directml/one_hot` is missing"),
        ("\"Axis\": 3", "\"Axis\": null", "the attribute `Axis` of `directml/one_hot` is missing"),
        (
            "\"AxisDirection\": \"DECREASING\"",
            "\"AxisDirection\": \"decreasing\"",
            "the attribute `AxisDirection` of `directml/argmax` is \"decreasing\", expected one of \
             DML_AXIS_DIRECTION_INCREASING, DML_AXIS_DIRECTION_DECREASING",
        ),
        ("\"Axis\": 3", "\"Axis\": \"3\"", "the attribute `Axis` of `directml/one_hot` is \"3\", expected a number"),
        ("\"AxisCount\": 1", "\"AxisCount\": 2", "`AxisCount` is 2, expected 1: the length of `Axes`"),
    ] {
        fs::write(&file, good.replacen(from, to, 1)).unwrap();
        let ran = opcert(folder.path(), &["import", "mine.json"]);
        assert!(ran.code == 2 && ran.err.contains(expected), "{}", ran.said());
    }
}

/// Enumerators in the tool's short form name the operator and its attributes as those in full do.
#[test]
fn an_enumerator_may_be_short() {
    let folder = tempfile::tempdir().unwrap();
    let model = |function: &str| {
        let tensor = |data_type| format!("{{\"DataType\": \"{data_type}\", \"Sizes\": [1, 1, 1, 1]}}");
        format!(
            "{{\"resources\": {{}}, \"commands\": [], \"dispatchables\": {{\"it\": {{\"type\": \"REDUCE\", \"Function\": \
             \"{function}\", \"InputTensor\": {}, \"OutputTensor\": {}, \"Axes\": [3]}}}}}}",
            tensor("FLOAT32"),
            tensor(if function.contains("ARG") { "UINT32" } else { "FLOAT32" })
        )
    };
    for (function, operator) in [
        ("MAX", "directml/reduce_max"),
        ("MIN", "directml/reduce_min"),
        ("ARGMAX", "directml/reduce_argmax"),
        ("ARGMIN", "directml/reduce_argmin"),
        ("DML_REDUCE_FUNCTION_ARGMIN", "directml/reduce_argmin"),
    ] {
        fs::write(folder.path().join("mine.json"), model(function)).unwrap();
        let ran = opcert(folder.path(), &["import", "mine.json"]);
        assert!(ran.code == 0 && ran.out.contains(&format!("operator: {operator}\n")), "{}", ran.said());
    }
    let known = "expected one of DML_REDUCE_FUNCTION_ARGMAX, DML_REDUCE_FUNCTION_ARGMIN, DML_REDUCE_FUNCTION_MAX, \
                 DML_REDUCE_FUNCTION_MIN";
    for (from, to, said) in [
        ("\"SUM\"", "\"SUM\"", format!("the attribute `Function` of `DML_REDUCE_OPERATOR_DESC` is \"SUM\", {known}")),
        ("\"SUM\"", "\"argmax\"", format!("is \"argmax\", {known}")),
        ("\"SUM\"", "1", format!("is 1, {known}")),
        ("\"Function\": \"SUM\",", "", "the attribute `Function` of `DML_REDUCE_OPERATOR_DESC` is missing".to_owned()),
    ] {
        let text = model("SUM");
        assert!(text.contains(from), "{text}");
        fs::write(folder.path().join("mine.json"), text.replace(from, to)).unwrap();
        let ran = opcert(folder.path(), &["import", "mine.json"]);
        assert!(ran.code == 2 && ran.err.replace("\n", " ").contains(&said), "{said}\n{}", ran.said());
    }
}

/// What is dispatched and is not there may write what an operator writes, and a shader all that it binds, also in a list.
#[test]
fn what_may_have_been_written_is_not_known() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.json");
    let good = BY_HAND.replace("\"Strides\": null, ", "");
    for (dispatchable, bindings, is_written) in [
        ("nothing", "\"Tensor\": \"indices\"", false),
        ("nothing", "\"OutputTensor\": \"indices\"", true),
        ("nothing", "\"OutputTensor\": [\"values\", \"indices\"]", true),
        ("shader", "\"a\": null, \"b\": []", false),
        ("shader", "\"a\": [\"values\", {\"name\": \"indices\"}]", true),
    ] {
        let command = format!(
            "{{ \"type\": \"dispatch\", \"dispatchable\": \"{dispatchable}\", \"bindings\": {{ {bindings} }} }}, {{"
        );
        fs::write(
            &file,
            good.replacen("\"commands\": [\n        {", &format!("\"commands\": [\n        {command}"), 1),
        )
        .unwrap();
        let Found { tests, .. } = read(&file, &SPECS).unwrap();
        let indices = tests[0].tensors.iter().find(|tensor| tensor.name == "IndicesTensor").unwrap();
        assert_eq!(indices.elements.is_none(), is_written, "{command}");
    }
}

/// What might change a value is not passed over, nor what a shader may have written.
#[test]
fn what_is_not_known_of_a_model_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.json");
    let good = BY_HAND.replace("\"Strides\": null, ", "");
    let shader =
        "{ \"type\": \"dispatch\", \"dispatchable\": \"shader\", \"bindings\": { \"result\": \"indices\" } }, {";
    for (from, to, part) in [
        (
            "\"elementOffset\": 1",
            "\"elementOffset\": 1, \"elementCount\": 3",
            "commands[0].bindings.IndicesTensor.elementCount",
        ),
        ("\"indices\": {", "\"indices\": { \"sizeinbytes\": 16,", "resources.indices.sizeinbytes"),
        ("\"dispatchable\": \"first\",", "\"dispatchable\": \"first\", \"bidings\": {},", "commands[0].bidings"),
        ("[\"values\"] }", "[\"values\"], \"Valu\": \"values\" }", "dispatchables.first.bindings.Valu"),
        ("\"Desc\": {", "\"Sizes\": [9], \"Desc\": {", "dispatchables.first.IndicesTensor.Sizes"),
        (
            "\"commands\": [\n        {",
            &format!("\"commands\": [\n        {shader}"),
            "the data of dispatchables.first.IndicesTensor",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        fs::write(&file, good.replacen(from, to, 1)).unwrap();
        let Found { left_out, .. } = read(&file, &SPECS).unwrap();
        assert!(left_out.named.iter().any(|each| each.part == part), "{part}\n{left_out:#?}");
    }
    let untyped = good.replace(
        "\"initialValues\": [9, 2, 0, 3], \"initialValuesDataType\": \"UINT32\"",
        "\"initialValues\": [{\"type\": \"UINT32\", \"value\": 2}]",
    );
    fs::write(&file, untyped).unwrap();
    let error = read(&file, &SPECS).unwrap_err().to_string();
    assert!(error.contains("has an `elementOffset`, and nothing says how long an element is"), "{error}");
}

/// What a dispatch costs does not grow with how many others there are, nor does a name that leads nowhere; but together they
/// may not make more data than a machine has room for.
#[test]
fn many_dispatches_of_little_stay_little() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many.json");
    let count = 5000;
    let model = |sizes: u32, resource: &str, dispatched: &str| {
        let tensor = |data_type, size| format!("{{\"DataType\": \"{data_type}\", \"Sizes\": [{size}]}}");
        let desc = format!(
            "{{\"IndicesTensor\": {}, \"ValuesTensor\": {}, \"OutputTensor\": {}, \"Axis\": 0}}",
            tensor("UINT32", sizes),
            tensor("FLOAT32", 2),
            tensor("FLOAT32", sizes)
        );
        let each = |form: &dyn Fn(usize) -> String| (0..count).map(form).collect::<Vec<_>>().join(",\n");
        let one = |at: usize| format!("\"d{at}\": {{\"type\": \"DML_OPERATOR_ONE_HOT\", \"desc\": {desc}}}");
        let bindings = "{\"IndicesTensor\": \"i\", \"ValuesTensor\": \"v\"}";
        let command = |at: usize| {
            format!("{{\"type\": \"dispatch\", \"dispatchable\": \"{dispatched}{at}\", \"bindings\": {bindings}}}")
        };
        let values = "{\"initialValues\": [0, 1], \"initialValuesDataType\": \"FLOAT32\"}";
        format!(
            "{{\"resources\": {{\"i\": {resource}, \"v\": {values}}}, \"dispatchables\": {{{}}}, \"commands\": [{}]}}",
            each(&one),
            each(&command)
        )
    };
    let constant = |count| {
        format!(
            "{{\"initialValues\": {{\"value\": 1, \"valueCount\": {count}}}, \"initialValuesDataType\": \"UINT32\"}}"
        )
    };
    fs::write(&file, model(1, &constant(1), "d")).unwrap();
    let Found { tests, left_out } = read(&file, &SPECS).unwrap();
    assert_eq!((tests.len(), left_out.named.len()), (count, 0));
    fs::write(&file, model(1, &constant(1), "e")).unwrap();
    let Found { tests, left_out } = read(&file, &SPECS).unwrap();
    let meant = |part: &&LeftOut| part.why.contains("did you mean");
    assert_eq!((tests.len(), left_out.more, left_out.named.iter().filter(meant).count()), (count, count + 2 - 50, 50));
    fs::write(&file, model(1_000_000, &constant(1_000_000), "d")).unwrap();
    let error = read(&file, &SPECS).unwrap_err().to_string();
    assert!(error.ends_with("makes the data of all dispatches more than 1073741824 bytes"), "{error}");
}
