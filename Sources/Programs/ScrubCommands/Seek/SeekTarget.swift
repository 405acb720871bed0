#if CommandLine
internal import ScrubBase
internal import Scrub
internal import ScrubReports

/// The request: one position, or all frames from one to another.
enum SeekTarget {
    case position(String, FramePosition)
    /// With the text of both ends, for notes.
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
                "'\(text)' is not a range", advice: "use two positions, such as f100..f200, 10s..12s or first..last")
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

/// A position or range as it was typed, which may be invalid.
struct SeekItem {
    let text: String
    let target: Result<SeekTarget, ScrubError>

    /// - Parameters:
    ///   - file: the file's name, which may be the position if the two are swapped.
    ///   - keepsFaults: whether to keep the error of an invalid position for its own object.
    /// - Throws: otherwise, that error.
    init(_ text: String, after file: MediaName, keepsFaults: Bool) throws(ScrubError) {
        self.text = text
        do throws(ScrubError) {
            target = .success(
                try TypedPosition.reading(after: file) { () throws(ScrubError) in try SeekTarget(text) })
        } catch {
            guard keepsFaults else { throw error }
            target = .failure(error)
        }
    }

    /// Whether it may name several frames.
    var isRange: Bool { (try? target.get())?.isRange ?? false }

    /// Finds the frames.
    ///
    /// - Throws: the error of a position without a frame, unless faults are kept.
    func place(
        in asset: VideoAsset, clamps: Bool, keepsFaults: Bool
    ) throws(ScrubError) -> Result<SeekPosition, ScrubError> {
        do throws(ScrubError) {
            return .success(try SeekPosition(try target.get(), in: asset, clamps: clamps))
        } catch {
            guard keepsFaults else { throw error }
            return .failure(error)
        }
    }
}

/// The failures of a seek that have already been printed as objects.
struct SeekFailures {
    /// The error that rows have reported.
    var told: ScrubError?
    /// The greatest exit code of positions without a frame, 0 for none.
    private(set) var refused: Int32 = 0

    /// Prints the object of a position without a frame, and the message on standard error.
    mutating func refuse(_ text: String, _ error: ScrubError, in file: MediaName) {
        Terminal.print(FileFailure.json(of: error, requested: text, in: file).text)
        try? Terminal.flush()
        Terminal.complain(error.inFile(file.said).wording)
        refused = max(refused, error.code.exitStatus)
    }
}

/// The requested frames, as found in the video.
struct SeekPosition {
    /// As written.
    let text: String
    /// One frame, or all of a range in order.
    let frames: ClosedRange<Int>
    /// Whether the first and the last frame stand for positions outside the video.
    let isClamped: (first: Bool, last: Bool)

    /// Finds the frames, and reports positions outside the video.
    ///
    /// Both ends of a range are the frames on screen there, so the range includes the last one.
    ///
    /// - Parameter clamps: whether a position outside the video names the nearest end.
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
                    .usage, "the range \(text) ends before it starts",
                    advice: "put the earlier position first: \(ends[1].text)..\(ends[0].text)")
            }
            self.text = text
            frames = first.frame.number...last.frame.number
            isClamped = (first.isClamped, last.isClamped)
        }
    }

    /// Whether a frame stands for a position outside the video.
    func isClamped(_ frame: Int) -> Bool {
        frame == frames.lowerBound && isClamped.first || frame == frames.upperBound && isClamped.last
    }
}
#endif
