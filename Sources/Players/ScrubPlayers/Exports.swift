// Playlists, clocks and life cycles are part of this module's interface, and videos are what it plays, so that one
// import is enough.
@_exported public import Scrub
@_exported public import ScrubPlayersLogic
