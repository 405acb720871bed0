import ScrubBase
import ScrubTestSupport
import Testing

/// One thing that goes wrong on the way, and how reading a film has to end then.
struct FaultCase: Sendable, CustomTestStringConvertible {
    enum End: Sendable {
        /// The right pictures.
        case pictures
        /// An error that has one of these words in it.
        case error([String])
        /// Either of both.
        case either([String])
    }

    let testDescription: String
    let faults: [(Fault, FaultOccasion)]
    let end: End
    /// The most requests for two pictures with all the retries.
    var requests = 24
    /// The most bytes that the server writes, in times of the film's length.
    var share = 1.2

    init(
        _ fault: Fault, _ occasion: FaultOccasion = .always, _ when: String = "always", _ end: End, requests: Int = 24,
        share: Double = 1.2
    ) {
        self.init("\(fault) \(when)", [(fault, occasion)], end, requests: requests, share: share)
    }

    init(
        _ name: String, _ faults: [(Fault, FaultOccasion)], _ end: End, requests: Int = 24, share: Double = 1.2
    ) {
        (testDescription, self.faults, self.end) = (name, faults, end)
        (self.requests, self.share) = (requests, share)
    }

    private static let changed: End = .error(["changed"])
    private static let late: End = .error(["in time", "slow"])
    private static let lost: End = .error(["connection", "response", "early"])
    private static let wrong: End = .error(["response is invalid"])

    static let ranges: [FaultCase] = [
        FaultCase("nothing", [], .pictures, requests: 8, share: 0.6),
        FaultCase(.ignoredRange, .always, "always", .either(["range"]), share: 6),
        FaultCase(.ignoredRange, FaultOccasion { $0.number % 3 == 2 }, "every third time", .pictures, share: 6),
        FaultCase(.ignoredRange, .only(0), "at first", .either(["range"]), share: 6),
        FaultCase(.ignoredRange, .from(2), "from the third on", .either(["range"]), share: 6),
        FaultCase(.shorterRange(to: 60_000), .always, "always", .pictures, requests: 60),
        FaultCase(.shorterRange(to: 60_000), .only(1), "once", .pictures),
        FaultCase(.longerRange(by: 7), .always, "always", .either(["invalid"])),
        FaultCase(.shiftedRange(by: 1), .always, "always", wrong),
        FaultCase(.shiftedRange(by: -1), .from(1), "from the second on", wrong),
        FaultCase(.lyingStart(by: 5), .always, "always", wrong),
        FaultCase(.lyingStart(by: 5), .only(2), "once", .either(["invalid"])),
        FaultCase(.lyingTotal(5000), .from(1), "from the second on", .error(["changed", "invalid"])),
        FaultCase(.lyingTotal(1 << 40), .from(1), "from the second on", changed),
        FaultCase(
            .lyingTotal(1 << 62), .always, "always", .either(["invalid", "length", "early", "changed", "end", ""])),
        FaultCase(.lyingTotal(nil), .from(1), "from the second on", .pictures),
        FaultCase(.lyingTotal(nil), .always, "always", .either(["total", "how long", "length"])),
        FaultCase(.contentRange(nil), .always, "always", wrong),
        FaultCase(.contentRange("bytes"), .always, "always", wrong),
        FaultCase(.contentRange("bytes 9-3/100"), .always, "always", wrong),
        FaultCase(.overflowingRange, .always, "always", wrong),
        FaultCase(.unsatisfiable(total: 1000), .from(1), "from the second on", changed),
        FaultCase(.unsatisfiable(total: 1000), .always, "always", .error(["do not exist"])),
    ]

    static let lengths: [FaultCase] = [
        FaultCase(.contentLength(offBy: 5), .always, "always", .either(["invalid", "connection", "early"])),
        FaultCase(.contentLength(offBy: -5), .always, "always", .either(["invalid", "connection", "early"])),
        FaultCase(
            .contentLength(offBy: 1 << 40), .only(1), "once", .either(["invalid", "connection", "early", "large"])),
        FaultCase(.noContentLength, .always, "always", .pictures),
        FaultCase(.chunked, .always, "always", .pictures),
        FaultCase(.twoContentLengths, .always, "always", wrong),
        FaultCase(.gzip, .always, "always", .error(["coding", "gzip"])),
        FaultCase(.gzip, .from(2), "from the third on", .error(["coding", "gzip"])),
        FaultCase(.hugeHeader(100 << 20), .always, "always", .error(["large", "header"]), share: 3),
        FaultCase(.hugeHeader(60 << 10), .always, "always", .either(["large", "header"])),
        FaultCase(.manyHeaders(1000), .always, "always", .error(["large", "header"])),
        FaultCase(.rawHead("hello\r\n\r\n"), .always, "always", .error(["response", "HTTP"])),
        FaultCase(.rawHead("HTTP/1.1 206\r\n\r\n"), .always, "always", .error(["invalid", "response", "which"])),
        FaultCase(.rawHead("HTTP/1.1 1000000 no\r\n\r\n"), .always, "always", .error(["response", "HTTP", "status"])),
    ]

