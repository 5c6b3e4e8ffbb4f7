//! Models of a single node.

use std::collections::{BTreeMap, BTreeSet};

use opcert_backend::DataType;
use prost::{DecodeError, Message as _};

use super::proto::{
    AttributeProto, DimensionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorShapeProto,
    TensorTypeProto, TypeProto, ValueInfoProto,
};
use super::tensor::{self, OnnxTensor, TensorError};
use super::wire::{Inner, contents, count};

/// The version of the format of models: that of ONNX 1.8, which came with opset 13.
const IR_VERSION: i64 = 7;

/// The most fields of a model of a single node, those of its messages included.
const MOST_FIELDS: usize = 1 << 12;
/// So many nodes are named of a model that has several.
const MOST_NAMED: usize = 10;

/// The number of the field of a model that is its graph.
const GRAPH: usize = 7;
/// The number of the field of a graph that is one of its nodes.
const NODE: usize = 1;
/// The number of the field of a node that is its operator.
const OPERATOR: usize = 4;
/// The number of the field of a tensor that is its name.
const NAME: usize = 8;

/// The messages of a model of which there may be many.
const OF_MODEL: Inner = Inner(&[(GRAPH, &OF_GRAPH), (8, &Inner(&[]))]);
const OF_GRAPH: Inner = Inner(&[(NODE, &Inner(&[(5, &Inner(&[]))])), (11, &OF_VALUE), (12, &OF_VALUE)]);
/// Its type, a tensor's, the shape, the dimensions.
const OF_VALUE: Inner = Inner(&[(2, &Inner(&[(1, &Inner(&[(2, &Inner(&[(1, &Inner(&[]))]))]))]))]);

/// A model of a single node with one output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The operator, one of ONNX's own.
    pub operator: String,
    /// The version of the set of operators.
    pub opset: i64,
    /// The attributes that are given; all of them are integers.
    pub attributes: BTreeMap<String, i64>,
    /// The inputs, in the order of the operator.
    pub inputs: Vec<Value>,
    /// The output.
    pub output: Value,
}

/// An input or an output of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// Its sizes, `None` where one follows from the data. `None` where the number of dimensions does.
    pub sizes: Option<Vec<Option<u64>>>,
}

