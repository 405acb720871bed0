"""Positions in the program's syntax (`scrub help positions`)."""

from __future__ import annotations

import math
import operator
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, Optional, SupportsFloat, SupportsIndex, Union

import numpy

from ._errors import OutOfRangeError, UsageError

Position = Union[SupportsIndex, str]
"""A frame number (negative ones count from the end), or a string such as `"42%"`, `"12.5s"`, `"1:02.5"` or `"last"`."""

Seconds = Union[SupportsFloat, Fraction, Decimal, str]
"""A time in seconds: a number of any type, a tensor or an array with one number, or a string."""

_DECIMALS = 18
# The largest numerator and denominator that the program accepts.
_MOST = (1 << 62) - 1


def position_text(position: Position, count: int) -> str:
    """Returns a position in the program's syntax.

    Raises OutOfRangeError if there is no frame with this number, or UsageError if a string is not a single word.
    """
    if isinstance(position, str):
        text = position.strip()
        # In the protocol, spaces separate words, line feeds separate lines, and an offset follows an at sign.
        if not text or len(text) > 200 or any(c.isspace() or c == "@" or c == "\0" for c in text):
            raise UsageError(f"{position!r} is not a position", advice='use 5, "42%", "12.5s", "1:02.5" or "last"')
        return text
    return f"f{frame_number(position, count)}"


def frame_number(number: Any, count: int) -> int:
    """Returns a frame number, counted from 0. If `number` is negative, it counts from the end."""
    try:
        if isinstance(number, (bool, numpy.bool_)):
            raise TypeError
        wanted = operator.index(number)
    except TypeError:
        raise TypeError(
            f"{number!r} is not a frame number: use an integer; for a time, use at() or a string such as '2.933s'"
        ) from None
    if count == 0:
        raise OutOfRangeError(f"there is no frame {wanted}: the video has no frames")
    if not -count <= wanted < count:
        raise OutOfRangeError(f"there is no frame {wanted} (use 0 to {count - 1}, or -1 to {-count} from the end)")
    return wanted + count if wanted < 0 else wanted


def time_text(seconds: Seconds, start: Fraction = Fraction(0)) -> str:
    """Returns a time as a position in the program's syntax.

    A number is sent unchanged, and the program finds the frame that the number was computed for. To find it, the
    program considers the nearest unit of the time base and the rounding of the number's type. If the number may be a
    printed value, the program also considers all times that print as this value, with a precision of a millisecond or
    better. Strings and `Decimal` values are read as printed values. A fraction is an exact instant.

    start: the time of the first frame, from which the program counts.
    """
    if isinstance(seconds, str):
        return position_text(seconds, 0)
    if isinstance(seconds, (bool, numpy.bool_)):
        raise TypeError(f"{seconds!r} is not a time")
    if isinstance(seconds, Decimal):
        if not seconds.is_finite():
            raise UsageError(f"{seconds} is not a time", advice="use a finite number of seconds")
        places = -int(seconds.as_tuple().exponent)
        if places > _DECIMALS:
            return _instant(Fraction(seconds) - start)
        if start == 0:
            return f"{seconds:f}s"
        return _number(Fraction(seconds) - start, Fraction(0), max(3, places))
    if isinstance(seconds, Rational) and not isinstance(seconds, (int, numpy.integer)):
        return _instant(Fraction(seconds) - start)
    value, spacing, decimals = _computed(seconds)
    return _number(value - start, spacing, decimals)


def exact_seconds(seconds: Seconds) -> Optional[Fraction]:
    """Returns a time as an exact number of seconds, or None for a string."""
    if isinstance(seconds, str):
        return None
    if isinstance(seconds, (Decimal, Rational)):
        return Fraction(seconds)
    return _computed(seconds)[0]


def number_spacing(seconds: Seconds) -> Fraction:
    """Returns the distance to the next representable number, or 0 if the number is more precise than a `float32`."""
    return Fraction(0) if isinstance(seconds, (str, Decimal, Fraction)) else _computed(seconds)[1]


def _computed(seconds: Any) -> tuple[Fraction, Fraction, Optional[int]]:
    """Returns a number's value, its `number_spacing`, and its number of decimals. The number of decimals is None if
    the number cannot be a printed value.
    """
    if not isinstance(seconds, (numpy.floating, float)) and hasattr(seconds, "item"):
        # A tensor or an array with one number.
        seconds = seconds.item()
    if isinstance(seconds, (int, numpy.integer)) and not isinstance(seconds, (bool, numpy.bool_)):
        return Fraction(int(seconds)), Fraction(0), 3
    if isinstance(seconds, (bool, str)) or not hasattr(seconds, "__float__"):
        raise TypeError(f"{seconds!r} is not a time: use seconds as a number, a Fraction, a Decimal or a string")
    value = float(seconds)
    if not math.isfinite(value):
        raise UsageError(f"{value} is not a time", advice="use a finite number of seconds")
    written, spacing = _written(repr(value), 15), Fraction(0)
    narrow: Any = seconds if isinstance(seconds, numpy.floating) and seconds.dtype.itemsize < 8 else None
    if narrow is None and (written is None or written[1] > 3) and abs(value) < 3e38 and float(numpy.float32(value)) == value:
        # A float32 that was converted to a Python number.
        narrow = numpy.float32(value)
    if narrow is not None:
        spacing = abs(Fraction(float(numpy.spacing(narrow))))
        written = _written(str(narrow), 6 if narrow.dtype.itemsize == 4 else 3) or written
    return (Fraction(value), spacing, None) if written is None else (written[0], spacing, max(3, written[1]))


def _written(text: str, digits: int) -> Optional[tuple[Fraction, int]]:
    """Returns a number's value and its number of decimals, or None if it has too many digits for a printed value."""
    # Small numbers are printed as "2.9e-08".
    mantissa, _, exponent = text.lstrip("-").partition("e")
    whole, _, rest = mantissa.partition(".")
    rest = rest.rstrip("0")
    power = int(exponent or 0)
    if power > 0 or len(rest) - power > _DECIMALS or len(whole.lstrip("0")) + len(rest) > digits:
        return None
    return Fraction(text), len(rest) - power


def _number(value: Fraction, spacing: Fraction, places: Optional[int]) -> str:
    text = f"~{_ratio(value)}"
    if spacing or places is not None:
        text += f"~{_ratio(spacing)}"
    return f"{text}s" if places is None else f"{text}~{places}s"


def _ratio(value: Fraction) -> str:
    if abs(value.numerator) > _MOST or value.denominator > _MOST:
        # The scale is far finer than any time base, and the limit is far beyond the end of any film.
        scale = 1 << max(0, 61 - max(1, abs(int(value)).bit_length()))
        value = Fraction(max(-_MOST, min(_MOST, round(value * scale))), scale)
    return f"{value.numerator}/{value.denominator}"


def _instant(seconds: Fraction) -> str:
    # Truncated and written with all decimals, so that the text means the frame that is on screen at this instant or
    # starts at it.
    if abs(seconds) >= 10**17:
        return "-99999999999999999s" if seconds < 0 else "99999999999999999s"
    number = seconds.numerator * 10**_DECIMALS // seconds.denominator
    digits = str(abs(number)).rjust(_DECIMALS + 1, "0")
    return f"{'-' if number < 0 else ''}{digits[:-_DECIMALS]}.{digits[-_DECIMALS:]}s"
