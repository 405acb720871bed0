// Playlists, clocks and life cycles are part of this module's interface: one import is enough.
@_exported public import Playback
@_exported public import ScrubMedia
