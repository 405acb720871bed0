import ScrubBase
import ScrubDecoding
import ScrubLibAV
import ScrubMedia
import ScrubTestSupport
import Testing

@testable import ScrubPlayers

/// One value for decoders and memory, given to generators, series, sessions and players.
@Suite struct SharedResourcesTests {
    /// A clip with what ffmpeg's linear decode makes of it.
    private struct Clip: Sendable {
        let asset: VideoAsset
        let hashes: [String]
        let item: PlayerItem

        init(_ file: String) async throws {
            let clip = try #require(ManifestClip.all.first { $0.file == file })
            hashes = try clip.hashes()
            asset = try await VideoAsset.open(path: TestClips.folder + "/" + file, options: TestClips.options)
            item = PlayerItem(clip.media)
        }

        func check(_ picture: FramePicture?, _ frame: Int) throws {
            #expect(try picture?.md5() == hashes[frame], "frame \(frame)")
        }

        var pictureByteCount: Int { asset.index.pictureBufferByteCount }
    }

    private static var options: FrameReader.Options {
        var options = FrameReader.Options()
        options.threadCount = 1
        return options
    }

    private static var sessionOptions: ScrubSession.Options {
        var options = ScrubSession.Options()
        options.threadCount = 1
        return options
    }

    /// Rests on a frame until it is there.
    private func exact(_ session: ScrubSession, _ frame: Int, _ clip: Clip) async throws {
        session.scrub(toFrame: frame, isMoving: false)
        for await update in session.updates where update.requestedFrame == frame && update.stage == .exact {
            return try clip.check(update.picture, frame)
        }
    }

