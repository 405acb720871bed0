import Foundation
package import ScrubMedia
import ScrubTestSupport

/// A clip of which every picture is known, by ffmpeg's linear decode.
package struct KnownClip: Sendable {
    package let asset: VideoAsset
    package let hashes: [String]

    package init(_ file: String) throws {
        guard let clip = Clip.all.first(where: { $0.file == file }) else { throw UnknownClip(file: file) }
        hashes = try clip.expectedHashes()
        asset = try clip.open()
    }

    /// A file that is in no manifest: ffmpeg is asked now.
    package init(path: String) throws {
        let result = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-noautorotate", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough",
                "-f",
                "framemd5", "-",
            ])
        hashes = result.output.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            line.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) }
        }
        asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
    }

    private struct UnknownClip: Error { let file: String }

    package var frames: Range<Int> { hashes.indices }

    /// Returns the fault of an answer, if any.
    package func problem(_ answer: FrameAnswer) throws -> String? {
        let number = answer.frame.number
        guard answer.verdict == .exact, let picture = answer.picture else {
            return "#\(number): \(answer.verdict.name), \(answer.verdict.reason ?? "")"
        }
        let hash = try picture.md5()
        if hash == hashes[number] { return nil }
        return "#\(number): " + (hashes.firstIndex(of: hash).map { "the picture of #\($0)" } ?? "a picture nobody made")
    }
}

extension FrameReader.Options {
    /// Options with the threads that are asked for.
    package static func threads(_ count: Int, decoders: Int = 4, cacheBytes: Int = 256 << 20) -> FrameReader.Options {
        var options = FrameReader.Options()
        (options.threadCount, options.decoderLimit, options.cacheByteLimit) = (count, decoders, cacheBytes)
        return options
    }
}
