package import ScrubLibAV
package import ScrubBase

/// A picture output by a decoder.
struct DecodedPicture: Sendable {
    /// The coded picture's number in the index.
    let number: Int
    let frame: SharedFrame
}

/// The decoded picture of a coded picture, with its certainty.
package struct JudgedPicture: Sendable {
    /// The coded picture's number in the index.
    package let number: Int
    /// The picture's planes; `nil` if it is undecodable.
    package let frame: SharedFrame?
    package let verdict: Verdict

    package init(number: Int, frame: SharedFrame?, verdict: Verdict) {
        (self.number, self.frame, self.verdict) = (number, frame, verdict)
    }

    /// The number of bytes that it counts as when cached. A verdict without a picture also takes some memory.
    var keptByteCount: Int { frame?.byteCount ?? 1024 }
    /// Whether nothing contradicts it.
    package var isExact: Bool { if case .exact = verdict { true } else { false } }
}
