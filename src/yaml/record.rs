//! One definition for each part of a format: the type, its documentation, its JSON Schema and its decoding.

/// Defines a struct that is a mapping in a file: its fields are the keys, all others are refused. A field of type
/// `Option` may be left out.
macro_rules! record {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* $key:literal => $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, schemars::JsonSchema)]
        #[schemars(deny_unknown_fields)]
        pub struct $name { $($(#[$field_meta])* #[schemars(rename = $key)] pub $field: $type,)* }

        impl $crate::yaml::FromNode for $name {
            fn from_node(node: $crate::yaml::Node, problems: &mut $crate::yaml::Problems) -> Option<Self> {
                let mut fields = $crate::yaml::Fields::of(node, problems)?;
                $(let $field = fields.take::<$type>($key, problems);)*
                fields.finish(problems);
                Some(Self { $($field: $field?,)* })
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::yaml::deserialized(from)
            }
        }
    };
}

/// Defines an enum that is one of several keys with a mapping behind it, or, where a variant has no fields, a name. What a
/// variant has behind it is a struct of the same name.
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$variant_meta:meta])* $key:literal => $variant:ident $({
            $($(#[$field_meta:meta])* $field:ident: $type:ty,)*
        })?,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, schemars::JsonSchema, serde::Serialize)]
        pub enum $name {
            $($(#[$variant_meta])* #[serde(rename = $key)] $variant $(
                ($crate::yaml::choice!(@behind $variant $($field)*))
            )?,)*
        }

        $($crate::yaml::choice!(@struct [$(#[$variant_meta])*] $variant $({
            $($(#[$field_meta])* $field: $type,)*
        })?);)*

        impl $name {
            /// The name of the variant in a file.
            #[must_use]
            pub const fn key(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $key,)* }
            }
        }

        impl $crate::yaml::FromNode for $name {
            fn from_node(node: $crate::yaml::Node, problems: &mut $crate::yaml::Problems) -> Option<Self> {
                let known = [$($key),*];
                let position = node.position();
                let (key, value) = match (node.content(), node.only()) {
                    ($crate::yaml::Content::Scalar { text, .. }, _) => (text, None),
                    (_, Some((key, value))) => (key.name, Some(value)),
                    _ => {
                        let message = format!("expected one of `{}`, found {}", known.join("`, `"), node.kind());
                        problems.add(position, message);
                        return None;
                    }
                };
                $(if key == $key {
                    return $crate::yaml::choice!(@variant $variant, value, position, problems $(, { $($field: $type,)* })?);
                })*
                problems.push(
                    $crate::diagnostic::Problem::at(position, format!("unknown name `{key}`"))
                        .with_help($crate::near::known_names(key, known)),
                );
                None
            }
        }
    };
    (@behind $variant:ident $($field:ident)*) => { $variant };
    (@struct [$($meta:tt)*] $variant:ident) => {};
    (@struct [$($meta:tt)*] $variant:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* }) => {
        $($meta)*
        #[derive(Clone, Debug, schemars::JsonSchema, serde::Serialize)]
        #[schemars(inline)]
        pub struct $variant { $($(#[$field_meta])* pub $field: $type,)* }
    };
    (@variant $variant:ident, $value:ident, $position:ident, $problems:ident) => {{
        if let Some(value) = $value {
            $problems.add(value.position(), "this one takes nothing behind it");
        }
        Some(Self::$variant)
    }};
    (@variant $variant:ident, $value:ident, $position:ident, $problems:ident, { $($field:ident: $type:ty,)* }) => {{
        let Some(value) = $value else {
            $problems.add($position, "this one needs a mapping behind it");
            return None;
        };
        let mut fields = $crate::yaml::Fields::of(value, $problems)?;
        $(let $field = fields.take::<$type>(stringify!($field), $problems);)*
        fields.finish($problems);
        Some(Self::$variant($variant { $($field: $field?,)* }))
    }};
}

pub(crate) use {choice, record};
