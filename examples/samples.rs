//! Random samples and what the definitions make of them, one JSON object a line, for another interpreter of the definitions:
//! `cargo run --release --example samples -- 100000 7 directml/argmax | python -m opinions.interpreter --samples -` has
//! CPython look at as many samples with the seed 7. Without an operator it is that many of each.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use opcert::backend::{AttributeValue, Descriptor, NamedTensor, Role};
use opcert::check::InputData;
use opcert::definition::{Evaluation, Open};
use opcert::fuzz::{Fuzzing, Limit};
use opcert::source::Source;
use opcert::spec::{Family, Operator, Specs};
use opcert_cpu::CpuBackend;
use serde_json::{Value, json};

fn main() -> ExitCode {
    match write_samples() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn write_samples() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number =
        |otherwise: u64| arguments.next().map_or(Ok(otherwise), |text| text.parse().map_err(io::Error::other));
    let (count, seed) = (number(1000)?, number(1)?);
    let specs = Specs::load(&Source::embedded_specs()).map_err(|_| io::Error::other("the specifications are wrong"))?;
    let (operators, backend) = (arguments.collect(), CpuBackend::new());
    let (limit, level) = (Limit::Samples(count), None);
    let fuzzing =
        Fuzzing { specs: &specs, backend: &backend, operators, level, seed, jobs: 1, limit, most_failures: 1 };
    let mut out = BufWriter::new(io::stdout().lock());
    for target in fuzzing.targets().map_err(io::Error::other)? {
        // Edited samples are asked for no values, so that more have to be drawn.
        let samples = (0..).filter_map(|index| {
            let trial = fuzzing.sample(&target, index).map_err(io::Error::other);
            trial.map(|trial| (!trial.inputs().is_empty()).then_some(trial)).transpose()
        });
        for trial in samples.take(usize::try_from(count).map_err(io::Error::other)?) {
            let trial = trial?;
            let Some(operator) = specs.operator(&trial.descriptor().operator) else { continue };
            serde_json::to_writer(&mut out, &sample(operator, trial.descriptor(), trial.inputs()))?;
            writeln!(out)?;
        }
    }
    out.flush()
}

fn sample(operator: &Operator, descriptor: &Descriptor, inputs: &[InputData]) -> Value {
    let data: Vec<_> = inputs.iter().map(|input| (input.name.as_str(), input.data.elements())).collect();
    let given: Vec<(&str, &[u8])> = data.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
    let found = operator.definition.evaluate(descriptor, &given);
    let tensors = descriptor.tensors.iter().map(|entry| tensor(entry, operator, &given, found.as_ref().ok()));
    let attributes = descriptor.attributes.iter().map(|attribute| {
        let value = match &attribute.value {
            AttributeValue::Integer(value) => json!(value),
            AttributeValue::Integers(values) => json!(values),
            AttributeValue::Enumerator(name) | AttributeValue::String(name) => json!(name),
            AttributeValue::Boolean(value) => json!(value),
            AttributeValue::Float32(value) => json!({ "float32": value.bits() }),
            AttributeValue::Scalar(value) => json!({ "scalar": value }),
        };
        (attribute.name.clone(), value)
    });
    json!({
        "operator": operator.id,
        "level": descriptor.level,
        "attributes": attributes.collect::<serde_json::Map<_, _>>(),
        "tensors": tensors.collect::<Vec<_>>(),
        "fault": found.as_ref().err().map(ToString::to_string),
    })
}

fn tensor(entry: &NamedTensor, operator: &Operator, given: &[(&str, &[u8])], found: Option<&Evaluation>) -> Value {
    let NamedTensor { name, role, tensor } = entry;
    let family: &Family = &operator.family;
    let mut value = json!({ "name": name, "type": family.spelling(tensor.data_type), "sizes": tensor.sizes });
    if let Some(strides) = &tensor.strides {
        value["strides"] = json!(strides);
    }
    if *role == Role::Input {
        value["role"] = json!("input");
        value["bytes"] = json!(given.iter().find(|(input, _)| input == name).map(|(_, bytes)| hex(bytes)));
        return value;
    }
    value["role"] = json!("output");
    if let Some(output) = found.and_then(|found| found.outputs.iter().find(|output| output.name == *name)) {
        let mark = |at: usize| match output.open.get(at).copied().flatten() {
            None => '.',
            Some(Open::Undefined) => 'u',
            Some(Open::Unspecified) => '?',
        };
        value["bytes"] = json!(hex(&output.bytes));
        value["open"] = json!((0..output.decided.len()).map(mark).collect::<String>());
        value["lines"] =
            json!(output.decided.iter().map(|&line| operator.definition.lines[line].first).collect::<Vec<_>>());
    }
    value
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
