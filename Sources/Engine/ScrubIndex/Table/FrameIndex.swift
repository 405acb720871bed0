internal import ScrubBitstream
package import ScrubFileIO
internal import ScrubLibAV
package import ScrubBase

/// A video stream's coded pictures, and its presented frames in display order.
///
/// The index is complete before any decoder runs. It has the number of frames, the coded picture and display time of
/// each, and the positions where decoding may begin. It is immutable.
package struct FrameIndex: Sendable {
    package let facts: StreamFacts
    package let pictures: PictureTable
    /// All pictures that show something, including discarded and undecodable ones, in display order.
    package let displayOrder: Column<UInt32>
    /// The coded pictures by frame number.
    package let frames: Column<UInt32>
    /// The position of each picture in ``displayOrder``, -1 for a picture that is never shown.
    package let ranks: Column<Int32>
    /// The pictures that are restarts, or claimed to be by the container and not proven yet, in ascending order.
    package let restarts: Column<UInt32>
    /// The time at which each frame is shown: its presentation time, corrected to never decrease if the container's
    /// times jump. `nil` if the presentation times never decrease.
    package let repairedTimes: Column<Int64>?
    /// The duration of the last frame, in time base units.
    package let lastDuration: Int64
    /// The maximum number of pictures that come before another in decode order and after it in display order, which is
    /// the delay of a decoder. It is at most 16 (ITU-T H.264 A.3.1 and H.265 A.4.2 limit the decoded picture buffer to
    /// 16).
    package let reorderDelay: Int
    /// The dependencies of the pictures, if they were found while the stream was read; otherwise, ``DependencyGraph``
    /// finds them on demand.
    package let dependencies: [DependencyTable]
    /// What is known of the film; `nil` if everything is.
    package let coverage: IndexCoverage?

    /// Creates an index from pictures and their order.
    package init(
        facts: StreamFacts, pictures: CodedPictures, presentation: Presentation, dependencies: [DependencyTable] = [],
        coverage: IndexCoverage? = nil
    ) {
        let order = presentation.displayOrder
        var restarts: [UInt32] = []
        var isAllPresented = order.count == pictures.count
        for picture in pictures.flags.indices {
            let flags = pictures.flags[picture]
            let isClaimed = flags.contains(.verified) ? flags.randomAccess != .none : flags.contains(.key)
            if isClaimed, !flags.contains(.missing) { restarts.append(UInt32(picture)) }
            if !flags.isDisjoint(with: .notPresented) { isAllPresented = false }
        }
        // In the usual file, every picture is a frame, and the two lists are identical.
        let frames =
            isAllPresented ? order : order.filter { pictures.flags[Int($0)].isDisjoint(with: .notPresented) }
        var ranks = [Int32](repeating: -1, count: pictures.count)
        var rankSpan = ranks.mutableSpan
        for rank in order.indices { rankSpan[Int(order[rank])] = Int32(rank) }
        self.init(
            facts: facts, pictures: PictureTable(pictures), displayOrder: Column(presentation.displayOrder),
            frames: Column(frames), ranks: Column(ranks), restarts: Column(restarts),
            repairedTimes: presentation.repairedTimes.map { Column($0) }, lastDuration: presentation.lastDuration,
            reorderDelay: FrameIndex.reorderDelay(ranks: ranks), dependencies: dependencies, coverage: coverage)
    }

    /// The default maximum number of bytes of a decoded picture.
    package static let standardPictureByteLimit = CodecDescription.standardPictureByteLimit

    /// Returns the same index with other limits for decoded pictures.
    ///
    /// - Parameter origin: the file's origin, for sandboxes.
    package func limiting(to limits: MediaLimits, origin: UInt64 = 0) -> FrameIndex {
        var facts = facts
        for i in facts.descriptions.indices {
            facts.descriptions[i].pictureByteLimit = limits.maximumPictureByteCount
            facts.descriptions[i].pixelLimit = limits.maximumPixelCount
            facts.descriptions[i].origin = origin
        }
        return FrameIndex(
            facts: facts, pictures: pictures, displayOrder: displayOrder, frames: frames, ranks: ranks,
            restarts: restarts, repairedTimes: repairedTimes, lastDuration: lastDuration, reorderDelay: reorderDelay,
            dependencies: dependencies, coverage: coverage)
    }

    /// Creates an index from saved parts.
    init(
        facts: StreamFacts, pictures: PictureTable, displayOrder: Column<UInt32>, frames: Column<UInt32>,
        ranks: Column<Int32>, restarts: Column<UInt32>, repairedTimes: Column<Int64>?, lastDuration: Int64,
        reorderDelay: Int, dependencies: [DependencyTable], coverage: IndexCoverage? = nil
    ) {
        self.facts = facts
        self.pictures = pictures
        self.displayOrder = displayOrder
        self.frames = frames
        self.ranks = ranks
        self.restarts = restarts
        self.repairedTimes = repairedTimes
        self.lastDuration = lastDuration
        self.reorderDelay = reorderDelay
        self.dependencies = dependencies
        self.coverage = coverage
    }

    /// The order and the times from which the index was made.
    package var presentation: Presentation {
        Presentation(
            displayOrder: Array(displayOrder), repairedTimes: repairedTimes.map { Array($0) },
            lastDuration: lastDuration)
    }

    /// The number of presented frames that are known.
    package var frameCount: Int { frames.count }

    /// Returns the time at which a frame is shown, in time base units, never before that of its predecessor.
    package func time(ofFrame frame: Int) -> Int64 {
        repairedTimes.map { $0[frame] } ?? pictures.presentationTimes[Int(frames[frame])]
    }

    /// Returns the container's own presentation time of a frame.
    package func presentationTime(ofFrame frame: Int) -> Int64 {
        let time = pictures.presentationTimes[Int(frames[frame])]
        return time == CodedPictures.noTime ? self.time(ofFrame: frame) : time
    }

    /// Returns the time from the first frame to a frame, in time base units.
    package func offset(ofFrame frame: Int) -> Int64 { distance(time(ofFrame: 0), time(ofFrame: frame)) }

    /// The time from the first frame to each: ``offset(ofFrame:)``, at a fraction of the cost for all frames.
    package var offsets: [Int64] {
        guard frameCount > 0 else { return [] }
        let first = time(ofFrame: 0)
        if let repairedTimes { return repairedTimes.withSpan { distances(from: first, $0) } }
        return frames.withSpan { frames in
            pictures.presentationTimes.withSpan { times in
                var offsets: [Int64] = []
                offsets.reserveCapacity(frames.count)
                for frame in frames.indices { offsets.append(distance(first, times[Int(frames[frame])])) }
                return offsets
            }
        }
    }

    private func distances(from first: Int64, _ times: Span<Int64>) -> [Int64] {
        var offsets: [Int64] = []
        offsets.reserveCapacity(times.count)
        for frame in times.indices { offsets.append(distance(first, times[frame])) }
        return offsets
    }

    /// Returns the duration of a frame, in time base units; 0 for frames that share their time with the next.
    package func duration(ofFrame frame: Int) -> Int64 {
        frame + 1 < frameCount ? distance(time(ofFrame: frame), time(ofFrame: frame + 1)) : lastDuration
    }

    /// The time from the first frame to the end of the last one.
    package var duration: Int64 {
        guard frameCount > 0 else { return 0 }
        if let end = coverage?.end { return distance(time(ofFrame: 0), end) }
        let (sum, overflow) = offset(ofFrame: frameCount - 1).addingReportingOverflow(lastDuration)
        return overflow ? .max : sum
    }

    /// Returns the distance between two times, which a file may have set to anything, at most `Int64.max`.
    func distance(_ a: Int64, _ b: Int64) -> Int64 {
        let (difference, overflow) = b.subtractingReportingOverflow(a)
        return overflow ? .max : difference
    }

    /// Returns the frame on screen at an offset from the first frame's time: its time <= t < the next one's. Before the
    /// start it is the first frame, after the end the last one.
    ///
    /// - Precondition: there is at least one frame.
    package func frame(atOffset offset: Int128) -> Int {
        precondition(frameCount > 0, "an index without frames has nothing to show")
        let start = Int128(time(ofFrame: 0))
        return (1..<frameCount).partitioningIndex { Int128(time(ofFrame: $0)) - start > offset } - 1
    }

    /// Returns the number of the frame that shows a coded picture.
    package func frame(ofPicture picture: Int) -> Int? {
        let rank = ranks[picture]
        guard rank >= 0 else { return nil }
        let place = frames.partitioningIndex { ranks[Int($0)] >= rank }
        return place < frames.count && frames[place] == UInt32(picture) ? place : nil
    }

    /// Returns the maximum number of earlier pictures in decode order that are shown after a picture, at most 16.
    private static func reorderDelay(ranks: [Int32]) -> Int {
        // Of the pictures so far, only the 16 that are shown last can matter. A few more are kept so that the rest is
        // removed rarely.
        var last: [Int32] = []
        last.reserveCapacity(64)
        var delay = 0
        for rank in ranks where rank >= 0 {
            guard let highest = last.last, highest > rank else {
                if last.count == 64 { last.removeFirst(48) }
                last.append(rank)
                continue
            }
            var place = last.count
            while place > 0, last[place - 1] > rank { place -= 1 }
            delay = max(delay, last.count - place)
            if delay >= 16 { return 16 }
            last.insert(rank, at: place)
            if last.count > 48 { last.removeFirst(32) }
        }
        return delay
    }
}