    static let validators: [FaultCase] = [
        FaultCase(.weakETag, .always, "always", .pictures),
        FaultCase(.etag(nil), .always, "always", .pictures),
        FaultCase(.header("Last-Modified", nil), .always, "always", .pictures),
        FaultCase(.noValidators, .always, "always", .pictures),
        FaultCase(.noValidators, .from(1), "from the second on", .either(["changed", "different content"])),
        FaultCase(.etagPerRequest, .always, "always, with one time", .pictures),
        FaultCase(
            "ETag per request, no time", [(.etagPerRequest, .always), (.header("Last-Modified", nil), .always)], changed
        ),
        FaultCase(
            "another ETag and time from the second on",
            [(.etag("\"x\""), .from(1)), (.header("Last-Modified", "Fri, 01 Jan 2021 00:00:00 GMT"), .from(1))], changed
        ),
        FaultCase(.header("Last-Modified", "yesterday"), .always, "always", .pictures),
        FaultCase(.etag("no quotes"), .always, "always", .pictures),
        FaultCase(.header("Date", nil), .always, "always", .pictures),
    ]

    static let connections: [FaultCase] = [
        FaultCase(.reset(.beforeHead), .always, "always", lost),
        FaultCase(.reset(.beforeHead), .only(1), "once", .pictures),
        FaultCase(.reset(.beforeHead), .every(3), "every third time", .pictures),
        FaultCase(.reset(.inHead(20)), .only(1, 2), "twice", .pictures),
        FaultCase(.reset(.inHead(20)), .always, "always", lost),
        FaultCase(.reset(.beforeBody), .always, "always", lost),
        FaultCase(.reset(.inBody(50_000)), .always, "always", .pictures, requests: 60),
        FaultCase(.reset(.inBody(1)), .always, "always", .either(["connection", "lost", "early"]), requests: 400),
        FaultCase(.close(.beforeHead), .only(0), "once", .pictures),
        FaultCase(.close(.beforeHead), .reusedConnection, "on used connections", .pictures),
        FaultCase(.close(.inHead(7)), .always, "always", lost),
        FaultCase(.close(.beforeBody), .always, "always", lost),
        FaultCase(.close(.inBody(50_000)), .always, "always", .pictures, requests: 60),
        FaultCase(.closedAfter(announced: true), .always, "always", .pictures),
        FaultCase(.closedAfter(announced: false), .always, "always", .pictures),
        FaultCase(.drip(.inBody(10), milliseconds: 20), .always, "always", late),
        FaultCase(.drip(.inHead(10), milliseconds: 20), .always, "always", late),
        FaultCase(.drip(.beforeBody, bytes: 4000, milliseconds: 1), .only(1), "once", .pictures),
    ]

    static let answers: [FaultCase] = [
        FaultCase(.status(401), .always, "always", .error(["401"]), requests: 1),
        FaultCase(.status(401), .only(0), "at first", .error(["401"]), requests: 1),
        FaultCase(.status(403), .from(2), "after two", .error(["403"])),
        FaultCase(.status(404), .always, "always", .error(["404"]), requests: 1),
        FaultCase(.status(410), .from(1), "from the second on", .error(["410"])),
        FaultCase(.status(500), .always, "always", .error(["500"]), requests: 8),
        FaultCase(.status(503), .only(0, 2), "twice", .pictures),
        FaultCase(.status(503, retryAfter: "0"), .only(1), "once", .pictures),
        FaultCase(.status(429, retryAfter: "0"), .always, "always", .error(["429"]), requests: 8),
        FaultCase(.status(429, retryAfter: "100000"), .always, "always", .error(["429"]), requests: 1),
        FaultCase(.status(204), .always, "always", .error(["204"])),
        FaultCase(.status(304), .always, "always", .error(["304"])),
        FaultCase(.status(100), .always, "always", .error(["response", "100", "connection", "in time"])),
        FaultCase(.redirect(to: "/film.mp4"), .always, "to itself", .error(["redirect"]), requests: 12),
        FaultCase(.redirect(to: "file:///etc/passwd"), .always, "always", .error(["redirect", "not allowed", "file"])),
        FaultCase(.redirect(to: "ftp://127.0.0.1/x"), .always, "always", .error(["redirect", "not allowed", "ftp"])),
        FaultCase(.redirect(to: ""), .always, "to nothing", .error(["redirect"]), requests: 12),
        FaultCase(.redirect(to: "http://["), .always, "to no address", .error(["redirect", "invalid"])),
        FaultCase(.redirect(to: "//user:word@127.0.0.1:1/x"), .always, "to a closed port", .error(["refuse"])),
        FaultCase(.header("Location", nil), .always, "without effect", .pictures),
    ]

    static let all = ranges + lengths + validators + connections + answers
}
