import ScrubBitstream
import ScrubFileIO
import Foundation
import ScrubLibAV
import ScrubBase
import ScrubIndex
import ScrubTestSupport
import Testing

@Suite struct IndexFileTests {
    /// An index in which nothing has its default value.
    static func richIndex(seed: Int, route: StreamFacts.Route = .demuxByByte) -> FrameIndex {
        var random = SplitMix(UInt64(seed))
        var synthetic = SyntheticIndex.random(&random, count: 41)
        var description = CodecDescription()
        description.codecID = 27
        description.codecTag = .max
        description.extradata = [1, 2, 3, 4, 5]
        (description.pixelFormat, description.profile, description.level) = (-1, -99, 51)
        (description.width, description.height) = (1921, 1081)
        (description.aspectNumerator, description.aspectDenominator, description.fieldOrder) = (16, 15, 2)
        (description.colorRange, description.colorPrimaries, description.colorTransfer) = (1, 9, 16)
        (description.colorMatrix, description.chromaLocation, description.videoDelay) = (9, 3, 2)
        (description.bitsPerCodedSample, description.bitsPerRawSample, description.bitRate) = (24, 10, .max)
        description.sideData = [.init(type: 5, bytes: Array(0..<36)), .init(type: 20, bytes: [])]
        synthetic.facts.container = "mov,mp4 – größer"
        synthetic.facts.streamIndex = 3
        synthetic.facts.descriptions = [description, CodecDescription()]
        synthetic.facts.codec = .hevc
        synthetic.facts.route = route
        synthetic.facts.timeBase = Rational(1001, 30_000)
        synthetic.facts.sampleAspectRatio = Rational(16, 15)
        synthetic.facts.displayMatrix = [0, 65_536, 0, -65_536, 0, 0, 0, 0, 1 << 30]
        synthetic.facts.x264Build = 164
        synthetic.facts.startTimecode = try? Timecode("10:59:58;03")
        synthetic.facts.changesParameters = true
        synthetic.facts.missing = MissingRange(pictureCount: seed, byteCount: nil, duration: .max)
        synthetic.facts.warnings = ["one", "", "drei ß"]
        synthetic.pictures.decodeTimes = synthetic.pictures.presentationTimes.map { $0 - 7 }
        synthetic.pictures.decodeTimes[3] = CodedPictures.noTime
        synthetic.pictures.fingerprints = synthetic.pictures.sizes.map { _ in
            UInt32.random(in: 0 ... .max, using: &random)
        }
        synthetic.pictures.descriptions = synthetic.pictures.sizes.map { _ in UInt8.random(in: 0...1, using: &random) }
        synthetic.pictures.recoveryCounts = [1: 9, 7: .max, 40: 1]
        synthetic.lastDuration = 12_345
        synthetic.repairedTimes = synthetic.index.frames.indices.map { Int64($0) * 5 - 100 }
        return synthetic.index
    }

    private func key(_ bytes: [UInt8] = [1, 2, 3], stream: Int? = nil) throws -> (TemporaryFile, IndexFile.Key) {
        let file = try TemporaryFile(bytes)
        return (file, try IndexFile.Key(file.open(), requestedStream: stream))
    }

    private func expectEqual(_ a: FrameIndex, _ b: FrameIndex) {
        #expect(a.facts == b.facts)
        #expect(a.pictures == b.pictures)
        #expect(a.presentation == b.presentation)
        #expect(a.frames == b.frames)
        #expect(a.ranks == b.ranks)
        #expect(a.duration == b.duration)
    }

    @Test(arguments: 0..<8)
    func everythingComesBack(seed: Int) throws {
        let (_, key) = try key()
        let routes: [StreamFacts.Route] = [.direct, .demuxByByte, .demuxByTime, .demuxFromStart]
        let index = IndexFileTests.richIndex(seed: seed, route: routes[seed % 4])
        let bytes = IndexFile.encode(index, key: key)
        expectEqual(try IndexFile.decode(bytes, key: key), index)
        #expect(IndexFile.encode(try IndexFile.decode(bytes, key: key), key: key) == bytes)
    }

