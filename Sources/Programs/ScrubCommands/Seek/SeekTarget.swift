#if CommandLine
internal import Scrub

/// The request: one position, or all frames from one to another.
enum SeekTarget {
    case position(String, FramePosition)
    /// With the texts of both ends, for notes.
    case range(String, ends: [(text: String, position: FramePosition)])

    /// Reads `POSITION` or `POSITION..POSITION`.
    init(_ text: String) throws(ScrubError) {
        guard let dots = text.firstRange(of: "..") else {
            self = .position(text, try FramePosition(text))
            return
        }
        let ends = [String(text[..<dots.lowerBound]), String(text[dots.upperBound...])]
        guard ends.allSatisfy({ !$0.isEmpty && !$0.contains("..") }), !ends[1].hasPrefix(".") else {
            throw ScrubError.wrongRequest(
                "'\(text)' is not a range", advice: "write two positions: f100..f200, 10s..12s, first..last")
        }
        self = .range(text, ends: try ends.map { (end) throws(ScrubError) in (end, try FramePosition(end)) })
    }

    /// All positions in it.
    var positions: [FramePosition] {
        switch self {
        case .position(_, let position): [position]
        case .range(_, let ends): ends.map(\.position)
        }
    }

    /// Whether the target may stand for several frames.
    var isRange: Bool { if case .range = self { true } else { false } }
}

/// Frames that were asked for, found in the video.
struct SeekPlace {
    /// As it was written.
    let text: String
    /// One frame, or all of a range in order.
    let frames: ClosedRange<Int>
    /// Whether the first and the last of them stand for places outside the video.
    let isClamped: (first: Bool, last: Bool)

    /// Finds the frames, and reports positions that lie outside.
    ///
    /// Both ends of a range are the frames on screen there, so the last one is in it.
    ///
    /// - Parameter clamps: takes the nearer end for a fraction outside 0...1.
    init(_ target: SeekTarget, in asset: VideoAsset, clamps: Bool) throws(ScrubError) {
        switch target {
        case .position(let text, let position):
            let (frame, isClamped) = try TypedPosition.frame(text, position, in: asset, clamps: clamps)
            (self.text, frames, self.isClamped) = (text, frame.number...frame.number, (isClamped, isClamped))
        case .range(let text, let ends):
            var found: [(frame: PresentedFrame, isClamped: Bool)] = []
            for end in ends {
                found.append(try TypedPosition.frame(end.text, end.position, in: asset, clamps: clamps))
            }
            guard let first = found.first, let last = found.last, first.frame.number <= last.frame.number else {
                throw ScrubError(
                    .usage, "the range \(text) runs backwards",
                    advice: "write the earlier position first: \(ends[1].text)..\(ends[0].text)")
            }
            self.text = text
            frames = first.frame.number...last.frame.number
            isClamped = (first.isClamped, last.isClamped)
        }
    }

    /// Whether a frame stands for a place outside the video.
    func isClamped(_ frame: Int) -> Bool {
        frame == frames.lowerBound && isClamped.first || frame == frames.upperBound && isClamped.last
    }
}
#endif
