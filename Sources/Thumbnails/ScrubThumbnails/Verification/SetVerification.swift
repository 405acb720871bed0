extension ThumbnailSets {
    /// The outcome of proving thumbnail sets.
    public struct Verification: Sendable {
        /// A fault.
        public struct Problem: Hashable, Sendable {
            /// The file, relative to the folder.
            public let file: String
            /// The fault, and its place.
            public let reason: String
        }

        /// A set that was found.
        public struct Entry: Hashable, Sendable {
            /// Its index file, relative to the folder.
            public let file: String
            /// The format's name: `manifest`, `webvtt`, `json-images`, `json-storyboard`, `bif`, `hls-images`,
            /// `hls-master`, `hls-iframes`, `hls-mjpg`, `dash-tiles`, `dash-trickmode`, `jellyfin`, `contact`, `page`,
            /// `preview`, `posters`, `freedesktop`.
            public let format: String
            /// The number of its thumbnails.
            public let thumbnailCount: Int
            /// The number of them that were compared with the video.
            public let comparedCount: Int
            /// The further proofs, beyond its pictures being those of their times, or the missing ones; a sentence.
            public let note: String?
        }

        /// The sets.
        public internal(set) var sets: [Entry] = []
        /// The faults; empty if all is well.
        public internal(set) var problems: [Problem] = []

        /// Whether there was a set, and nothing was wrong.
        public var isSound: Bool { problems.isEmpty && !sets.isEmpty }
    }
}
