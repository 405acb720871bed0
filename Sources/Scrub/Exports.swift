// `Rational`, `Position`, `Verdict` and `ScrubError` are part of this module's interface: one import is enough.
@_exported public import ScrubBase
