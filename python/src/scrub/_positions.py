"""Positions as the program reads them (`scrub help positions`)."""

from __future__ import annotations

import operator
from decimal import Decimal
from fractions import Fraction
from typing import Any, SupportsFloat, SupportsIndex, Union

import numpy

from ._errors import OutOfRangeError, UsageError

Position = Union[SupportsIndex, str]
"""A frame's number, negative from the end, or a text such as `"42%"`, `"12.5s"`, `"1:02.5"`, `"last"`."""

Seconds = Union[int, float, "numpy.floating[Any]", Fraction, Decimal, str]
"""A time after the first frame."""

_DECIMALS = 18
# How many digits of a binary number are the same in every decimal number that becomes it.
_SURE_DIGITS = {2: 3, 4: 6, 8: 15}


def position_text(position: Position, count: int) -> str:
    """Returns a position's text.

    Raises OutOfRangeError for a number that is not a frame's, UsageError for a text that is not one word.
    """
    if isinstance(position, str):
        text = position.strip()
        # The protocol divides words at spaces, lines at line feeds, and what follows a commercial at is a place.
        if not text or len(text) > 200 or any(c.isspace() or c == "@" or c == "\0" for c in text):
            raise UsageError(f"{position!r} is not a position", advice='write 5, "42%", "12.5s", "1:02.5" or "last"')
        return text
    return f"f{frame_number(position, count)}"


def frame_number(number: Any, count: int) -> int:
    """Returns a frame's number from 0; negative numbers count from the end."""
    try:
        if isinstance(number, (bool, numpy.bool_)):
            raise TypeError
        wanted = operator.index(number)
    except TypeError:
        raise TypeError(
            f"{number!r} is not a frame's number: numbers are integers, and times are for at(), or texts such as '2.933s'"
        ) from None
    if count == 0:
        raise OutOfRangeError(f"there is no frame {wanted}: there are none")
    if not -count <= wanted < count:
        raise OutOfRangeError(f"there is no frame {wanted} (frames are 0 to {count - 1}, and -1 to {-count} from the end)")
    return wanted + count if wanted < 0 else wanted


def time_text(seconds: Seconds) -> str:
    """Returns the position of a time after the first frame.

    A binary number stands for its shortest text, with as many digits as it surely has: the time that a frame has as a
    `float` names that frame. A text with three decimals or more, and so such a number, stands for all times that are
    written so; a fraction is that very instant.
    """
    if isinstance(seconds, str):
        return position_text(seconds, 0)
    if isinstance(seconds, Fraction):
        return _instant(seconds)
    if isinstance(seconds, (bool, numpy.bool_)):
        raise TypeError(f"{seconds!r} is not a time")
    if isinstance(seconds, Decimal):
        if not seconds.is_finite():
            raise UsageError(f"{seconds} is not a time", advice="give a finite number of seconds")
        if -int(seconds.as_tuple().exponent) > _DECIMALS:
            return _instant(Fraction(seconds))
        return f"{seconds:f}s"
    if isinstance(seconds, (int, numpy.integer)):
        return f"{int(seconds)}s"
    if isinstance(seconds, (float, numpy.floating)):
        return f"{_decimals(seconds)}s"
    raise TypeError(f"{seconds!r} is not a time: give seconds as a number, a Fraction, a Decimal or a text")


def shifted(seconds: Seconds, start: Fraction) -> str:
    """Returns the position of a time of the container's, whose first frame is at `start`."""
    text = time_text(seconds)
    if isinstance(seconds, str) or start == 0:
        return text
    digits = text[:-1]
    places = max(3, len(digits.partition(".")[2]))
    scaled = (Fraction(digits) - start) * 10**places
    return f"{_scaled(scaled.numerator // scaled.denominator, places)}s"


def _decimals(number: SupportsFloat) -> str:
    value = float(number)
    if not numpy.isfinite(value):
        raise UsageError(f"{value} is not a time", advice="give a finite number of seconds")
    width = number.dtype.itemsize if isinstance(number, numpy.floating) else 8
    digits = _SURE_DIGITS.get(width, 15)
    shortest = Decimal(str(number.item() if width >= 8 else number) if isinstance(number, numpy.floating) else repr(value))
    text = f"{shortest:f}"
    if len(shortest.as_tuple().digits) > digits:
        text = f"{Decimal(f'%.{digits - 1}e' % value):f}"
    whole, _, fraction = text.partition(".")
    # 18 decimals are the most that the program reads; a time so small is 0.
    return f"{whole}.{fraction[:_DECIMALS]}" if fraction else whole


def _instant(seconds: Fraction) -> str:
    # Cut off, and written with all decimals: so it is the frame that begins then, or the one on screen.
    return f"{_scaled(seconds.numerator * 10**_DECIMALS // seconds.denominator, _DECIMALS)}s"


def _scaled(number: int, places: int) -> str:
    sign, digits = "-" if number < 0 else "", str(abs(number)).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"
