/// The rules for opening an address: the size of the first request, and the maximum wait for others.
package struct RemoteOpening: Sendable, Hashable {
    /// The size in bytes of the first request, which determines the total size.
    ///
    /// A server sends about ten packets before the first acknowledgement arrives (RFC 6928). This many bytes therefore
    /// arrive in one round trip, and the next request finds the connection free and faster than a new one.
    package var firstLength: Int64 = 12 * 1024
    /// The maximum wait for another process that is just opening the same address, which may be as slow as its
    /// connection.
    package var patience: Duration = .seconds(3)

    /// Creates the default rules: at most three seconds, and 12 KiB.
    package init() {}

    /// The rules for one of many files on a server, most of which are read completely. Connections already exist, and a
    /// second request for each file would cost more than additional bytes.
    package static let ofManyFiles: RemoteOpening = {
        var opening = RemoteOpening()
        opening.firstLength = 64 * 1024
        return opening
    }()
}
