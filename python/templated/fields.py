"""Fields: the values of a template on a page, as Python values."""

from __future__ import annotations

import dataclasses
import decimal
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

NUMBER = re.compile(r"[0-9]+(?:[.,'\u2019\u00a0\u202f ][0-9]+)*")
GROUPS = re.compile(r"[0-9]{1,3}(?:[^0-9][0-9]{3})+")
MINUS = re.compile(r"(?<!\w)[-\u2212][^\w\s]?$")
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

    text: str  # as the page shows it
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

    text: str  # as the page shows it
    #: ISO 8601; None: there is no date, or it is unclear which number is the
    #: month
    iso: str | None

    def __str__(self) -> str:
        return self.text


Value: TypeAlias = str | Amount | Date


class Fields(dict[str, Value | list[Value]]):
    """The fields of a page that have values: {name: value}.

    A field with several values has a list. A value is a str, an Amount
    (numbers and prices) or a Date.
    """

    #: "HOST/N"; None: the page has no template
    template: str | None
    #: {name: value} of fields of which two places of the page have different
    #: values; they are not among the others
    unsure: dict[str, Value | list[Value]]

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


def _decimals(number: str, is_price: bool) -> str | None:
    """Return the number with a decimal point and without groups, or None."""
    separators = [c for c in number if not c.isdecimal()]
    if not separators:
        return number
    last = separators[-1]
    whole, _, rest = number.rpartition(last)
    is_single = len(separators) == 1
    if last in ".," and not (is_single and len(rest) == 3) and (
            is_single or (last not in separators[:-1]
                          and len(set(separators[:-1])) == 1
                          and GROUPS.fullmatch(whole))):
        return "".join(c for c in whole if c.isdecimal()) + "." + rest
    if len(set(separators)) > 1 or not GROUPS.fullmatch(number):
        return None
    if is_single and last in ".," and (number[0] == "0" or not is_price):
        return None  # 1.234 may be 1234, or 1 and 234 thousandths
    return "".join(c for c in number if c.isdecimal())


def read_amount(text: str, is_price: bool) -> Amount:
    """Read a number or a price: "1.234,50 \u20ac" is 1234.50 EUR."""
    currency = currency_of(text) if is_price else None
    numbers = list(NUMBER.finditer(text))
    if len(numbers) != 1:
        return Amount(text, None, currency)
    number, = numbers
    digits = _decimals(number.group(), is_price)
    if digits is None:
        return Amount(text, None, currency)
    sign = "-" if MINUS.search(text, 0, number.start()) else ""
    return Amount(text, decimal.Decimal(sign + digits), currency)


def of_record(record: Mapping[str, Any], types: Mapping[str, str],
              template: str | None,
              read_date: Callable[[str], str | None]) -> Fields:
    """Read a record of the daemon; `types` are those of the fields."""
    def value(kind: str, given: Any) -> Any:
        if isinstance(given, list):
            return [value(kind, one) for one in given]
        return (read_value(kind, given, read_date) if isinstance(given, str)
                else given)

    fields = Fields(template)
    unsure = record.get("_unsure", ())
    for name, given in record.items():
        if not name.startswith("_"):  # no field has such a name
            into = fields.unsure if name in unsure else fields
            into[name] = value(types.get(name, "text"), given)
    return fields


def read_value(kind: str, text: str,
               read_date: Callable[[str], str | None]) -> Value:
    """Return a value of a field of this type."""
    if kind in ("number", "price"):
        return read_amount(text, kind == "price")
    return Date(text, read_date(text)) if kind == "date" else text
