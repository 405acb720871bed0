import Foundation
import ScrubBase
import ScrubDecoding
import ScrubLibAV
import ScrubPictures
import ScrubTestClips
import ScrubTestSupport
import Testing

@testable import ScrubMedia

@Suite struct PreviewSourceTests {
    /// A pass waits between two packets while a request does, and holds nothing that the request needs: here each pause
    /// lasts until another thread has read what the film's pictures depend on.
    @Test(arguments: ["film-h264-p.flv", "h264-b.flv", "hevc-open-gop.ts"]) func pausesHoldNothing(_ file: String)
        throws
    {
        let asset = try VideoAsset(
            path: Clip.folder + "/clips/" + file, options: VideoAsset.OpenOptions(cache: .none))
        let budget = ByteBudget(limit: 256 << 20)
        let member = try #require(budget.join(.none))
        let source = EnginePreviewSource(
            asset, asset.index.previewCoder(PreviewCoder.Recipe(longSide: 64), in: FrameAllocator(reserveCount: 4)),
            budget: member, decoders: nil, nextOffered: { nil })
        var (pauses, made) = (0, 0)
        let frames = Array(asset.frames.indices.prefix(40))
        #expect(source.begin(frames))
        while source.step({ _, outcome in if case .made = outcome { made += 1 } }) == .more {
            pauses += 1
            let pause = pauses
            try DedicatedThread { _ = asset.seekPlanner().feedPlan(forFrame: frames[pause * 7 % frames.count]) }.join()
        }
        #expect(made == frames.count && pauses > 1)
    }
}
