// `Rational`, `FramePosition`, `Verdict` and `ScrubError` are part of this module's interface: one import is enough.
@_exported public import ScrubBase
// So are the gesture, the transport and the script: an application that draws its own view needs nothing else.
@_exported public import ScrubMediaLogic
