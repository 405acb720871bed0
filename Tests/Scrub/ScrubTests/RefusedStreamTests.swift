import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Files that no decoder or demuxer takes: the words, and that the file is at fault.
@Suite struct RefusedStreamTests {
    private func scrub(_ arguments: [String]) throws -> Tool.Result {
        try Tool.run(CommandTests.program, arguments, environment: ["SCRUB_CACHE_DIR": "/dev/null/scrub"])
    }

    /// A clip whose codec is called something else.
    private func renamed(_ clip: String, _ old: String, _ new: String, _ folder: TemporaryFolder) throws -> String {
        var bytes = try Data(contentsOf: URL(filePath: Clip.folder + "/clips/" + clip))
        var count = 0
        while let range = bytes.range(of: Data(old.utf8)) {
            // Lengths stay, and zeros at the end belong to no EBML string.
            let name = new.utf8 + [UInt8](repeating: 0, count: old.utf8.count - new.utf8.count)
            bytes.replaceSubrange(range, with: name)
            count += 1
        }
        try #require(count > 0)
        return try folder.write(bytes, to: clip)
    }

    /// libavformat calls a codec that it does not know "none"; the file has a name for it.
    @Test(arguments: [
        ("h264-bf3.mp4", "avc1", "zzzz", "no decoder for zzzz"),
        ("h264-bf3.mp4", "avc1", "evc1", "no decoder for evc"),
        ("h264-bf3.mkv", "V_MPEG4/ISO/AVC", "V_ZZZZ/ISO/ZZZZ", "no decoder for V_ZZZZ/ISO/ZZZZ"),
        // libavformat has a name, libavcodec has no decoder (but by a library that Debian does not have).
        ("h264-bf3.mkv", "V_MPEG4/ISO/AVC", "V_AVS2", "no decoder for avs2"),
        // FFmpeg 7 has one, and then its data is invalid.
        ("h264-bf3.mp4", "avc1", "vvc1", "no decoder for vvc (vvc1)"),
        ("h264-bf3.mkv", "V_MPEG4/ISO/AVC", "V_MPEGI/ISO/VVC", "no decoder for vvc (V_MPEGI/ISO/VVC)"),
    ])
    func theMissingDecoderHasAName(_ clip: String, _ old: String, _ new: String, _ words: String) throws {
        let decoders = try Tool.run("ffmpeg", ["-hide_banner", "-decoders"]).output
        let folder = try TemporaryFolder()
        let path = try renamed(clip, old, new, folder)
        for command in [["info"], ["seek", "f1"], ["poster", "-o", folder.path(of: "p.png")]] {
            let result = try scrub([command[0], path, "--no-cache"] + command.dropFirst())
            if words.contains("vvc"), decoders.contains(" vvc ") {
                #expect(result.status != 0, "\(command): \(result.errors)")
                continue
            }
            #expect(result.status == 69, "\(command): \(result.errors)")
            #expect(result.errors.contains(words), "\(command): \(result.errors)")
            #expect(result.errors.contains("the installed libavcodec does not support this codec"), "\(result.errors)")
        }
    }

    /// The head of a FILM file whose table of samples would take 3.7 GB: libavformat asks for that, and gets nothing.
    @Test func memoryThatTheFileAsksForIsTheFilesFault() throws {
        let folder = try TemporaryFolder()
        let number = { (value: UInt32) in (0..<4).map { UInt8(value >> (24 - 8 * UInt32($0)) & 255) } }
        var film = "FILM".utf8 + number(64) + "1.09".utf8 + number(0)
        film += "FDSC".utf8 + number(32) + "cvid".utf8 + number(48) + number(64) + [UInt8](repeating: 0, count: 12)
        film += "STAB".utf8 + number(16) + number(600) + number(0x0700_0000)
        let path = try folder.write(film + [UInt8](repeating: 0, count: 100), to: "film.cpk")
        for command in [["info"], ["seek", "f1"], ["frames"], ["strip", "-o", folder.path(of: "strip")]] {
            let result = try scrub([command[0], path, "--no-cache"] + command.dropFirst())
            #expect(result.status == 65, "\(command): \(result.errors)")
            #expect(result.errors.contains("Cannot allocate memory"), "\(command): \(result.errors)")
        }
        #expect(folder.contents == ["film.cpk"])
        let error = #expect(throws: ScrubError.self) { try VideoAsset(path: path, options: .init(cache: .none)) }
        #expect(error?.code == .badData)
        // ENOMEM, as FFmpeg writes it.
        #expect(error?.systemError == .averror(-12))
    }

    /// Demuxers call it EIO when a file ends in the middle of something; no disk failed.
    @Test func aFileThatEndsEarlyIsNotAFailingDisk() throws {
        let folder = try TemporaryFolder()
        let element = { (id: [UInt8], body: [UInt8], size: Int) in
            id + [1] + (0..<7).map { UInt8(truncatingIfNeeded: size >> (48 - 8 * $0)) } + body
        }
        let whole = { (id: [UInt8], body: [UInt8]) in element(id, body, body.count) }
        let head = whole([0x42, 0x82], Array("matroska".utf8)) + whole([0x42, 0x85], [2])
        let video = whole([0xB0], [64]) + whole([0xBA], [48])
        var track = whole([0xD7], [1]) + whole([0x73, 0xC5], [1]) + whole([0x83], [1])
        track += whole([0x86], Array("V_MPEG4/ISO/AVC".utf8)) + whole([0xE0], video)
        // Parameter sets of 20 MiB, of which a hundred bytes are there.
        let missing = 20 << 20 - 100
        track += element([0x63, 0xA2], [UInt8](repeating: 1, count: 100), 100 + missing)
        let entry = element([0xAE], track, track.count + missing)
        var file = whole([0x1A, 0x45, 0xDF, 0xA3], head) + [0x18, 0x53, 0x80, 0x67, 1]
        file += [UInt8](repeating: 255, count: 7) + element([0x16, 0x54, 0xAE, 0x6B], entry, entry.count + missing)
        let path = try folder.write(file, to: "cut.mkv")
        let result = try scrub(["info", path, "--no-cache"])
        #expect(result.status == 65, "\(result.errors)")
        #expect(result.errors.contains("it ends early") && !result.errors.contains("Input/output"), "\(result.errors)")
    }
}
