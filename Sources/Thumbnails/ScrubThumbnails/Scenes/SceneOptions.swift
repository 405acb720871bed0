extension VideoScene {
    /// Options for finding the scenes of a video.
    public struct Options: Hashable, Sendable {
        /// The maximum number of scenes, 1 or more; `nil` for no limit. If there are more scenes, the shortest are
        /// merged with their neighbors.
        public var maximumSceneCount: Int?
        /// The minimum duration of a scene in seconds, 0 or more. The default is 1.
        public var minimumDuration = Rational.one
        /// Whether to find the exact frame at which a scene begins. If false, scenes begin at key pictures, and no
        /// other frames are examined.
        public var isExact = true
        /// The minimum change between two frames that counts as a cut, 0.01 to 1. The change is the mean difference
        /// over 64 parts of the picture. The default is 0.06, which is 15 of 255 levels. With a lower value, more cuts
        /// are found, but some motion is mistaken for cuts.
        public var threshold = 0.06
        /// Whether a cut to black, white, a single color or noise begins a scene. If false, which is best for
        /// thumbnails, the blank part belongs to the previous scene.
        public var includesBlank = false
        /// The number of decoding threads, 1 or more; `nil` for one per processor.
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
    /// The number of the frame that represents the scene. It is the first frame of the scene, or, after a dissolve, the
    /// first frame that no longer shows the previous scene. If that frame is blank or belongs to a short scene that was
    /// merged into this one, it is the middle frame.
    public let frameNumber: Int
    /// The difference from the preceding pictures, 0 to 1.
    public let strength: Double

    /// Creates a scene.
    public init(start: Rational, end: Rational, frameNumber: Int, strength: Double) {
        (self.start, self.end, self.frameNumber, self.strength) = (start, end, frameNumber, strength)
    }
}

extension VideoScene {
    /// The result of a search for scenes.
    package struct Report: Hashable, Sendable {
        /// The scenes, in order of time. Together, they cover the whole video.
        package let scenes: [VideoScene]
        /// The number of examined frames.
        package let lookCount: Int
        /// The number of coded pictures given to decoders.
        package let decodedPictureCount: Int
    }
}
