import ScrubBase
import ScrubFileIO
import ScrubIndex
import ScrubTestSupport
import Testing

@testable import ScrubMedia

/// Previews of a film on the network: of bytes that are there, with nothing fetched for them.
@Suite struct DistantPreviewTests {
    /// Makes what previews it can.
    ///
    /// - Returns: frames that have one, of how many, and the requests that were made for them.
    private func previews(isWhole: Bool) throws -> (made: Int, of: Int, requests: Int) {
        let path = Repository.clips + "/demo.mp4"
        let known: [Range<Int64>] = isWhole ? [0..<(try MediaSource(path: path).byteCount)] : []
        let source = DistantSource(path: path, identifier: path, known: known)
        let asset = try VideoAsset(source: source, name: path, options: VideoAsset.OpenOptions(cache: .none))
        source.reset()
        let track = try #require(
            PreviewTrack(asset, longSide: nil, in: ByteBudget(limit: 64 << 20), decoders: nil))
        track.store.limit(to: 32 << 20)
        track.look(at: 0)
        let gate = BoundedQueue<Void>(capacity: 1)
        track.whenFull { _ in gate.offer(()) }
        _ = gate.pop()
        return (track.frameCount, asset.index.frameCount, source.requests.count)
    }

    @Test func aFilmThatIsThereHasThemAsAFileDoes() throws {
        let found = try previews(isWhole: true)
        #expect(found.made == found.of && found.of > 100 && found.requests == 0, "\(found)")
    }

    @Test func nothingIsFetchedForThem() throws {
        let found = try previews(isWhole: false)
        #expect(found.made == 0 && found.requests == 0, "\(found)")
    }
}
