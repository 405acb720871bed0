import Foundation
import ScrubBase
import ScrubMedia
@testable import ScrubPlayers
import ScrubTestSupport
import Testing

@Suite struct Y4MSinkTests {
    /// Every clip of constant rate whose format the stream can have, by its purpose.
    static let clips = [
        // 8 bits: sited left, in the middle, nowhere; limited, full, unknown range.
        "colour-709.mp4", "colour-709-full.mp4", "h264-full-range.mp4", "h264-bf3.mp4", "av1-svt.mp4", "demo.mp4",
        "msmpeg4.avi", "mjpeg.avi", "vp8-altref.webm", "mpeg1.mpg",
        // Deeper, and other chroma.
        "h264-high10.mp4", "hevc-main10.mp4", "h264-422-10.mp4", "hevc-444-12.mp4", "h264-444.mp4", "huffyuv.avi",
        "mjpeg.mov", "mpeg2-422.ts",
        // Odd sizes, pixels that are not square, gray.
        "vp9-odd.webm", "h264-odd-444.mp4", "h264-odd.mp4", "h264-sar-2-1.mp4", "h264-sar-disagrees.mp4",
        "h264-gray.mp4",
        // Interlaced, NTSC, milliseconds, one frame, a change of size.
        "h264-mbaff.mp4", "mpeg2-interlaced.vob", "h264-paff.mp4", "ntsc.mp4", "ntsc.mkv", "h264-single.mp4",
        "nonzero.mkv",
        // Eight ways up.
        "rotate-0-mirror.mp4", "rotate-90.mp4", "rotate-90-mirror.mp4", "rotate-180.mp4", "rotate-180-mirror.mp4",
        "rotate-270.mp4", "rotate-270-mirror.mp4",
    ]

    @Test(arguments: clips) func `is ffmpeg's stream, byte for byte`(clip: String) throws {
        let folder = try TemporaryFolder()
        let sink = try Y4MSink(path: folder.path(of: "a.y4m"))
        try SinkClips.play([try SinkClips.open(clip)], to: sink)
        let (ours, theirs) = (try folder.bytes("a.y4m"), try SinkClips.ffmpeg(clip))
        #expect(header(ours) == header(theirs))
        #expect(ours == theirs, "\(ours.count) and \(theirs.count) bytes")
        #expect(folder.contents == ["a.y4m"])
    }

    @Test func `a change of size inside a medium is ffmpeg's too`() throws {
        let folder = try TemporaryFolder()
        // Its times are not even: the rate is said.
        let sink = try Y4MSink(path: folder.path(of: "a.y4m"), options: .init(frameRate: 25))
        try SinkClips.play([try SinkClips.open("size-change.mkv")], to: sink)
        #expect(try folder.bytes("a.y4m") == SinkClips.ffmpeg("size-change.mkv", ["-fps_mode", "passthrough"]))
    }

