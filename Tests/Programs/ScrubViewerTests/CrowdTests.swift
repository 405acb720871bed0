#if Viewer
import ScrubBase
import ScrubMedia
import ScrubTestSupport
import Testing

@testable import ScrubViewer

/// More connections than there is room for, and parts of answers.
@Suite(.timeLimit(.minutes(20))) struct CrowdTests {
    /// Connections that say nothing fill the room many times over; a later request is answered when those have
    /// ended.
    @Test func requestsAfterACrowdAreAnswered() async throws {
        try await withViewer(["demo.mp4"]) {
            $0.limits.connections = 8
            $0.limits.idleTime = .milliseconds(300)
        } _: { viewer in
            let port = viewer.port
            let crowd = try await BlockingWork.run {
                Carried(try (0..<100).map { _ in try RawConnection(port: port) })
            }
            let (status, open) = try await BlockingWork.run {
                let connection = try RawConnection(port: port)
                try connection.ask("/api/status")
                let answer = try connection.answer()
                return (answer.status, answer.text)
            }
            #expect(status == 200)
            let count = open.firstRange(of: "\"connections\":").flatMap {
                Int(open[$0.upperBound...].prefix { $0.isNumber })
            }
            #expect((1...8).contains(count ?? 0), "\(open)")
            // All of them were ended, none was forgotten.
            try await BlockingWork.run {
                for connection in crowd.value {
                    let rest = try connection.rest()
                    #expect(rest.isEmpty)
                }
            }
            try await viewer.wait("connections", is: 1)
        }
    }

    /// A part that is asked for may be answered by the whole (RFC 9110, section 14.2), never by half of it.
    @Test(arguments: [
        "bytes=0-9", "bytes=-1", "bytes=5-", "bytes=9-0", "bytes=0-0,2-3", "bytes=99999999999999999999-", "lines=1-2",
        "bytes=",
    ])
    func aPartIsTheWhole(range: String) async throws {
        try await withViewer(["demo.mp4"]) { viewer in
            let id = try await viewer.id()
            for path in ["/", "/api/media/\(id)/frame?at=f3", "/api/media/\(id)/times"] {
                let whole = try await viewer.get(path)
                #expect(whole.status == 200)
                for more in [[], ["If-Range: \"x\""], ["If-Range: \(whole["etag"] ?? "\"y\"")"]] {
                    let answer = try await viewer.get(path, ["Range: \(range)"] + more)
                    #expect(answer.status == 200 && answer.body == whole.body, "\(path) \(range)")
                    #expect(answer["content-range"] == nil)
                }
            }
        }
    }
}
#endif
