#if Viewer
import Foundation
import ScrubBase
import ScrubMedia
import ScrubSources
import ScrubTestSupport
import Testing
@testable import ScrubViewer

/// A viewer of a test's own, on a port of its own.
final class TestViewer: Sendable {
    let address: ViewerAddress
    private let end: ViewerEnd
    private let task: Task<Void, any Error>

    var port: Int { address.port }

    /// Opens a clip of `testdata/` as the viewer does.
    static func medium(_ name: String) throws -> ViewedMedium {
        let named = try #require(try NamedMedium.list([clips + name]).first)
        return try ViewedMedium.opening(named, VideoAsset.OpenOptions(cache: .none), NetworkOptions()).1.get().0
    }

    /// Starts one over some clips of `testdata/`, or over files that are named by a path.
    init(_ names: [String] = ["demo.mp4"], _ change: (inout ViewerConfiguration) -> Void = { _ in }) async throws {
        var configuration = ViewerConfiguration(
            names: names.map { $0.hasPrefix("/") || $0.hasPrefix("http") ? $0 : TestViewer.clips + $0 })
        configuration.options.cache = .none
        configuration.network.usesCache = false
        // On a machine that is busy enough two requests can be a minute apart: no client is forgotten, and no
        // connection ends, for that.
        (configuration.limits.restTime, configuration.limits.idleTime) = (.seconds(3600), .seconds(3600))
        change(&configuration)
        let (server, end) = (try ViewerServer(configuration), ViewerEnd())
        let ready = BoundedAsyncQueue<ViewerAddress>(capacity: 1)
        let task = Task {
            defer { ready.finish() }
            try await server.serve(until: end, signals: []) { ready.push($0) }
        }
        guard let address = await ready.next() else {
            try await task.value
            throw ScrubError(.inputOutput, "the server ended before it was ready")
        }
        (self.address, self.end, self.task) = (address, end, task)
    }

    /// Ends it as Ctrl-C does, and waits until it has ended.
    func close() async throws {
        await end.request()
        try await task.value
    }

    /// Asks on a connection of its own.
    func get(_ path: String, _ headers: [String] = [], method: String = "GET") async throws -> RawAnswer {
        let port = port
        return try await BlockingWork.run {
            let connection = try RawConnection(port: port)
            try connection.ask(path, headers, method: method)
            return try connection.answer(hasBody: method != "HEAD")
        }
    }

    /// Sends bytes as they are, and takes whatever comes until the connection ends.
    func send(_ text: String) async throws -> String {
        let port = port
        return try await BlockingWork.run {
            let connection = try RawConnection(port: port)
            try connection.send(text)
            return String(decoding: try connection.rest(), as: UTF8.self)
        }
    }

    /// A JSON object of the API's.
    func object(_ path: String) async throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(try await get("/api/" + path).body)) as? [String: Any] ?? [:]
    }

    /// The media in the list.
    func media() async throws -> [[String: Any]] {
        try JSONSerialization.jsonObject(with: Data(try await get("/api/media").body)) as? [[String: Any]] ?? []
    }

    /// The id of a medium, by its place in the list.
    func id(_ place: Int = 0) async throws -> String {
        let media = try await media()
        return media.indices.contains(place) ? media[place]["id"] as? String ?? "" : ""
    }

    /// Waits until a figure of `status` has a value; the suite's time limit ends a wait for a value that never comes.
    func wait(_ name: String, is value: Int) async throws {
        while try await object("status")[name] as? Int != value { try await Task.sleep(for: .milliseconds(2)) }
    }

    static let clips = Repository.clips + "/"
}

/// Runs something with a viewer, and ends that in any case.
@discardableResult
func withViewer<Result>(
    _ names: [String] = ["demo.mp4"], _ change: (inout ViewerConfiguration) -> Void = { _ in },
    _ body: (TestViewer) async throws -> Result
) async throws -> Result {
    let viewer = try await TestViewer(names, change)
    do {
        let result = try await body(viewer)
        try await viewer.close()
        return result
    } catch {
        try? await viewer.close()
        throw error
    }
}
#endif
