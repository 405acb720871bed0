import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// `scrub drive`: a program that another one talks to.
@Suite struct DriveTests {
    /// A running `scrub drive`.
    private final class Session {
        private let process = Process()
        private let (input, output) = (Pipe(), Pipe())
        private var rest = Data()

        init(_ file: String, _ arguments: String...) throws {
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [CommandTests.program, "drive", "--no-cache"] + arguments + [file]
            process.standardInput = input
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
        }

        /// A process that a failing test leaves behind would wait for us for ever.
        deinit { if process.isRunning { process.terminate() } }

        func ask(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

        /// The next line's words; `nil` at the end of the output.
        func answer() -> [String]? {
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = rest[..<end]
                    rest = Data(rest[(end + 1)...])
                    return String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
                }
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { return nil }
                rest += more
            }
        }

        /// Ends the input, and tells how the program ended.
        func finish() throws -> Int32 {
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    private func clip(_ name: String) -> String { Clip.folder + "/clips/" + name }

    /// Times and MD5s of the luma planes alone, by ffmpeg.
    private func lumaHashes(_ file: String) throws -> [(time: String, hash: String)] {
        let result = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-noautorotate", "-i", file, "-map", "0:v:0", "-vf", "extractplanes=y",
                "-fps_mode", "passthrough", "-enc_time_base", "-1", "-f", "framemd5", "-",
            ])
        return result.output.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            return (fields[2], fields[5])
        }
    }

    /// Each request is answered before the next one is made.
    @Test(arguments: ["h264-bf3.mp4", "hevc-closed.mp4", "av1-svt.mp4"])
    func framesAreAnsweredOneByOne(_ file: String) throws {
        let expected = try lumaHashes(clip(file))
        let session = try Session(clip(file), "--threads", "2")
        let ready = try #require(session.answer())
        #expect(ready.count == 3 && ready[0] == "READY" && ready[1] == "\(expected.count)")
        #expect(Int(ready[2]) ?? 0 > 0)
        for number in [17, 18, 19, 0, expected.count - 1, 40, 39, 38, 17] {
            try session.ask("SEEK \(number)")
            let answer = try #require(session.answer())
            #expect(answer.prefix(3) == ["FRAME", "\(number)", expected[number].time])
            #expect(answer.count == 5 && answer[3] == expected[number].hash, "#\(number)")
            #expect(Int(answer[4]) ?? -1 >= 0)
        }
        try session.ask("QUIT")
        #expect(session.answer() == nil)
        #expect(try session.finish() == 0)
    }

    /// Nonsense is answered and changes nothing.
    @Test func unanswerableRequestsAreErrors() throws {
        let session = try Session(clip("h264-bf3.mp4"))
        #expect(session.answer()?.first == "READY")
        for (request, number) in [
            ("SEEK 100", "100"), ("SEEK -1", "-1"), ("SEEK", "0"), ("SEEK x", "0"), ("SEEK 1 2", "0"), ("seek 1", "0"),
            ("", "0"), ("SEEK 99999999999999999999", "0"), ("\u{FEFF}SEEK 1", "0"),
        ] {
            try session.ask(request)
            let answer = try #require(session.answer())
            #expect(answer.prefix(2) == ["ERROR", number] && answer.count > 2, "\(request)")
        }
        try session.ask("SEEK 1")
        #expect(session.answer()?.prefix(2) == ["FRAME", "1"])
        // The end of the input is an end like any other.
        #expect(try session.finish() == 0)
        #expect(session.answer() == nil)
    }

    @Test func requestsMayBeMadeAllAtOnce() throws {
        let session = try Session(clip("hevc-open-gop.mp4"))
        let numbers = (0..<60).map { ($0 * 13) % 100 }
        for number in numbers { try session.ask("SEEK \(number)") }
        #expect(try session.finish() == 0)
        #expect(session.answer()?.first == "READY")
        for number in numbers { #expect(session.answer()?.prefix(2) == ["FRAME", "\(number)"]) }
        #expect(session.answer() == nil)
    }

    @Test(arguments: [("/nonexistent.mp4", Int32(66)), ("refused-text.mp4", 65)])
    func anInvalidFileEndsIt(_ file: String, _ status: Int32) throws {
        let session = try Session(file.hasPrefix("/") ? file : clip(file))
        #expect(session.answer() == nil)
        #expect(try session.finish() == status)
    }
}