/// Why a model is none of a single node, or cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// The bytes are no message of this kind.
    #[error("is no model of ONNX: {0}")]
    Protobuf(#[from] DecodeError),
    /// There is no graph in it.
    #[error("is no model of ONNX: it has no graph")]
    NoGraph,
    /// There is no node in it.
    #[error("has no node, expected a single one")]
    NoNode,
    /// There are more nodes.
    #[error("has the nodes {named}{more}, expected a single one", named = .named.join(", "), more = and_more(*.more))]
    Nodes {
        /// The operators of the first of them.
        named: Vec<String>,
        /// How many there are beside those.
        more: usize,
    },
    /// There is more in it than a node, what goes in and what comes out can take.
    #[error("has {0} fields, expected {MOST_FIELDS} at most, which are more than a single node needs")]
    Fields(usize),
    /// The operator is none of ONNX's own.
    #[error("has the operator `{operator}` of the domain `{domain}`, expected one of ONNX's own")]
    Domain {
        /// The operator.
        operator: String,
        /// The domain.
        domain: String,
    },
    /// It is not said which version of the operator is meant.
    #[error("does not import ONNX's own operators: it is not said which version of `{0}` is meant")]
    Opset(String),
    /// An input is part of the model.
    #[error("holds {0} as an initializer, expected all inputs to come from files")]
    Initializer(String),
    /// Functions of the model may mean another operator by the same name.
    #[error("holds functions, expected ONNX's own operators alone")]
    Functions,
    /// Something is said twice, and which of them holds is not.
    #[error("has the {what} `{name}` twice")]
    Twice {
        /// What it is.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// An attribute is no integer.
    #[error("has the attribute `{0}`, which is not one integer")]
    Attribute(String),
    /// What the node takes or gives is not what the model takes or gives.
    #[error("has a node with the {role} `{name}`, which is no {role} of the model")]
    Loose {
        /// `input` or `output`.
        role: &'static str,
        /// Its name in the node.
        name: String,
    },
    /// There are several outputs, or none.
    #[error("has {0} outputs, expected a single one")]
    Outputs(usize),
    /// A value is no tensor.
    #[error("has `{0}`, which is no tensor")]
    NoTensor(String),
    /// A value is a tensor of which the type or the sizes cannot be.
    #[error("has `{name}`, which {error}")]
    Value {
        /// Its name.
        name: String,
        /// What is wrong with it.
        error: TensorError,
    },
}

fn and_more(count: usize) -> String {
    if count == 0 { String::new() } else { format!(" and {count} more") }
}

impl Value {
    /// A value of known sizes.
    #[must_use]
    pub fn of(name: &str, data_type: DataType, sizes: &[u64]) -> Self {
        Self { name: name.to_owned(), data_type, sizes: Some(sizes.iter().copied().map(Some).collect()) }
    }

    /// Whether a tensor can be this value.
    #[must_use]
    pub fn takes(&self, tensor: &OnnxTensor) -> bool {
        let takes_size = |(stated, size): (&Option<u64>, &u64)| stated.is_none_or(|stated| stated == *size);
        let takes_sizes = |stated: &Vec<Option<u64>>| {
            stated.len() == tensor.sizes.len() && stated.iter().zip(&tensor.sizes).all(takes_size)
        };
        self.data_type == tensor.data_type && self.sizes.as_ref().is_none_or(takes_sizes)
    }

    fn proto(&self) -> ValueInfoProto {
        let dimension = |size: &Option<u64>| DimensionProto {
            dim_value: size.map(|size| i64::try_from(size).unwrap_or(i64::MAX)),
            dim_param: None,
        };
        let shape = self.sizes.as_ref().map(|sizes| TensorShapeProto { dim: sizes.iter().map(dimension).collect() });
        let tensor_type = TensorTypeProto { elem_type: Some(tensor::number(self.data_type)), shape };
        ValueInfoProto { name: Some(self.name.clone()), r#type: Some(TypeProto { tensor_type: Some(tensor_type) }) }
    }

    fn of_proto(proto: &ValueInfoProto) -> Result<Self, ModelError> {
        let name = proto.name.clone().unwrap_or_default();
        let tensor_type = proto.r#type.as_ref().and_then(|of| of.tensor_type.as_ref());
        let tensor_type = tensor_type.ok_or_else(|| ModelError::NoTensor(name.clone()))?;
        let wrong = |error| ModelError::Value { name: name.clone(), error };
        let data_type = tensor::data_type(tensor_type.elem_type).map_err(wrong)?;
        let sizes = tensor_type.shape.as_ref().map(|shape| {
            let sizes = shape.dim.iter().map(|dimension| dimension.dim_value.map(u64::try_from).transpose());
            sizes.collect::<Result<Vec<_>, _>>().map_err(|_| {
                let stated = shape.dim.iter().map(|dimension| dimension.dim_value.unwrap_or(-1));
                wrong(TensorError::Sizes(stated.collect()))
            })
        });
        Ok(Self { sizes: sizes.transpose()?, data_type, name })
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}", tensor::name(self.data_type))?;
        let Some(sizes) = &self.sizes else { return Ok(()) };
        let sizes: Vec<String> =
            sizes.iter().map(|size| size.map_or_else(|| "?".to_owned(), |size| size.to_string())).collect();
        write!(formatter, "[{}]", sizes.join(", "))
    }
}

impl Node {
    /// The model as a file. Its graph has the given name.
    #[must_use]
    pub fn encode(&self, name: &str) -> Vec<u8> {
        let attribute = |(name, &value): (&String, &i64)| AttributeProto {
            name: Some(name.clone()),
            i: Some(value),
            r#type: Some(AttributeProto::INT),
            ref_attr_name: None,
        };
        let node = NodeProto {
            input: self.inputs.iter().map(|value| value.name.clone()).collect(),
            output: vec![self.output.name.clone()],
            op_type: Some(self.operator.clone()),
            attribute: self.attributes.iter().map(attribute).collect(),
            domain: None,
            overload: None,
        };
        let graph = GraphProto {
            node: vec![node],
            name: Some(name.to_owned()),
            input: self.inputs.iter().map(Value::proto).collect(),
            output: vec![self.output.proto()],
            ..GraphProto::default()
        };
        let model = ModelProto {
            ir_version: Some(IR_VERSION),
            producer_name: Some("opcert".to_owned()),
            producer_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            graph: Some(graph),
            opset_import: vec![OperatorSetIdProto { domain: Some(String::new()), version: Some(self.opset) }],
            functions: None,
        };
        model.encode_to_vec()
    }

    /// Reads a file, and says for each input of the node which one of the model it is.
    ///
    /// # Errors
    ///
    /// When the bytes are no model, or one of something else than a single node whose inputs and output are those of
    /// the model.
    pub fn decode(file: &[u8]) -> Result<(Self, Vec<usize>), ModelError> {
        let nodes = || contents(file, GRAPH).flat_map(|graph| contents(graph, NODE));
        if let more @ 2.. = nodes().count() {
            let operator = |node| contents(node, OPERATOR).last().map(String::from_utf8_lossy).unwrap_or_default();
            let named: Vec<String> = nodes().take(MOST_NAMED).map(|node| operator(node).into_owned()).collect();
            return Err(ModelError::Nodes { more: more - named.len(), named });
        }
        let fields = count(file, &OF_MODEL);
        if fields > MOST_FIELDS {
            return Err(ModelError::Fields(fields));
        }
        let model = ModelProto::decode(file)?;
        let graph = model.graph.ok_or(ModelError::NoGraph)?;
        let [node] = graph.node.as_slice() else { return Err(ModelError::NoNode) };
        let operator = node.op_type.clone().unwrap_or_default();
        let domain = node.domain.clone().unwrap_or_default();
        if !is_own(&domain) {
            return Err(ModelError::Domain { operator, domain });
        }
        if model.functions.is_some() || node.overload.as_ref().is_some_and(|overload| !overload.is_empty()) {
            return Err(ModelError::Functions);
        }
        let own = |set: &&OperatorSetIdProto| is_own(set.domain.as_deref().unwrap_or_default());
        let opset = match model.opset_import.iter().filter(own).collect::<Vec<_>>().as_slice() {
            [set] => set.version,
            [] => None,
            [_, other, ..] => {
                let name = other.domain.clone().unwrap_or_default();
                return Err(ModelError::Twice { what: "set of operators", name });
            }
        };
        let opset = opset.ok_or_else(|| ModelError::Opset(operator.clone()))?;
        let inputs = graph.input.iter().map(|value| value.name.as_deref().unwrap_or_default());
        once("input", inputs.filter(|name| node.input.iter().any(|input| input == name)))?;
        once("attribute", node.attribute.iter().map(|attribute| attribute.name.as_deref().unwrap_or_default()))?;
        if let Some(initializer) = &graph.initializer {
            let name = contents(initializer, NAME).last().map(String::from_utf8_lossy).unwrap_or_default();
            return Err(ModelError::Initializer(format!("`{name}`")));
        }
        if graph.sparse_initializer.is_some() {
            return Err(ModelError::Initializer("a sparse tensor".to_owned()));
        }
        let places = node.input.iter().map(|name| place(&graph.input, "input", name));
        let places: Vec<usize> = places.collect::<Result<_, _>>()?;
        let inputs = places.iter().map(|&place| Value::of_proto(&graph.input[place]));
        let inputs = inputs.collect::<Result<_, _>>()?;
        let ([output], 1) = (node.output.as_slice(), graph.output.len()) else {
            return Err(ModelError::Outputs(node.output.len().max(graph.output.len())));
        };
        let output = Value::of_proto(&graph.output[place(&graph.output, "output", output)?])?;
        let attributes = node.attribute.iter().map(attribute).collect::<Result<_, _>>()?;
        Ok((Self { operator, opset, attributes, inputs, output }, places))
    }
}

/// Whether each name stands there once.
fn once<'a>(what: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), ModelError> {
    let mut seen = BTreeSet::new();
    let twice = names.into_iter().find(|name| !seen.insert(*name));
    twice.map_or(Ok(()), |name| Err(ModelError::Twice { what, name: name.to_owned() }))
}

