// Sheets are in `ImageFormat`s, and times are `Rational`s: both are part of this module's interface.
@_exported public import ScrubBase
