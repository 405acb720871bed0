internal import Playback
internal import ScrubBase
internal import ScrubMedia

final class ReaderLane: PlayerLane {
    private struct Order { var ticket = 0; var frame = 0; var direction = PlaybackDirection.forward; var stride = 1; var isClosed = false; var isRunning = false }
    private let bell = TimedBell(Order())
    init(_ asset: VideoAsset, _ deliver: @escaping PlayerLaneMaker.Deliver) {
        let bell = bell
        try! DedicatedThread {
            var reader = FrameReader(asset)
            while true {
                let order = bell.wait { (state) -> TimedBell<Order>.Wake<Order> in
                    if state.isClosed || state.isRunning { return .done(state) }
                    return .sleep(nil)
                }
                if order.isClosed { return }
                if order.frame < 0 || order.frame >= asset.frames.count {
                    bell.withLock { if $0.ticket == order.ticket { $0.isRunning = false } }
                    _ = deliver(order.ticket, .end)
                    continue
                }
                let answer = try! reader.frame(numbered: order.frame)
                bell.withLock {
                    if $0.ticket == order.ticket { $0.frame += order.direction == .forward ? order.stride : -order.stride; $0.isRunning = false }
                }
                let goesOn = deliver(order.ticket, .frame(FedPicture(frame: order.frame, image: answer.picture, verdict: answer.verdict)))
                if goesOn { bell.ring { if $0.ticket == order.ticket { $0.isRunning = true } } }
            }
        }.detach()
    }
    func start(ticket: Int, at frame: Int, _ direction: PlaybackDirection, stride: Int, isLookAhead: Bool) {
        bell.ring { $0.ticket = ticket; $0.frame = frame; $0.direction = direction; $0.stride = stride; $0.isRunning = true }
    }
    func resume(ticket: Int) { bell.ring { if $0.ticket == ticket { $0.isRunning = true } } }
    func promote() {}
    func stop() { bell.ring { $0.isRunning = false } }
    func close() { bell.ring { $0.isClosed = true } }
}

extension PlayerLaneMaker {
    static var decoding: PlayerLaneMaker {
        PlayerLaneMaker { asset, _, _, deliver in ReaderLane(asset, deliver) }
    }
}
