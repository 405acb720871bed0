internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV

extension FrameIndex {
    /// The most known pictures that may have to make room for one that comes later. They are the pictures that may
    /// precede another in decode order and follow it in display order.
    ///
    /// The bound of the sequence sets (ITU-T H.264 E.2.1, H.265 7.4.3.2.1). It is the greatest decoded picture buffer
    /// if they don't give one, or if other sets may follow on the way.
    private var reorderBound: Int {
        let most = 16
        let bound: Int
        switch facts.codec {
        case .h264, .hevc:
            let limits = facts.descriptions.map {
                PictureParser(codec: facts.codec, extradata: $0.extradata).reorderLimit ?? most
            }
            bound = facts.changesParameters ? most : limits.max() ?? most
        // A picture that is not B waits for the next one.
        case .mpeg1, .mpeg2, .mpeg4: bound = 1
        case .av1, .vp8, .vp9: bound = 0
        case .other: bound = facts.descriptions.allSatisfy { $0.isIntraOnly || !$0.reorders } ? 0 : most
        }
        // Second fields, and packets that a demuxer cuts late.
        let whole = facts.route == .direct && !facts.container.contains("mpegts") ? bound : bound + 1
        return reorderDelay > bound ? most + 1 : whole
    }

    /// The number of frames that keep their numbers whatever comes behind the known pictures.
    ///
    /// The last ones in display order do not count, since a picture may still come before them. There are none while
    /// the pictures before the first restart are not known to be out of the count.
    var certainFrameCount: Int {
        if facts.codec != .other {
            guard pictures.flags.contains(where: StreamStart.isRestart) else { return 0 }
        }
        let end = displayOrder.count - reorderBound
        guard end > 0 else { return 0 }
        return frames.partitioningIndex { Int(ranks[Int($0)]) >= end }
    }

    /// Returns the same index in which only the first frames have numbers. The pictures of the others are decoded where
    /// other pictures depend on them, and not shown.
    ///
    /// - Precondition: there are as many frames, and one at least.
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

    /// Whether the first frames of this index are those of an earlier one: the same pictures, at the same times.
    func goesOn(from earlier: FrameIndex) -> Bool {
        let count = earlier.frameCount
        guard facts.timeBase == earlier.facts.timeBase, facts.codec == earlier.facts.codec,
            facts.route == earlier.facts.route, frameCount >= count
        else { return false }
        // Which picture it is: its place in the file says it, or its bytes.
        guard frames.isEqual(to: earlier.frames, upTo: count) else { return false }
        let known = earlier.pictures.count
        if repairedTimes == nil, earlier.repairedTimes == nil, pictures.count >= known,
            pictures.presentationTimes.isEqual(to: earlier.pictures.presentationTimes, upTo: known),
            pictures.offsets.isEqual(to: earlier.pictures.offsets, upTo: known),
            pictures.sizes.isEqual(to: earlier.pictures.sizes, upTo: known)
        {
            return true
        }
        // The same with more patience: an uncertain picture may change.
        for frame in 0..<count {
            let picture = Int(frames[frame])
            guard time(ofFrame: frame) == earlier.time(ofFrame: frame),
                pictures.offsets[picture] == earlier.pictures.offsets[picture],
                pictures.sizes[picture] == earlier.pictures.sizes[picture]
            else { return false }
        }
        return true
    }

    /// Returns the index without the faults for which a file that is still being written is not to blame.
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
