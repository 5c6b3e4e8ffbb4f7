//! Cases as models of one operation in OpenVINO's intermediate representation, version 11: a `model.xml`, and its
//! constants in a `model.bin`.
//!
//! The descriptor is the model: `depth` is a constant of it, the other inputs are its parameters. An invalid one is
//! written as it is where the format has words for it, so that refusing it is up to whoever reads it.

use std::io;

use opcert_backend::{DataType, Descriptor, NamedTensor, TensorDescriptor};
use quick_xml::events::BytesDecl;
use quick_xml::writer::Writer;

use super::asked::Asked;
use super::tensors::as_npy;
use super::{ExportedFile, Exporter, NotExported};
use crate::run::POISONS;

/// A model for each case, and its inputs as .npy files.
pub(super) struct OpenVinoIr;

/// The model and its constants, in the case's folder. OpenVINO finds the second beside the first by its name.
const MODEL_FILE: &str = "model.xml";
const WEIGHTS_FILE: &str = "model.bin";

const README: &str = concat!(include_str!("openvino_ir.md"), "\n", include_str!("results.md"));

/// The operator that is written, and its type and operation set in a model.
const OPERATOR: &str = "openvino/one_hot_1";
const TYPE: &str = "OneHot";
const OPSET: &str = "opset1";

/// The inputs in the order of the operation's ports; its output has the port behind them.
const INPUTS: [&str; 4] = ["indices", "depth", "on_value", "off_value"];
const OUTPUT: &str = "output";

const OTHER_OPERATOR: &str = "only OneHot-1 is written as OpenVINO IR";
const NO_VALUE: &str = "a constant of OpenVINO IR has a value, and `depth` has none";
const OTHER_OUTPUT: &str =
    "the type and the sizes of an output follow from the inputs in OpenVINO IR, so that others cannot be asked for";

impl Exporter for OpenVinoIr {
    fn input(&self, _: &str, name: &str) -> Result<String, NotExported> {
        Ok(format!("inputs/{name}.npy"))
    }

    fn has_file(&self, asked: &Asked<'_>, entry: &NamedTensor) -> bool {
        asked.descriptor.constant(&entry.name).is_none()
    }

    fn files(&self, asked: &Asked<'_>) -> Result<Vec<ExportedFile>, NotExported> {
        let model = Model::of(asked)?;
        let mut files = vec![(MODEL_FILE.to_owned(), model.xml()?), (WEIGHTS_FILE.to_owned(), model.weights())];
        for (entry, data) in asked.inputs().filter(|(entry, _)| self.has_file(asked, entry)) {
            files.push((self.input(&asked.descriptor.operator, &entry.name)?, as_npy(entry, data, POISONS[0])?));
        }
        Ok(files)
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
    sources: Vec<Source<'a>>,
    axis: Option<i64>,
    output: &'a TensorDescriptor,
}

impl<'a> Model<'a> {
    fn of(asked: &'a Asked<'_>) -> Result<Self, NotExported> {
        let inexpressible = |reason: &str| NotExported::Inexpressible(reason.to_owned());
        let descriptor = &asked.descriptor;
        if descriptor.operator != OPERATOR {
            return Err(inexpressible(OTHER_OPERATOR));
        }
        let output = descriptor.tensor(OUTPUT).filter(|output| !differs_from_what_follows(descriptor, output));
        let output = output.ok_or_else(|| inexpressible(OTHER_OUTPUT))?;
        let mut sources = Vec::with_capacity(INPUTS.len());
        for (port, name) in INPUTS.into_iter().enumerate() {
            let Some(tensor) = descriptor.tensor(name) else { continue };
            let value = descriptor.constant(name);
            if name == "depth" && value.is_none() {
                return Err(inexpressible(NO_VALUE));
            }
            sources.push(Source { name, tensor, value, port });
        }
        Ok(Self { name: &asked.about().id, sources, axis: descriptor.integer("axis"), output })
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
            layer(writer, number, source.name, kind, |writer| {
                attributes(writer, "data", &data)?;
                ports(writer, "output", [(0, source.tensor, Some(source.name))])
            })?;
        }
        let operation = self.sources.len();
        layer(writer, operation, "operation", TYPE, |writer| {
            attributes(
                writer,
                "data",
                &self.axis.map(|axis| ("axis", axis.to_string())).into_iter().collect::<Vec<_>>(),
            )?;
            ports(writer, "input", self.sources.iter().map(|source| (source.port, source.tensor, None)))?;
            ports(writer, "output", [(INPUTS.len(), self.output, Some(OUTPUT))])
        })?;
        layer(writer, operation + 1, OUTPUT, "Result", |writer| ports(writer, "input", [(0, self.output, None)]))
    }

    fn edges(&self, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
        let operation = self.sources.len();
        let into = self.sources.iter().enumerate().map(|(number, source)| [number, 0, operation, source.port]);
        for numbers in into.chain([[operation, INPUTS.len(), operation + 1, 0]]) {
            let keys = ["from-layer", "from-port", "to-layer", "to-port"];
            let edge: Vec<_> = keys.into_iter().zip(numbers.map(|number| number.to_string())).collect();
            attributes(writer, "edge", &edge)?;
        }
        Ok(())
    }
}

fn layer(
    writer: &mut Writer<Vec<u8>>,
    number: usize,
    name: &str,
    kind: &str,
    content: impl FnOnce(&mut Writer<Vec<u8>>) -> io::Result<()>,
) -> io::Result<()> {
    let id = number.to_string();
    let described = [("id", id.as_str()), ("name", name), ("type", kind), ("version", OPSET)];
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

/// Whether the output is another one than follows from the inputs, as far as anything follows from them: no reader of a
/// model looks at what is said of it.
fn differs_from_what_follows(descriptor: &Descriptor, output: &TensorDescriptor) -> bool {
    let of = |name| descriptor.tensor(name);
    let (on, off) = (of("on_value"), of("off_value"));
    let data_type = on.zip(off).filter(|(on, off)| on.data_type == off.data_type).map(|(on, _)| on.data_type);
    data_type.is_some_and(|data_type| data_type != output.data_type)
        || sizes(descriptor).is_some_and(|sizes| sizes != output.sizes)
}

/// The sizes of the output, where the inputs and the axis say them.
fn sizes(descriptor: &Descriptor) -> Option<Vec<u64>> {
    let depth = descriptor.tensor("depth").filter(|depth| depth.sizes.is_empty())?;
    let value = descriptor.constant("depth")?;
    let value = match depth.data_type {
        DataType::I32 => i64::from(i32::from_le_bytes(value.try_into().ok()?)),
        DataType::I64 => i64::from_le_bytes(value.try_into().ok()?),
        _ => return None,
    };
    let mut sizes = descriptor.tensor("indices")?.sizes.clone();
    let axis = descriptor.integer("axis")?;
    let axis = if axis < 0 { axis.checked_add(sizes.len() as i64 + 1)? } else { axis };
    let axis = usize::try_from(axis).ok().filter(|&axis| axis <= sizes.len())?;
    sizes.insert(axis, u64::try_from(value).ok().filter(|&value| value > 0)?);
    Some(sizes)
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
