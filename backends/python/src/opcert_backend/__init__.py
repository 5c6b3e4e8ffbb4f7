"""The other end of opcert's protocol, for backends that are written in Python.

An adapter says who it is, compiles descriptors, and serves::

    import numpy as np
    from opcert_backend import Backend, Descriptor, Run, Unsupported, serve

    backend = Backend("mine", version=np.__version__, claims={"directml/argmax": "6_4"})

    @backend.operator("directml/argmax")
    def argmax(descriptor: Descriptor) -> Run:
        axes = descriptor.integers("Axes")
        if len(axes) != 1:
            raise Unsupported("one axis only")
        ...
        return lambda inputs: ...

    if __name__ == "__main__":
        serve(backend)

What an operator returns is sent as it is: an array of another type or shape than the descriptor says is a fault, which
says what came instead, and nothing is converted on the way.
"""

from .backend import Backend, Compile, InPlace, Run
from .descriptor import Descriptor, Scalar, TensorDescriptor
from .errors import ProtocolError, Rejected, Unsupported
from .layout import AxesAsOne, exactly_as, padded_rows
from .server import PROTOCOL_VERSION, serve
from .tensor import DTYPES, Array, Tensors

__all__ = [
    "DTYPES",
    "PROTOCOL_VERSION",
    "Array",
    "AxesAsOne",
    "Backend",
    "Compile",
    "Descriptor",
    "InPlace",
    "ProtocolError",
    "Rejected",
    "Run",
    "Scalar",
    "TensorDescriptor",
    "Tensors",
    "Unsupported",
    "exactly_as",
    "padded_rows",
    "serve",
]
