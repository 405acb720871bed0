#if CommandLine
internal import ScrubBase
internal import ScrubFileIO
internal import FoundationEssentials
internal import Scrub
internal import SystemPackage

/// A gesture script in a file (JSON, RFC 8259).
struct ScriptFile: Decodable {
    private struct Event: Decodable {
        var ms: Double
        var phase: String
        var dx: Double?
        var dy: Double?
    }

    private var width: Double
    private var begin: String
    private var playing: Bool?
    private var events: [Event]

    /// Reads and checks a script.
    ///
    /// - Parameter path: the file; `-` is standard input.
    /// - Throws: `noInput` if the file does not exist, `badData` with the place of the first error.
    static func read(_ path: String) throws(ScrubError) -> ScrubGesture.Script {
        let bytes = try path == "-" ? standardInput() : contents(of: path)
        let script: ScrubGesture.Script
        do {
            script = try JSONDecoder().decode(ScriptFile.self, from: Data(bytes)).script()
        } catch let error as ScrubError {
            throw error.inFile(path == "-" ? "standard input" : path)
        } catch {
            throw ScrubError(
                .badData, "is not a gesture script: \(fault(error))", file: path == "-" ? "standard input" : path,
                advice:
                    "use the form {\"width\":1000,\"begin\":\"0.4\",\"playing\":true,\"events\":[{\"ms\":0,\"phase\":\"began\"}, …]}"
            )
        }
        do throws(ScrubError) { try script.validate() } catch {
            throw error.inFile(path == "-" ? "standard input" : path)
        }
        return script
    }

    private func script() throws(ScrubError) -> ScrubGesture.Script {
        var list: [ScrubGesture.Script.Event] = []
        for (place, event) in events.enumerated() {
            guard let phase = ScrubGesture.Script.Phase(rawValue: event.phase) else {
                let known = ScrubGesture.Script.Phase.allCases.map(\.rawValue).joined(separator: ", ")
                throw ScrubError(
                    .badData, "there is no phase '\(event.phase)'", place: "event \(place)",
                    advice: "use one of \(known)")
            }
            // A day; a larger number is a mistake.
            guard (0...86_400_000).contains(event.ms) else {
                throw ScrubError(
                    .badData, "\(event.ms) ms is not a valid time in a gesture", place: "event \(place)",
                    advice: "use a number of milliseconds from 0 to 86400000 (one day)")
            }
            list.append(
                ScrubGesture.Script.Event(
                    milliseconds: Int(event.ms.rounded()), phase: phase,
                    translation: .init(x: event.dx ?? 0, y: event.dy ?? 0)))
        }
        return ScrubGesture.Script(
            width: ScrubGesture.Translation(x: width, y: 0).x, startPosition: begin, isPlaying: playing ?? false,
            events: list)
    }

    /// Returns a decoding error's message, for people.
    private static func fault(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .keyNotFound(let key, let context): return "'\(key.stringValue)' is missing\(place(context))"
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            // The value is of a kind other than the one in Swift's message.
            let kind =
                switch type {
                case is Double.Type: "a number"
                case is String.Type: "a string in quotation marks"
                case is Bool.Type: "true or false"
                case is [Any].Type: "a list [ … ]"
                default: "an object { … }"
                }
            return context.codingPath.isEmpty ? "expected \(kind)" : "expected \(kind)\(place(context))"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty ? "it is not valid JSON" : "something is wrong\(place(context))"
        @unknown default: return "\(error)"
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        guard !context.codingPath.isEmpty else { return "" }
        return " in " + context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    private static func standardInput() throws(ScrubError) -> [UInt8] {
        do { return try drain(.standardInput) } catch {
            throw ScrubError(system: error, .inputOutput, doing: "standard input cannot be read")
        }
    }

    private static func contents(of path: String) throws(ScrubError) -> [UInt8] {
        InputFileRegistry.note(path: path)
        do {
            let file = try FileDescriptor.open(FilePath(systemName: path), .readOnly)
            return try file.closeAfter { try drain(file) }
        } catch {
            throw ScrubError(system: error, .noInput, doing: "the script cannot be read", file: path)
        }
    }

    /// Reads everything that remains, up to more than any script's size.
    private static func drain(_ file: FileDescriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < 64 << 20 {
            let count = try unsafe chunk.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }
}
#endif
