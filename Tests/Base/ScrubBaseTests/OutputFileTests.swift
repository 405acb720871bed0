import Foundation
import ScrubBase
import ScrubFileIO
import ScrubTestSupport
import Testing

/// Which files an output may replace.
@Suite struct OutputFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(
        _ bytes: [UInt8], _ name: String, _ kind: OutputKind = .picture, replacesFiles: Bool = false
    ) throws {
        try AtomicFile.write(
            bytes, to: try OutputFile(folder.path(of: name), kind, replacesFiles: replacesFiles))
    }

    /// - Returns: what the refusal says.
    private func refusal(
        _ name: String, _ kind: OutputKind = .picture, replacesFiles: Bool = false
    ) -> String? {
        let error = #expect(throws: ScrubError.self) {
            try write([9], name, kind, replacesFiles: replacesFiles)
        }
        #expect(error?.code == .usage && error?.file == folder.path(of: name))
        return error?.cause
    }

    @Test func aRunReplacesWhatAnEarlierOneWrote() throws {
        for byte: UInt8 in 1...3 { try write([byte], "a.png") }
        #expect(try Array(folder.bytes("a.png")) == [3])
        #expect(folder.contents == ["a.png"])
    }

    /// A mark does not outlive a change, and is of one kind alone.
    @Test func whatOthersWroteStays() throws {
        try folder.write([7], to: "theirs.png")
        try write([1], "edited.png")
        try folder.write([7, 7], to: "edited.png")
        try write([1], "plot.png", .plot)
        try FileManager.default.copyItem(atPath: folder.path(of: "plot.png"), toPath: folder.path(of: "copy.png"))
        for name in ["theirs.png", "edited.png", "plot.png", "copy.png"] {
            let before = try folder.bytes(name)
            #expect(refusal(name)?.contains("not written by an earlier run") == true)
            #expect(try folder.bytes(name) == before)
            try write([9], name, replacesFiles: true)
            #expect(try Array(folder.bytes(name)) == [9])
            try write([8], name)
        }
    }

    /// As other programs make them for a name alone.
    @Test func anEmptyFileIsNothing() throws {
        try folder.write([UInt8](), to: "a.png")
        try write([1], "a.png")
        try folder.write([UInt8](), to: "b.png")
        try OutputFile(folder.path(of: "b.png"), .picture).fill([2])
        try write([3], "b.png")
        #expect(try Array(folder.bytes("b.png")) == [3])
    }

    /// By each name that it has, and whatever may be replaced.
    @Test func whatIsReadStays() throws {
        let film = try folder.write([7, 7, 7], to: "film.mp4")
        #expect(link(film, folder.path(of: "second.png")) == 0)
        #expect(symlink("film.mp4", folder.path(of: "link.png")) == 0)
        let source = try MediaSource(path: film)
        for name in ["film.mp4", "./film.mp4", "second.png", "link.png"] {
            for replaces in [false, true] {
                #expect(refusal(name, replacesFiles: replaces)?.contains("is an input file") == true)
            }
        }
        for kind in OutputKind.allCases { #expect(refusal("film.mp4", kind) != nil) }
        #expect(try Array(folder.bytes("film.mp4")) == [7, 7, 7])
        withExtendedLifetime(source) {}
    }

    /// Of a library's caller who has closed it: then it is any file.
    @Test func whatIsClosedMayBeReplacedOnDemand() throws {
        let film = try folder.write([7], to: "film.png")
        do { _ = try MediaSource(path: film) }
        #expect(refusal("film.png")?.contains("not written by an earlier run") == true)
        try write([1], "film.png", replacesFiles: true)
    }

    @Test func linksStay() throws {
        try write([1], "a.png")
        #expect(symlink("a.png", folder.path(of: "link.png")) == 0)
        #expect(symlink("nothing", folder.path(of: "dangling.png")) == 0)
        #expect(refusal("link.png")?.contains("is a link") == true)
        #expect(refusal("dangling.png")?.contains("is a link") == true)
        try write([2], "link.png", replacesFiles: true)
        #expect(try Array(folder.bytes("a.png")) == [1])
    }

    /// A file that comes between the look and the end of the work.
    @Test func whatComesMeanwhileStays() throws {
        for name in ["new.png", "own.png"] {
            if name == "own.png" { try write([1], name) }
            let output = try OutputFile(folder.path(of: name), .picture)
            var writer = try AtomicFileWriter(output)
            try writer.append([1, 2].span)
            try folder.write([7, 7], to: name)
            var failure: (any Error)?
            do { try writer.commit() } catch { failure = error }
            #expect(failure is ScrubError)
            #expect(try Array(folder.bytes(name)) == [7, 7])
        }
        #expect(folder.contents == ["new.png", "own.png"])
    }

    /// Lines are added to a log alone, and metrics take the place of metrics.
    @Test func logsAndMetricsAreKnownByTheirContents() throws {
        let line = #"{"file":"a.mp4","place":"a.mp4","status":"done"}"#
        try folder.write(Data((line + "\n").utf8), to: "log")
        try folder.write(Data("# HELP scrub_batch_files_total Films\n".utf8), to: "metrics")
        try folder.write(Data(#"{"file":"a.mp4"}"#.utf8), to: "other")
        try LineLog(try OutputFile(folder.path(of: "log"), .log)).append(line)
        #expect(try String(decoding: folder.bytes("log"), as: UTF8.self) == line + "\n" + line + "\n")
        try write([1], "metrics", .metrics)
        for (name, kind) in [("other", OutputKind.log), ("log", .metrics), ("other", .metrics)] {
            #expect(refusal(name, kind, replacesFiles: true) != nil)
        }
        #expect(try String(decoding: folder.bytes("other"), as: UTF8.self) == #"{"file":"a.mp4"}"#)
    }

    @Test func aFolderOfOutputsLeavesOthersFiles() throws {
        try Folder.make(folder.path(of: "set"))
        try folder.write([7], to: "set/index.html")
        func run(knows: Bool = false, replaces: Bool = false) throws {
            let output = try OutputFolder(path: folder.path(of: "set"), replacesFiles: replaces)
            if knows { output.recognize(["index.html"], in: output.path) }
            try AtomicFile.write([1], to: .staged(output.workPath + "/a.jpg"))
            try AtomicFile.write([2], to: .staged(output.workPath + "/index.html"))
            try output.commit()
        }
        let error = #expect(throws: ScrubError.self) { try run() }
        #expect(error?.code == .usage)
        #expect(TemporaryFolder.names(folder.path(of: "set")) == ["index.html"])
        #expect(try Array(folder.bytes("set/index.html")) == [7])
        try run(knows: true)
        try run()
        try folder.write([7], to: "set/a.jpg")
        try run(replaces: true)
        #expect(try Array(folder.bytes("set/a.jpg")) == [1])
    }
}
