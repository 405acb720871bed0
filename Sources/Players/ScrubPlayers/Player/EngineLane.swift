internal import ScrubPlayersLogic
internal import ScrubBase
internal import ScrubMedia

/// A player's lane over the exact engine.
final class EngineLane: PlayerLane {
    private let lane: PictureLane<EnginePictureFeed>
    private let deliver: PlayerLaneMaker.Deliver

    init(
        _ asset: VideoAsset, _ options: Player.Options, _ resources: PlaybackResources, _ meter: LaneMeter,
        deliver: @escaping PlayerLaneMaker.Deliver
    ) {
        self.deliver = deliver
        var feed = FeedOptions()
        feed.threadCount = options.threadCount
        feed.keptByteLimit = options.backwardByteLimit
        feed.preferredMaximumSize = options.preferredMaximumSize.map { ($0.width, $0.height) }
        lane = PictureLane(
            pool: resources.decoders, meter: meter,
            makeFeed: { [feed] in EnginePictureFeed(asset, options: feed, budget: resources.budget) }, deliver: deliver)
    }

    func start(ticket: Int, at frame: Int, _ direction: PlaybackDirection, stride: Int, isLookAhead: Bool) {
        let hasDecoder = lane.start(ticket: ticket, at: frame, direction, stride: stride, isLookAhead: isLookAhead)
        if isLookAhead, !hasDecoder { _ = deliver(ticket, .waitingForDecoder) }
    }

    func promote() { lane.becomeCurrent() }
    func resume(ticket: Int, isAhead: Bool) { lane.resume(ticket: ticket, isAhead: isAhead) }
    func stop() { lane.stop() }
    func detach() { lane.closeDecoderWhenFull() }
    func close() { lane.close() }
}

extension PlayerLaneMaker {
    /// Lanes that decode.
    static var decoding: PlayerLaneMaker {
        PlayerLaneMaker { asset, options, resources, meter, deliver in
            EngineLane(asset, options, resources, meter, deliver: deliver)
        }
    }
}
