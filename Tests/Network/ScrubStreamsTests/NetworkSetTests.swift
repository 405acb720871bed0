import Foundation
import ScrubHTTPTransport
import ScrubBase
import ScrubMedia
import ScrubSources
import ScrubStreams
import ScrubTestSupport
import Testing

/// Sets on a server, and playlists on disk that name files on one.
struct NetworkSetTests {
    static func open(_ name: String, _ wanted: NetworkOptions = NetworkOptions()) throws -> HLSVideo {
        var network = wanted
        network.proxy = .none
        let options = network
        let client = try HTTPClient(options: try network.clientOptions(environment: [:]))
        return try HLSVideo.open(name) { (url) throws(ScrubError) in
            NetworkStreamAccess(options: options, cache: nil, client: client, playlist: url)
        }
    }

    static func serve(_ set: StreamSet, on server: FaultServer, below folder: String = "") throws {
        for name in set.folder.contents where name != "film.mp4" {
            try server.serve(file: set.folder.path(of: name), as: folder + name)
        }
    }

    @Test(arguments: [[], ["-hls_segment_type", "fmp4"]])
    func timesFetchTheirSegmentAlone(_ options: [String]) throws {
        let set = try StreamSet(options)
        let server = try FaultServer()
        try NetworkSetTests.serve(set, on: server)
        let video = try NetworkSetTests.open(server.url("index.m3u8"))
        var reader = HLSVideo.Reader(video)
        let answer = try reader.frame(at: .seconds(7.1))
        #expect(try answer.picture?.md5() == set.hashes[177])
        let names = Set(server.log.map(\.request.name))
        #expect(names.isDisjoint(with: ["index1.ts", "index2.ts", "index4.ts", "index5.ts", "index6.ts"]), "\(names)")
        #expect(
            names.isDisjoint(with: ["index1.m4s", "index2.m4s", "index4.m4s", "index5.m4s", "index6.m4s"]), "\(names)")
        let cost = try #require(answer.fetched.network)
        print("network:", options, cost, answer.fetched.segments, answer.fetched.byteCount)
        #expect(cost.requestCount > 0 && cost.fetchedByteCount >= answer.fetched.byteCount / 2)
        // Fetched bytes are not fetched again.
        let again = try reader.frame(at: .seconds(7.1))
        #expect(again.fetched.network?.requestCount == 0)
    }

    @Test func encryptedBehindARedirect() throws {
        let set = try EncryptedSetTests.set(vector: "00000000000000000000000000000007")
        try EncryptedSetTests.edit(set) { $0.replacing(/URI="[^"]*film.key"/, with: "URI=\"film.key\"") }
        let server = try FaultServer()
        try NetworkSetTests.serve(set, on: server, below: "deep/")
        server.redirect("film.m3u8", to: "/deep/index.m3u8")
        var reader = HLSVideo.Reader(try NetworkSetTests.open(server.url("film.m3u8")))
        #expect(try reader.frame(at: .seconds(7.1)).picture?.md5() == set.hashes[177])
    }

    @Test func localPlaylistsNameAddresses() throws {
        let set = try StreamSet([])
        let server = try FaultServer()
        try NetworkSetTests.serve(set, on: server)
        try EncryptedSetTests.edit(set) { $0.replacing("index3.ts", with: server.url("index3.ts")) }
        var reader = HLSVideo.Reader(try NetworkSetTests.open(set.path))
        #expect(try reader.frame(at: .seconds(1)).fetched.network == nil)
        let answer = try reader.frame(at: .seconds(7.1))
        #expect(try answer.picture?.md5() == set.hashes[177] && answer.fetched.network != nil)
    }

    /// A text from the network never leads to a file.
    @Test(arguments: ["file:///etc/passwd", "concat:a.ts", "FILE:/x"])
    func playlistsOnTheNetworkNameNoFiles(_ name: String) throws {
        let server = try FaultServer()
        server.serve(Array("#EXTM3U\n#EXTINF:2,\n\(name)\n#EXT-X-ENDLIST\n".utf8), as: "index.m3u8")
        var reader = HLSVideo.Reader(try NetworkSetTests.open(server.url("index.m3u8")))
        let error = #expect(throws: ScrubError.self) { try reader.frame(at: .first) }
        #expect(error?.code == .unavailable)
    }
}
