//! Cases as models of one operation in OpenVINO's intermediate representation, version 11: a `model.xml`, and its
//! constants in a `model.bin`.
//!
//! The descriptor is the model: constants are part of it, the other inputs are its parameters. An invalid one is
//! written as it is where the format has words for it, so that refusing it is up to whoever reads it. A case of another
//! family is the operation that a mapping leads to.

use std::collections::BTreeMap;
use std::io;

use opcert_backend::{AttributeValue, DataType, Descriptor, NamedTensor, Role, TensorDescriptor};
use quick_xml::events::BytesDecl;
use quick_xml::writer::Writer;

use super::asked::Asked;
use super::manifest::Task;
use super::tensors::input;
use super::written::Written;
use super::{ExportedFile, Exporter, Made, NotExported, OUTPUTS};
use crate::check::{CheckedCase, violations};
use crate::element;
use crate::mapping::Mappings;
use crate::npy;
use crate::spec::{Level, Operator};

/// A model for each case, and its inputs as .npy files.
pub(super) struct OpenVinoIr<'a>(pub(super) &'a Mappings);

/// The family of OpenVINO's operations.
pub(super) const FAMILY: &str = "openvino";

/// The model and its constants, in the case's folder. OpenVINO finds the second beside the first by its name.
const MODEL_FILE: &str = "model.xml";
const WEIGHTS_FILE: &str = "model.bin";

const README: &str = concat!(include_str!("openvino_ir.md"), "\n", include_str!("results.md"));

const OTHER_OUTPUT: &str =
    "the type and the sizes of an output follow from the inputs in OpenVINO IR, so that others cannot be asked for";

impl Exporter for OpenVinoIr<'_> {
    fn made(&self, asked: &Asked<'_>) -> Result<Made, NotExported> {
        let about = asked.about();
        if about.operator.family.name == FAMILY {
            let inputs = asked.inputs().map(|(entry, data)| (entry, data.elements()));
            let inputs: Vec<_> = inputs.collect();
            let inputs = inputs.iter().map(|(entry, elements)| (*entry, elements.as_ref()));
            let level = about.operator.family.level(&asked.descriptor.level);
            let is_valid_with_another = |level| is_valid_with_another_output(&about.operator, &asked.descriptor, level);
            if matches!(asked.case, CheckedCase::Refused(_)) && level.is_some_and(is_valid_with_another) {
                return Err(NotExported::Inexpressible(OTHER_OUTPUT.to_owned()));
            }
            let outputs: Vec<&NamedTensor> = asked.outputs().collect();
            return Model::of(&about.id, &about.operator, &asked.descriptor)?.made(inputs, &outputs);
        }
        let CheckedCase::Valid(case) = asked.case else {
            let reason = "invalid descriptor: a mapping is of valid ones";
            return Err(NotExported::Inexpressible(reason.to_owned()));
        };
        if asked.task() == Task::Compile {
            let reason = "descriptor only: a mapping is of descriptors with data";
            return Err(NotExported::Inexpressible(reason.to_owned()));
        }
        let written = Written::of(case, &asked.descriptor, (self.0, FAMILY))?;
        written.expected(asked)?;
        let outputs: Vec<&NamedTensor> = written.outputs().collect();
        let model = Model::of(&about.id, written.to(), &written.said.descriptor)?;
        let made = model.made(written.inputs(), &outputs)?;
        Ok(Made { written_as: Some(written.said.descriptor), ..made })
    }

    fn shared(&self, _: &[String]) -> Vec<ExportedFile> {
        vec![("README.md".to_owned(), README.as_bytes().to_vec())]
    }
}

/// An input of the operation, which is a layer of its own: a parameter, or a constant with its value.
struct Source<'a> {
    name: &'a str,
    tensor: &'a TensorDescriptor,
    value: Option<&'a [u8]>,
    /// The port of the operation.
    port: usize,
}

/// What a model is written from.
struct Model<'a> {
    /// The case's id.
    name: &'a str,
    /// The operation's type, and its operation set.
    kind: &'a str,
    opset: String,
    sources: Vec<Source<'a>>,
    attributes: Vec<(&'a str, String)>,
    /// The port of the first output, and all of them.
    first: usize,
    outputs: Vec<(&'a str, &'a TensorDescriptor)>,
}

