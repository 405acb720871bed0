import Foundation
import Testing

/// Runs ffmpeg in a folder.
enum FFmpeg {
    @discardableResult
    static func run(_ arguments: [String], in folder: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["ffmpeg", "-v", "error", "-nostdin", "-y"] + arguments
        process.currentDirectoryURL = URL(filePath: folder)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.standardError
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "ffmpeg \(arguments.joined(separator: " "))")
        return String(decoding: data, as: UTF8.self)
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
