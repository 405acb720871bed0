import ScrubFileIO
import Foundation
import ScrubBase
import ScrubIndex
import ScrubPlayers
import ScrubTestSupport
import Testing

@Suite struct MediaTests {
    private func clip(_ name: String) -> String { Repository.clips + "/" + name }

    private func media(_ name: String) -> PlayerMedia {
        PlayerMedia(path: clip(name), options: VideoAsset.OpenOptions(cache: .none))
    }

    /// A source whose reads wait until they are let through, and that counts them.
    private final class GatedSource: ByteSource {
        let bytes: [UInt8]
        let reads = Locked(0)
        private let isOpen: Locked<Bool>
        private let arrivals = BoundedQueue<Void>(capacity: 1)

        init(_ path: String, isOpen: Bool) throws {
            bytes = Array(try Data(contentsOf: URL(filePath: path)))
            self.isOpen = Locked(isOpen)
        }

        var byteCount: Int64 { Int64(bytes.count) }

        func open() {
            isOpen.withLock { $0 = true }
            arrivals.close()
        }

        func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            reads.withLock { $0 += 1 }
            if !isOpen.withLock({ $0 }) { _ = arrivals.pop() }
            let piece = bytes[Int(offset)...].prefix(buffer.count)
            buffer.copyBytes(from: piece)
            return piece.count
        }
    }

    @Test func keysLoadWithTheirValues() async throws {
        let media = media(Clips.bFrames)
        for key in PlayerMedia.Key.allCases { #expect(media.status(of: key) == .unloaded) }
        #expect(media.duration == nil && media.tracks == nil && media.isPlayable == nil && media.poster == nil)
        try await media.load(.duration)
        #expect(media.status(of: .frames) == .loaded && media.status(of: .tracks) == .unloaded)
        try await media.load(.tracks, .isPlayable, .frames, .poster)
        for key in PlayerMedia.Key.allCases { #expect(media.status(of: key) == .loaded) }
        let asset = try #require(media.asset)
        #expect(media.duration == asset.duration && asset.frames.count > 1)
        #expect(media.tracks?.contains { $0.kind == .video } == true)
        #expect(media.isPlayable == true && media.playbackProblem == nil)
        let poster = try #require(media.poster)
        #expect(max(poster.width, poster.height) <= 320)
        #expect(try poster.png().bytes.count > 100)
    }

    @Test func anOpenVideoIsLoaded() async throws {
        let asset = try await VideoAsset.open(path: clip(Clips.bFrames), options: VideoAsset.OpenOptions(cache: .none))
        let media = PlayerMedia(asset)
        #expect(media.status(of: .frames) == .loaded && media.asset === asset)
        #expect(media.identifier == PlayerMedia.Identifier(path: asset.path))
        try await media.load(.poster)
        let given = try #require(media.poster)
        let other = PlayerMedia(path: "/none", poster: given)
        #expect(other.status(of: .poster) == .loaded && other.poster != nil)
        try await other.load(.poster)
    }

    @Test func aFailedKeyStopsThereAndMayBeTriedAgain() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "later.mp4")
        let media = PlayerMedia(path: path, options: VideoAsset.OpenOptions(cache: .none))
        let error = try #require(await #expect(throws: ScrubError.self) { try await media.load(.tracks, .isPlayable) })
        #expect(error.code == .noInput && error.file == path)
        #expect(media.status(of: .tracks) == .failed(error) && media.status(of: .isPlayable) == .unloaded)
        try FileManager.default.copyItem(atPath: clip(Clips.bFrames), toPath: path)
        try await media.load(.tracks, .isPlayable)
        #expect(media.status(of: .tracks) == .loaded && media.isPlayable == true)
    }

    @Test func callersShareOneLoad() async throws {
        let alone = try GatedSource(clip(Clips.bFrames), isOpen: true)
        try await PlayerMedia(source: alone, name: "a.mp4", options: VideoAsset.OpenOptions(cache: .none)).load(.frames)
        let source = try GatedSource(clip(Clips.bFrames), isOpen: false)
        let media = PlayerMedia(source: source, name: "a.mp4", options: VideoAsset.OpenOptions(cache: .none))
        let tasks = (0..<8).map { _ in Task { try await media.loadAsset() } }
        await until { source.reads.withLock { $0 } > 0 }
        #expect(media.status(of: .frames) == .loading)
        tasks[3].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[3].value }
        #expect(media.status(of: .frames) == .loading, "the others still wait")
        source.open()
        let first = try await tasks[0].value
        for (number, task) in tasks.enumerated() where number != 3 { #expect(try await task.value === first) }
        #expect(source.reads.withLock { $0 } == alone.reads.withLock { $0 })
    }

    @Test func theWorkStopsWithoutWaitingCallers() async throws {
        let source = try GatedSource(clip(Clips.bFrames), isOpen: false)
        let media = PlayerMedia(source: source, name: "a.mp4", options: VideoAsset.OpenOptions(cache: .none))
        let tasks = (0..<2).map { _ in Task { try await media.load(.isPlayable) } }
        await until { source.reads.withLock { $0 } > 0 }
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(media.status(of: .isPlayable) == .unloaded)
        await until { media.status(of: .frames) == .unloaded }
        source.open()
        try await media.load(.isPlayable)
        #expect(media.isPlayable == true)
    }

    @Test func oneThatIsCancelledBeforeDoesNothing() async throws {
        let source = try GatedSource(clip(Clips.bFrames), isOpen: true)
        let media = PlayerMedia(source: source, name: "a.mp4", options: VideoAsset.OpenOptions(cache: .none))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await media.load(.frames)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(media.status(of: .frames) == .unloaded)
        #expect(source.reads.withLock { $0 } == 0)
    }

    /// A file whose pictures cannot be decoded: it opens, and cannot be played. One whose pictures were never written,
    /// zeros, has none.
    @Test func undecodableMediaAreNotPlayable() async throws {
        let folder = try TemporaryFolder()
        func open(_ byte: UInt8) async throws -> PlayerMedia {
            let bytes = try await filmWithPictures(of: byte)
            return PlayerMedia(
                path: try folder.write(bytes, to: "\(byte).mp4"), options: VideoAsset.OpenOptions(cache: .none))
        }
        let media = try await open(0xFF)
        try await media.load(.isPlayable)
        #expect(media.isPlayable == false && media.playbackProblem != nil)
        #expect(media.status(of: .isPlayable) == .loaded)
        let error = try #require(await #expect(throws: ScrubError.self) { try await media.load(.poster) })
        #expect(error.code == .badData && media.status(of: .poster) == .failed(error))
        let unwritten = try await open(0)
        try await unwritten.load(.isPlayable)
        #expect(unwritten.isPlayable == false && unwritten.status(of: .isPlayable) == .loaded)
    }

    /// Each key reports its outcome, with an error of its own if it has one.
    @Test func whatIsNoVideoIsNotPlayableAndWhatIsNotThereCannotBeTold() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Array("this is no film, whatever its name says\n".utf8), to: "letter.mp4")
        let letter = PlayerMedia(path: path, options: VideoAsset.OpenOptions(cache: .none))
        try await letter.load(.isPlayable)
        #expect(letter.isPlayable == false && letter.playbackProblem?.isEmpty == false)
        #expect(letter.status(of: .isPlayable) == .loaded && letter.status(of: .tracks) == .unloaded)
        for key in [PlayerMedia.Key.tracks, .duration, .frames, .poster] {
            let error = try #require(await #expect(throws: ScrubError.self) { try await letter.load(key) }, "\(key)")
            #expect(error.code == .badData && letter.status(of: key) == .failed(error), "\(key)")
        }
        #expect(letter.status(of: .isPlayable) == .loaded, "the others' failures are not its own")
        let missing = PlayerMedia(path: folder.path(of: "none.mp4"), options: VideoAsset.OpenOptions(cache: .none))
        let error = try #require(await #expect(throws: ScrubError.self) { try await missing.load(.isPlayable) })
        #expect(error.code == .noInput && missing.isPlayable == nil)
        #expect(missing.status(of: .isPlayable) == .failed(error) && missing.status(of: .poster) != .loaded)
    }

    /// A film with its tables, whose pictures have nothing but one byte over and over.
    private func filmWithPictures(of byte: UInt8) async throws -> [UInt8] {
        var bytes = Array(try Data(contentsOf: URL(filePath: clip(Clips.bFrames))))
        let asset = try await VideoAsset.open(path: clip(Clips.bFrames), options: VideoAsset.OpenOptions(cache: .none))
        for picture in 0..<asset.index.pictures.offsets.count {
            let start = Int(asset.index.pictures.offsets[picture])
            let end = start + Int(asset.index.pictures.sizes[picture])
            for place in start..<min(end, bytes.count) { bytes[place] = byte }
        }
        return bytes
    }

    @Test func decodingWaitsForALease() async throws {
        let pool = DecoderPool(limit: 1)
        let media = media(Clips.bFrames)
        media.useDecoders(of: pool)
        let lease = try await pool.acquire()
        let task = Task { try await media.load(.poster) }
        await until { pool.waitingCount == 1 }
        lease.release()
        try await task.value
        #expect((pool.attachedCount, pool.waitingCount, pool.peakAttachedCount) == (0, 0, 1))
    }

    @Test func identifiers() async throws {
        struct Source: ByteSource {
            var byteCount: Int64 { 3 }
            var contentIdentifier: String?
            func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int { 0 }
        }
        #expect(PlayerMedia.Identifier(path: "/a//b/./c.mp4") == PlayerMedia.Identifier(path: "/a/b/c.mp4"))
        let here = FileManager.default.currentDirectoryPath
        #expect(PlayerMedia.Identifier(path: "c.mp4") == PlayerMedia.Identifier(path: here + "/c.mp4"))
        #expect(PlayerMedia.Identifier(path: "/a/../b") != PlayerMedia.Identifier(path: "/b"))
        #expect(PlayerMedia.Identifier("/b") != PlayerMedia.Identifier(path: "/b"))
        let tagged = Source(contentIdentifier: "x")
        #expect(PlayerMedia.Identifier(source: tagged) == PlayerMedia.Identifier(source: tagged))
        #expect(PlayerMedia.Identifier(source: Source()) != PlayerMedia.Identifier(source: Source()))
        #expect(
            PlayerMedia(path: "/b", identifier: PlayerMedia.Identifier("mine")).identifier
                == PlayerMedia.Identifier("mine"))
        #expect(PlayerMedia(path: "/b").identifier.description == "/b")
    }
}

private enum Clips {
    static let bFrames = "h264-bf3.mp4"
}
