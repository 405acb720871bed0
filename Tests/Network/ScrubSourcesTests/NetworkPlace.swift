import ScrubSourcesLogic
import ScrubHTTPTransport
import ScrubMediaCache
import ScrubBase
import ScrubMedia
import ScrubSources
import ScrubTestSupport
import Testing

/// A process as far as the network is concerned: a client, a cache in a folder of its own or of another's, short
/// patience.
final class NetworkPlace {
    let folder: TemporaryFolder
    let cache: MediaCache
    let client: HTTPClient
    let options: NetworkOptions
    private(set) var files: [RemoteFile] = []

    init(headers: [(String, String)] = [], cacheOf other: NetworkPlace? = nil) throws {
        folder = try other?.folder ?? TemporaryFolder()
        other?.cache.flush()
        var limits = MediaCacheLimits()
        limits.freeSpaceFloor = 0
        cache = try MediaCache(path: folder.path, limits: limits)
        var options = NetworkOptions()
        options.proxy = .none
        options.headers = Dictionary(headers) { $1 }
        options.connectTimeout = .milliseconds(1000)
        options.answerTimeout = .milliseconds(300)
        options.stallTimeout = .milliseconds(300)
        options.readTimeout = .milliseconds(2500)
        self.options = options
        client = try HTTPClient(options: options.clientOptions(environment: [:]))
    }

    deinit {
        for file in files { file.cancel() }
        client.close()
    }

    func file(_ url: String) throws -> RemoteFile {
        let file = try RemoteFile(RemoteURL(url), options: options, cache: cache, client: client)
        files.append(file)
        return file
    }

    func open(_ url: String) throws -> VideoAsset {
        try VideoAsset(source: file(url), name: "film.mp4", options: VideoAsset.OpenOptions(cache: .none))
    }

    /// The cost of all files together.
    var cost: NetworkCost {
        files.reduce(into: NetworkCost()) { sum, file in
            let cost = file.cost
            sum.requestCount += cost.requestCount
            sum.fetchedByteCount += cost.fetchedByteCount
            sum.cachedByteCount += cost.cachedByteCount
            sum.retryCount += cost.retryCount
        }
    }

    /// Expects all recorded bytes to be the written ones.
    func expectSound() throws {
        cache.flush()
        let report = cache.verify()
        #expect(report.damaged == 0, "\(report)")
    }
}
