import Foundation
import Scrub
import ScrubTestClips
import Testing

/// The library as a client sees it.
@Suite struct LibraryTests {
    private func asset(_ clip: String) throws -> VideoAsset {
        try VideoAsset(path: Clip.folder + "/clips/" + clip, options: VideoAsset.OpenOptions(cache: .none))
    }

    @Test func planesCanBeReadRowByRow() throws {
        var reader = FrameReader(try asset("h264-bf3.mp4"))
        let picture = try #require(try reader.frame(at: FramePosition("0.5")).picture)
        #expect((picture.width, picture.height, picture.planeCount) == (192, 112, 3))
        let luma = picture.plane(0)
        #expect((luma.bytesPerRow, luma.rowCount) == (192, 112))
        #expect((picture.plane(1).bytesPerRow, picture.plane(1).rowCount) == (96, 56))
        var sum = 0
        for row in 0..<luma.rowCount {
            luma.withRow(row) { bytes in for i in bytes.indices { sum += Int(bytes[i]) } }
        }
        #expect(sum > 0)
    }

    /// `0.42` of these clips lies exactly on a frame's time: one binary digit less and it would be the frame before.
    @Test func fractionsAreExact() throws {
        let asset = try asset("h264-bf3.mp4")
        for number in 0..<100 {
            let text = "0." + (number < 10 ? "0\(number)" : "\(number)")
            #expect(try asset.presentedFrame(at: FramePosition(text)).number == number)
        }
        #expect(try asset.presentedFrame(at: FramePosition("1")).number == 99)
        #expect(try asset.presentedFrame(at: FramePosition("0.999999999999999999")).number == 99)
    }

    @Test func framesFollowEachOtherWithoutGaps() throws {
        for clip in ["vfr.mp4", "elst-two.mp4", "ts-splice.ts", "ts-wrap.ts", "dup-fast.mkv", "missing-times.mkv"] {
            let frames = try asset(clip).frames
            #expect(frames.count > 2, "\(clip)")
            for (a, b) in zip(frames, frames.dropFirst()) {
                #expect(a.offset <= b.offset, "\(clip) #\(a.number)")
                #expect(a.offset + a.durationUnits == b.offset, "\(clip) #\(a.number)")
            }
        }
    }

    @Test func rotationIsReportedAndApplied() throws {
        let upright = try picture("rotate-0.mp4")
        let turned = try picture("rotate-90.mp4")
        #expect((upright.width, upright.height) == (turned.height, turned.width))
        #expect(try asset("rotate-90.mp4").info().rotation == 90)
        #expect(try asset("rotate-0-mirror.mp4").info().isMirrored)
        let raw = try picture("rotate-90.mp4", FramePicture.Options(appliesGeometry: false))
        #expect((raw.width, raw.height) == (upright.width, upright.height))
    }

    private func picture(_ clip: String, _ options: FramePicture.Options = .init()) throws -> EncodedPicture {
        var reader = FrameReader(try asset(clip))
        return try #require(try reader.frame(at: .first).picture).png(options)
    }

    @Test func misuseTraps() async {
        await #expect(processExitsWith: .failure) {
            // A clip that cannot be opened is not a trap: the process then ends well, and the test fails.
            guard
                let asset = try? await VideoAsset.open(
                    path: Clip.folder + "/clips/h264-bf3.mp4", options: VideoAsset.OpenOptions(cache: .none)),
                asset.frames.count == 100
            else { return }
            _ = asset.frames[100]
        }
    }
}