    @Test func defaultsComeBackToo() throws {
        let (_, key) = try key()
        var synthetic = SyntheticIndex("I0 P2 b1")
        synthetic.facts.descriptions = [CodecDescription()]
        let index = synthetic.index
        let back = try IndexFile.decode(IndexFile.encode(index, key: key), key: key)
        expectEqual(back, index)
        #expect(back.presentation.repairedTimes == nil)
        #expect(back.facts.sampleAspectRatio == nil)
        #expect(back.facts.x264Build == nil)
    }

    @Test func anotherVersionIsRefused() throws {
        let (_, key) = try key()
        var bytes = IndexFile.encode(IndexFileTests.richIndex(seed: 1), key: key)
        bytes[8] &+= 1
        let error = #expect(throws: ScrubError.self) { try IndexFile.decode(bytes, key: key) }
        #expect(error?.code == .badData)
    }

    @Test func anotherStateOfTheFileIsRefused() throws {
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 >> 5) }
        let (file, first) = try key(content)
        let bytes = IndexFile.encode(IndexFileTests.richIndex(seed: 2), key: first)
        #expect(try IndexFile.Key(file.open(), requestedStream: nil) == first)
        func expectRefusal(_ other: IndexFile.Key) {
            #expect(other != first)
            #expect(other.name != first.name)
            let error = #expect(throws: ScrubError.self) { try IndexFile.decode(bytes, key: other) }
            #expect(error?.code == .badData)
        }
        expectRefusal(try IndexFile.Key(file.open(), requestedStream: 0))
        try file.replace(content, modified: 1_000_000_001)
        expectRefusal(try IndexFile.Key(file.open(), requestedStream: nil))
        for place in [0, 65_535, 199_999, 134_464] {
            var other = content
            other[place] ^= 1
            try file.replace(other, modified: 1_000_000_000)
            expectRefusal(try IndexFile.Key(file.open(), requestedStream: nil))
        }
        try file.replace(content + [0], modified: 1_000_000_000)
        expectRefusal(try IndexFile.Key(file.open(), requestedStream: nil))
        try file.replace(content, modified: 1_000_000_000)
        #expect(try IndexFile.Key(file.open(), requestedStream: nil) == first)
    }

    /// Files that another libav, or another build of it, made count for nothing: indexes, dependencies and comparisons.
    @Test(arguments: [true, false]) func anotherLibavIsRefused(hasOtherVersion: Bool) throws {
        let (file, own) = try key()
        #expect(own.libraries == Libraries.version && Libraries.release.count > 2)
        var other = own
        if hasOtherVersion { other.libraries ^= 1 } else { other.release ^= 1 }
        #expect(other.name != own.name)
        let index = IndexFileTests.richIndex(seed: 3)
        let saved = IndexFile.encode(index, key: other)
        #expect(throws: ScrubError.self) { try IndexFile.decode(saved, key: own) }
        let count = index.pictures.count
        let dependencies = DependencyFile.encode([], key: other)
        #expect(try DependencyFile.decode(dependencies.span, key: other, pictures: count).isEmpty)
        #expect(throws: ScrubError.self) { try DependencyFile.decode(dependencies.span, key: own, pictures: count) }
        let proofs = RestartProofFile.encode([2: true], key: other)
        #expect(try RestartProofFile.decode(proofs.span, key: other, pictures: count) == [2: true])
        #expect(throws: ScrubError.self) { try RestartProofFile.decode(proofs.span, key: own, pictures: count) }
        // Through the store, also when an entry gets the other's name.
        let store = IndexStore(path: file.directory + "/cache")
        try store.save(index, other)
        #expect(store.load(own) == nil && store.load(other) != nil)
        try FileManager.default.copyItem(atPath: store.path(of: other), toPath: store.path(of: own))
        #expect(store.load(own) == nil)
    }

    @Test(arguments: [0, 1, 65_536, 70_000])
    func namesAreSixteenHexDigits(count: Int) throws {
        let (_, key) = try key([UInt8](repeating: 7, count: count))
        #expect(key.name.count == 16)
        #expect(key.name.allSatisfy { "0123456789abcdef".contains($0) })
    }
}
