package import ScrubLibAV
package import ScrubBase

/// A picture that came out of a decoder.
struct DecodedPicture: Sendable {
    /// The coded picture, by its number in the index.
    let number: Int
    let frame: SharedFrame
}

/// The picture that a coded picture decodes to, and its certainty.
package struct JudgedPicture: Sendable {
    /// The coded picture, by its number in the index.
    package let number: Int
    /// Its planes; `nil` when it is undecodable.
    package let frame: SharedFrame?
    package let verdict: Verdict

    package init(number: Int, frame: SharedFrame?, verdict: Verdict) {
        (self.number, self.frame, self.verdict) = (number, frame, verdict)
    }

    /// The bytes that it is counted with where it is kept; one that is only a verdict takes some too.
    var keptByteCount: Int { frame?.byteCount ?? 1024 }
    /// Whether nothing speaks against it.
    package var isExact: Bool { if case .exact = verdict { true } else { false } }
}
