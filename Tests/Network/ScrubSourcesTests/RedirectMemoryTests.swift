import ScrubSourcesLogic
import ScrubHTTPTransport
import ScrubMediaCache
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubSources

/// Redirects are followed once, as long as they lead somewhere.
@Suite("Redirects that are remembered") struct RedirectMemoryTests {
    private let first: FaultServer
    private let second: FaultServer
    private let content = FaultContent(FakeContent.bytes(count: 3_000_000, salt: 21))

    init() throws {
        (first, second) = (try FaultServer(), try FaultServer(.otherLoopback(3)))
        second.serve(content, as: "signed", etag: "\"film\"")
        first.redirect("film", to: second.url("signed?key=1"))
    }

    private func open(_ name: String = "film", _ change: (inout NetworkOptions) -> Void = { _ in }) throws -> RemoteFile
    {
        var options = NetworkOptions()
        options.readTimeout = .seconds(120)
        options.headers = ["X-Mine": "1"]
        change(&options)
        let client = try HTTPClient(options: options.clientOptions(environment: [:]))
        let url = first.url(name).replacing("//", with: "//u:p@")
        return try RemoteFile.open(url, options: options, cache: nil, client: client)
    }

    /// Reads that each need a request.
    private func read(_ file: RemoteFile, _ places: [Int64]) throws {
        for place in places {
            file.prefetch([place..<place + 1000])
            #expect(try file.read(at: place, count: 1000) == content.read(place..<place + 1000))
        }
    }

    @Test func oneRequestForEachRead() throws {
        let file = try open()
        try read(file, [500_000, 1_000_000, 1_500_000, 2_000_000])
        #expect(first.log.count == 1 && second.log.count == 5)
        #expect(file.cost.requestCount == 6)
        // Nothing of the caller's went to the other host.
        for entry in second.log {
            #expect(entry.request.value("X-Mine") == nil && entry.request.value("Authorization") == nil)
        }
    }

    @Test func onTheSameHostTheCallersHeadersAreSent() throws {
        first.serve(content, as: "moved")
        first.redirect("old", to: "/moved", status: 308)
        let file = try open("old")
        try read(file, [500_000, 1_000_000])
        #expect(first.log.of("old").count == 1 && first.log.of("moved").count == 3)
        for entry in first.log.of("moved") {
            #expect(entry.request.value("X-Mine") == "1" && entry.request.value("Authorization") != nil)
        }
    }

    @Test func backFromAnotherHostTheCallersHeadersAreNotSent() throws {
        first.serve(content, as: "end")
        first.redirect("around", to: second.url("back"))
        second.redirect("back", to: first.url("end"))
        let file = try open("around")
        try read(file, [500_000, 1_000_000])
        #expect(first.log.of("end").count == 3)
        for entry in first.log.of("end") {
            #expect(entry.request.value("X-Mine") == nil && entry.request.value("Authorization") == nil)
        }
    }

    @Test(arguments: [401, 403, 404, 410, 429, 500, 503])
    func afterItsEndTheAddressItselfIsAsked(_ status: Int) throws {
        let file = try open()
        try read(file, [500_000])
        second.serve(content, as: "new", etag: "\"film\"")
        second.fail("signed", .status(status))
        first.redirect("film", to: second.url("new"))
        try read(file, [1_000_000, 1_500_000])
        #expect(first.log.count == 2)
        #expect(second.log.of("signed").count == 3 && second.log.of("new").count == 2)
    }

    @Test func aPageInPlaceOfTheFilmIsNotUsed() throws {
        let file = try open()
        second.serve([1, 2, 3], as: "signed")
        second.serve(content, as: "new", etag: "\"film\"")
        first.redirect("film", to: second.url("new"))
        try read(file, [500_000, 1_000_000])
        #expect(second.log.of("signed").count == 2)
    }

    @Test func aHostThatIsGoneIsAskedForNoMore() throws {
        let third = try FaultServer(.otherLoopback(5))
        third.serve(content, as: "signed", etag: "\"film\"")
        first.redirect("film", to: third.url("signed"))
        let file = try open()
        try read(file, [500_000])
        third.stop()
        first.redirect("film", to: second.url("signed"))
        try read(file, [1_000_000, 1_500_000])
        #expect(second.log.count == 2 && first.log.count == 2)
    }

    @Test func failuresEverywhereEndWithAnError() throws {
        let file = try open()
        second.fail("signed", .status(403))
        #expect(throws: ScrubError.self) { try read(file, [500_000]) }
        #expect(first.log.count == 2 && second.log.count == 3)
    }

    /// Addresses that are good for one request: to remember them is in vain, which is noticed.
    @Test func addressesThatAreGoodForOneRequest() throws {
        second.serve(content, as: "once")
        let used = Locked<Set<String>>([])
        first.fail(
            "film",
            Fault("302") { answer, request in
                answer = .text(302)
                answer.set("Location", second.url("once?ticket=\(request.number)"))
            })
        second.fail(
            "once",
            Fault("403 the second time") { answer, request in
                let isFirst = used.withLock { $0.insert(request.target).inserted }
                if !isFirst { answer = .text(403) }
            })
        let file = try open()
        try read(file, (1...8).map { Int64($0) * 300_000 })
        // The opening, eight reads, and two that were tried in vain.
        #expect(first.log.count == 9 && second.log.of("once").count == 11)
    }

    @Test func aRememberedPlaceIsJudgedToo() throws {
        #expect(throws: ScrubError.self) { try open { $0.deniedHosts = ["127.0.0.3"] } }
        #expect(second.log.isEmpty)
    }
}