    @Test(arguments: [
        ("h264-rgb.mp4", "yuv444p"), ("png.mov", "yuv444p"), ("ffv1-yuva.mkv", "yuv420p"),
        ("prores-4444.mov", "yuv444p12le"),
    ])
    func `what the stream cannot have is converted, or refused`(clip: String, format: String) throws {
        let folder = try TemporaryFolder()
        let sink = try Y4MSink(path: folder.path(of: "a.y4m"))
        try SinkClips.play([try SinkClips.open(clip)], to: sink, limit: 3)
        let (ours, theirs) = (
            try folder.bytes("a.y4m"), try SinkClips.ffmpeg(clip, ["-frames:v", "3", "-pix_fmt", format])
        )
        #expect(ours == theirs, "\(header(ours)) and \(header(theirs))")
        let strict = try Y4MSink(path: folder.path(of: "b.y4m"), options: .init(isStrict: true))
        let error = #expect(throws: ScrubError.self) {
            try SinkClips.play([try SinkClips.open(clip)], to: strict, limit: 1)
        }
        #expect(error?.description.contains(format) == true)
        #expect(folder.contents == ["a.y4m"])
    }

    @Test func `a following item is fitted into the first one's shape, with black bars`() throws {
        let folder = try TemporaryFolder()
        let sink = try Y4MSink(path: folder.path(of: "a.y4m"))
        // 192x112 of square pixels; then 112x192 upright; then twice as wide; then 10 bits; then odd; then full range.
        let names = [
            "h264-bf3.mp4", "rotate-90.mp4", "h264-sar-2-1.mp4", "h264-high10.mp4", "vp9-odd.webm",
            "h264-full-range.mp4",
        ]
        try SinkClips.play(try names.map { try SinkClips.open($0) }, to: sink, limit: 2)
        let bytes = try folder.bytes("a.y4m")
        let first = header(bytes).utf8.count + 1
        let size = 6 + 192 * 112 * 3 / 2
        #expect(bytes.count == first + 12 * size)
        func luma(_ frame: Int, _ x: Int, _ y: Int) -> UInt8 { bytes[first + frame * size + 6 + y * 192 + x] }
        func chroma(_ frame: Int, _ x: Int, _ y: Int) -> UInt8 {
            bytes[first + frame * size + 6 + 192 * 112 + y * 96 + x]
        }
        // Upright pictures are 64 columns wide, wide ones 56 rows high.
        for y in [0, 50, 111] {
            #expect(luma(2, 0, y) == 16 && luma(2, 63, y) == 16 && luma(2, 128, y) == 16 && luma(2, 191, y) == 16)
            #expect(chroma(2, 0, y / 2) == 128 && chroma(2, 95, y / 2) == 128)
        }
        #expect((64..<128).contains { luma(2, $0, 50) != 16 })
        for x in [0, 100, 191] { #expect(luma(4, x, 27) == 16 && luma(4, x, 84) == 16) }
        #expect((0..<192).contains { luma(4, $0, 40) != 16 })
    }

    @Test func `a frame without a picture repeats the one before, and is black where there is none`() throws {
        let folder = try TemporaryFolder()
        let sink = try Y4MSink(path: folder.path(of: "a.y4m"))
        try SinkClips.play([try SinkClips.open("h264-bf3.mp4")], to: sink, limit: 6, losing: [0, 1, 4])
        let bytes = try folder.bytes("a.y4m")
        let (first, size) = (header(bytes).utf8.count + 1, 6 + 192 * 112 * 3 / 2)
        #expect(bytes.count == first + 6 * size && sink.writtenCount == 6 && sink.repeatedCount == 3)
        func frame(_ number: Int) -> Data { bytes[(first + number * size)..<(first + (number + 1) * size)] }
        #expect(frame(0) == frame(1) && frame(0).dropFirst(6).first == 16 && frame(4) == frame(3))
        #expect(frame(3) != frame(2) && frame(5) != frame(4))
        let none = try Y4MSink(path: folder.path(of: "b.y4m"))
        #expect(throws: ScrubError.self) {
            try SinkClips.play([try SinkClips.open("h264-bf3.mp4")], to: none, limit: 2, losing: [0, 1])
        }
        #expect(folder.contents == ["a.y4m"])
    }

    @Test func `times of a variable rate are kept beside it`() throws {
        let folder = try TemporaryFolder()
        let asset = try SinkClips.open("vfr.mkv")
        let sink = try Y4MSink(
            path: folder.path(of: "a.y4m"), options: .init(timesPath: folder.path(of: "a.times")))
        try SinkClips.play([asset], to: sink)
        let lines = try folder.text("a.times").split(separator: "\n")
        #expect(lines.first == "# timestamp format v2" && lines.count == asset.frames.count + 1)
        for (line, frame) in zip(lines.dropFirst(), asset.frames) {
            #expect(Double(line) == frame.time.doubleValue * 1000)
        }
        #expect(!asset.frameRate.isConstant)
    }

    @Test func `milliseconds are rounded to a nanosecond`() {
        #expect(Y4MSink.milliseconds(Rational(1001, 30000)) == "33.366667")
        #expect(Y4MSink.milliseconds(Rational(1, 25)) == "40")
        #expect(Y4MSink.milliseconds(0) == "0")
        #expect(Y4MSink.milliseconds(Rational(1, 1_000_000_000)) == "0.000001")
        #expect(Y4MSink.milliseconds(Rational(3, 2)) == "1500")
        #expect(Y4MSink.milliseconds(Rational(Int64.max, 1)) == "9223372036854775807000")
    }

    @Test func `a reader that has seen enough ends the stream without a signal`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let sink = try Y4MSink(descriptor: ends[1], name: "the pipe")
        close(ends[0])
        let error = #expect(throws: ScrubError.self) {
            try SinkClips.play([try SinkClips.open("h264-bf3.mp4")], to: sink)
        }
        #expect(error?.isClosedByReader == true && error?.file == "the pipe")
        close(ends[1])
    }

    @Test func `a pipe that does not block gets every byte`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let sink = try Y4MSink(descriptor: ends[1])
        let (reading, writing) = (FileHandle(fileDescriptor: ends[0]), ends[1])
        let reader = Locked(Data())
        let thread = try DedicatedThread {
            let bytes = reading.readDataToEndOfFile()
            reader.withLock { $0 = bytes }
        }
        try SinkClips.play([try SinkClips.open("h264-bf3.mp4")], to: sink)
        close(writing)
        thread.join()
        close(ends[0])
        #expect(try reader.withLock { $0 } == SinkClips.ffmpeg("h264-bf3.mp4"))
    }

    @Test func `rates are found behind rounded times`() {
        func rate(_ offsets: [Int64], _ last: Int64, _ base: Rational) -> NominalFrameRate {
            NominalFrameRate(offsets: offsets, lastDuration: last, timeBase: base)
        }
        func found(_ rate: Rational, _ isConstant: Bool, isCertain: Bool) -> NominalFrameRate {
            NominalFrameRate(rate: rate, isConstant: isConstant, isCertain: isCertain)
        }
        let milliseconds = Rational(1, 1000)
        #expect(rate([0], 40, milliseconds) == found(25, true, isCertain: false))
        #expect(rate([0, 33], 33, milliseconds) == found(30, true, isCertain: false))
        #expect(rate([0, 33, 67, 100], 33, milliseconds) == found(30, true, isCertain: false))
        #expect(rate([0, 40, 80, 120], 40, milliseconds) == found(25, true, isCertain: true))
        for (usual, isCutOff) in [(30, true), (30, false), (24, true), (24, false), (60, true), (60, false)] {
            for numerator in [1000, 1001] {
                let times = (0..<3000).map { number in
                    let exact = Double(number * numerator) / Double(usual)
                    return Int64(isCutOff ? exact : exact.rounded())
                }
                let rational = Rational(Int64(usual * 1000), Int64(numerator))
                #expect(rate(times, 33, milliseconds) == found(rational, true, isCertain: true))
                // Some frames in milliseconds are 23.976 as well as 24.
                #expect(!rate(Array(times.prefix(4)), 33, milliseconds).isCertain)
            }
        }
        #expect(rate([0, 10, 30, 100], 10, milliseconds) == found(30, false, isCertain: false))
        #expect(rate([0, 0, 0], 0, milliseconds).rate == 1000)
        #expect(rate([], 0, milliseconds).rate == 1000)
    }

    /// All frames are asked for once if they are even, and few if the first of them are not.
    @Test func ratesAskForNoMoreFramesThanDecideThem() {
        let asked = Locked(0)
        func rate(_ offset: @escaping @Sendable (Int64) -> Int64) -> NominalFrameRate {
            asked.withLock { $0 = 0 }
            let offsets = (0..<10_000).lazy.map { number in
                asked.withLock { $0 += 1 }
                return offset(Int64(number))
            }
            return NominalFrameRate(offsets: offsets, lastDuration: 40, timeBase: Rational(1, 1000))
        }
        #expect(rate { $0 * 40 } == NominalFrameRate(rate: 25, isConstant: true, isCertain: true))
        #expect(asked.withLock { $0 } == 10_001)
        #expect(!rate { $0 < 5 ? $0 * 40 : $0 * 50 - 50 }.isConstant)
        #expect(asked.withLock { $0 } < 30)
        #expect(!rate { $0 * 40 + ($0 == 9999 ? 10 : 0) }.isConstant)
    }

    private func header(_ bytes: Data) -> String {
        String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
