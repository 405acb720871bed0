// `Rational`, `FramePosition`, `Verdict` and `ScrubError` are part of this module's interface, so that one import is
// enough.
@_exported public import ScrubBase
// The same applies to the gesture, the transport and the script, for applications that draw their own views.
@_exported public import ScrubMediaLogic
