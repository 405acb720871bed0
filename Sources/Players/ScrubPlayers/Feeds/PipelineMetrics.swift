/// A report on the work of a lane's decoders.
package enum PipelineReport: Sendable, Hashable {
    /// The lane got a decoder after waiting for this long.
    case attached(waitedNanoseconds: Int64)
    /// The lane's decoder was closed.
    case detached(AccessLog.Entry.DetachReason)
    /// Coded pictures were given to the decoder, and bytes were read for them.
    ///
    /// `again` counts the pictures that had been decoded before the decoder was returned.
    case worked(pictures: Int, again: Int, bytes: Int64)
}

/// The receiver of reports about a lane's decoders, with its clock. Called on the lane's threads, with no lock held.
package struct PipelineMetrics: Sendable {
    package let now: @Sendable () -> Int64
    package let report: @Sendable (PipelineReport) -> Void

    package init(
        now: @escaping @Sendable () -> Int64 = { 0 }, report: @escaping @Sendable (PipelineReport) -> Void = { _ in }
    ) {
        (self.now, self.report) = (now, report)
    }
}

extension AccessLog {
    /// Records a report from a lane of an item.
    func note(_ report: PipelineReport, of item: PlayerItem.ID, at time: Int64) {
        switch report {
        case .attached(let waited):
            append(AccessLog.Entry(time: time, item: item, kind: .decoderAttached(waited: .nanoseconds(waited))))
        case .detached(let reason):
            append(AccessLog.Entry(time: time, item: item, kind: .decoderDetached(reason: reason)))
        case .worked(let pictures, let again, let bytes):
            countDecoded(pictures, again: again)
            countRead(bytes)
        }
    }
}
