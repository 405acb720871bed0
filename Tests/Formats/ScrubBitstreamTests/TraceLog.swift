import Foundation

/// The headers of a file's video stream as FFmpeg's `trace_headers` filter prints them: an oracle that shares no
/// code with this package.
struct TraceLog {
    /// One header with its fields in the order they are coded.
    struct Header {
        let name: String
        var fields: [(name: String, value: Int)] = []

        /// A field's first value.
        subscript(_ field: String) -> Int? { fields.first { $0.name == field }?.value }
    }

    private(set) var headers: [Header] = []

    init(_ file: URL) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["ffmpeg", "-hide_banner", "-nostats", "-i", file.path, "-map", "0:v:0", "-c", "copy", "-copyinkf"]
            + ["-bsf:v", "trace_headers", "-f", "null", "-"]
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let lines = [UInt8](data).split(separator: UInt8(ascii: "\n"))
        var isWanted = false
        for line in lines where line.starts(with: "[trace_headers".utf8) {
            guard let end = line.firstIndex(of: UInt8(ascii: "]")) else { continue }
            let text = line[end...].dropFirst(2)
            // "position  name  bits = value" or a header's name.
            if let first = text.first, first < UInt8(ascii: "0") || first > UInt8(ascii: "9") {
                let name = String(decoding: text, as: UTF8.self)
                isWanted = TraceLog.wanted.contains(name)
                if isWanted { headers.append(Header(name: name)) }
            } else if isWanted {
                let words = text.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
                guard words.count >= 4, let value = words.last.flatMap({ Int($0) }) else { continue }
                headers[headers.count - 1].fields.append((words[1], value))
                // Nothing behind the references is read, and it is long.
                if words[1] == "ref_frame_idx[6]" { isWanted = false }
            }
        }
    }

    private static let wanted: Set<String> = [
        "Frame Header", "Sequence Parameter Set", "Slice Segment Header", "End of Sequence",
    ]
}
