internal import ScrubBitstream
package import ScrubBase
internal import ScrubFileIO
internal import ScrubIndex

extension SeekPlanner {
    /// Returns the frames at which another program may begin that seeks by time with libavformat.
    ///
    /// This reads the header of each keyframe and the first packet after each seek, which is usually the keyframe. It
    /// does not decode anything: a restart that only the container claims counts once it has been compared.
    ///
    /// - Returns: the frames, those of them that are the first output of a decoder, and whether the container has no
    ///   presentation times.
    /// - Throws: `inputOutput` if reading fails.
    package func entryPoints() throws(ScrubError) -> (points: EntryPoints, first: [Int], lacksTimes: Bool) {
        var probe = try SeekProbe(file: file.sequentialView(), index: index)
        let points = try EntryPoints(
            count: index.frameCount, time: { index.presentationTime(ofFrame: $0) },
            picture: { Int(index.frames[$0]) }, isKey: { mayBegin(Int(index.frames[$0])) },
            restart: { number in
                let plan = plan(forFrame: number)
                return isSure(plan) ? plan.restart : 0
            },
            landing: { (time) throws(ScrubError) in try probe.landing(at: time) })
        return (points, points.direct.filter { comesFirst(Int(index.frames[$0])) }, probe.sawNoTime)
    }

    /// Returns whether a decoder that begins at a picture outputs it before all others. Leading pictures that it can
    /// decode are output before it.
    private func comesFirst(_ picture: Int) -> Bool {
        let leading = leading(of: picture)
        guard !leading.isEmpty else { return true }
        guard plan(forPicture: picture).start == .restart(.open) else { return false }
        // For other codecs, decoders skip every picture shown before an open restart.
        return index.facts.codec != .hevc || leading.allSatisfy { reader.examineHead(of: $0)?.leading == .skipped }
    }

    /// Returns the pictures of a restart's group that are shown before it.
    private func leading(of restart: Int) -> [Int] {
        let end = index.groupEnd(after: restart)
        return (restart..<end).filter { index.ranks[$0] >= 0 && index.ranks[$0] < index.ranks[restart] }
    }

    /// Returns whether a plan's restart produces correct pictures in any decoder that begins there.
    private func isSure(_ plan: DecodePlan) -> Bool {
        if case .restart(.gradual) = plan.start { return false }
        return !isClaimed(plan) || proofs.isProven(plan.restart)
    }

    /// Returns whether another program may begin to decode at a picture.
    private func mayBegin(_ picture: Int) -> Bool {
        guard index.pictures.flags[picture].contains(.key) else { return false }
        let plan = plan(forPicture: picture)
        return plan.restart == picture && isSure(plan) && !endsTooSoon(plan)
    }

    /// Returns whether the stream ends so soon after an open restart that libavcodec swallows its last pictures.
    ///
    /// At the end of the stream, libavcodec's H.264 decoder outputs the pictures that it held back, and stops at the
    /// first one that it does not consider recovered. These include the leading pictures of an open restart, unless
    /// they were output before. It holds back at most 16 frames.
    private func endsTooSoon(_ plan: DecodePlan) -> Bool {
        guard index.facts.codec == .h264, plan.start == .restart(.open) else { return false }
        guard let last = leading(of: plan.restart).last else { return false }
        return index.pictures.count - 1 - last < Self.heldBack
    }

    /// The number of coded pictures that a decoder may hold back: two fields for each of 16 frames.
    private static let heldBack = 32
}
