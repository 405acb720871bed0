import ScrubFileIO
import Foundation
import Glibc
import ScrubBase
import ScrubTestSupport
import Testing

/// Every failure has its remedy, in one clause, from every source.
@Suite struct RemedyTests {
    private static let codes: [ScrubError.Code] = [.usage, .badData, .noInput, .unavailable, .inputOutput]

    /// One clause in plain words.
    private func expectClause(_ text: String, _ what: String) {
        #expect(!text.isEmpty && !text.hasSuffix(".") && text.first?.isUppercase == false, "\(what): '\(text)'")
        #expect(!text.contains("(("), "\(what): '\(text)'")
    }

    @Test(arguments: codes) func everyCodeHasARemedy(_ code: ScrubError.Code) {
        let error = ScrubError(code, "is wrong", file: "a.mp4", place: "byte 7")
        expectClause(error.remedy, "\(code)")
        #expect(error.description == "a.mp4: byte 7: is wrong (\(error.remedy))")
        #expect(error.recoverySuggestion == error.remedy)
    }

    @Test(arguments: codes) func everySystemErrorHasARemedy(_ code: ScrubError.Code) {
        for number in Int32(1)...133 {
            var error = ScrubError(code, "is wrong", file: "a.mp4")
            error.systemError = .errno(number)
            expectClause(error.remedy, "\(code), errno \(number)")
        }
    }

    @Test func itsOwnAdviceComesFirst() {
        var error = ScrubError(.inputOutput, "is wrong", advice: "turn it round")
        error.systemError = .errno(ENOSPC)
        #expect(error.remedy == "turn it round")
    }

    @Test(arguments: [
        (ENOSPC, "free some space"), (EROFS, "writable"), (EACCES, "permission to write"),
        (EISDIR, "specify a file inside it"), (EEXIST, "another one"), (EMFILE, "ulimit"), (ENAMETOOLONG, "shorter"),
    ])
    func remediesForWriteErrors(_ number: Int32, _ words: String) {
        var error = ScrubError(.inputOutput, "cannot be written", file: "a.png")
        error.systemError = .errno(number)
        #expect(error.remedy.contains(words), "\(error)")
    }

    @Test(arguments: [
        ("missing.mp4", "check the name and the folder"), ("-", "standard input"), ("file:///a.mp4", "without file://"),
        ("ftp://host/a.mp4", "http://"), ("rtmp://host/a", "http://"),
    ])
    func remediesForMissingFiles(_ name: String, _ words: String) throws {
        let error = try #require(throws: ScrubError.self) { _ = try FileSource(path: name) }
        #expect(error.code == .noInput && error.remedy.contains(words), "\(error)")
    }

    /// The remedy of a wrong request is known where it is refused, so it is given there. No class of errors has an
    /// advice for it.
    @Test func refusedRequestsSayWhatToAskFor() throws {
        let folder = URL(filePath: Repository.root + "/Sources")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var (count, silent) = (0, [String]())
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for call in Self.calls(of: "ScrubError(", in: text) where call.contains(".usage,") {
                count += 1
                if !call.contains("advice:") { silent.append("\(file.lastPathComponent): \(call)") }
            }
        }
        #expect(silent.isEmpty, "without advice: \(silent.joined(separator: "\n"))")
        #expect(count > 100)
    }

    /// The arguments of calls, up to the bracket that closes them.
    private static func calls(of name: String, in text: String) -> [Substring] {
        text.ranges(of: name).map { found in
            var depth = 1
            var end = found.upperBound
            while end < text.endIndex, depth > 0 {
                if text[end] == "(" { depth += 1 }
                if text[end] == ")" { depth -= 1 }
                end = text.index(after: end)
            }
            return text[found.upperBound..<end]
        }
    }
}