    @Test(arguments: ["h264-bf3.mp4", "hevc-open-gop.mp4", "vp9-altref.webm"], [1, 2])
    func `a generator, a series, a session and two players stay within one number`(
        _ file: String, _ decoderCount: Int
    ) async throws {
        let clip = try await Clip(file)
        let feed = EnginePictureFeed.minimumByteCount(for: clip.asset, threadCount: 1)
        // What all of them are promised, and not a picture more.
        let byteCount =
            Self.options.minimumByteCount(for: clip.asset)
            + Self.options.minimumByteCount(for: clip.asset, isSeries: true)
            + Self.sessionOptions.minimumByteCount(for: clip.asset) + decoderCount * feed
        let census = Census(DecodingResources(byteLimit: byteCount, decoderLimit: decoderCount))
        let resources = census.resources
        let count = clip.hashes.count
        do {
            let generator = try FrameGenerator(clip.asset, options: Self.options, resources: resources)
            let session = try ScrubSession(clip.asset, options: Self.sessionOptions, resources: resources)
            var options = Player.Options()
            (options.pacePolicy, options.threadCount) = (.wait, 1)
            var outputs: [SinkOutput] = []
            var sinks: [CollectingSink] = []
            var players: [Player] = []
            for _ in 0..<2 {
                let player = try Player(
                    [clip.item.copy()], options: options, timebase: .simulated(), resources: resources)
                census.note(player)
                sinks.append(CollectingSink())
                outputs.append(try SinkOutput(try #require(sinks.last), of: player))
                players.append(player)
                player.play()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for output in outputs { group.addTask { try await output.waitUntilFinished() } }
                group.addTask {
                    var random = SplitMix(7)
                    for _ in 0..<12 {
                        let number = Int.random(in: 0..<count, using: &random)
                        try clip.check(try await generator.frame(at: .frame(number)).picture, number)
                    }
                }
                group.addTask {
                    for order in [FrameGenerator.Order.asRequested, .asDecoded] {
                        let positions = (0..<count).map { FramePosition.frame($0) }
                        var places: Set<Int> = []
                        for try await result in generator.frames(at: positions, order: order) {
                            places.insert(result.index)
                            try clip.check(try result.get().picture, result.index)
                        }
                        #expect(places.count == count)
                    }
                }
                group.addTask {
                    for number in [0, count - 1, count / 2, 1] { try await exact(session, number, clip) }
                }
                try await group.waitForAll()
            }
            for (player, sink) in zip(players, sinks) {
                let isAsDecoded = sink.records.map(\.hash) == clip.hashes
                #expect(isAsDecoded && player.state == .ended, "\(sink.records.count) of \(count)")
            }
        }
        await census.reachesZero()
        let budget = try #require(resources.budget)
        #expect(budget.peakByteCount <= byteCount && budget.heldByteCount == 0)
        #expect(resources.peakDecoderCount <= decoderCount)
    }

    /// A loop over a series asks others for frames in its body: the series lends them its decoder meanwhile.
    @Test func `one decoder serves a loop within a loop`() async throws {
        let clip = try await Clip("h264-bf3.mp4")
        let census = Census(DecodingResources(byteLimit: 256 << 20, decoderLimit: 1))
        let count = clip.hashes.count
        do {
            let outer = try FrameGenerator(clip.asset, options: Self.options, resources: census.resources)
            let inner = try FrameGenerator(clip.asset, options: Self.options, resources: census.resources)
            let session = try ScrubSession(clip.asset, options: Self.sessionOptions, resources: census.resources)
            let positions = stride(from: 0, to: count, by: 5).map { FramePosition.frame($0) }
            for try await result in outer.frames(at: positions) {
                try clip.check(try result.get().picture, result.index * 5)
                let other = count - 1 - result.index * 3 % count
                try clip.check(try await inner.frame(at: .frame(other)).picture, other)
                try await exact(session, other, clip)
            }
            // Files: each is encoded while the decoder rests.
            var files = 0
            for try await result in outer.encodedFrames(at: positions, as: .png) {
                _ = try result.get()
                _ = try await inner.frame(at: .first)
                files += 1
            }
            #expect(files == positions.count)
        }
        await census.reachesZero()
        #expect(census.resources.peakDecoderCount == 1)
    }

    /// As many as an app likes wait for four decoders. Each is answered, twice, and nothing is left.
    @Test func `a thousand generators share one number`() async throws {
        let clip = try await Clip("h264-bf3.mp4")
        let least = Self.options.minimumByteCount(for: clip.asset)
        let census = Census(DecodingResources(byteLimit: 1000 * least, decoderLimit: 4))
        let count = clip.hashes.count
        do {
            let generators = try (0..<1000).map { _ in
                try FrameGenerator(clip.asset, options: Self.options, resources: census.resources)
            }
            #expect(throws: ScrubError.self) {
                try FrameGenerator(clip.asset, options: Self.options, resources: census.resources)
            }
            for round in 0..<2 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (place, generator) in generators.enumerated() {
                        let number = (7 * place + 11 * round) % count
                        group.addTask {
                            try clip.check(try await generator.frame(at: .frame(number)).picture, number)
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
        await census.reachesZero()
        let budget = try #require(census.resources.budget)
        #expect(budget.heldByteCount == 0 && census.resources.peakDecoderCount <= 4)
    }

    @Test func `there is one default`() {
        #expect(ScrubBudget().byteLimit == ScrubBudget.defaultByteLimit)
        #expect(FrameReader.Options().cacheByteLimit == ScrubBudget.defaultByteLimit)
    }

    @Test func `too few bytes are an error that says so`() async throws {
        let clip = try await Clip("h264-bf3.mp4")
        let least = Self.options.minimumByteCount(for: clip.asset)
        let error = #expect(throws: ScrubError.self) {
            try FrameGenerator(
                clip.asset, options: Self.options, resources: DecodingResources(byteLimit: least - 1))
        }
        #expect(error?.code == .unavailable && error?.advice?.contains("larger budget") == true)
        let resources = DecodingResources(byteLimit: least)
        let generator = try FrameGenerator(clip.asset, options: Self.options, resources: resources)
        for number in [0, clip.hashes.count - 1] {
            try clip.check(try await generator.frame(at: .frame(number)).picture, number)
        }
        #expect(throws: ScrubError.self) {
            try ScrubSession(clip.asset, options: Self.sessionOptions, resources: resources)
        }
        let series = await #expect(throws: ScrubError.self) {
            for try await _ in generator.frames(at: [.first]) {}
        }
        #expect(series?.code == .unavailable)
        #expect((resources.budget?.peakByteCount ?? .max) <= least)
    }

    @Test func `what the app holds counts, and is there again when it lets go`() async throws {
        let clip = try await Clip("h264-bf3.mp4")
        let byteCount = Self.options.minimumByteCount(for: clip.asset) + 2 * clip.pictureByteCount
        let resources = DecodingResources(byteLimit: byteCount)
        let budget = try #require(resources.budget)
        let generator = try FrameGenerator(clip.asset, options: Self.options, resources: resources)
        var held: [FrameAnswer] = []
        let error = await #expect(throws: ScrubError.self) {
            for number in clip.hashes.indices { held.append(try await generator.frame(at: .frame(number))) }
        }
        #expect(error?.code == .unavailable && error?.advice?.contains("release held pictures") == true)
        #expect(held.count >= 4 && budget.usedByteCount <= byteCount)
        #expect(budget.heldByteCount == held.compactMap(\.picture).reduce(0) { $0 + $1.shared.byteCount })
        for answer in held { try clip.check(answer.picture, answer.frame.number) }
        held.removeLast()
        try clip.check(try await generator.frame(at: .last).picture, clip.hashes.count - 1)
        held = []
        #expect(budget.heldByteCount == 0)
        try clip.check(try await generator.frame(at: .frame(1)).picture, 1)
        #expect(budget.peakByteCount <= byteCount)
    }

