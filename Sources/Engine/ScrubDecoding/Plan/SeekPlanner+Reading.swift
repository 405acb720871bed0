internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

// For a remote file: announcements of reads. For local bytes, these methods are not called.
extension SeekPlanner {
    var forecast: ReadForecast { ReadForecast(index: index) }

    /// Returns the reads for decoding pictures of a group, with the gaps in them if these are skipped.
    func stretches(from restart: Int, through last: Int, targets: [Int]) -> [ReadSpan] {
        let stretches = forecast.stretches(from: restart, through: last, targets: targets)
        return leavesGaps ? stretches : stretches.map { ReadSpan($0.range) }
    }

    /// Announces that pictures of a group will be read, from the restart to the last one. Headers and payloads are
    /// fetched together.
    func expectGroup(_ plan: DecodePlan, through last: Int, targets: [Int]) {
        file.expectNext(
            stretches: stretches(from: plan.restart, through: max(last, plan.restart), targets: targets))
    }

    /// Announces the reads for frames, in this order, up to this number of bytes, for many frames that are decoded one
    /// after another.
    package func expect(frames: some Sequence<Int>, byteLimit: Int64 = SeekPlanner.windowByteCount) {
        guard file.isRemote else { return }
        var all: [ReadSpan] = []
        var bytes: Int64 = 0
        var seen: Set<Int> = []
        for frame in frames {
            let plan = guess(forFrame: frame)
            guard seen.insert(plan.target).inserted else { continue }
            let own = stretches(from: plan.restart, through: plan.last, targets: [plan.target])
            bytes += own.reduce(0) { $0 + Int64($1.range.count) }
            guard bytes <= byteLimit || all.isEmpty else { break }
            all += own
        }
        file.expect(stretches: all)
    }

    /// Announces that the key pictures near some frames will be examined.
    package func expectKeyFrames(near frames: [Int]) {
        guard file.isRemote else { return }
        let keys = index.restarts.compactMap { index.frame(ofPicture: Int($0)) }.sorted()
        expect(
            frames: frames.compactMap { frame in
                let above = keys.partitioningIndex { $0 > frame }
                return [above - 1, above].filter { keys.indices.contains($0) }.map { keys[$0] }
                    .min { abs($0 - frame) < abs($1 - frame) }
            })
    }

    /// The number of bytes to announce at a time for long-running work.
    package static let windowByteCount: Int64 = 16 << 20

    /// Returns whether the pictures' own order contradicts the container's times in or shortly after the packets of a
    /// plan.
    ///
    /// Some positions are compared when the index is built; here, every group is compared when its bytes are available.
    /// The frame numbers of such pictures are uncertain (``isMisplaced(_:)``). Decoders also drop pictures that arrive
    /// after one that is shown later; which ones depends on the pictures that they are given. These groups are
    /// therefore decoded completely.
    ///
    /// - Throws: `badData` for a remote file, because the frame's picture cannot be determined without reading
    ///   everything.
    func contradictsOrder(_ plan: DecodePlan) throws(ScrubError) -> Bool {
        guard plan.last > plan.restart, !index.pictures.flags[plan.restart].contains(.verified) else { return false }
        let checked = order.checked[plan.restart]
        if let checked, checked >= plan.last { return order.contradicted.contains(plan.restart) }
        if file.isRemote {
            try checkRemoteOrder(of: plan)
            return false
        }
        // A scan of a long group goes twice as far each time; otherwise, it would restart with each of its pictures.
        let wanted = plan.last + max(ReorderCheck.window, checked == nil ? 0 : plan.last - plan.restart)
        let last = min(wanted, index.pictures.count - 1)
        let misplaced = ReorderCheck.misplaced(index, plan.restart...last, file: file)
        try Cancellation.check()
        order.checked[plan.restart] = last
        guard !misplaced.isEmpty else { return false }
        order.misplaced.formUnion(misplaced)
        order.contradicted.insert(plan.restart)
        return true
    }

    /// Returns whether ``contradictsOrder(_:)`` has found that a picture's own order differs from the order of its
    /// time.
    func isMisplaced(_ picture: Int) -> Bool { order.misplaced.contains(picture) }

    private func checkRemoteOrder(of plan: DecodePlan) throws(ScrubError) {
        guard index.facts.container.hasPrefix("mov") else { return }
        expectGroup(plan, through: plan.last, targets: [plan.target])
        let isBelievable = ReorderCheck.isBelievable(index, plan.restart...plan.last, file: file)
        try Cancellation.check()
        guard isBelievable else {
            // Headers that could not be fetched give no information, and counts after them start wrongly.
            if let failure = file.lastFailure { throw failure }
            throw ScrubError(
                .badData, "its times contradict the order of its pictures", file: file.path,
                place: "coded pictures \(plan.restart) to \(plan.last)",
                advice:
                    "download the whole file first: a local file's pictures are ordered by the numbers in their headers"
            )
        }
        order.checked[plan.restart] = plan.last
    }
}
