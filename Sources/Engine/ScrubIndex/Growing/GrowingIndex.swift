package import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubMatroska
package import ScrubBase

/// The index of a file that is being written, extended as the file grows.
///
/// Bytes are never read twice, unless the work was cancelled. A frame gets its number when nothing that can still come
/// is shown before it, and keeps its number and its time. Until then, its picture is available to other pictures but
/// has no number.
///
/// A value type; use from one thread at a time.
package struct GrowingIndex: Sendable {
    /// The result of an extension.
    package struct Step: Sendable {
        /// The index of the frames that are certain; `nil` if there are none yet.
        package var index: FrameIndex?
        /// Whether the file is finished, either by its writer or according to the caller.
        package var isFinished: Bool
        /// Whether the numbers or times of frames that were already numbered have changed.
        package var isRevised: Bool
        /// The reason why there is no frame yet, as opening the file would report it.
        package var problem: ScrubError?
    }

    /// The method of reading the file.
    private enum Reading: Sendable {
        /// There is too little data to detect the format.
        case unknown
        case matroska(MatroskaGrowth)
        case movie(MovieGrowth)
        case packets(ScanGrowth)
        /// The entire file is read each time.
        case whole
    }

    private let requestedStream: Int?
    private let rules: IndexRules
    private let pictureByteLimit: Int
    private var reading = Reading.unknown
    /// The index that was returned last.
    private var told: FrameIndex?
    private var watch = GrowthVerifier()
    private var isFinished = false

    package init(
        requestedStream: Int? = nil, rules: IndexRules = .init(),
        pictureByteLimit: Int = FrameIndex.standardPictureByteLimit
    ) {
        (self.requestedStream, self.rules, self.pictureByteLimit) = (requestedStream, rules, pictureByteLimit)
    }

    /// Reads the file in its present state. If the work on this thread is cancelled, the next call returns the frames
    /// that this one would have returned.
    ///
    /// - Parameter isComplete: whether nothing more is written to the file.
    /// - Throws: ``ScrubError/Code/badData`` if it is a different file, or shorter than before; the errors of opening
    ///   if it is complete.
    package mutating func extend(to file: MediaSource, isComplete: Bool) throws(ScrubError) -> Step {
        try watch.check(file)
        var (index, isEnded, problem): (FrameIndex?, Bool, ScrubError?) = (nil, isComplete, nil)
        do throws(ScrubError) {
            let found = try read(file, isComplete: isComplete)
            (index, isEnded) = (found.index, isComplete || found.isEnded)
            // A complete file is opened as usual, with everything at its end. A file without tables has already been
            // read to its end.
            var isRead = false
            if case .packets = reading { isRead = isComplete && index != nil }
            if isEnded, !isRead { index = try whole(file) }
        } catch {
            try checkCancellation()
            if isComplete || told != nil { throw error }
            problem = error
        }
        try checkCancellation()
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
        // Fewer frames are certain if the stream changes to one that may reorder more: frames that were certain keep
        // their numbers.
        guard index.goesOn(from: told) else {
            let other = count > 0 ? index.limited(toFrames: count) : told
            self.told = other
            return Step(index: other, isFinished: isFinished, isRevised: count > 0, problem: nil)
        }
        let next = index.limited(toFrames: max(count, told.frameCount))
        self.told = next
        return Step(index: next, isFinished: isFinished, isRevised: false, problem: nil)
    }

    /// Throws if the work on this thread is cancelled, and forgets what interrupted reads have found.
    private mutating func checkCancellation() throws(ScrubError) {
        guard Cancellation.isCurrentCancelled else { return }
        switch reading {
        case .matroska, .movie: reading = .unknown
        // A pass of libavformat has its own thread, which was not interrupted.
        case .unknown, .packets, .whole: break
        }
        throw .cancelled
    }

    /// Returns the index of all available data.
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
                // No other copy is kept in the meantime, so that its columns are not copied.
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

    /// The number of bytes that identify a file's format.
    private static let signature: Int64 = 16

    private var packets: Reading {
        .packets(ScanGrowth(requestedStream: requestedStream, rules: rules, pictureByteLimit: pictureByteLimit))
    }

    private func whole(_ file: MediaSource) throws(ScrubError) -> FrameIndex {
        try IndexBuilder.makeIndex(
            of: file, requestedStream: requestedStream, rules: rules, pictureByteLimit: pictureByteLimit)
    }
}