    @Test func `what is cancelled or released leaves the line at once`() async throws {
        let clip = try await Clip("h264-bf3.mp4")
        let census = Census(DecodingResources(byteLimit: 256 << 20, decoderLimit: 1))
        let pool = census.resources.decoderPool
        do {
            let lease = try await pool.acquire()
            let generator = try FrameGenerator(clip.asset, options: Self.options, resources: census.resources)
            let frame = Task { try await generator.frame(at: .last) }
            await until("a request waits", { pool.waitingCount == 1 })
            frame.cancel()
            await #expect(throws: CancellationError.self) { _ = try await frame.value }
            await until("it left", { pool.waitingCount == 0 })
            let series = Task { for try await _ in generator.frames(at: [.last]) {} }
            await until("a series waits", { pool.waitingCount == 1 })
            series.cancel()
            await #expect(throws: CancellationError.self) { try await series.value }
            await until("it left", { pool.waitingCount == 0 })
            var session: ScrubSession? = try ScrubSession(
                clip.asset, options: Self.sessionOptions, resources: census.resources)
            session?.scrub(toFrame: 3, isMoving: false)
            await until("a session waits", { pool.waitingCount == 1 })
            session?.cancelPendingRequest()
            await until("it left", { pool.waitingCount == 0 })
            session?.scrub(toFrame: 4, isMoving: false)
            await until("it waits again", { pool.waitingCount == 1 })
            session = nil
            #expect(pool.waitingCount == 0)
            lease.release()
            try clip.check(try await generator.frame(at: .first).picture, 0)
            // A decoder that rests is given up for another caller.
            let next = try await pool.acquire()
            #expect(pool.attachedCount == 1)
            next.release()
        }
        await census.reachesZero()
    }

    /// Without a number of bytes only decoders are shared; memory is as the options say.
    @Test func `decoders alone can be shared`() async throws {
        let clip = try await Clip("h264-bf3.mp4")
        let resources = DecodingResources(decoders: DecoderPool(limit: 1))
        let generators = try (0..<3).map { _ in
            try FrameGenerator(clip.asset, options: Self.options, resources: resources)
        }
        let session = try ScrubSession(clip.asset, options: Self.sessionOptions, resources: resources)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for generator in generators {
                group.addTask {
                    for number in [0, 9, clip.hashes.count - 1, 4] {
                        try clip.check(try await generator.frame(at: .frame(number)).picture, number)
                    }
                }
            }
            group.addTask { for number in [7, 2] { try await exact(session, number, clip) } }
            try await group.waitForAll()
        }
        #expect(resources.peakDecoderCount == 1)
    }
}
