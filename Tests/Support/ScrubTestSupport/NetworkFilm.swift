internal import Foundation

/// A film of a few megabytes that tests put on a server, and the facts of its frames.
package struct NetworkFilm: Sendable {
    /// The file's bytes.
    package let bytes: [UInt8]
    /// Of each frame the MD5 that ffmpeg's linear decode has.
    package let hashes: [String]

    /// 20 seconds of noise at 25 frames a second, a key picture every 25 frames; the index at the end, or first.
    package static let indexLast = Result { try NetworkFilm(flags: []) }
    package static let indexFirst = Result { try NetworkFilm(flags: ["-movflags", "+faststart"]) }

    private init(flags: [String]) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "film.mp4")
        _ = try Self.run(
            [
                "-f", "lavfi", "-i", "testsrc2=s=192x108:r=25,noise=alls=40:allf=t", "-frames:v", "500", "-c:v",
                "libx264",
                "-preset", "veryfast", "-threads", "1", "-g", "25", "-bf", "2", "-qp", "24", "-pix_fmt", "yuv420p",
            ] + flags + [path])
        let listing = try Self.run(["-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-"])
        hashes = String(decoding: listing, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { line in line.split(separator: ",").last.map { $0.filter { $0 != " " } } }
        bytes = Array(try Data(contentsOf: URL(filePath: path)))
    }

    private static func run(_ words: [String]) throws -> Data {
        let result = try Tool.run("ffmpeg", ["-v", "error", "-nostdin", "-y"] + words)
        guard result.status == 0 else { throw CocoaError(.fileWriteUnknown) }
        return result.bytes
    }

    /// The place and the length of a top box.
    package func box(_ name: String) -> Range<Int>? {
        var at = 0
        while at + 8 <= bytes.count {
            let size = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            if bytes[at + 4..<at + 8].elementsEqual(name.utf8) { return at..<at + size }
            at += max(8, size)
        }
        return nil
    }
}
