import ScrubSourcesLogic
import ScrubFileIO
import Foundation
import ScrubHTTPTransport
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubBatch

/// A store in memory that makes trouble; real ones are met by Tests/Programs/Batch/s3-check.sh.
private final class TroubledStore: ObjectTransport {
    struct State {
        var objects: [String: [UInt8]] = [:]
        /// The troubles in place of an answer, by the number of the request; `true` for after it was carried out.
        var troubles: [Int: (trouble: Result<StoreAnswer, HTTPFailure>, isDone: Bool)] = [:]
        var requests: [String] = []
    }
    let state = Locked(State())

    func perform(_ request: StoreRequest) throws(HTTPFailure) -> StoreAnswer {
        let name = request.url.path
        var body: [UInt8] = []
        // As a connection does: until as many came as were promised.
        if request.method == .put {
            while body.count < request.byteCount, let part = request.read?(1000), !part.isEmpty { body += part }
        }
        let result = state.withLock { state -> Result<StoreAnswer, HTTPFailure> in
            state.requests.append("\(request.method.rawValue) \(name)")
            let trouble = state.troubles[state.requests.count]
            if let trouble, !trouble.isDone { return trouble.trouble }
            let answer = TroubledStore.answer(request, name, body, &state.objects)
            return trouble?.trouble ?? .success(answer)
        }
        return try result.get()
    }

    private static func answer(
        _ request: StoreRequest, _ name: String, _ body: [UInt8], _ objects: inout [String: [UInt8]]
    ) -> StoreAnswer {
        let tag = { (bytes: [UInt8]) in "\"\(bytes.hashValue)\"" }
        switch request.method {
        case .put:
            if request.headers.contains(where: { $0.name == "If-None-Match" }), objects[name] != nil {
                return StoreAnswer(status: 412)
            }
            objects[name] = body
            return StoreAnswer(status: 200, entityTag: tag(body))
        case .get, .head:
            guard let found = objects[name] else { return StoreAnswer(status: 404) }
            return StoreAnswer(
                status: 200, entityTag: tag(found), byteCount: Int64(found.count),
                body: request.method == .get ? found : [])
        case .delete:
            objects[name] = nil
            return StoreAnswer(status: 204)
        }
    }

    var objects: [String: [UInt8]] { state.withLock { $0.objects } }
    func takeRequests() -> [String] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }
}

@Suite("Results in an object store") struct ObjectStoreTests {
    private static let environment = [
        "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret of nobody",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9/",
    ]

    private func options(
        _ library: BatchLibrary, _ store: TroubledStore, pauses: Locked<[Duration]> = Locked([]),
        state: String = "state"
    ) throws -> BatchOptions {
        var options = library.options()
        options.statePath = library.folder.path + "/\(state).sqlite"
        options.objects = ObjectStore(
            folder: library.results,
            try ObjectStoreOptions("s3://films/pre fix/", endpoint: nil, environment: ObjectStoreTests.environment),
            transport: store, pause: { pause in pauses.withLock { $0.append(pause) } })
        return options
    }

    @Test func theRecordIsPutLastAndTakenAwayFirst() throws {
        let (library, store) = (try BatchLibrary(["h264-bf3.mp4"]), TroubledStore())
        #expect(try library.run(nil, options(library, store))["h264-bf3.mp4"]?.status == .done)
        let first = store.takeRequests().filter { $0.hasPrefix("PUT") }
        #expect(first.last == "PUT /films/pre%20fix/h264-bf3.mp4/scrub.json" && first.count > 3)
        #expect(TemporaryFolder.names(library.results) == [".scrub-batch"])
        #expect(try library.run(nil, options(library, store))["h264-bf3.mp4"]?.status == .kept)
        #expect(store.takeRequests() == ["HEAD /films/pre%20fix/h264-bf3.mp4/scrub.json"])
        // The records are enough.
        #expect(try library.run(nil, options(library, store, state: "other"))["h264-bf3.mp4"]?.status == .kept)
        _ = store.takeRequests()
        try library.add("nonzero.ts", as: "h264-bf3.mp4")
        #expect(try library.run(nil, options(library, store))["h264-bf3.mp4"]?.status == .done)
        let changes = store.takeRequests().filter { !$0.hasPrefix("GET") && !$0.hasPrefix("HEAD") }
        #expect(changes.first?.hasPrefix("DELETE") == true && changes.first?.hasSuffix("scrub.json") == true)
        // An object that is not as it was made is seen by a check.
        var checking = try options(library, store)
        checking.checksResults = true
        #expect(try library.run(nil, checking)["h264-bf3.mp4"]?.status == .kept)
        let sheet = try #require(store.objects.keys.first { $0.hasSuffix(".jpg") })
        store.state.withLock { $0.objects[sheet]?[100] ^= 1 }
        #expect(try library.run(nil, checking)["h264-bf3.mp4"]?.status == .done)
    }

