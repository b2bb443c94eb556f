"""Fields: the values of a template on a page, as Python values."""

from __future__ import annotations

import dataclasses
import decimal
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

CODE = re.compile(r"(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])")
# Signs of one currency. "$", "\u00a5", "kr" and "Rs" have several.
SIGNS = {"\u20ac": "EUR", "\u00a3": "GBP", "\u20b9": "INR", "\u20bd": "RUB",
         "\u20a9": "KRW", "\u20ba": "TRY", "\u20ab": "VND", "\u20aa": "ILS",
         "\u20b4": "UAH", "\u0e3f": "THB", "z\u0142": "PLN", "K\u010d": "CZK"}
SHARED_SIGNS = ("$", "\u00a5", "kr")
RUPEES = re.compile(r"(?<![A-Za-z])Rs(?![A-Za-z])")  # of several countries


@dataclasses.dataclass(frozen=True)
class Amount:
    """A number or a price."""

    text: str  # as the page shows it, or transformed
    #: None: the text has several numbers or none, or it is unclear whether a
    #: point or a comma begins the decimals
    amount: decimal.Decimal | None
    #: ISO 4217 code, or the sign if several currencies have it ("$", "kr");
    #: None: a number, or an unknown currency
    currency: str | None = None

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(frozen=True)
class Date:
    """A date."""

    text: str  # as the page shows it, or transformed
    #: ISO 8601; None: there is no date, or it is unclear which number is the
    #: month
    iso: str | None

    def __str__(self) -> str:
        return self.text


Value: TypeAlias = str | Amount | Date
#: A comment, a row and so on: {name: value, list of values, or list of records}
Record: TypeAlias = dict[str, Any]


class Fields(dict[str, Value | list[Value] | list[Record]]):
    """The fields of a page that have values: {name: value}.

    A field with several values has a list. A value is a str, an Amount
    (numbers and prices) or a Date. Records, such as comments, are a list of
    dictionaries: {"comments": [{"author": ..., "text": ...}, ...]}; a name
    that a record lacks has no value.
    """

    #: "HOST/N"; None: the page has no template
    template: str | None
    #: {name: value} of fields of which two places of the page have different
    #: values, or whose transform cannot read a value: then the value is
    #: missing, and an empty list if there is no other; they are not among the
    #: others
    unsure: dict[str, Value | list[Value] | list[Record]]

    def __init__(self, template: str | None = None) -> None:
        super().__init__()
        self.template = template
        self.unsure = {}


def currency_of(text: str) -> str | None:
    """Return the currency of a price: see Amount."""
    code = CODE.search(text)
    if code is not None:
        return code.group()
    for sign, name in SIGNS.items():
        if sign in text:
            return name
    for sign in SHARED_SIGNS:
        if sign in text.lower():
            return sign
    return "Rs" if RUPEES.search(text) else None


def read_amount(text: str, is_price: bool,
                read_number: Callable[[str, bool], str | None]) -> Amount:
    """Read a number or a price: "1.234,50 \u20ac" is 1234.50 EUR."""
    number = read_number(text, is_price)
    return Amount(text, None if number is None else decimal.Decimal(number),
                  currency_of(text) if is_price else None)


def of_record(record: Mapping[str, Any], types: Mapping[str, tuple[str, str]],
              template: str | None,
              read_number: Callable[[str, bool], str | None],
              read_date: Callable[[str], str | None]) -> Fields:
    """Read a record of the daemon; `types`: (type, transform) of the fields."""
    kinds = {name: kind for name, (kind, _) in types.items()}

    def shown(kind: str, text: str) -> Value:
        return read_value(kind, "none", text, read_number, read_date)

    def value(name: str, given: Any) -> Any:
        if isinstance(given, list):
            return [value(name, one) for one in given]
        if isinstance(given, dict):
            return read_record(given, name, kinds, shown)
        kind, transform = types.get(name, ("text", "none"))
        return (read_value(kind, transform, given, read_number, read_date)
                if isinstance(given, str) else given)

    fields = Fields(template)
    unsure = record.get("_unsure", ())
    for name, given in record.items():
        if not name.startswith("_"):  # no field has such a name
            is_unsure = any(one == name or one.startswith(name + ".")
                            for one in unsure)
            into = fields.unsure if is_unsure else fields
            into[name] = value(name, given)
    return fields


def read_value(kind: str, transform: str, text: str,
               read_number: Callable[[str, bool], str | None],
               read_date: Callable[[str], str | None]) -> Value:
    """Return a value of a field of this type.

    The values of the transforms number and date are those of the type.
    """
    if transform == "number":
        return Amount(text, decimal.Decimal(text))
    if transform == "date":
        return Date(text, text)
    if kind in ("number", "price"):
        return read_amount(text, kind == "price", read_number)
    return Date(text, read_date(text)) if kind == "date" else text


def read_record(record: Record, prefix: str, kinds: dict[str, str],
                read: Callable[[str, str], Value]) -> Record:
    """Return a record with typed values; `kinds` has the types of its fields,
    by full name, such as "comments.author"; `read` reads a value of a type."""
    typed: Record = {}
    for name, value in record.items():
        full = f"{prefix}.{name}"
        kind = kinds.get(full, "text")
        if kind == "records":
            typed[name] = [read_record(one, full, kinds, read)
                           for one in value]
        elif isinstance(value, list):
            typed[name] = [read(kind, one) for one in value]
        else:
            typed[name] = read(kind, value)
    return typed
