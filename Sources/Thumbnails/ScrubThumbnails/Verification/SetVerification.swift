extension ThumbnailSets {
    /// What came of proving thumbnail sets.
    public struct Verification: Sendable {
        /// Something that is wrong.
        public struct Problem: Hashable, Sendable {
            /// The file, relative to the folder.
            public let file: String
            /// What is wrong with it, and where.
            public let reason: String
        }

        /// A set that was found.
        public struct Entry: Hashable, Sendable {
            /// Its index file, relative to the folder.
            public let file: String
            /// The format's name: `manifest`, `webvtt`, `json-images`, `json-storyboard`, `bif`, `hls-images`,
            /// `hls-master`, `hls-iframes`, `dash-tiles`, `dash-trickmode`, `jellyfin`, `contact`, `page`, `preview`,
            /// `posters`, `freedesktop`.
            public let format: String
            /// How many thumbnails it has.
            public let thumbnailCount: Int
            /// How many of them were compared with the video.
            public let comparedCount: Int
            /// What was proved of it beyond its pictures being those of their times, or less than that; a sentence.
            public let note: String?
        }

        /// The sets.
        public internal(set) var sets: [Entry] = []
        /// What is wrong; empty when all is well.
        public internal(set) var problems: [Problem] = []

        /// Whether there was a set, and nothing was wrong.
        public var isSound: Bool { problems.isEmpty && !sets.isEmpty }
    }
}