    /// Whatever comes instead of an answer, and whether the request was carried out. At the end there are the same
    /// objects, and only whole results.
    @Test func troubleAtEachRequestIsOvercome() throws {
        let (calm, quiet) = (try BatchLibrary(["h264-bf3.mp4"]), TroubledStore())
        _ = try calm.run(nil, options(calm, quiet))
        let count = quiet.takeRequests().count
        let troubles: [Result<StoreAnswer, HTTPFailure>] = [
            .success(StoreAnswer(status: 503)), .success(StoreAnswer(status: 409)), .failure(.timedOut),
            .failure(.connectionLost(beforeFirstByte: false)),
        ]
        for number in 1...count {
            let (library, store, pauses) = (try BatchLibrary(["h264-bf3.mp4"]), TroubledStore(), Locked<[Duration]>([]))
            store.state.withLock { $0.troubles[number] = (troubles[number % troubles.count], number % 2 == 0) }
            let found = try library.run(nil, options(library, store, pauses: pauses))["h264-bf3.mp4"]
            #expect(found?.status == .done, "request \(number): \(found?.reason ?? "-")")
            #expect(store.objects == quiet.objects, "request \(number)")
            #expect(pauses.withLock { $0 } == [.milliseconds(200)])
        }
    }

    @Test func aStoreThatStaysAwayFailsTheFilmForNow() throws {
        let (library, store, pauses) = (try BatchLibrary(["h264-bf3.mp4"]), TroubledStore(), Locked<[Duration]>([]))
        let away: Result<StoreAnswer, HTTPFailure> = .success(
            StoreAnswer(
                status: 503, body: Array("<Error><Code>SlowDown</Code><Key>secret of nobody</Key></Error>".utf8)))
        for number in 4..<40 { store.state.withLock { $0.troubles[number] = (away, false) } }
        let found = try library.run(nil, options(library, store, pauses: pauses))["h264-bf3.mp4"]
        #expect(found?.status == .failed && found?.reason?.contains("503 SlowDown") == true)
        #expect(found?.reason?.contains("secret") == false)
        #expect(pauses.withLock { $0.count } == ObjectClient.tries - 1)
        #expect(!store.objects.keys.contains { $0.hasSuffix("scrub.json") })
        store.state.withLock { $0.troubles = [:] }
        library.clock.withLock { $0 += 100 }
        #expect(try library.run(nil, options(library, store))["h264-bf3.mp4"]?.status == .done)
    }

    /// The faster one with the same result has made it; another one's stays.
    @Test func anotherRunsRecordIsNotReplaced() throws {
        let (library, store) = (try BatchLibrary(["h264-bf3.mp4"]), TroubledStore())
        let key = "/films/pre%20fix/h264-bf3.mp4/scrub.json"
        _ = try library.run(nil, options(library, store))
        let own = try #require(store.objects[key])
        for (text, status) in [
            (own, BatchOutcome.Status.done), (own.map { $0 == UInt8(ascii: "9") ? 0x38 : $0 }, .failed),
        ] {
            let (library, store) = (try BatchLibrary(["h264-bf3.mp4"]), TroubledStore())
            let sheets = library.sheets
            let racing = BatchWork(name: sheets.name) { (asset, surroundings) throws(ScrubError) in
                let made = try sheets.make(asset, surroundings)
                // Between this run's look and its record.
                store.state.withLock { state in
                    state.troubles[state.requests.count + 1] = (.success(StoreAnswer(status: 404)), false)
                    state.objects[key] = text
                }
                return made
            }
            #expect(try library.run(racing, options(library, store))["h264-bf3.mp4"]?.status == status)
            #expect(store.objects[key] == text)
        }
    }

    @Test func namesAndCredentials() throws {
        func options(_ name: String, _ environment: [String: String] = ObjectStoreTests.environment) throws
            -> ObjectStoreOptions
        {
            try ObjectStoreOptions(name, endpoint: nil, environment: environment)
        }
        #expect(
            try options("s3://films/a//b/").url("ü+&/x y~.jpg").key
                == "http://127.0.0.1:9/films/a/b/%C3%BC%2B%26/x%20y~.jpg")
        #expect(try options("s3://films").url("x").key == "http://127.0.0.1:9/films/x")
        var aws = ObjectStoreTests.environment
        (aws["AWS_ENDPOINT_URL"], aws["AWS_DEFAULT_REGION"]) = (nil, "eu-central-1")
        #expect(try options("s3://films/x", aws).base == "https://s3.eu-central-1.amazonaws.com/films")
        for name in ["s3://", "s3:///x", "s3://a b/x", "s3://films/../x", "films"] {
            #expect(throws: ScrubError.self, "\(name)") { try options(name) }
        }
        #expect(throws: ScrubError.self) { try options("s3://films/x", [:]) }
        let signer = try options("s3://films/x").signer
        #expect(!"\(signer) \(String(reflecting: signer))".contains("secret"))
    }
}
