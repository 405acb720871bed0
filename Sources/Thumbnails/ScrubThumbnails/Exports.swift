// Thumbnails are made from videos, stored in sets and chosen by scores, so that one import is enough.
@_exported public import ScrubThumbnailsLogic
@_exported public import Scrub
@_exported public import ScrubStoryboards
