internal import ScrubBase
internal import ScrubFileIO

extension ScrubSession {
    /// Makes the previews around a frame, as if it were looked at, and waits until all are there that have room. Ends
    /// at once for a session without a preview track, and for a film on the network that is not there whole.
    ///
    /// - Precondition: the frame exists.
    public func preparePreviews(around frame: Int) async {
        asset.frames.require(frame)
        guard let previews else { return }
        previews.look(at: frame)
        await withCheckedContinuation { continuation in previews.whenFull { continuation.resume() } }
    }

    /// As ``preparePreviews(around:)``, for threads that may block.
    package func waitForPreviews(around frame: Int) {
        guard let previews else { return }
        previews.look(at: frame)
        let gate = Handover<Void>(capacity: 1)
        previews.whenFull { gate.offer(()) }
        _ = gate.pop()
    }

    /// Waits until frames have their previews, or no more are made. For threads that may block.
    package func waitForPreviews(of frames: ClosedRange<Int>) {
        guard let previews else { return }
        previews.look(at: (frames.lowerBound + frames.upperBound) / 2)
        let isFull = Locked(false)
        previews.whenFull { isFull.withLock { $0 = true } }
        while !isFull.withLock({ $0 }), !frames.allSatisfy(previews.hasPreview) { BriefPause.take() }
    }
}
