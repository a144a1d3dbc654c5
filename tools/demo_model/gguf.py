"""Writes GGUF version 3: typed metadata, then the tensors, each aligned to 32 bytes."""

import enum
import pathlib
import struct
from typing import Any

import numpy as np

ALIGNMENT = 32


class Type(enum.IntEnum):
    """Types of metadata values."""
    U32 = 4
    I32 = 5
    F32 = 6
    BOOL = 7
    STRING = 8
    ARRAY = 9  # its value is (element type, list)


class TensorType(enum.IntEnum):
    F32 = 0
    F16 = 1
    BF16 = 30


_NUMBERS = {Type.U32: "<I", Type.I32: "<i", Type.F32: "<f", Type.BOOL: "<B"}


class Writer:

    def __init__(self):
        self._metadata: list[bytes] = []
        self._tensor_info: list[bytes] = []
        self._data: list[bytes] = []
        self._size = 0

    def add(self, key: str, kind: Type, value: Any) -> None:
        self._metadata.append(_string(key) + struct.pack("<I", kind) + _value(kind, value))

    def add_tensor(self, name: str, kind: TensorType, tensor: np.ndarray) -> None:
        """tensor: row-major, its elements in the file's bytes already. GGUF lists the innermost
        dimension first."""
        self._append(b"\0" * (-self._size % ALIGNMENT))
        dimensions = b"".join(struct.pack("<Q", n) for n in reversed(tensor.shape))
        place = struct.pack("<IQ", kind, self._size)
        self._tensor_info.append(_string(name) + struct.pack("<I", tensor.ndim) + dimensions + place)
        self._append(tensor.tobytes())

    def write(self, path: pathlib.Path) -> None:
        header = b"GGUF" + struct.pack("<IQQ", 3, len(self._tensor_info), len(self._metadata))
        header += b"".join(self._metadata) + b"".join(self._tensor_info)
        header += b"\0" * (-len(header) % ALIGNMENT)
        path.write_bytes(header + b"".join(self._data))

    def _append(self, data: bytes) -> None:
        self._data.append(data)
        self._size += len(data)


def _string(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _value(kind: Type, value: Any) -> bytes:
    if kind == Type.STRING:
        return _string(value)
    if kind == Type.ARRAY:
        element, items = value
        return struct.pack("<IQ", element, len(items)) + b"".join(_value(element, i) for i in items)
    return struct.pack(_NUMBERS[kind], value)
