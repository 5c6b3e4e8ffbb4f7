"""What an adapter raises to give an answer, and what ends the conversation."""

from __future__ import annotations


class Unsupported(Exception):
    """The descriptor is valid as far as the backend knows, and the runtime cannot do it.

    The message says what is missing, in the runtime's own words where it has any.
    """


class Rejected(Exception):
    """The descriptor is invalid.

    `requirement` is the id of the requirement that it breaks, where the backend can name it:
    `directml/one_hot/axis-in-range`. The message gives the values that break it.
    """

    def __init__(self, reason: str, requirement: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.requirement = requirement


class OtherSizes(Exception):
    """An output came out in other sizes than the descriptor says."""

    def __init__(self, tensor: str, sizes: tuple[int, ...]) -> None:
        super().__init__(f"`{tensor}` comes out with the sizes {list(sizes)}")
        self.tensor = tensor
        self.sizes = sizes


class ProtocolError(Exception):
    """What came in is no message of this version of the protocol. There is no way to go on from there."""
