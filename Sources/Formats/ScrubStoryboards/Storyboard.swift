public import ScrubBase

/// A thumbnail set: its pictures, the sheets that contain them and the times that they represent.
///
/// Every index format is written from a value of this type. In a set of single pictures, each sheet has one column and
/// one row. Frame times are in seconds from the first presented frame. Slots are in the players' time, in which the
/// first frame appears at ``playerStart``.
///
/// Thread safety: a value type.
public struct Storyboard: Hashable, Sendable {
    /// An image file.
    public struct Sheet: Hashable, Sendable {
        /// The file's path, relative to the folder of the index files, with `/` between components.
        public var name: String
        /// The width in pixels.
        public var width: Int
        /// The height in pixels.
        public var height: Int
        /// The size in bytes.
        public var byteCount: Int

        /// Creates a sheet.
        public init(name: String, width: Int, height: Int, byteCount: Int) {
            (self.name, self.width, self.height, self.byteCount) = (name, width, height, byteCount)
        }
    }

    /// A picture and the time slot that it represents.
    public struct Thumbnail: Hashable, Sendable {
        /// The thumbnail's number in the set, from 0.
        public var index: Int
        /// The start of the slot, in seconds, in the players' time. The slot ends where the next one begins; the last
        /// one ends at ``Storyboard/end``.
        public var start: Rational
        /// The requested time in seconds.
        public var requestedTime: Rational
        /// The time of the frame shown, in seconds.
        public var time: Rational
        /// The number of the frame shown, in display order from 0.
        public var frameNumber: Int
        /// How the frame shown relates to the requested frame: the name of a ``Verdict``.
        public var verdict: String
        /// The number of the thumbnail's sheet, from 0.
        public var sheet: Int
        /// The distance from the sheet's left edge in pixels.
        public var x: Int
        /// The distance from the sheet's top edge in pixels.
        public var y: Int
        /// The width in pixels.
        public var width: Int
        /// The height in pixels.
        public var height: Int
        /// Whether the thumbnail shows the same picture as the one before it.
        public var isRepeat: Bool
        /// Whether the picture was made from a saved, lossy preview of the frame instead of by decoding the frame. Such
        /// a thumbnail is never labeled exact.
        public var isFromPreview = false
        /// A blurred placeholder (blurha.sh), if one was made.
        public var blurHash: String?
        /// A blurred placeholder that keeps the aspect ratio (evanw/thumbhash), in base64, if one was made.
        public var thumbHash: String?

        /// Creates a thumbnail.
        public init(
            index: Int, start: Rational, requestedTime: Rational, time: Rational, frameNumber: Int, verdict: String,
            sheet: Int, x: Int, y: Int, width: Int, height: Int, isRepeat: Bool = false, blurHash: String? = nil,
            thumbHash: String? = nil
        ) {
            (self.index, self.start, self.requestedTime, self.time) = (index, start, requestedTime, time)
            (self.frameNumber, self.verdict, self.sheet) = (frameNumber, verdict, sheet)
            (self.x, self.y, self.width, self.height) = (x, y, width, height)
            (self.isRepeat, self.blurHash, self.thumbHash) = (isRepeat, blurHash, thumbHash)
        }
    }

    /// The video's file, as the caller named it.
    public var file: String
    /// The number of frames in the video.
    public var frameCount: Int
    /// The time from the first frame's start to the last frame's end, in seconds.
    public var duration: Rational
    /// The time, in seconds, that players show when the first frame appears; 0 or more. It is 0 for most films. It is
    /// greater if the container's timestamps begin later, because browsers and most players show those timestamps
    /// unchanged.
    public var playerStart = Rational.zero
    /// A tile's width in pixels.
    public var tileWidth: Int
    /// A tile's height in pixels.
    public var tileHeight: Int
    /// The number of tiles in a row.
    public var columns: Int
    /// The number of rows on a full sheet.
    public var rows: Int
    /// The encoding of the sheets.
    public var format: ImageFormat
    /// The image files.
    public var sheets: [Sheet]
    /// The pictures, in time order.
    public var thumbnails: [Thumbnail]
    /// The set's other files, such as its indexes, relative to the folder of its manifest. When another set replaces
    /// this one, these files are removed.
    public var otherFiles: [String] = []

    /// An identifier derived from the film's file and the set's options; `nil` if unknown. Sets with equal
    /// identifiers are equal.
    public var sourceIdentifier: String?

    /// Creates a set without validating it; see ``validate()``.
    public init(
        file: String, frameCount: Int, duration: Rational, tileWidth: Int, tileHeight: Int, columns: Int, rows: Int,
        format: ImageFormat, sheets: [Sheet], thumbnails: [Thumbnail]
    ) {
        (self.file, self.frameCount, self.duration) = (file, frameCount, duration)
        (self.tileWidth, self.tileHeight, self.columns, self.rows) = (tileWidth, tileHeight, columns, rows)
        (self.format, self.sheets, self.thumbnails) = (format, sheets, thumbnails)
    }

    /// The players' time at the end of the last frame, in seconds.
    public var end: Rational { playerStart.adding(duration) ?? duration }

    /// Returns the slot of a thumbnail in the players' time, in seconds.
    ///
    /// - Precondition: the set is valid, and `thumbnail` is the number of one of its thumbnails.
    public func slot(of thumbnail: Int) -> Range<Rational> {
        let next = thumbnail + 1
        return thumbnails[thumbnail].start..<(next < thumbnails.count ? thumbnails[next].start : end)
    }

    /// The time in seconds from the start of one slot to the start of the next, if all slots begin at whole multiples
    /// of this time and the last slot is not longer than it; `nil` if the set is not evenly spaced.
    public var interval: Rational? {
        guard let last = thumbnails.last else { return nil }
        let step = thumbnails.count > 1 ? thumbnails[1].start : end
        guard step > .zero, let latest = last.start.adding(step), end <= latest else { return nil }
        for (place, thumbnail) in thumbnails.enumerated() {
            guard step.multiplied(by: Rational(Int64(place))) == thumbnail.start else { return nil }
        }
        return step
    }
}
