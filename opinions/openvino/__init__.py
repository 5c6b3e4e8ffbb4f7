"""What OpenVINO's operations share: the names of the element types."""

from __future__ import annotations

from opinions.elements import element_types
from opinions.opinion import Family

TYPES = element_types("f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8 boolean",
                      {"f": "f", "bf": "bf", "i": "i", "u": "u", "boolean": "boolean"})

FAMILY = Family(TYPES, ["1"], lambda t: {})
