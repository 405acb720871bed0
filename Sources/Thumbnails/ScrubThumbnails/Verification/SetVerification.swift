extension ThumbnailSets {
    /// The result of verifying thumbnail sets.
    public struct Verification: Sendable {
        /// A fault in a set.
        public struct Problem: Hashable, Sendable {
            /// The file, relative to the folder.
            public let file: String
            /// The fault and its location.
            public let reason: String
        }

        /// A thumbnail set that was found.
        public struct Entry: Hashable, Sendable {
            /// The set's index file, relative to the folder.
            public let file: String
            /// The format's name: `manifest`, `webvtt`, `json-images`, `json-storyboard`, `bif`, `hls-images`,
            /// `hls-master`, `hls-iframes`, `hls-mjpg`, `dash-tiles`, `dash-trickmode`, `jellyfin`, `contact`, `page`,
            /// `preview`, `posters`, `freedesktop`.
            public let format: String
            /// The number of thumbnails.
            public let thumbnailCount: Int
            /// The number of thumbnails that were compared with the video.
            public let comparedCount: Int
            /// A note about checks that were made, or that were not possible, in addition to comparing pictures with
            /// their times.
            public let note: String?
        }

        /// The sets.
        public internal(set) var sets: [Entry] = []
        /// The faults; empty if there are none.
        public internal(set) var problems: [Problem] = []

        /// Whether at least one set was found and none has a fault.
        public var isSound: Bool { problems.isEmpty && !sets.isEmpty }
    }
}
