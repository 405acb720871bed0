extension VideoScene {
    /// Options for finding the scenes of a video.
    public struct Options: Hashable, Sendable {
        /// The maximum number of scenes, 1 or more. Short ones are merged with their neighbors to reach it. `nil` for
        /// no limit.
        public var limit: Int?
        /// The minimum duration of a scene in seconds, 0 or more. Default 1.
        public var minimumLength = Rational.one
        /// Whether to find the exact frame at which a scene begins. Otherwise scenes begin at key pictures, and no
        /// other frames are decoded.
        public var isExact = true
        /// The change between two frames that counts as a cut: the mean difference of 64 parts of the picture, 0.01 to 1.
        /// Default 0.06, 15 of 255. A lower value finds more cuts, and mistakes some motion for cuts.
        public var threshold = 0.06
        /// Whether a cut to black, white, a single color or noise begins a scene. Thumbnails skip such scenes: for
        /// thumbnails, such a part belongs to the previous scene.
        public var includesBlank = false
        /// The number of threads that decode, 1 or more; `nil` for one per processor.
        public var threadCount: Int?

        /// Creates options with default values.
        public init() {}
    }
}

/// A scene of a video.
public struct VideoScene: Hashable, Sendable {
    /// The start, in seconds after the first frame.
    public let start: Rational
    /// The end, in seconds after the first frame.
    public let end: Rational
    /// The frame that represents the scene: its first one, or the middle one if the first is blank or belongs to a
    /// preceding short scene.
    public let frame: Int
    /// The difference from the preceding pictures, 0 to 1.
    public let strength: Double

    /// Creates a scene.
    public init(start: Rational, end: Rational, frame: Int, strength: Double) {
        (self.start, self.end, self.frame, self.strength) = (start, end, frame, strength)
    }
}

extension VideoScene {
    /// The result of a search for scenes.
    package struct Report: Hashable, Sendable {
        /// The scenes, by time. Together they cover the whole video.
        package let scenes: [VideoScene]
        /// The number of examined frames.
        package let lookCount: Int
        /// The number of coded pictures given to decoders.
        package let decodedPictureCount: Int
    }
}
