import Foundation
import ScrubBase
import ScrubIndex
import ScrubTestSupport
import Testing

@testable import ScrubMedia

/// The cost of drags over a remote source, for a file of one's own: `SCRUB_DISTANT_FILES=a.mp4 swift test --filter
/// DistantDragTable`.
@Suite struct DistantDragTable {
    @Test(.enabled(if: ProcessInfo.processInfo.environment["SCRUB_DISTANT_FILES"] != nil))
    func table() throws {
        let names = ProcessInfo.processInfo.environment["SCRUB_DISTANT_FILES"] ?? ""
        for path in names.split(separator: ",").map(String.init) {
            let session = try DistantSession(path, delay: 50_000_000, bytesPerSecond: 12_500_000)
            let count = session.asset.frames.count
            _ = session.play([.init(time: 0, frame: 0, isMoving: false)])
            print(
                path, "strip:", session.now / 1_000_000, "ms", session.source.requests.count,
                session.source.bytesFetched)
            for (name, from, to, seconds) in [
                ("whole film in 3 s", 0, count - 1, 3), ("back in 2 s", count - 1, 0, 2),
                ("10 minutes in 3 s", count / 2, count / 2 + 18000, 3), ("20 s in 4 s", count / 3, count / 3 + 600, 4),
                ("10 s back in 2 s", count / 4, count / 4 - 300, 2),
            ] {
                session.source.reset()
                let (start, waited) = (session.now, session.waited)
                let steps = seconds * 60
                let moves = (0...steps).map { step in
                    DistantSession.Move(
                        time: Int64(step) * 16_666_667,
                        frame: min(count - 1, max(0, from + (to - from) * step / steps)),
                        isMoving: step < steps)
                }
                let shown = session.play(moves)
                let gaps = shown.compactMap(\.gap)
                let end = start + (moves.last?.time ?? 0)
                let exact = shown.first { $0.stage == .exact && $0.frame == moves.last?.frame && $0.time >= end }
                print(
                    "  \(name): new \(shown.count { $0.isNew }), longest gap \((gaps.max() ?? 0) / 1_000_000) ms,",
                    "exact \(exact.map { ($0.time - end) / 1_000_000 } ?? -1) ms after rest,",
                    "\(session.source.requests.count) requests, \(session.source.bytesFetched) bytes, stray",
                    session.source.requests.count { $0.isStray }, "waited \((session.waited - waited) / 1_000_000) ms",
                    session.source.requests.filter { $0.isStray }.prefix(6),
                    session.errors.first?.description ?? "", "settled", (session.now - end) / 1_000_000)
            }
        }
    }
}
