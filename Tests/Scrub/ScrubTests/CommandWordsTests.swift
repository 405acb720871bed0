import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// The library's messages name its own options, and the command line's messages those of the command line.
@Suite struct CommandWordsTests {
    @Test(arguments: [
        (
            "raise MediaLimits.pixelCount to 225000000",
            "raise it with --limit pixels=225000000"
        ),
        ("raise MediaLimits.tableByteCount", "raise it with --limit table-bytes=NUMBER"),
        ("give it more time: MediaLimits.pictureTime", "give it more time: --limit picture-time=SECONDS"),
        (
            "raise MediaLimits.pictureByteCount and MediaLimits.pixelCount",
            "raise it with --limit picture-bytes=NUMBER and --limit pixels=NUMBER"
        ),
        ("wait for its end (waitsForOtherRuns) or take another", "wait for its end, as --wait does, or take another"),
        ("CoverArt.all(in:) reads stream 2", "write it with scrub poster --cover --stream 2"),
        ("allow it (NetworkOptions.allowedHosts: 10.0.0.1): a name", "allow it (--allow 10.0.0.1): a name"),
        ("nothing that has other words", "nothing that has other words"),
    ])
    func messagesAreTranslated(_ library: String, _ command: String) {
        #expect(library.inCommandWords == command)
        let error = ScrubError(.badData, library, file: "MediaLimits.pixelCount", advice: library).inCommandWords
        #expect(error.cause == command && error.advice == command && error.file == "MediaLimits.pixelCount")
    }

    /// Every limit has its option.
    @Test func limitsAreTranslated() throws {
        var limits = MediaLimits()
        for name in MediaLimits.Name.allCases where !name.isTime {
            limits[name] = 1
            let error = limits.refusal(name, 2, "it")
            #expect(error.advice?.contains("MediaLimits.") == true && !"\(error)".contains("--"))
            #expect(error.inCommandWords.advice?.hasSuffix("--limit \(name.rawValue)=2") == true, "\(error)")
        }
    }

    /// No sentence below the programs names an option of the command line.
    @Test func theLibraryNamesNoOptions() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
        let option = try Regex(#""[^"]*(^|[ (`])--[a-z][a-z-]+"#)
        var count = 0
        for folder in ["Base", "Formats", "Engine", "Media", "Network", "Thumbnails", "Scrub", "Library"] {
            let files = try #require(
                FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil))
            for case let file as URL in files
            where file.pathExtension == "swift" && file.lastPathComponent != "CommandWords.swift" {
                count += 1
                for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                    #expect(line.firstMatch(of: option) == nil, "\(file.lastPathComponent): \(line)")
                }
            }
        }
        #expect(count > 300)
    }
}
