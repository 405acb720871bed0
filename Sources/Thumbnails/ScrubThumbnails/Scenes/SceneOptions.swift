extension VideoScene {
    /// Options for finding the scenes of a film.
    public struct Options: Hashable, Sendable {
        /// The most scenes, 1 or more; short ones are added to their neighbors until there are no more. `nil` for as
        /// many as there are.
        public var limit: Int?
        /// Seconds that a scene lasts at least, 0 or more. Default 1.
        public var minimumLength = Rational.one
        /// Whether the very frame is looked for at which a scene begins. Else scenes begin at key pictures, and nothing
        /// else is decoded.
        public var isExact = true
        /// The change between two frames that counts as a cut: the mean difference of 64 parts of the picture, 0.01 to 1.
        /// Default 0.06, 15 of 255. A lower value finds more cuts, and mistakes some motion for cuts.
        public var threshold = 0.06
        /// Whether black, white, a single color and noise begin scenes if a cut leads to them. Thumbnails leave such
        /// scenes out; there, such a part belongs to the previous scene.
        public var includesBlank = false
        /// Threads that decode, 1 or more; `nil` for as many as there are processors.
        public var threadCount: Int?

        /// Makes options.
        public init() {}
    }
}

/// A scene of a film.
public struct VideoScene: Hashable, Sendable {
    /// The beginning, in seconds after the first frame.
    public let start: Rational
    /// The end.
    public let end: Rational
    /// The frame to show for it: its first one, or where that is blank or of a short scene before, the one in the
    /// middle.
    public let frame: Int
    /// The difference from the pictures before, 0 to 1.
    public let strength: Double

    /// Makes a scene.
    public init(start: Rational, end: Rational, frame: Int, strength: Double) {
        (self.start, self.end, self.frame, self.strength) = (start, end, frame, strength)
    }
}

extension VideoScene {
    /// The outcome of looking for scenes.
    public struct Report: Hashable, Sendable {
        /// The scenes, by time; together they are the whole film.
        public let scenes: [VideoScene]
        /// Frames that were looked at.
        public let lookCount: Int
        /// Coded pictures that were given to decoders for it.
        public let decodedPictures: Int
    }
}
