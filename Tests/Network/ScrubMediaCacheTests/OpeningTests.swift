import ScrubSourcesLogic
import ScrubMediaCache
import Testing

@Suite("Claims to open an address") struct OpeningTests {
    private func isMine(_ opening: MediaCache.Opening) -> Bool { if case .mine = opening { true } else { false } }
    private func isClaimedElsewhere(_ opening: MediaCache.Opening) -> Bool {
        if case .claimedElsewhere = opening { true } else { false }
    }

    @Test func oneOfSeveralOpensAnAddress() throws {
        let bench = try CacheBench()
        let (one, other) = (try bench.cache(), try bench.cache())
        var opening: MediaCache.Opening? = one.beginOpening(bench.key("a"))
        #expect(opening.map { isMine($0) } == true)
        #expect(isClaimedElsewhere(other.beginOpening(bench.key("a"))))
        #expect(isClaimedElsewhere(one.beginOpening(bench.key("a"))), "another reader of this process is another one")
        #expect(isMine(other.beginOpening(bench.key("b"))), "addresses do not wait for each other")
        opening = nil
        #expect(isMine(other.beginOpening(bench.key("a"))))
        #expect(isMine(other.beginOpening(bench.key("a"))), "it ended with its last reference")
    }

    /// A file that was closed twice would be one that another thread opened in between.
    @Test func aClaimThatFailsClosesItsFileOnce() throws {
        let bench = try CacheBench()
        let files = FaultyFiles()
        let (one, other) = (try bench.cache(), try bench.cache(files: files))
        let open = files.openCount
        let opening = one.beginOpening(bench.key("a"))
        #expect(isClaimedElsewhere(other.beginOpening(bench.key("a"))))
        #expect(files.openCount == open && files.strangersClosed == 0)
        #expect(isMine(other.beginOpening(bench.key("b"))))
        #expect(files.openCount == open && files.strangersClosed == 0)
        withExtendedLifetime(opening) {}
    }

    /// A waiting reader finds bytes that were finished before the claim ended.
    @Test func aClaimEndsWhenWhatCameBeforeIsRecorded() throws {
        let bench = try CacheBench()
        let (one, other) = (try bench.cache(), try bench.cache())
        let key = bench.key("a")
        guard case .mine(let opening) = one.beginOpening(key) else {
            Issue.record("nobody else had it")
            return
        }
        let medium = try one.open(key, total: 1000, validator: CacheBench.validator)
        let claim = try #require(medium.beginFetch(0..<1000))
        CacheBench.bytes(0..<1000, of: 1).withUnsafeBytes { claim.write($0, at: 0) }
        claim.finish()
        medium.release(opening)
        one.flush()
        let known = try #require(other.medium(key))
        #expect(known.isFresh && known.recorded(in: 0..<1000).byteCount == 1000)
    }

    /// A cache that takes nothing makes no caller wait.
    @Test func withoutRecordingNoCallerWaits() throws {
        let bench = try CacheBench()
        let cache = try bench.cache(CacheBench.limits(bytes: 0))
        guard case .free = cache.beginOpening(bench.key("a")) else {
            Issue.record("it is claimed")
            return
        }
    }
}
