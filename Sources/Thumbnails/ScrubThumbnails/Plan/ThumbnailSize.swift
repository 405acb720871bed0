internal import ScrubPictures

extension ThumbnailPlan {
    /// The size of thumbnails: a width, a height, or a box that they fit into. The shape is kept; sides that follow
    /// from it are even.
    public struct Size: Hashable, Sendable {
        /// Pixels, at most; `nil` if the height alone decides.
        public let width: Int?
        /// Pixels, at most; `nil` if the width alone decides.
        public let height: Int?

        /// Returns thumbnails of a width.
        public static func width(_ width: Int) -> Size { Size(width: width, height: nil) }
        /// Returns thumbnails of a height.
        public static func height(_ height: Int) -> Size { Size(width: nil, height: height) }
        /// Returns thumbnails as large as fit into a box.
        public static func box(width: Int, height: Int) -> Size { Size(width: width, height: height) }

        /// Returns thumbnails of the default width: pictures more than four times as high as wide are narrower.
        package static func standard(_ width: Int) -> Size { box(width: width, height: 4 * width) }

        /// As it is written: `160`, `x90` or `160x90`.
        public var name: String { (width.map(String.init) ?? "") + (height.map { "x\($0)" } ?? "") }

        /// Returns the size for a picture.
        ///
        /// - Parameter shape: the upright picture with square pixels.
        /// - Throws: `usage` for a side that is not in 16...16384.
        func fitting(_ shape: (width: Int, height: Int)) throws(ScrubError) -> PictureSize {
            for side in [width, height].compactMap({ $0 }) where !(16...PictureSize.longestSide).contains(side) {
                throw ScrubError.wrongRequest(
                    "a thumbnail's side cannot be \(side) pixels",
                    advice: "give one from 16 to \(PictureSize.longestSide)")
            }
            guard let height else {
                return try width.map { (width) throws(ScrubError) in try PictureSize(givenWidth: width, shape: shape) }
                    ?? PictureSize(width: 320, shape: shape)
            }
            let byWidth = width.map { PictureSize(width: $0, shape: shape) }
            if let byWidth, byWidth.height <= height { return byWidth }
            // Wider than the box by rounding is not in it.
            let even = max(2, (height * shape.width + shape.height) / (2 * shape.height) * 2)
            return PictureSize(width: min(even, width ?? PictureSize.longestSide), height: height)
        }
    }
}

extension ThumbnailPlan.Options {
    /// The sizes' widths. Setting it makes sizes of these widths, whose heights follow from the picture's shape.
    public var widths: [Int] {
        get { sizes.compactMap(\.width) }
        set { sizes = newValue.map { .width($0) } }
    }
}