impl<'a> Model<'a> {
    /// The model of an operation. Its title has its type and the number of the operation set: `OneHot-16`.
    fn of(name: &'a str, operator: &'a Operator, descriptor: &'a Descriptor) -> Result<Self, NotExported> {
        let inexpressible = |reason: String| NotExported::Inexpressible(reason);
        let title = operator.title.rsplit_once('-');
        let (kind, number) =
            title.ok_or_else(|| inexpressible(format!("`{}` names no operation set", operator.title)))?;
        let named = |role: Role| operator.tensors.iter().filter(move |tensor| tensor.role == role);
        let mut sources = Vec::new();
        for (port, specified) in named(Role::Input).enumerate() {
            let name = specified.name.as_str();
            let Some(tensor) = descriptor.tensor(name) else { continue };
            let value = descriptor.constant(name);
            if specified.constant && value.is_none() {
                return Err(inexpressible(format!("a constant of OpenVINO IR has a value, and `{name}` has none")));
            }
            sources.push(Source { name, tensor, value, port });
        }
        let outputs =
            named(Role::Output).filter_map(|each| Some((each.name.as_str(), descriptor.tensor(&each.name)?))).collect();
        let mut attributes = Vec::new();
        for attribute in &operator.attributes {
            let Some(value) = descriptor.attribute(&attribute.name) else { continue };
            // What is the default may be spelled otherwise by whoever reads it, and need not be said.
            if attribute.default.as_ref() != Some(value) {
                attributes.push((attribute.name.as_str(), written(value)));
            }
        }
        let (opset, first) = (format!("opset{number}"), named(Role::Input).count());
        Ok(Self { name, kind, opset, sources, attributes, first, outputs })
    }

    /// The files, with those of the inputs that are parameters.
    fn made<'b>(
        &self,
        inputs: impl Iterator<Item = (&'b NamedTensor, &'b [u8])>,
        outputs: &[&NamedTensor],
    ) -> Result<Made, NotExported> {
        let mut files = vec![(MODEL_FILE.to_owned(), self.xml()?), (WEIGHTS_FILE.to_owned(), self.weights())];
        let mut paths = BTreeMap::new();
        let is_constant = |name: &str| self.sources.iter().any(|each| each.name == name && each.value.is_some());
        for (NamedTensor { name, tensor, .. }, elements) in inputs.filter(|(entry, _)| !is_constant(&entry.name)) {
            files.push((input(name), npy::write(tensor.data_type, &tensor.sizes, elements)));
            paths.insert(name.clone(), input(name));
        }
        let outputs = outputs.iter().map(|entry| (entry.name.clone(), format!("{OUTPUTS}/{}.npy", entry.name)));
        Ok(Made { files, inputs: paths, outputs: outputs.collect(), written_as: None })
    }

    /// The values of all constants, one behind the other.
    fn weights(&self) -> Vec<u8> {
        self.sources.iter().filter_map(|source| source.value).flatten().copied().collect()
    }

    fn xml(&self) -> Result<Vec<u8>, NotExported> {
        let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
        self.write(&mut writer).map_err(|error| NotExported::Model(error.to_string()))?;
        let mut text = writer.into_inner();
        text.push(b'\n');
        Ok(text)
    }

    fn write(&self, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
        writer.write_event(quick_xml::events::Event::Decl(BytesDecl::new("1.0", None, None)))?;
        let net = writer.create_element("net").with_attributes([("name", self.name), ("version", "11")]);
        net.write_inner_content(|writer| {
            writer.create_element("layers").write_inner_content(|writer| self.layers(writer))?;
            writer.create_element("edges").write_inner_content(|writer| self.edges(writer))?;
            Ok(())
        })?;
        Ok(())
    }

    /// The sources in the order of their ports, the operation, and the result: a layer's number is its place.
    fn layers(&self, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
        let mut offset = 0;
        for (number, source) in self.sources.iter().enumerate() {
            let (of_type, shape) = (element_type(source.tensor.data_type), listed(&source.tensor.sizes));
            let mut data = vec![("element_type", of_type.to_owned()), ("shape", shape)];
            if let Some(value) = source.value {
                data.extend([("offset", offset.to_string()), ("size", value.len().to_string())]);
                offset += value.len();
            }
            let kind = if source.value.is_some() { "Const" } else { "Parameter" };
            layer(writer, number, (source.name, kind, PLAIN), |writer| {
                attributes(writer, "data", &data)?;
                ports(writer, "output", [(0, source.tensor, Some(source.name))])
            })?;
        }
        let operation = self.sources.len();
        layer(writer, operation, ("operation", self.kind, &self.opset), |writer| {
            attributes(writer, "data", &self.attributes)?;
            ports(writer, "input", self.sources.iter().map(|source| (source.port, source.tensor, None)))?;
            let outputs = (self.first..).zip(&self.outputs);
            ports(writer, "output", outputs.map(|(port, (name, tensor))| (port, *tensor, Some(*name))))
        })?;
        for (number, (name, tensor)) in (operation + 1..).zip(&self.outputs) {
            layer(writer, number, (name, "Result", PLAIN), |writer| ports(writer, "input", [(0, *tensor, None)]))?;
        }
        Ok(())
    }

    fn edges(&self, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
        let operation = self.sources.len();
        let into = self.sources.iter().enumerate().map(|(number, source)| [number, 0, operation, source.port]);
        let out = (0..self.outputs.len()).map(|at| [operation, self.first + at, operation + 1 + at, 0]);
        for numbers in into.chain(out) {
            let keys = ["from-layer", "from-port", "to-layer", "to-port"];
            let edge: Vec<_> = keys.into_iter().zip(numbers.map(|number| number.to_string())).collect();
            attributes(writer, "edge", &edge)?;
        }
        Ok(())
    }
}

/// The operation set of parameters, constants and results.
const PLAIN: &str = "opset1";

