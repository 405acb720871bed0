import Foundation
import ScrubTestSupport
import Testing

/// Runs ffmpeg in a folder.
enum FFmpeg {
    @discardableResult
    static func run(_ arguments: [String], in folder: String) throws -> String {
        let result = try Tool.run("ffmpeg", ["-v", "error", "-nostdin", "-y"] + arguments, in: folder)
        try #require(result.status == 0, "ffmpeg \(arguments.joined(separator: " ")): \(result.errors)")
        return result.output
    }

    /// The MD5 of every picture of a linear decode.
    static func hashes(_ file: String, in folder: String) throws -> [String] {
        try run(
            ["-noautorotate", "-i", file, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-"],
            in: folder
        )
        .split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            line.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }
}
