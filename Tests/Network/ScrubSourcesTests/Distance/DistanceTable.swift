import ScrubFileIO
import Foundation
import ScrubBase
import ScrubDecoding
import ScrubIndex
import ScrubThumbnails
import ScrubTestSupport
import Testing

@testable import ScrubMedia

/// The cost of opening and seeking over a remote source, for files of one's own: `SCRUB_DISTANT_FILES=a.mp4,b.mkv swift
/// test --filter DistanceTable`.
@Suite struct DistanceTable {
    @Test(.enabled(if: ProcessInfo.processInfo.environment["SCRUB_DISTANT_FILES"] != nil))
    func table() throws {
        let names = ProcessInfo.processInfo.environment["SCRUB_DISTANT_FILES"] ?? ""
        for path in names.split(separator: ",").map(String.init) {
            let folder = try TemporaryFolder()
            let options = VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: folder.path))
            let source = DistantSource(path: path, identifier: path)
            let asset = try VideoAsset(source: source, name: path, options: options)
            print(
                path, asset.openReport.indexOrigin, "open:", source.requests.count, source.bytesFetched,
                source.requests.prefix(8))
            source.reset()
            for fraction in [Rational(42, 100), Rational(421, 1000), Rational(9, 10)] {
                var reader = FrameReader(asset)
                let answer = try reader.frame(at: .fraction(fraction))
                let plan = reader.engine.planner.feedPlan(forFrame: answer.frame.number)
                let bytes = plan.feeds.reduce(0) { $0 + Int(asset.index.pictures.sizes[$1.picture]) }
                print(
                    "  seek \(fraction):", answer.verdict, source.requests.count, source.bytesFetched,
                    "plan \(plan.fed) pictures, \(bytes) bytes, skipped \(plan.skipped)", source.requests.prefix(8))
                source.reset()
            }
            let thumbs = DistantSource(path: path, identifier: path, head: 0)
            let second = try VideoAsset(source: thumbs, name: path, options: options)
            print("  second process:", second.openReport.indexOrigin, thumbs.requests.count, thumbs.reads.count)
            let plan = try second.thumbnailPlan(for: ThumbnailPlan.Request(.count(100), tolerance: .keyframe))
            print(
                "  plan:", plan.decodedPictureCount, "pictures", plan.byteCount, "bytes:", thumbs.requests.count,
                thumbs.bytesFetched, thumbs.announcements.count)
            var reader = FrameReader(second)
            try reader.eachFrame(numbered: plan.slots.map { $0.frameNumber }) { _ in }
            print(
                "  thumbs:", thumbs.requests.count, thumbs.bytesFetched, "stray",
                thumbs.requests.count { $0.isStray }, "announcements", thumbs.announcements.count)
        }
    }
}
