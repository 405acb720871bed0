internal import ScrubPictures

extension ThumbnailPlan {
    /// The size of thumbnails: a width, a height, or a bounding box. Thumbnails keep the video's aspect ratio. A side
    /// that is computed from it is even.
    public struct Size: Hashable, Sendable {
        /// The width in pixels, or the maximum width in a box; `nil` if only the height is given.
        public let width: Int?
        /// The height in pixels, or the maximum height in a box; `nil` if only the width is given.
        public let height: Int?

        /// Returns a size with a fixed width.
        public static func width(_ width: Int) -> Size { Size(width: width, height: nil) }
        /// Returns a size with a fixed height.
        public static func height(_ height: Int) -> Size { Size(width: nil, height: height) }
        /// Returns a size that is as large as possible within a box.
        public static func maximum(width: Int, height: Int) -> Size { Size(width: width, height: height) }

        /// Returns a size with the given width. Thumbnails of pictures that are more than four times as high as wide
        /// are narrower.
        package static func standard(_ width: Int) -> Size { maximum(width: width, height: 4 * width) }

        /// Returns the sizes in a list, without repetitions, in ascending order: `160`, `160x90` or `160,320,640`.
        ///
        /// - Parameters:
        ///   - text: widths, or boxes, separated by commas.
        ///   - height: the maximum height for the widths; `nil` for no limit.
        /// - Returns: `nil` if the text is not such a list, or contains a height although there is another one.
        package static func list(_ text: String, height: Int? = nil) -> [Size]? {
            var sizes: [Size] = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                let sides = part.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
                guard (1...2).contains(sides.count), let wide = sides[0], sides.count == 1 || sides[1] != nil,
                    sides.count == 1 || height == nil
                else { return nil }
                let high = sides.count == 2 ? sides[1] : height
                let size = high.map { maximum(width: wide, height: $0) } ?? Size.width(wide)
                if !sizes.contains(size) { sizes.append(size) }
            }
            return sizes.sorted { ($0.width ?? 0, $0.height ?? 0) < ($1.width ?? 0, $1.height ?? 0) }
        }

        /// The size as text: `160`, `x90` or `160x90`.
        public var name: String { (width.map(String.init) ?? "") + (height.map { "x\($0)" } ?? "") }

        /// Returns the size for a picture.
        ///
        /// - Parameter shape: the upright picture with square pixels.
        /// - Throws: `usage` for a side outside 16...16384.
        func fitting(_ shape: (width: Int, height: Int)) throws(ScrubError) -> PictureSize {
            for side in [width, height].compactMap({ $0 }) where !(16...PictureSize.longestSide).contains(side) {
                throw ScrubError.wrongRequest(
                    "a thumbnail's side cannot be \(side) pixels",
                    advice: "use 16 to \(PictureSize.longestSide)")
            }
            guard let height else {
                return try width.map { (width) throws(ScrubError) in try PictureSize(givenWidth: width, shape: shape) }
                    ?? PictureSize(width: 320, shape: shape)
            }
            let byWidth = width.map { PictureSize(width: $0, shape: shape) }
            if let byWidth, byWidth.height <= height { return byWidth }
            // Rounding may make this wider than the box.
            let even = max(2, (height * shape.width + shape.height) / (2 * shape.height) * 2)
            return PictureSize(width: min(even, width ?? PictureSize.longestSide), height: height)
        }
    }
}

extension ThumbnailPlan.Options {
    /// The widths of the sizes. Setting this property replaces all sizes with ones that have these widths; their
    /// heights follow from the picture's aspect ratio.
    public var widths: [Int] {
        get { sizes.compactMap(\.width) }
        set { sizes = newValue.map { .width($0) } }
    }
}
