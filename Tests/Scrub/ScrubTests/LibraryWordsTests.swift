import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// No sentence below the programs names an option of the command line, or tells a program about a command.
@Suite struct LibraryWordsTests {
    /// No sentence below the programs names an option of the command line.
    @Test func theLibraryNamesNoOptions() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
        let verbs = "cache|convert|help|play|poster|previews|seek|strip|thumbs|verify"
        let option = try Regex(#""[^"]*((^|[ (`])--[a-z][a-z-]+|[ ']?scrub (\#(verbs))\b)"#)
        var count = 0
        for folder in ["Base", "Formats", "Engine", "Media", "Network", "Thumbnails", "Players", "Scrub", "Library"] {
            let files = try #require(
                FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil))
            for case let file as URL in files
            where file.pathExtension == "swift" && file.lastPathComponent != "Term.swift" {
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
