package import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubMatroska
package import ScrubBase

/// The index of a file that is being written, extended as the file grows.
///
/// Bytes are never read twice. A frame gets its number when nothing that can still come shows before it, and keeps its
/// number and its time. Until then its picture is there for others and has none.
///
/// A value; use from one thread at a time.
package struct GrowingIndex: Sendable {
    /// The result of an extension.
    package struct Step: Sendable {
        /// The index of the frames that are certain; `nil` while none is.
        package var index: FrameIndex?
        /// Whether the file is finished: its writer has finished it, or a caller says so.
        package var isFinished: Bool
        /// Whether frames that were numbered before have other numbers or times now.
        package var isRevised: Bool
        /// Why there is no frame yet, as an opening of the file would tell it.
        package var problem: ScrubError?
    }

    /// The way of reading the file.
    private enum Reading: Sendable {
        /// Too little is there to tell its kind.
        case unknown
        case matroska(MatroskaGrowth)
        case movie(MovieGrowth)
        case packets(ScanGrowth)
        /// Again each time.
        case whole
    }

    private let requestedStream: Int?
    private let rules: IndexRules
    private let pictureByteLimit: Int
    private var reading = Reading.unknown
    /// The index that was handed out last.
    private var told: FrameIndex?
    private var watch = GrowthWatch()
    private var isFinished = false

    package init(
        requestedStream: Int? = nil, rules: IndexRules = .init(),
        pictureByteLimit: Int = FrameIndex.standardPictureByteLimit
    ) {
        (self.requestedStream, self.rules, self.pictureByteLimit) = (requestedStream, rules, pictureByteLimit)
    }

    /// Takes the file as it is now.
    ///
    /// - Parameter isComplete: whether nothing more is written to it.
    /// - Throws: ``ScrubError/Code/badData`` if it is another file than before, or shorter; the errors of an opening if
    ///   it is complete.
    package mutating func extend(to file: MediaSource, isComplete: Bool) throws(ScrubError) -> Step {
        try watch.check(file)
        var (index, isEnded, problem): (FrameIndex?, Bool, ScrubError?) = (nil, isComplete, nil)
        do throws(ScrubError) {
            let found = try read(file, isComplete: isComplete)
            (index, isEnded) = (found.index, isComplete || found.isEnded)
            // The file speaks for itself now, with all that is at its end. A file without tables was already read to
            // its end.
            var isRead = false
            if case .packets = reading { isRead = isComplete && index != nil }
            if isEnded, !isRead { index = try whole(file) }
        } catch {
            if isComplete || told != nil { throw error }
            problem = error
        }
        guard let index else { return Step(index: nil, isFinished: isEnded, isRevised: false, problem: problem) }
        watch.remember(file, index)
        let count = isEnded ? index.frameCount : index.certainFrameCount
        return tell(index, count: count, isFinished: isEnded)
    }

    private mutating func tell(_ index: FrameIndex, count: Int, isFinished: Bool) -> Step {
        guard let told else {
            guard count > 0 else { return Step(index: nil, isFinished: isFinished, isRevised: false, problem: nil) }
            let first = index.limited(toFrames: count)
            self.told = first
            return Step(index: first, isFinished: isFinished, isRevised: false, problem: nil)
        }
        // Fewer are certain where a stream changes to one that may reorder more: those that were keep their numbers.
        guard index.goesOn(from: told) else {
            let other = count > 0 ? index.limited(toFrames: count) : told
            self.told = other
            return Step(index: other, isFinished: isFinished, isRevised: count > 0, problem: nil)
        }
        let next = index.limited(toFrames: max(count, told.frameCount))
        self.told = next
        return Step(index: next, isFinished: isFinished, isRevised: false, problem: nil)
    }

    /// Returns the index of all that is there.
    private mutating func read(
        _ file: MediaSource, isComplete: Bool
    ) throws(ScrubError) -> (index: FrameIndex?, isEnded: Bool) {
        while true {
            switch reading {
            case .unknown:
                guard file.byteCount >= GrowingIndex.signature else { return (nil, false) }
                if MatroskaSegment.isEBML(file) {
                    reading = .matroska(MatroskaGrowth(requestedStream: requestedStream, rules: rules))
                } else if Movie.isISOMedia(file) {
                    reading = .movie(MovieGrowth(requestedStream: requestedStream, rules: rules))
                } else {
                    reading = packets
                }
            case .matroska(var growth):
                // Kept nowhere else meanwhile, so that its columns are not copied.
                reading = .unknown
                do throws(ScrubError) {
                    let found = try growth.extend(to: file)
                    reading = .matroska(growth)
                    return found
                } catch {
                    try Cancellation.check()
                    reading = packets
                }
            case .movie(var growth):
                reading = .unknown
                do throws(ScrubError) {
                    let found = try growth.extend(to: file)
                    reading = .movie(growth)
                    return found
                } catch {
                    try Cancellation.check()
                    reading = .whole
                }
            case .packets(let growth): return (try growth.extend(to: file, isComplete: isComplete), false)
            case .whole: return (try whole(file).forgivingItsEnd(), false)
            }
        }
    }

    /// The number of bytes that tell a file's kind.
    private static let signature: Int64 = 16

    private var packets: Reading {
        .packets(ScanGrowth(requestedStream: requestedStream, rules: rules, pictureByteLimit: pictureByteLimit))
    }

    private func whole(_ file: MediaSource) throws(ScrubError) -> FrameIndex {
        try IndexBuilder.makeIndex(
            of: file, requestedStream: requestedStream, rules: rules, pictureByteLimit: pictureByteLimit)
    }
}
