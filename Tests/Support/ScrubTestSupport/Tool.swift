package import Foundation

/// Programs that tests start.
package enum Tool {
    /// A program's output and end.
    package struct Result: Sendable {
        /// The exit status; the signal's number below zero.
        package var status: Int32
        package var output: String { String(decoding: bytes, as: UTF8.self) }
        package var errors: String
        /// The standard output.
        package var bytes: Data

        package init(status: Int32, bytes: Data, errors: String) {
            (self.status, self.bytes, self.errors) = (status, bytes, errors)
        }
    }

    /// Runs a program of the search path to its end. Results of ffmpeg and ffprobe are kept by the command line: see
    /// ``KeptRuns``.
    package static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil
    ) throws -> Result {
        guard ["ffmpeg", "ffprobe"].contains(program), environment.isEmpty else {
            return try start(program, arguments, environment: environment, in: folder)
        }
        return try KeptRuns.run(program, arguments, in: folder)
    }

    /// Runs a program now, whatever was kept.
    static func start(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil
    ) throws -> Result {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // Both pipes are emptied while the program runs, or it would wait for us on a full one.
        let reader = ErrorReader(errors.fileHandleForReading)
        let data = output.fileHandleForReading.readDataToEndOfFile()
        let text = reader.finish()
        process.waitUntilExit()
        return Result(
            status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
            bytes: data, errors: text)
    }

    private final class ErrorReader: @unchecked Sendable {
        private let group = DispatchGroup()
        private var text = ""

        init(_ handle: FileHandle) {
            DispatchQueue.global().async(group: group) {
                self.text = String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
            }
        }

        func finish() -> String {
            group.wait()
            return text
        }
    }
}
