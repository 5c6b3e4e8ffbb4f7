//! Reading messages. One pass over the line, whatever the order of its keys: the kind of a message may stand behind
//! the parts that it decides about, which serde would otherwise keep aside and read twice.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::protocol::{Request, Response};
use crate::{CompileError, Descriptor, Fault, Identity, Support};

/// All keys that a request may have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnyRequest {
    r#type: RequestKind,
    protocol: Option<u32>,
    id: Option<u64>,
    descriptor: Option<Descriptor>,
    poison: Option<u8>,
    payload: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum RequestKind {
    Start,
    Supports,
    Compile,
    Run,
    Stop,
}

/// All keys that a response may have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnyResponse {
    r#type: ResponseKind,
    protocol: Option<u32>,
    identity: Option<Identity>,
    guards: Option<bool>,
    operators: Option<Vec<String>>,
    id: Option<u64>,
    support: Option<Support>,
    payload: Option<u64>,
    error: Option<CompileError>,
    fault: Option<Fault>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ResponseKind {
    Started,
    Supports,
    Compiled,
    Ran,
    Refused,
    Fault,
}

impl<'de> Deserialize<'de> for Request<Descriptor> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let AnyRequest { r#type, mut protocol, mut id, mut descriptor, mut poison, mut payload } =
            AnyRequest::deserialize(deserializer)?;
        let request = match r#type {
            RequestKind::Start => Self::Start { protocol: take("protocol", &mut protocol)? },
            RequestKind::Supports => {
                Self::Supports { id: take("id", &mut id)?, descriptor: take("descriptor", &mut descriptor)? }
            }
            RequestKind::Compile => {
                Self::Compile { id: take("id", &mut id)?, descriptor: take("descriptor", &mut descriptor)? }
            }
            RequestKind::Run => Self::Run {
                id: take("id", &mut id)?,
                descriptor: take("descriptor", &mut descriptor)?,
                poison: take("poison", &mut poison)?,
                payload: take("payload", &mut payload)?,
            },
            RequestKind::Stop => Self::Stop,
        };
        nothing_left([
            ("protocol", protocol.is_some()),
            ("id", id.is_some()),
            ("descriptor", descriptor.is_some()),
            ("poison", poison.is_some()),
            ("payload", payload.is_some()),
        ])?;
        Ok(request)
    }
}

impl<'de> Deserialize<'de> for Response {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut any = AnyResponse::deserialize(deserializer)?;
        let response = match any.r#type {
            ResponseKind::Started => Self::Started {
                protocol: take("protocol", &mut any.protocol)?,
                identity: take("identity", &mut any.identity)?,
                guards: take("guards", &mut any.guards)?,
                operators: any.operators.take(),
            },
            ResponseKind::Supports => {
                Self::Supports { id: take("id", &mut any.id)?, support: take("support", &mut any.support)? }
            }
            ResponseKind::Compiled => Self::Compiled { id: take("id", &mut any.id)? },
            ResponseKind::Ran => {
                Self::Ran { id: take("id", &mut any.id)?, payload: take("payload", &mut any.payload)? }
            }
            ResponseKind::Refused => {
                Self::Refused { id: take("id", &mut any.id)?, error: take("error", &mut any.error)? }
            }
            ResponseKind::Fault => Self::Fault { id: take("id", &mut any.id)?, fault: take("fault", &mut any.fault)? },
        };
        nothing_left([
            ("protocol", any.protocol.is_some()),
            ("identity", any.identity.is_some()),
            ("guards", any.guards.is_some()),
            ("operators", any.operators.is_some()),
            ("id", any.id.is_some()),
            ("support", any.support.is_some()),
            ("payload", any.payload.is_some()),
            ("error", any.error.is_some()),
            ("fault", any.fault.is_some()),
        ])?;
        Ok(response)
    }
}

fn take<T, E: Error>(name: &'static str, value: &mut Option<T>) -> Result<T, E> {
    value.take().ok_or_else(|| E::missing_field(name))
}

/// Refuses a key that is known and belongs to another kind of message.
fn nothing_left<E: Error, const COUNT: usize>(left: [(&str, bool); COUNT]) -> Result<(), E> {
    match left.into_iter().find(|(_, is_left)| *is_left) {
        Some((name, _)) => Err(E::custom(format!("`{name}` does not belong to this type of message"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{DataType, NamedTensor, Role, TensorDescriptor};

    #[test]
    fn what_is_written_is_read() {
        let tensor = TensorDescriptor::packed(DataType::F16, [2, 3]);
        let descriptor = Descriptor {
            operator: "a/b".to_owned(),
            level: "1".to_owned(),
            tensors: vec![NamedTensor { name: "x".to_owned(), role: Role::Input, tensor }],
            attributes: Vec::new(),
            constants: Vec::new(),
        };
        for request in [
            Request::Start { protocol: 1 },
            Request::Supports { id: 1, descriptor: descriptor.clone() },
            Request::Compile { id: 2, descriptor: descriptor.clone() },
            Request::Run { id: 3, descriptor, poison: 165, payload: 7 },
            Request::Stop,
        ] {
            let text = serde_json::to_string(&request).unwrap();
            assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), request, "{text}");
        }
        let identity = Identity {
            name: "a".into(),
            version: "1".into(),
            device: None,
            claims: BTreeMap::new(),
            strided: true,
            refuses_invalid: false,
        };
        for response in [
            Response::Started { protocol: 1, identity: identity.clone(), guards: true, operators: None },
            Response::Started { protocol: 1, identity, guards: true, operators: Some(vec!["a/b".to_owned()]) },
            Response::Supports { id: 1, support: Support::No("why".to_owned()) },
            Response::Compiled { id: 2 },
            Response::Ran { id: 3, payload: 4 },
            Response::Refused { id: 4, error: CompileError::Unsupported { reason: "why".to_owned() } },
            Response::Fault { id: 5, fault: Fault::Failed("why".to_owned()) },
        ] {
            let text = serde_json::to_string(&response).unwrap();
            assert_eq!(serde_json::from_str::<Response>(&text).unwrap(), response, "{text}");
        }
    }

    #[test]
    fn keys_that_miss_are_too_many_or_twice_are_refused() {
        for (text, expected) in [
            (r#"{"id": 1, "type": "compiled", "payload": 3}"#, "`payload` does not belong"),
            (r#"{"type": "ran", "id": 1}"#, "missing field `payload`"),
            (r#"{"type": "compiled", "id": 1, "id": 2}"#, "duplicate field `id`"),
            (r#"{"type": "compiled", "id": 1, "note": 2}"#, "unknown field `note`"),
            (r#"{"type": "done", "id": 1}"#, "unknown variant `done`"),
            (r#"{"id": 1}"#, "missing field `type`"),
        ] {
            let error = serde_json::from_str::<Response>(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        for (text, expected) in [
            (r#"{"type": "stop", "id": 1}"#, "`id` does not belong"),
            (r#"{"type": "start"}"#, "missing field `protocol`"),
        ] {
            let error = serde_json::from_str::<Request>(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
