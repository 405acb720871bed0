internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

// For a remote file: announcements of reads before they are made. For local bytes nothing here is called.
extension SeekPlanner {
    var forecast: ReadForecast { ReadForecast(index: index) }

    /// Returns the reads for decoding some pictures of a group, with the gaps in them if these are left out.
    func stretches(from restart: Int, through last: Int, targets: [Int]) -> [ReadStretch] {
        let stretches = forecast.stretches(from: restart, through: last, targets: targets)
        return leavesGaps ? stretches : stretches.map { ReadStretch($0.range) }
    }

    /// Says that pictures of a group will be read, those from the restart to the last one: headers and payloads come in
    /// one go.
    func expectGroup(_ plan: DecodePlan, through last: Int, targets: [Int]) {
        file.expectNext(
            stretches: stretches(from: plan.restart, through: max(last, plan.restart), targets: targets))
    }

    /// Announces the reads for some frames, in this order, up to this number of bytes: for many that are decoded one
    /// after the other.
    package func expect(frames: some Sequence<Int>, byteLimit: Int64 = SeekPlanner.windowByteCount) {
        guard file.isRemote else { return }
        var all: [ReadStretch] = []
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

    /// Says that the key pictures near some frames will be looked at.
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

    /// Bytes that are announced at the same time for work that goes on for long.
    package static let windowByteCount: Int64 = 16 << 20

    /// Whether the pictures' own order contradicts the container's times in the packets of a plan, or close behind it.
    ///
    /// Some places are compared when the index is made; here every group is when its bytes are there. Which frames such
    /// pictures are is then uncertain (``isMisplaced(_:)``). Decoders also drop a picture that comes after one that
    /// shows later, and which one depends on the pictures that they are given: such a group is decoded whole.
    ///
    /// - Throws: `badData` for a remote file: which picture the frame is cannot be told without reading all.
    func contradictsOrder(_ plan: DecodePlan) throws(ScrubError) -> Bool {
        guard plan.last > plan.restart, !index.pictures.flags[plan.restart].contains(.verified) else { return false }
        let checked = order.checked[plan.restart]
        if let checked, checked >= plan.last { return order.contradicted.contains(plan.restart) }
        if file.isRemote {
            try checkRemoteOrder(of: plan)
            return false
        }
        // A walk over a long group goes twice as far each time, or it would begin again with each of its pictures.
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

    /// Whether ``contradictsOrder(_:)`` has found that a picture's own order is another one than its time's.
    func isMisplaced(_ picture: Int) -> Bool { order.misplaced.contains(picture) }

    private func checkRemoteOrder(of plan: DecodePlan) throws(ScrubError) {
        guard index.facts.container.hasPrefix("mov") else { return }
        expectGroup(plan, through: plan.last, targets: [plan.target])
        let isBelievable = ReorderCheck.isBelievable(index, plan.restart...plan.last, file: file)
        try Cancellation.check()
        guard isBelievable else {
            // Of headers that could not be fetched nothing can be said, and counts behind them begin wrongly.
            if let failure = file.lastFailure { throw failure }
            throw ScrubError(
                .badData, "its times contradict the order of its pictures", file: file.path,
                place: "coded picture \(plan.restart) to \(plan.last)",
                advice: "fetch the whole file first: then its pictures are put in order by their own numbers")
        }
        order.checked[plan.restart] = plan.last
    }
}
