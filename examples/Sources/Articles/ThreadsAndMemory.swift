import Scrub

func memory(_ video: VideoAsset) async throws {
    var options = FrameReader.Options()
    options.cacheByteLimit = 64 << 20
    options.decoderLimit = 2
    options.threadCount = 2
    let generator = try FrameGenerator(video, options: options)
    _ = try await generator.frame(at: .fraction(0.5))
    print(generator.memory.cachedByteCount, generator.memory.usedByteCount, generator.memory.peakByteCount)
}

func log() {
    LibAVLog.setHandler(upTo: .warning) { message in
        if !message.isFromScrub { print(message.component ?? "FFmpeg", message.text) }
    }
}

func budget(_ video: VideoAsset) throws -> ScrubSession {
    let options = ScrubSession.Options()
    let least = options.minimumByteCount(for: video)
    let resources = DecodingResources(byteLimit: max(least, 128 << 20))
    return try ScrubSession(video, options: options, resources: resources)
}

func shared(_ video: VideoAsset) throws -> (FrameGenerator, ScrubSession) {
    let resources = DecodingResources(byteLimit: 512 << 20, decoderLimit: 4)
    let generator = try FrameGenerator(video, resources: resources)
    let session = try ScrubSession(video, resources: resources)
    print(resources.usedByteCount, resources.heldByteCount, resources.peakByteCount, resources.openDecoderCount)
    return (generator, session)
}
