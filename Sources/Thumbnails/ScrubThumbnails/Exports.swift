// Thumbnails are made of videos, kept in sets and chosen by scores: one import is enough.
@_exported public import ScrubThumbnailsLogic
@_exported public import ScrubMedia
@_exported public import ScrubStoryboards
