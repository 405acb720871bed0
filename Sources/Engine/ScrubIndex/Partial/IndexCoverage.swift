internal import ScrubBase

/// What an index knows of a film of which only parts were read: stretches of consecutive pictures, with gaps between
/// them.
///
/// Frames in the first stretch have numbers, because no frame before them is missing. Times of all known frames are
/// those of the complete index.
package struct IndexCoverage: Sendable, Equatable {
    /// The first picture of each stretch, in ascending order, beginning with 0.
    package let stretchStarts: [Int]
    /// The number of frames from the film's first one on before which none is missing.
    package let numberedFrameCount: Int
    /// The time at which the film ends, in time base units; `nil` if it is not known.
    package let end: Int64?

    package init(stretchStarts: [Int], numberedFrameCount: Int, end: Int64?) {
        precondition(stretchStarts.first == 0, "the first stretch begins with the first picture")
        (self.stretchStarts, self.numberedFrameCount, self.end) = (stretchStarts, numberedFrameCount, end)
    }

    /// Returns the first picture of the stretch that contains a picture.
    package func firstPicture(ofStretchWith picture: Int) -> Int {
        stretchStarts[max(0, stretchStarts.partitioningIndex { $0 > picture } - 1)]
    }
}

extension FrameIndex {
    /// Returns a frame's number in the film; `nil` if frames before it may be unknown.
    package func number(ofFrame frame: Int) -> Int? {
        guard let coverage else { return frame }
        return frame < coverage.numberedFrameCount ? frame : nil
    }

    /// The number of frames in the film; `nil` if not all are known.
    package var totalFrameCount: Int? { coverage == nil ? frameCount : nil }

    /// Returns the first picture before which nothing is known of the pictures that precede it in the film.
    package func firstKnownPicture(before picture: Int) -> Int {
        coverage?.firstPicture(ofStretchWith: picture) ?? 0
    }
}
