//! tract as a backend: a program that speaks opcert's protocol.
//!
//! Each operator is a model of one node of tract's own, optimised and run as any other model. Elements are moved and
//! named on the way, and none is compared or changed: what tract does wrong is to be seen.

mod argmax;
mod model;
mod nonzero_coordinates;
mod one_hot;

use std::collections::BTreeMap;

use opcert_backend::{Backend, CompileError, Descriptor, Identity, Operator, ServeError, Support, serve};

fn main() -> Result<(), ServeError> {
    serve(&Tract, std::io::stdin().lock(), std::io::stdout().lock())
}

struct Tract;

impl Backend for Tract {
    fn identity(&self) -> Identity {
        let claims = [("directml", "6_4"), ("openvino/one_hot_1", "1")];
        Identity {
            name: "tract".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            device: None,
            claims: BTreeMap::from(claims.map(|(family, level)| (family.to_owned(), level.to_owned()))),
            strided: false,
            refuses_invalid: false,
        }
    }

    /// Whether tract has code for the types shows when it compiles; anything else that goes wrong there is for the case
    /// to show.
    fn supports(&self, descriptor: &Descriptor) -> Support {
        match self.compile(descriptor) {
            Err(CompileError::Unsupported { reason }) => Support::No(reason),
            _ => Support::Yes,
        }
    }

    fn compile(&self, descriptor: &Descriptor) -> Result<Box<dyn Operator>, CompileError> {
        match &*descriptor.operator {
            "directml/argmax" => argmax::compile(descriptor),
            "directml/nonzero_coordinates" => nonzero_coordinates::compile(descriptor),
            "directml/one_hot" => one_hot::compile(descriptor),
            "openvino/one_hot_1" => one_hot::compile_openvino(descriptor),
            other => Err(CompileError::Unsupported { reason: format!("no operator `{other}`") }),
        }
    }
}