/// Whether a domain is that of ONNX's own operators.
fn is_own(domain: &str) -> bool {
    matches!(domain, "" | "ai.onnx")
}

/// Which of the model's values is the one of this name.
fn place(values: &[ValueInfoProto], role: &'static str, name: &str) -> Result<usize, ModelError> {
    let found = values.iter().position(|value| value.name.as_deref() == Some(name) && !name.is_empty());
    found.ok_or_else(|| ModelError::Loose { role, name: name.to_owned() })
}

fn attribute(proto: &AttributeProto) -> Result<(String, i64), ModelError> {
    let name = proto.name.clone().unwrap_or_default();
    let is_reference = proto.ref_attr_name.as_ref().is_some_and(|of| !of.is_empty());
    match (proto.r#type, proto.i) {
        _ if is_reference => Err(ModelError::Attribute(name)),
        // Some writers leave out what is 0.
        (Some(AttributeProto::INT), value) => Ok((name, value.unwrap_or(0))),
        (None, Some(value)) => Ok((name, value)),
        _ => Err(ModelError::Attribute(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::onnx::proto::TensorProto;

    fn find() -> Node {
        let output = Value { sizes: Some(vec![Some(2), None]), ..Value::of("Y", DataType::I64, &[]) };
        Node {
            operator: "Find".to_owned(),
            opset: 13,
            attributes: BTreeMap::from([("axis".to_owned(), 0)]),
            inputs: vec![Value::of("X", DataType::Bool, &[3, 1])],
            output,
        }
    }

    #[test]
    fn the_file_of_a_model_is_that_of_onnx() {
        // By hand, field by field: the numbers of the fields and of the types are those of onnx.proto.
        let message = |field: u8, content: &[u8]| [&[field << 3 | 2, content.len() as u8], content].concat();
        let attribute = [message(1, b"axis"), vec![3 << 3, 0, 0xA0, 1, 2]].concat();
        let node = [message(1, b"X"), message(2, b"Y"), message(4, b"Find"), message(5, &attribute)].concat();
        let value = |name: &[u8], data_type: u8, sizes: &[&[u8]]| {
            let shape: Vec<u8> = sizes.iter().flat_map(|size| message(1, size)).collect();
            let tensor = [vec![1 << 3, data_type], message(2, &shape)].concat();
            [message(1, name), message(2, &message(1, &tensor))].concat()
        };
        let input = message(11, &value(b"X", 9, &[&[8, 3], &[8, 1]]));
        let output = message(12, &value(b"Y", 7, &[&[8, 2], &[]]));
        let graph = [message(1, &node), message(2, b"g"), input, output].concat();
        let model = [
            vec![1 << 3, 7],
            message(2, b"opcert"),
            message(3, env!("CARGO_PKG_VERSION").as_bytes()),
            message(7, &graph),
            message(8, &[message(1, b""), vec![2 << 3, 13]].concat()),
        ];
        assert_eq!(find().encode("g"), model.concat());
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(Node::decode(&find().encode("")).unwrap(), (find(), vec![0]));
        let mut model = ModelProto::decode(find().encode("").as_slice()).unwrap();
        model.graph.as_mut().unwrap().node[0].attribute[0].i = None;
        assert_eq!(Node::decode(&model.encode_to_vec()).unwrap(), (find(), vec![0]), "what is 0 may be left out");
        let rankless = Node { inputs: vec![Value { sizes: None, ..find().inputs[0].clone() }], ..find() };
        assert_eq!(Node::decode(&rankless.encode("")).unwrap().0, rankless);
    }

    #[test]
    fn inputs_come_in_the_order_of_the_operator() {
        let other = Value::of("Z", DataType::F32, &[]);
        let two = Node { inputs: vec![find().inputs[0].clone(), other.clone()], ..find() };
        let mut model = ModelProto::decode(two.encode("").as_slice()).unwrap();
        model.graph.as_mut().unwrap().input.reverse();
        assert_eq!(Node::decode(&model.encode_to_vec()).unwrap(), (two, vec![1, 0]));
    }

    #[test]
    fn a_value_takes_tensors_of_its_type_and_sizes() {
        let tensor = |data_type, sizes: &[u64]| OnnxTensor { data_type, sizes: sizes.to_vec(), elements: Vec::new() };
        let output = find().output;
        assert!(output.takes(&tensor(DataType::I64, &[2, 5])));
        assert!(!output.takes(&tensor(DataType::I32, &[2, 5])));
        assert!(!output.takes(&tensor(DataType::I64, &[3, 5])));
        assert!(!output.takes(&tensor(DataType::I64, &[2])));
        assert!(Value { sizes: None, ..output.clone() }.takes(&tensor(DataType::I64, &[7])));
        assert_eq!(output.to_string(), "INT64[2, ?]");
    }

    #[test]
    fn other_models_are_named() {
        let error = |change: fn(&mut ModelProto)| {
            let mut model = ModelProto::decode(find().encode("").as_slice()).unwrap();
            change(&mut model);
            Node::decode(&model.encode_to_vec()).unwrap_err().to_string()
        };
        fn graph(model: &mut ModelProto) -> &mut GraphProto {
            model.graph.as_mut().unwrap()
        }
        fn node(model: &mut ModelProto) -> &mut NodeProto {
            &mut graph(model).node[0]
        }
        assert!(Node::decode(b"no model").unwrap_err().to_string().starts_with("is no model of ONNX: "));
        assert_eq!(Node::decode(b"").unwrap_err().to_string(), "is no model of ONNX: it has no graph");
        assert_eq!(error(|model| graph(model).node.clear()), "has no node, expected a single one");
        assert_eq!(
            error(|model| {
                let constant = NodeProto { op_type: Some("Constant".to_owned()), ..NodeProto::default() };
                graph(model).node.insert(0, constant);
            }),
            "has the nodes Constant, Find, expected a single one"
        );
        assert_eq!(
            error(|model| graph(model).node = vec![NodeProto::default(); 20]),
            format!("has the nodes {} and 10 more, expected a single one", [""; 10].join(", "))
        );
        assert_eq!(
            error(|model| graph(model).input = vec![ValueInfoProto::default(); 5_000]),
            "has 5025 fields, expected 4096 at most, which are more than a single node needs"
        );
        assert_eq!(
            error(|model| node(model).domain = Some("com.microsoft".to_owned())),
            "has the operator `Find` of the domain `com.microsoft`, expected one of ONNX's own"
        );
        assert_eq!(
            error(|model| model.opset_import[0].domain = Some("ai.onnx.ml".to_owned())),
            "does not import ONNX's own operators: it is not said which version of `Find` is meant"
        );
        assert_eq!(
            error(|model| {
                let depth = TensorProto { name: Some("X".to_owned()), ..TensorProto::default() };
                graph(model).initializer = Some(depth.encode_to_vec());
            }),
            "holds `X` as an initializer, expected all inputs to come from files"
        );
        assert_eq!(
            error(|model| graph(model).sparse_initializer = Some(Vec::new())),
            "holds a sparse tensor as an initializer, expected all inputs to come from files"
        );
        assert_eq!(
            error(|model| {
                let attribute = node(model).attribute[0].clone();
                node(model).attribute.push(attribute);
            }),
            "has the attribute `axis` twice"
        );
        assert_eq!(
            error(|model| {
                let value = graph(model).input[0].clone();
                graph(model).input.push(value);
            }),
            "has the input `X` twice"
        );
        assert_eq!(
            error(|model| {
                let set = OperatorSetIdProto { domain: Some("ai.onnx".to_owned()), version: Some(1) };
                model.opset_import.push(set);
            }),
            "has the set of operators `ai.onnx` twice"
        );
        let functions = "holds functions, expected ONNX's own operators alone";
        assert_eq!(error(|model| model.functions = Some(Vec::new())), functions);
        assert_eq!(error(|model| node(model).overload = Some("mine".to_owned())), functions);
        assert_eq!(
            error(|model| node(model).attribute[0].ref_attr_name = Some("other".to_owned())),
            "has the attribute `axis`, which is not one integer"
        );
        assert_eq!(
            error(|model| node(model).attribute[0].r#type = Some(1)),
            "has the attribute `axis`, which is not one integer"
        );
        assert_eq!(
            error(|model| node(model).input[0].clear()),
            "has a node with the input ``, which is no input of the model"
        );
        assert_eq!(
            error(|model| graph(model).output[0].name = None),
            "has a node with the output `Y`, which is no output of the model"
        );
        assert_eq!(error(|model| node(model).output.push("Z".to_owned())), "has 2 outputs, expected a single one");
        assert_eq!(error(|model| graph(model).input[0].r#type = None), "has `X`, which is no tensor");
        fn tensor(model: &mut ModelProto) -> &mut TensorTypeProto {
            graph(model).input[0].r#type.as_mut().unwrap().tensor_type.as_mut().unwrap()
        }
        assert_eq!(
            error(|model| tensor(model).elem_type = Some(14)),
            "has `X`, which has elements of the type COMPLEX64 (14), which no operator here takes"
        );
        assert_eq!(
            error(|model| tensor(model).shape.as_mut().unwrap().dim[1].dim_value = Some(-3)),
            "has `X`, which has the sizes [3, -3], which no tensor has"
        );
    }
}
