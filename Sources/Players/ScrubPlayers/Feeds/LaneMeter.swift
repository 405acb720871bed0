/// A lane's report about its decoders' work.
package enum LaneReport: Sendable, Hashable {
    /// It got a decoder, having waited so long for it.
    case attached(waitedNanoseconds: Int64)
    /// Its decoder is closed.
    case detached(AccessLog.Entry.DetachReason)
    /// Coded pictures were given to the decoder, and bytes were read for them.
    ///
    /// Of the pictures some were decoded before the decoder was given back on the way.
    case worked(pictures: Int, again: Int, bytes: Int64)
}

/// The receiver of reports about a lane's decoders, and its clock. Called on the lane's threads, with no lock held.
package struct LaneMeter: Sendable {
    package let now: @Sendable () -> Int64
    package let report: @Sendable (LaneReport) -> Void

    package init(
        now: @escaping @Sendable () -> Int64 = { 0 }, report: @escaping @Sendable (LaneReport) -> Void = { _ in }
    ) {
        (self.now, self.report) = (now, report)
    }
}

extension AccessLog {
    /// Records a report from a lane of an item.
    func note(_ report: LaneReport, of item: PlayerItem.ID, at time: Int64) {
        switch report {
        case .attached(let waited):
            append(AccessLog.Entry(time: time, item: item, kind: .decoderAttached(waitedNanoseconds: waited)))
        case .detached(let reason):
            append(AccessLog.Entry(time: time, item: item, kind: .decoderDetached(reason: reason)))
        case .worked(let pictures, let again, let bytes):
            countDecoded(pictures, again: again)
            countRead(bytes)
        }
    }
}
