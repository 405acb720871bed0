internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV

extension FrameIndex {
    /// The maximum number of known pictures that may move to make room for a later one. They are the pictures that may
    /// precede another in decode order and follow it in display order.
    ///
    /// The bound is taken from the sequence parameter sets (ITU-T H.264 E.2.1, H.265 7.4.3.2.1). It is the largest
    /// decoded picture buffer if they do not give one, or if other sets may follow in the stream.
    private var reorderBound: Int {
        let most = 16
        let bound: Int
        switch facts.codec {
        case .h264, .hevc:
            let limits = facts.descriptions.map {
                PictureParser(codec: facts.codec, extradata: $0.extradata).reorderLimit ?? most
            }
            bound = facts.changesParameters ? most : limits.max() ?? most
        // A picture that is not a B picture waits for the next one.
        case .mpeg1, .mpeg2, .mpeg4: bound = 1
        case .av1, .vp8, .vp9: bound = 0
        case .other: bound = facts.descriptions.allSatisfy { $0.isIntraOnly || !$0.reorders } ? 0 : most
        }
        // Allows for second fields, and for packets that a demuxer splits late.
        let whole = facts.route == .direct && !facts.container.contains("mpegts") ? bound : bound + 1
        return reorderDelay > bound ? most + 1 : whole
    }

    /// The number of frames whose numbers cannot change, whatever follows the known pictures.
    ///
    /// The last frames in display order do not count, since a picture may still come before them. The number is 0 while
    /// it is unknown whether the pictures before the first restart count.
    var certainFrameCount: Int {
        if facts.codec != .other {
            guard pictures.flags.contains(where: StreamStart.isRestart) else { return 0 }
        }
        let end = displayOrder.count - reorderBound
        guard end > 0 else { return 0 }
        return frames.partitioningIndex { Int(ranks[Int($0)]) >= end }
    }

    /// Returns the same index in which only the first frames have numbers. The pictures of the others are decoded if
    /// other pictures depend on them, and not shown.
    ///
    /// - Precondition: there are at least that many frames, and `count` is at least 1.
    func limited(toFrames count: Int) -> FrameIndex {
        guard count < frameCount else { return self }
        var flags = pictures.flags.copied(upTo: pictures.count)
        for frame in count..<frameCount { flags[Int(frames[frame])].insert(.discarded) }
        return FrameIndex(
            facts: facts, pictures: pictures.with(flags: flags), displayOrder: displayOrder,
            frames: Column(frames.copied(upTo: count)), ranks: ranks, restarts: restarts,
            repairedTimes: repairedTimes.map { Column($0.copied(upTo: count)) },
            lastDuration: duration(ofFrame: count - 1), reorderDelay: reorderDelay, dependencies: dependencies)
    }

    /// Returns whether the first frames of this index are those of an earlier one: the same pictures at the same times.
    func goesOn(from earlier: FrameIndex) -> Bool {
        let count = earlier.frameCount
        guard facts.timeBase == earlier.facts.timeBase, facts.codec == earlier.facts.codec,
            facts.route == earlier.facts.route, frameCount >= count
        else { return false }
        // A picture is identified by its position in the file or by its bytes.
        guard frames.isEqual(to: earlier.frames, upTo: count) else { return false }
        let known = earlier.pictures.count
        if repairedTimes == nil, earlier.repairedTimes == nil, pictures.count >= known,
            pictures.presentationTimes.isEqual(to: earlier.pictures.presentationTimes, upTo: known),
            pictures.offsets.isEqual(to: earlier.pictures.offsets, upTo: known),
            pictures.sizes.isEqual(to: earlier.pictures.sizes, upTo: known)
        {
            return true
        }
        // The same, but more lenient: an uncertain picture may change.
        for frame in 0..<count {
            let picture = Int(frames[frame])
            guard time(ofFrame: frame) == earlier.time(ofFrame: frame),
                pictures.offsets[picture] == earlier.pictures.offsets[picture],
                pictures.sizes[picture] == earlier.pictures.sizes[picture]
            else { return false }
        }
        return true
    }

    /// Returns the index without the errors that are expected in a file that is still being written.
    func forgivingItsEnd() -> FrameIndex {
        guard let missing = facts.missing else { return self }
        var facts = facts
        facts.warnings.removeAll { $0 == missing.sentence(timeBase: facts.timeBase) }
        facts.missing = nil
        return FrameIndex(
            facts: facts, pictures: pictures, displayOrder: displayOrder, frames: frames, ranks: ranks,
            restarts: restarts, repairedTimes: repairedTimes, lastDuration: lastDuration, reorderDelay: reorderDelay,
            dependencies: dependencies)
    }
}
