/// The rules for opening an address: the size of the first request, and the time that others are waited for.
package struct RemoteOpening: Sendable, Hashable {
    /// Bytes of the very first request, which says how many there are.
    ///
    /// A server sends about ten packets before it has heard that any of them arrived (RFC 6928). So much comes in one
    /// delay, and the next request finds the connection free and faster than a new one.
    package var firstLength: Int64 = 12 * 1024
    /// The time that another process that is just opening the same address is waited for: it may be as slow as its
    /// connection.
    package var patience: Duration = .seconds(3)

    /// Waits at most three seconds, for 12 KiB.
    package init() {}

    /// For one of many files of one server, most of which are read whole. Connections already exist, and a second
    /// request for each file would cost more than bytes.
    package static let ofManyFiles: RemoteOpening = {
        var opening = RemoteOpening()
        opening.firstLength = 64 * 1024
        return opening
    }()
}
