package import ScrubSourcesLogic

/// One `GET`, of the whole or of one range.
package struct HTTPRequest: Sendable {
    /// The address that is asked for. Its name and password go to its own origin only.
    package var url: RemoteURL
    /// The bytes asked for; `nil` for the whole. Not empty.
    package var range: Range<Int64>?
    /// Several ranges asked for at once, in place of ``range``; `nil` for one or for the whole. An answer may be of
    /// several parts, of one, or the whole.
    package var several: ByteRanges?
    /// Header fields of the caller's, such as `Authorization`. They go to the origin of ``url`` only.
    package var headers: [(name: String, value: String)]
    /// The version that the bytes must be of, for `If-Range`; sent only where it is strong and ``range`` is there.
    package var validator: Validator?
    /// The most bytes that a body may have, for things that are small by nature; `nil` for no limit. A 206 may never
    /// have more than the range asked for.
    package var bodyLimit: Int64?
    package var timeouts: HTTPTimeouts
    /// The address that redirects of ``url`` have led to before: asked at once, as if it were led there again. Judged
    /// as every address is.
    package var shortcut: Shortcut?

    /// The end of redirects that were followed before.
    package struct Shortcut: Hashable, Sendable {
        package var url: RemoteURL
        /// Whether they led to another origin on the way: nothing of the caller's goes there.
        package var hasLeftOrigin: Bool

        package init(url: RemoteURL, hasLeftOrigin: Bool) { (self.url, self.hasLeftOrigin) = (url, hasLeftOrigin) }
    }

    package init(
        url: RemoteURL, range: Range<Int64>? = nil, several: ByteRanges? = nil,
        headers: [(name: String, value: String)] = [],
        validator: Validator? = nil, bodyLimit: Int64? = nil, timeouts: HTTPTimeouts = HTTPTimeouts(),
        shortcut: Shortcut? = nil
    ) {
        self.url = url
        self.range = range
        self.several = several
        self.headers = headers
        self.validator = validator
        self.bodyLimit = bodyLimit
        self.timeouts = timeouts
        self.shortcut = shortcut
    }
}

/// The longest times that a request waits. Waiting for a turn, while the host's connections are all in use, counts for
/// none of them.
package struct HTTPTimeouts: Hashable, Sendable {
    /// Until a connection stands, with TLS, for each address asked.
    package var connect: Duration
    /// From the request's start, or that of the next one after a redirect, to the end of the answer's head.
    package var firstByte: Duration
    /// For all of it, redirects included; `nil` for no limit.
    package var total: Duration?
    /// The fewest bytes of body per second, over each ``rateWindow``; 0 for any.
    package var leastRate: Int64
    /// The longest time that a body may come too slowly, or not at all.
    package var rateWindow: Duration

    package init(
        connect: Duration = .seconds(5), firstByte: Duration = .seconds(10), total: Duration? = nil,
        leastRate: Int64 = 1024, rateWindow: Duration = .seconds(10)
    ) {
        self.connect = connect
        self.firstByte = firstByte
        self.total = total
        self.leastRate = leastRate
        self.rateWindow = rateWindow
    }
}
