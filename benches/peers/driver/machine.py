"""What the machine is, as far as it bears on the times."""

from __future__ import annotations

import os
import platform
from pathlib import Path

VECTORS = ("sse4_2", "avx2", "avx512f", "avx512vl", "avx512_vbmi2", "asimd", "sve")
"""The instruction sets that are told of."""


def describe() -> dict[str, str]:
    """Properties of the machine by name, without dates and names of hosts."""
    info = _table("/proc/cpuinfo")
    flags = set((info.get("flags") or info.get("Features") or "").split())
    return {
        "processor": info.get("model name") or platform.machine(),
        "vector instructions": ", ".join(name for name in VECTORS if name in flags) or "unknown",
        "cores": str(os.cpu_count()),
        "virtual": "yes" if "hypervisor" in flags else "no",
        "caches": _caches(),
        "memory": _memory(),
        "large pages": _text("/sys/kernel/mm/transparent_hugepage/enabled") or "unknown",
        "system": f"{platform.system()} {platform.machine()}, {' '.join(platform.libc_ver())}",
    }


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def _table(path: str) -> dict[str, str]:
    """The first value of each name in lines of the form `name: value`."""
    found: dict[str, str] = {}
    for line in _text(path).splitlines():
        name, _, value = line.partition(":")
        found.setdefault(name.strip(), value.strip())
    return found


def _memory() -> str:
    kilobytes = _table("/proc/meminfo").get("MemTotal", "").removesuffix(" kB")
    return f"{int(kilobytes) / (1 << 20):.0f} GiB" if kilobytes else "unknown"


def _caches() -> str:
    folders = sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"))
    kinds = {"Data": "L{}d", "Instruction": "L{}i"}
    found = [
        f"{kinds.get(_text(folder / 'type'), 'L{}').format(_text(folder / 'level'))} {_text(folder / 'size')}"
        for folder in folders
    ]
    return ", ".join(found) or "unknown"
