import Foundation
import ScrubBase
import ScrubMedia
import ScrubTestSupport
import Testing

@testable import ScrubPlayers

@Suite struct FileSinkTests {
    @Test func `frames are counted and written down`() throws {
        let clip = try SinkClips.open("h264-bf3.mp4")
        let (null, all) = (NullSink(), CollectingSink(keepingPictures: 3))
        try SinkClips.play([clip, clip], to: null, limit: 5, losing: [2])
        #expect(null.presentedCount == 10 && null.blankCount == 1 && null.isFinished)
        try SinkClips.play([clip, clip], to: all, limit: 5, losing: [2])
        #expect(
            all.records.map(\.sequenceNumber) == Array(0..<10)
                && all.records.map(\.frame) == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
        #expect(all.frames.map(\.sequenceNumber) == [7, 8, 9] && all.isFinished)
        #expect(all.records[2].hash == nil && all.records[0].hash != nil && all.records[0].hash == all.records[5].hash)
    }

    /// As for all outputs: a film that is read stays, whatever may be replaced.
    @Test(arguments: [false, true]) func `no sink destroys the film that is read`(replaces: Bool) throws {
        let folder = try TemporaryFolder()
        let bytes = try Data(contentsOf: URL(filePath: SinkClips.folder + "/h264-bf3.mp4"))
        let film = try folder.write(bytes, to: "0.png")
        let clip = try VideoAsset(path: film, options: .init(cache: .none))
        for name in ["0.png", "./0.png"] {
            let path = folder.path(of: name)
            let refusals = [
                #expect(throws: ScrubError.self) {
                    _ = try Y4MSink(path: path, options: .init(replacesFiles: replaces))
                },
                #expect(throws: ScrubError.self) {
                    let options = Y4MSink.Options(timesPath: path, replacesFiles: replaces)
                    _ = try Y4MSink(path: folder.path(of: "a.y4m"), options: options)
                },
                #expect(throws: ScrubError.self) { _ = try RawFrameSink(path: path, replacesFiles: replaces) },
            ]
            #expect(refusals.allSatisfy { $0?.code == .usage })
        }
        let sink = try PNGSequenceSink(folder: folder.path, pattern: "%d.png", replacesFiles: replaces)
        #expect(throws: ScrubError.self) { try SinkClips.play([clip], to: sink, limit: 2) }
        #expect(try folder.bytes("0.png") == bytes)
    }

    @Test func `pictures are numbered files that come together`() throws {
        let folder = try TemporaryFolder()
        let sink = try PNGSequenceSink(folder: folder.path(of: "set"), pattern: "f-%03d.png")
        let clip = try SinkClips.open("rotate-90.mp4")
        try SinkClips.play([clip], to: Unfinished(sink), limit: 4, losing: [1])
        #expect(TemporaryFolder.names(folder.path(of: "set")).allSatisfy { $0.hasPrefix(".scrub-") })
        try sink.finish()
        #expect(
            TemporaryFolder.names(folder.path(of: "set")).filter { !$0.hasPrefix(".") } == [
                "f-000.png", "f-002.png", "f-003.png",
            ])
        #expect(sink.writtenCount == 3 && sink.missingCount == 1)
        var reader = FrameReader(clip)
        let png = try reader.frame(numbered: 2).picture?.png().bytes
        #expect(try folder.bytes("set/f-002.png") == Data(png ?? []))
        for pattern in ["x.png", "%d%d.png", "%5d.png", "a/%05d.png", "%x.png", "%0999d", "%"] {
            #expect(PNGSequenceSink.parts(of: pattern) == nil, "\(pattern)")
        }
        #expect(PNGSequenceSink.parts(of: "%d").map { [$0.prefix, "\($0.digits)", $0.suffix] } == ["", "0", ""])
    }

    @Test func `raw frames have records, or are ffmpeg's raw video`() throws {
        let folder = try TemporaryFolder()
        let clip = try SinkClips.open("hevc-main10.mp4")
        let bare = try RawFrameSink(path: folder.path(of: "a"), format: .native, header: .none)
        try SinkClips.play([clip], to: bare)
        let theirs = try SinkClips.run(
            "ffmpeg", ["-v", "error", "-i", clip.path, "-f", "rawvideo", "-"])
        #expect(try folder.bytes("a") == theirs)
        let sink = try RawFrameSink(path: folder.path(of: "b"))
        try SinkClips.play([clip, try SinkClips.open("rotate-90.mp4")], to: sink, limit: 2, losing: [1])
        let bytes = [UInt8](try folder.bytes("b"))
        func number(_ at: Int, _ size: Int) -> Int { (0..<size).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
        var (place, seen): (Int, [[Int]]) = (0, [])
        while place < bytes.count {
            #expect(bytes[place..<place + 4] == Array("SCR1".utf8)[...])
            seen.append([
                number(place + 4, 4), number(place + 8, 8), number(place + 16, 8), number(place + 64, 4),
                number(place + 68, 4),
            ])
            place += 160 + number(place + 128, 8) + number(place + 136, 8)
        }
        #expect(seen == [[1, 0, 0, 192, 112], [2, 1, 0, 0, 0], [1, 2, 1, 112, 192], [1, 3, 1, 112, 192]])
        let even = try RawFrameSink(path: folder.path(of: "c"), header: .none)
        #expect(throws: ScrubError.self) {
            try SinkClips.play([clip, try SinkClips.open("rotate-90.mp4")], to: even, limit: 1)
        }
        #expect(folder.contents == ["a", "b"])
    }
}

/// A sink that is finished by hand.
private final class Unfinished: FrameSink {
    let sink: any FrameSink
    init(_ sink: any FrameSink) { self.sink = sink }
    func receive(_ frame: PlayerFrame) throws { try sink.receive(frame) }
    func finish() {}
}
