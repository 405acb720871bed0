// Sheets are in `ImageFormat`s, and times are `Rational`s: they are part of this module's interface.
@_exported public import ScrubBase