fn layer(
    writer: &mut Writer<Vec<u8>>,
    number: usize,
    (name, kind, opset): (&str, &str, &str),
    content: impl FnOnce(&mut Writer<Vec<u8>>) -> io::Result<()>,
) -> io::Result<()> {
    let id = number.to_string();
    let described = [("id", id.as_str()), ("name", name), ("type", kind), ("version", opset)];
    writer.create_element("layer").with_attributes(described).write_inner_content(content)?;
    Ok(())
}

fn attributes(writer: &mut Writer<Vec<u8>>, element: &str, attributes: &[(&str, String)]) -> io::Result<()> {
    let attributes = attributes.iter().map(|(key, value)| (*key, value.as_str()));
    writer.create_element(element).with_attributes(attributes).write_empty()?;
    Ok(())
}

/// The ports of one side of a layer: number, tensor, and the name by which a program finds the tensor.
fn ports<'a>(
    writer: &mut Writer<Vec<u8>>,
    side: &str,
    ports: impl IntoIterator<Item = (usize, &'a TensorDescriptor, Option<&'a str>)>,
) -> io::Result<()> {
    let element = writer.create_element(side);
    element.write_inner_content(|writer| {
        for (number, tensor, name) in ports {
            let number = number.to_string();
            let described = [("id", number.as_str()), ("precision", precision(tensor.data_type))];
            let port = writer.create_element("port").with_attributes(described);
            let port = port.with_attributes(name.map(|name| ("names", name)));
            if tensor.sizes.is_empty() {
                port.write_empty()?;
                continue;
            }
            port.write_inner_content(|writer| {
                for size in &tensor.sizes {
                    let size = quick_xml::events::BytesText::new(&size.to_string()).into_owned();
                    writer.create_element("dim").write_text_content(size)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Whether another type or other sizes of its outputs alone would make an invalid descriptor valid: no reader of a model looks
/// at what is said of them.
fn is_valid_with_another_output(operator: &Operator, descriptor: &Descriptor, level: Level) -> bool {
    let is_valid = |descriptor: &Descriptor| !violations(operator, descriptor, level).iter().any(|each| each.gates);
    let inputs = || descriptor.tensors.iter().filter(|entry| entry.role == Role::Input).map(|entry| &entry.tensor);
    let constants = descriptor.constants.iter().filter_map(|constant| {
        let data_type = descriptor.tensor(&constant.name)?.data_type;
        u64::try_from(element::truncated(&constant.bytes, data_type)?).ok()
    });
    let numbers = inputs().flat_map(|tensor| tensor.sizes.iter().copied()).chain(constants);
    let mut numbers: Vec<u64> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    descriptor.tensors.iter().enumerate().filter(|(_, entry)| entry.role == Role::Output).any(|(place, output)| {
        let mut sizes = vec![output.tensor.sizes.clone()];
        for known in inputs().map(|tensor| &tensor.sizes) {
            sizes.push(known.clone());
            for (at, &number) in (0..=known.len()).flat_map(|at| numbers.iter().map(move |number| (at, number))) {
                let mut with = known.clone();
                with.insert(at, number);
                sizes.push(with);
            }
        }
        let types = inputs().map(|tensor| tensor.data_type).chain([output.tensor.data_type]);
        let mut types: Vec<DataType> = types.collect();
        types.dedup();
        let tensors = types.iter().flat_map(|&data_type| sizes.iter().map(move |sizes| (data_type, sizes)));
        tensors.into_iter().any(|(data_type, sizes)| {
            let mut other = descriptor.clone();
            other.tensors[place].tensor = TensorDescriptor::packed(data_type, sizes.clone());
            is_valid(&other)
        })
    })
}

/// An attribute as it stands in a model.
fn written(value: &AttributeValue) -> String {
    match value {
        AttributeValue::Integer(number) => number.to_string(),
        AttributeValue::Integers(numbers) => numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(","),
        AttributeValue::Boolean(value) => value.to_string(),
        AttributeValue::Float32(number) => number.get().to_string(),
        AttributeValue::Scalar(scalar) => element::render(&scalar.bytes(), scalar.data_type()),
        AttributeValue::Enumerator(text) | AttributeValue::String(text) => text.clone(),
    }
}

fn listed(sizes: &[u64]) -> String {
    sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// The name of a type in a layer's data.
const fn element_type(data_type: DataType) -> &'static str {
    match data_type {
        DataType::Bool => "boolean",
        other => other.name(),
    }
}

/// The name of a type at a port.
const fn precision(data_type: DataType) -> &'static str {
    match data_type {
        DataType::F64 => "FP64",
        DataType::F32 => "FP32",
        DataType::F16 => "FP16",
        DataType::BF16 => "BF16",
        DataType::I64 => "I64",
        DataType::I32 => "I32",
        DataType::I16 => "I16",
        DataType::I8 => "I8",
        DataType::U64 => "U64",
        DataType::U32 => "U32",
        DataType::U16 => "U16",
        DataType::U8 => "U8",
        DataType::Bool => "BOOL",
    }
}
