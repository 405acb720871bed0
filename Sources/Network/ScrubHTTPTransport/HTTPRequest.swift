package import ScrubSourcesLogic

/// A `GET` request, for the whole resource or a range.
package struct HTTPRequest: Sendable {
    /// The address to request. Its user name and password are sent to its own origin only.
    package var url: RemoteURL
    /// The requested bytes, which must not be empty; `nil` for the whole resource.
    package var range: Range<Int64>?
    /// Several ranges requested at once, instead of ``range``; `nil` for one range or the whole resource. The response
    /// may have several parts, one part, or the whole resource.
    package var several: ByteRanges?
    /// The caller's header fields, such as `Authorization`. They are sent to the origin of ``url`` only.
    package var headers: [(name: String, value: String)]
    /// The required version of the bytes, for `If-Range`. It is sent only if it is strong and there is a ``range``.
    package var validator: Validator?
    /// The maximum number of bytes in a body, for small resources; `nil` for no limit. A 206 may never have more than
    /// the requested range.
    package var bodyLimit: Int64?
    package var timeouts: HTTPTimeouts
    /// The address to which redirects from ``url`` led before. It is requested directly, as if the redirects had been
    /// followed again, and checked like any address.
    package var shortcut: Shortcut?

    /// The target of redirects that were followed before.
    package struct Shortcut: Hashable, Sendable {
        package var url: RemoteURL
        /// Whether they passed through another origin, so that none of the caller's header fields or credentials are
        /// sent to the target.
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

/// The timeouts of a request. Waiting in line, while the host's connections are all in use, does not count.
package struct HTTPTimeouts: Hashable, Sendable {
    /// The timeout until a connection is established, including TLS, for each address.
    package var connect: Duration
    /// The timeout from the start of the request, or of the next request after a redirect, to the end of the response
    /// header.
    package var firstByte: Duration
    /// The timeout for everything, including redirects; `nil` for no limit.
    package var total: Duration?
    /// The minimum number of body bytes per second, over each ``rateWindow``; 0 for no minimum.
    package var leastRate: Int64
    /// The maximum time during which a body may arrive too slowly, or not at all.
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
