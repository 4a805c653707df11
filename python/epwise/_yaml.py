"""Plain trees -> YAML that Python's loaders read back as the same tree, a value a line."""

from __future__ import annotations

import json
import math
import re
from typing import Any

PLAIN_TEXT = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
FLAG = re.compile(r"--?[A-Za-z][A-Za-z0-9-]*")
UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
RESERVED = {"y", "n", "yes", "no", "true", "false", "on", "off", "null", "none"}


def _text(value: str) -> str:
    plain = PLAIN_TEXT.fullmatch(value) or FLAG.fullmatch(value)
    if plain and value.lower() not in RESERVED and not value.endswith("-"):
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(float(value))
    if "e" in text and "." not in text:  # 1e-05 would be a text
        text = text.replace("e", ".0e")
    return re.sub(r"e(\d)", r"e+\1", text)


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return _float(value)
    return _text(str(value))


def _lines(value: Any, indent: str) -> list[str]:
    lines = []
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        lead = f"{indent}{_scalar(key)}:" if isinstance(value, dict) else f"{indent}-"
        if isinstance(item, (dict, list)) and item:
            below = _lines(item, indent + "  ")
            if isinstance(value, dict):
                lines += [lead, *below]
            else:
                lines += [f"{lead} {below[0][len(indent) + 2:]}", *below[1:]]
        else:
            empty = "{}" if isinstance(item, dict) else "[]"
            lines.append(f"{lead} {empty if isinstance(item, (dict, list)) else _scalar(item)}")
    return lines


def yaml_of(tree: dict[Any, Any]) -> str:
    return "\n".join(_lines(tree, "")) + "\n"
