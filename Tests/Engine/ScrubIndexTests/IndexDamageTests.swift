import ScrubFileIO
import ScrubLibAV
import ScrubBase
import ScrubIndex
import ScrubTestSupport
import Testing

@Suite struct IndexDamageTests {
    private func saved() throws -> (bytes: [UInt8], key: IndexFile.Key) {
        let file = try TemporaryFile([4, 5, 6])
        let key = try IndexFile.Key(file.open(), requestedStream: 1)
        return (IndexFile.encode(IndexFileTests.richIndex(seed: 3), key: key), key)
    }

    private func isRefused(_ bytes: [UInt8], _ key: IndexFile.Key) -> Bool {
        do throws(ScrubError) {
            _ = try IndexFile.decode(bytes, key: key)
            return false
        } catch {
            return error.code == .badData
        }
    }

    @Test(arguments: 0..<8)
    func aFlippedBitIsRefused(bit: Int) throws {
        let (bytes, key) = try saved()
        let accepted = bytes.indices.filter { place in
            var damaged = bytes
            damaged[place] ^= 1 << UInt8(bit)
            return !(12..<16).contains(place) && !isRefused(damaged, key)
        }
        #expect(accepted == [])
    }

    /// The four bytes after the version are read over and are outside the checksum.
    @Test(arguments: 12..<16)
    func theReservedBytesCountToo(place: Int) throws {
        let (bytes, key) = try saved()
        var damaged = bytes
        damaged[place] ^= 1
        let isRefused = self.isRefused(damaged, key)
        #expect(isRefused)
    }

    @Test func everyTruncationIsRefused() throws {
        let (bytes, key) = try saved()
        let accepted = bytes.indices.filter { !isRefused(Array(bytes[..<$0]), key) }
        #expect(accepted == [])
        let isLonger = isRefused(bytes + [0], key)
        #expect(isLonger)
    }

    @Test(arguments: 0..<10)
    func randomBytesAreRefused(seed: Int) throws {
        let (bytes, key) = try saved()
        var random = SplitMix(UInt64(seed))
        for _ in 0..<50 {
            let noise = (0..<Int.random(in: 0...400, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let accepted = [0, 12, 24].filter { !isRefused(Array(bytes[..<$0]) + noise, key) }
            #expect(accepted == [])
        }
    }

    /// Whole by its checksum, and yet not an index: saved by a program with a bug.
    @Test func contradictionsAreRefused() throws {
        let (_, key) = try saved()
        func isRefused(_ synthetic: SyntheticIndex) -> Bool {
            self.isRefused(IndexFile.encode(synthetic.index, key: key), key)
        }
        var synthetic = SyntheticIndex(times: [0, 10, 20])
        #expect(isRefused(synthetic), "no description")
        synthetic.facts.descriptions = [CodecDescription()]
        #expect(!isRefused(synthetic))
        var columns = synthetic
        columns.pictures.decodeTimes = [1]
        #expect(isRefused(columns), "columns of different lengths")
        var times = synthetic
        times.repairedTimes = [1]
        #expect(isRefused(times), "fewer times than frames")
        var descriptions = synthetic
        descriptions.pictures.descriptions = [0, 1, 0]
        #expect(isRefused(descriptions), "a description that is not there")
        var order = synthetic
        order.displayOrder = [0, 1, 1]
        #expect(isRefused(order), "a picture shown twice")
    }

    @Test func theStoreForgetsWhatIsDamaged() throws {
        let file = try TemporaryFile([1, 2, 3])
        let key = try IndexFile.Key(file.open(), requestedStream: nil)
        let store = IndexStore(path: file.directory + "/cache")
        #expect(store.load(key) == nil)
        let index = IndexFileTests.richIndex(seed: 4)
        try store.save(index, key)
        #expect(store.load(key)?.pictures == index.pictures)
        #expect(store.path(of: key).hasSuffix("/cache/\(key.name).scrubindex"))
        var bytes = try #require(store.directory.load(key.name))
        bytes[100] ^= 1
        try AtomicFile.write(bytes, to: .kept(store.path(of: key)))
        #expect(store.load(key) == nil)
        #expect(store.directory.load(key.name) == nil)
    }
}
