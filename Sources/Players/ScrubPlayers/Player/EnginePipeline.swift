internal import ScrubPlayersLogic
internal import ScrubBase
internal import ScrubMedia

/// A player's lane over the exact engine.
final class EnginePipeline: PlayerPipeline {
    private let lane: PictureDecodePipeline<EnginePictureFeed>
    private let deliver: PlayerPipelineFactory.Deliver
    private let previews: PreviewPictures
    private let usesPreviews: Bool

    init(
        _ asset: VideoAsset, _ options: Player.Options, _ resources: DecodingResources, _ meter: PipelineMetrics,
        deliver: @escaping PlayerPipelineFactory.Deliver
    ) {
        self.deliver = deliver
        usesPreviews = options.previewUse != .never
        let largest = options.preferredMaximumSize.map { (width: $0.width, height: $0.height) }
        previews = PreviewPictures(asset, inside: largest, budget: resources.budget, deliver: deliver)
        lane = PictureDecodePipeline(
            pool: resources.decoderPool, meter: meter,
            makeFeed: {
                EnginePictureFeed(
                    asset, threadCount: options.threadCount, keptByteLimit: options.backwardByteLimit, inside: largest,
                    budget: resources.budget)
            }, deliver: deliver)
    }

    deinit { close() }

    func start(ticket: Int, at frame: Int, _ direction: PlaybackDirection, stride: Int, isLookAhead: Bool) {
        if usesPreviews { previews.prepare() }
        let hasDecoder = lane.start(ticket: ticket, at: frame, direction, stride: stride, isLookAhead: isLookAhead)
        if isLookAhead, !hasDecoder { _ = deliver(ticket, .waitingForDecoder) }
    }

    func promote() { lane.becomeCurrent() }
    func resume(ticket: Int, isAhead: Bool) { lane.resume(ticket: ticket, isAhead: isAhead) }
    func preview(ticket: Int, of frame: Int) { previews.show(frame, ticket: ticket) }
    func stop() { lane.stop() }
    func detach() { lane.closeDecoderWhenFull() }
    func close() {
        lane.close()
        previews.close()
    }
}

extension PlayerPipelineFactory {
    /// The lanes that decode.
    static var decoding: PlayerPipelineFactory {
        PlayerPipelineFactory { asset, options, resources, meter, deliver in
            EnginePipeline(asset, options, resources, meter, deliver: deliver)
        }
    }
}
