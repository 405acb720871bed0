internal import Hummingbird

/// The viewer's server.
public struct ViewerServer: Sendable {
    /// Makes a server.
    public init() {}

    /// Serves until it is told to end.
    public func run() async throws {
        let router = Router()
        router.get("/") { _, _ in
            Response(status: .ok, body: .init(byteBuffer: ByteBuffer(bytes: PackageResources.index_html)))
        }
        let application = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))
        try await application.runService()
    }
}
