import ScrubFileIO
import ScrubLibAV
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubIndex

/// The time at which the last picture leaves the screen, by facts in other places of a file than its own packet.
struct StreamEndTests {
    private func bytes(_ name: String) throws -> [UInt8] {
        let file = try MediaSource(path: UnfinishedFileTests.clips + "/" + name)
        return try file.read(at: 0, count: Int(file.byteCount))
    }

    private func index(_ bytes: [UInt8], stream: Int? = nil) throws -> FrameIndex {
        try IndexBuilder.makeIndex(of: try TemporaryFile(bytes).open(), requestedStream: stream)
    }

    private func little(_ bytes: [UInt8], _ place: Int) -> Int {
        bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The AVI with chunks at the end of its pictures' list.
    private func appending(_ chunks: [UInt8], to avi: [UInt8]) throws -> [UInt8] {
        let list = try #require((0..<avi.count - 4).first { Array(avi[$0..<$0 + 4]) == Array("movi".utf8) })
        let end = list + little(avi, list - 4)
        var made = avi
        made.insert(contentsOf: chunks, at: end)
        for place in [4, list - 4] {
            let size = UInt32(little(made, place) + chunks.count)
            for byte in 0..<4 { made[place + byte] = UInt8(truncatingIfNeeded: size >> (8 * byte)) }
        }
        return made
    }

    /// A chunk without bytes is a tick in which the picture before it stays, whatever the codec.
    @Test(arguments: [
        "mjpeg.avi", "huffyuv.avi", "mpeg4-b.avi", "mpeg4-packed.avi", "msmpeg4.avi", "h263.avi", "h264-b.avi",
    ])
    func chunksWithoutBytesAreTime(_ name: String) throws {
        let clip = try bytes(name)
        let (plain, empty) = (try index(clip), Array("00dc".utf8) + [0, 0, 0, 0])
        // Chunks of sound and of lists between them do not count.
        let others = Array("01wb".utf8) + [2, 0, 0, 0, 7, 7] + Array("JUNK".utf8) + [1, 0, 0, 0, 7, 0]
        let held = try index(try appending([[UInt8]](repeating: empty + others, count: 149).flatMap(\.self), to: clip))
        #expect(held.frameCount == plain.frameCount)
        #expect(held.duration == plain.duration + 149)
        #expect(held.lastDuration == plain.lastDuration + 149)
        #expect(held.facts.missing == nil)
    }

    /// Packets of fields have the duration of fields.
    @Test(arguments: ["h264-paff.ts", "h264-paff.h264", "h264-paff.mp4", "h264-paff.mkv"])
    func fieldsAreHalfAPicture(_ name: String) throws {
        let index = try index(try bytes(name))
        #expect(index.frameCount == 32)
        #expect(Rational(index.duration).multiplied(by: index.facts.timeBase) == Rational(32, 25))
    }

    /// An edit that ends within a picture ends that picture, not the last one in the table.
    @Test func editsEndPictures() throws {
        let index = try index(try bytes("elst-ends-unaligned.mp4"))
        #expect(Rational(index.duration).multiplied(by: index.facts.timeBase) == Rational(3705, 1000))
    }

    /// Matroska has a default duration for a track, which of pictures that are held is a mean.
    @Test func meanDurationsAreNotThoseOfPictures() throws {
        let (mkv, mp4) = (try index(try bytes("vfr.mkv")), try index(try bytes("vfr.mp4")))
        let seconds = { (index: FrameIndex) in Rational(index.duration).multiplied(by: index.facts.timeBase) }
        #expect(seconds(mkv) == seconds(mp4))
    }

    /// A file whose size was set beforehand has zeros where its last fragment's media would be.
    @Test(arguments: ["frag.mp4", "frag-dash.mp4", "frag-every.mp4"]) func zerosAreNotPictures(_ name: String) throws {
        let clip = try bytes(name)
        let whole = try index(clip)
        let last = try #require(whole.pictures.offsets.max())
        let header = try #require((0..<Int(last)).last { Array(clip[$0..<$0 + 4]) == Array("mdat".utf8) })
        var cut = clip
        let end = Int(last) + Int(whole.pictures.sizes[whole.pictures.offsets.count - 1])
        for place in header + 4..<end { cut[place] = 0 }
        let index = try index(cut)
        let lost = (0..<whole.pictures.count).count { whole.pictures.offsets[$0] > Int64(header) }
        #expect(lost > 0 && index.frameCount == whole.frameCount - lost)
        #expect(index.facts.missing?.pictureCount == lost)
        #expect(index.facts.warnings.contains { $0.contains("truncated") })
        // One that is written on may get them still.
        var growing = GrowingIndex()
        let step = try growing.extend(to: try TemporaryFile(cut).open(), isComplete: false)
        #expect(step.index.map { $0.frameCount <= whole.frameCount } ?? true)
    }

    @Test(
        arguments: [
            ([0, 40, 80, 120], [20, 20, 20, 20], false), ([0, 33, 67, 100], [17, 17, 16, 17], false),
            ([0, 40, 80, 120], [40, 40, 40, 20], true), ([0, 40, 80, 9000], [10_000, 10_000, 10_000, 10_000], false),
            ([0, 480, 960, 1000], [40, 40, 40, 40], true), ([0, 0, 0], [5, 5, 5], true), ([7], [3], true),
            ([], [], true),
            ([0, .min, 80], [20, 20, 20], true), ([.min + 1, .max], [.max, .max], true),
        ] as [([Int64], [Int64], Bool)])
    func durationsAreComparedWithTimes(_ times: [Int64], _ durations: [Int64], _ fit: Bool) {
        #expect(Timeline.fit(durations, to: times) == fit)
    }

    /// Decoders are opened for some streams only: a small file has a thousand.
    @Test func someStreamsAreLookedAt() throws {
        let (count, wanted) = (40, 37)
        let file = try TemporaryFile(try repeatingTrack(of: try bytes("h264-bf3.mp4"), count: count)).open()
        var input = try Input(file, name: "many.mp4")
        try input.findStreamInfo(of: wanted)
        let streams = input.streams
        try #require(streams.count == count)
        let known = streams.indices.filter { streams[$0].codec.pixelFormat >= 0 }
        #expect(known == Array(0..<Input.mostExamined) + [wanted])
        #expect(
            streams.allSatisfy { $0.codec.codecName == "h264" && $0.codec.width > 0 && !$0.codec.extradata.isEmpty })
        // Tracks of one number are left to libavformat.
        let one = try index(try bytes("h264-bf3.mp4"))
        for stream in [nil, 0, 31, 32, 39] {
            let index = try IndexBuilder.makeIndex(of: file, requestedStream: stream)
            #expect(index.frameCount == one.frameCount && index.facts.streamIndex == stream ?? 0)
        }
    }

    /// The movie with its first track several times, all with the same number.
    private func repeatingTrack(of movie: [UInt8], count: Int) throws -> [UInt8] {
        func size(_ place: Int) -> Int { movie[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        func boxes(_ range: Range<Int>) -> [(name: String, range: Range<Int>)] {
            var (found, place): ([(String, Range<Int>)], Int) = ([], range.lowerBound)
            while place + 8 <= range.upperBound, size(place) >= 8 {
                let name = String(decoding: movie[place + 4..<place + 8], as: UTF8.self)
                found.append((name, place..<place + size(place)))
                place += size(place)
            }
            return found
        }
        let top = boxes(0..<movie.count)
        let moov = try #require(top.last?.name == "moov" ? top.last?.range : nil)
        let children = boxes(moov.dropFirst(8))
        let track = try #require(children.first { $0.name == "trak" })
        let body = children.filter { $0.name != "trak" }.flatMap { movie[$0.range] }
        let all = body + [[UInt8]](repeating: Array(movie[track.range]), count: count).flatMap(\.self)
        let length = UInt32(all.count + 8)
        let head = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + Array("moov".utf8)
        return Array(movie[..<moov.lowerBound]) + head + all
    }
}
