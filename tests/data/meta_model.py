#!/usr/bin/env python3
"""Writes the meta model of the Language Server Protocol that the tests validate messages against.

Reads the package `lsprotocol` (PyPI, MIT license, (c) Microsoft Corporation), which is generated
from the protocol's own meta model:

    pip install lsprotocol==2025.0.0 && python3 tests/data/meta_model.py > tests/data/meta_model.json

A type is the name of a base type, a structure or an enumeration, or an object with one key:
`array`, `map` (key, value), `or`, `tuple` or `literal`.
"""

import collections.abc
import enum
import json
import sys
import typing

import attrs
from lsprotocol import types, validators

BASE = {str: "string", bool: "boolean", float: "decimal", int: "integer", type(None): "null"}


def camel_case(name):
    """Returns the name of a field in the protocol."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


class MetaModel:
    """The structures and enumerations that the described types need."""

    def __init__(self):
        self.structures = {}
        self.enumerations = {}

    def describe_type(self, hint, validator=None):
        """Returns a type of the meta model for a type hint. Adds the structures that it names."""
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if hint in (typing.Any, object):
            return "any"
        if hint is types.LSPObject:
            return {"map": ["string", "any"]}
        if hint is int and validator is validators.uinteger_validator:
            return "uinteger"
        if hint in BASE:
            return BASE[hint]
        if origin is typing.Literal:
            items = [{"literal": value} for value in arguments]
            return items[0] if len(items) == 1 else {"or": items}
        if origin is typing.Union:
            if typing.Any in arguments or object in arguments:
                return "any"
            return {"or": [self.describe_type(argument, validator) for argument in arguments]}
        if origin in (collections.abc.Sequence, list):
            return {"array": self.describe_type(arguments[0])}
        if origin is tuple:
            return {"tuple": [self.describe_type(argument) for argument in arguments]}
        if origin in (collections.abc.Mapping, dict):
            return {"map": [self.describe_type(argument) for argument in arguments]}
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            self.enumerations[hint.__name__] = [member.value for member in hint]
            return hint.__name__
        if attrs.has(hint):
            self.add_structure(hint)
            return hint.__name__
        raise TypeError(f"no type for {hint!r}")

    def add_structure(self, cls):
        """Adds a structure and the types of its properties."""
        if cls.__name__ in self.structures:
            return
        properties = self.structures[cls.__name__] = {}
        hints = typing.get_type_hints(cls, vars(types))
        for field in attrs.fields(cls):
            hint, validator = hints[field.name], field.validator
            # `optional(validator)` wraps the validator that distinguishes numbers.
            validator = getattr(validator, "validator", validator)
            values = getattr(validator, "options", None)
            if hint is str and values:
                hint = typing.Literal[tuple(values)]
            optional = field.default is None
            nullable = types.is_special_property(cls, field.name)
            if optional and not nullable:
                arguments = [argument for argument in typing.get_args(hint) if argument is not type(None)]
                if typing.get_origin(hint) is typing.Union and arguments:
                    hint = typing.Union[tuple(arguments)]
            entry = {"type": self.describe_type(hint, validator)}
            if optional and not nullable:
                entry["optional"] = True
            properties[camel_case(field.name)] = entry


def main():
    model, requests, notifications = MetaModel(), {}, {}
    for method, (message, response, _, registration) in sorted(types.METHOD_TO_TYPES.items()):
        hints = typing.get_type_hints(message, vars(types))
        entry = {"direction": types.message_direction(method)}
        if "params" in hints and hints["params"] is not type(None):
            entry["params"] = model.describe_type(hints["params"])
        if registration:
            entry["registration"] = model.describe_type(registration)
        if response:
            result = typing.get_type_hints(response, vars(types)).get("result", type(None))
            entry["result"] = model.describe_type(result)
            requests[method] = entry
        else:
            notifications[method] = entry
    for payload in (types.WorkDoneProgressBegin, types.WorkDoneProgressReport, types.WorkDoneProgressEnd):
        model.add_structure(payload)
    model_file = {
        "source": "lsprotocol 2025.0.0, MIT license, (c) Microsoft Corporation; written by tests/data/meta_model.py",
        "version": "3.18",
        "requests": requests,
        "notifications": notifications,
        "structures": dict(sorted(model.structures.items())),
        "enumerations": dict(sorted(model.enumerations.items())),
    }
    # One entry per line keeps the file small and its diffs readable.
    lines = []
    for key, value in model_file.items():
        if isinstance(value, dict):
            entries = (
                f"  {json.dumps(name)}: {json.dumps(entry, separators=(',', ':'))}" for name, entry in value.items()
            )
            lines.append(f"{json.dumps(key)}: {{\n" + ",\n".join(entries) + "\n}")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")


main()
