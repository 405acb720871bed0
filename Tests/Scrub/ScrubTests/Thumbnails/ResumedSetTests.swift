import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// A run goes on from the finished parts of an earlier one, whenever that was stopped and whatever became of them. The
/// files are those of an uninterrupted run.
@Suite struct ResumedSetTests {
    private static let folder = ".scrub-thumbnails"

    private static var request: ThumbnailStrip.Options {
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(30)))
        options.thumbnails.widths = [64, 32]
        (options.sheets.columns, options.sheets.rows) = (2, 2)
        return options
    }

    /// - Parameter last: after how many pictures it is stopped; `nil` for never.
    /// - Returns: how many pictures it had at its beginning.
    @discardableResult
    private static func strip(
        _ clip: KnownClip, _ scratch: TemporaryFolder, _ options: ThumbnailStrip.Options = request, last: Int? = nil
    ) throws -> Int {
        var first: Int?
        let stop = Cancellation()
        do throws(ScrubError) {
            _ = try stop.perform { () throws(ScrubError) in
                try clip.asset.writeStrip(
                    into: scratch.path, options: options,
                    progress: { progress in
                        let now = Int(progress.completed)
                        first = first ?? now
                        if let last, now >= last { stop.cancel() }
                    })
            }
            #expect(!scratch.files.contains { $0.contains(".scrub-") }, "\(scratch.files)")
        } catch {
            guard last != nil else { throw error }
            #expect(error.code == .unavailable && error.cause.hasPrefix("cancelled after "), "\(error)")
            #expect(scratch.contents.allSatisfy { $0 == folder }, "nothing under its final name")
            #expect((error.advice?.contains("kept in") == true) == (scratch.contents == [folder]), "\(error)")
        }
        return first ?? -1
    }

    private static func expectSame(
        _ one: TemporaryFolder, _ other: TemporaryFolder, _ what: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(one.files == other.files, "\(what)", sourceLocation: sourceLocation)
        for file in one.files where file.contains(".") && !file.hasSuffix(".trickplay") {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: one.path(of: file), isDirectory: &isFolder)
            guard !isFolder.boolValue else { continue }
            #expect(try one.bytes(file) == other.bytes(file), "\(what): \(file)", sourceLocation: sourceLocation)
        }
    }

    /// Stopped after any number of pictures, on one thread and on more.
    @Test(arguments: [1, 3]) func aStripGoesOn(_ threadCount: Int) throws {
        let clip = try KnownClip("h264-bf3.mp4")
        var options = ResumedSetTests.request
        options.thumbnails.threadCount = threadCount
        let whole = TemporaryFolder.unmade()
        try ResumedSetTests.strip(clip, whole, options)
        for last in [1, 3, 4, 5, 11, 12, 23, 29, 30] {
            let broken = TemporaryFolder.unmade()
            try ResumedSetTests.strip(clip, broken, options, last: last)
            let first = try ResumedSetTests.strip(clip, broken, options)
            // Sheets hold four; pictures come as they are decoded, some before their turn.
            #expect(first <= last && first >= last - 8, "\(first) of \(last)")
            try ResumedSetTests.expectSame(whole, broken, "\(last)")
        }
    }

    /// Stopped again and again.
    @Test func aStripGoesOnBitByBit() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let (whole, broken) = (TemporaryFolder.unmade(), TemporaryFolder.unmade())
        try ResumedSetTests.strip(clip, whole)
        var first = 0
        for last in stride(from: 6, to: 30, by: 6) {
            let now = try ResumedSetTests.strip(clip, broken, last: last)
            #expect(now >= first)
            first = now
        }
        try ResumedSetTests.strip(clip, broken)
        try ResumedSetTests.expectSame(whole, broken, "bit by bit")
    }

    /// Sets of all kinds of files: sheets of several forms, some alike, single pictures, previews, blurred stand-ins,
    /// and pictures that are repeated.
    @Test(arguments: ["h264-bf3.mp4", "damaged-h264.mp4"]) func setsGoOn(_ file: String) throws {
        let clip = try KnownClip(file)
        var options = ThumbnailSets.Options([.web, .plex, .roku, .hls, .dash, .contact])
        options.request = ThumbnailPlan.Request(.every(Rational(1, 20)))
        let whole = TemporaryFolder.unmade()
        var count = 0
        _ = try clip.asset.writeThumbnailSets(
            into: whole.path, options: options, progress: { count = Int($0.total ?? 0) })
        for last in [2, count / 2, count - 1] {
            let broken = TemporaryFolder.unmade()
            var first: Int?
            let stop = Cancellation()
            #expect(throws: ScrubError.self) {
                try stop.perform {
                    _ = try clip.asset.writeThumbnailSets(
                        into: broken.path, options: options, progress: { if $0.completed >= last { stop.cancel() } })
                }
            }
            _ = try clip.asset.writeThumbnailSets(
                into: broken.path, options: options, progress: { first = first ?? Int($0.completed) })
            try ResumedSetTests.expectSame(whole, broken, "\(last)")
            #expect(first ?? -1 >= 0)
        }
    }

    /// What a machine that stops, or another program, may do to finished sheets and their list.
    @Test func damageIsMadeAgain() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let whole = TemporaryFolder.unmade()
        try ResumedSetTests.strip(clip, whole)
        let files = FileManager.default
        func change(_ path: String, _ change: (inout Data) throws -> Void) throws {
            var bytes = try Data(contentsOf: URL(filePath: path))
            try change(&bytes)
            try bytes.write(to: URL(filePath: path))
        }
        /// Takes a sheet and another one, with the paths of both and of the list.
        let damages: [(String, (_ sheet: String, _ other: String, _ list: String) throws -> Void)] = [
            ("nothing", { _, _, _ in }),
            ("a bit", { sheet, _, _ in try change(sheet) { $0[$0.count / 2] ^= 1 } }),
            ("cut", { sheet, _, _ in try change(sheet) { $0.removeLast() } }),
            ("longer", { sheet, _, _ in try change(sheet) { $0.append(0) } }),
            ("gone", { sheet, _, _ in try files.removeItem(atPath: sheet) }),
            ("another", { sheet, other, _ in try change(sheet) { $0 = try Data(contentsOf: URL(filePath: other)) } }),
            ("unknown", { sheet, _, _ in try Data([1]).write(to: URL(filePath: sheet + "-unknown")) }),
            (
                "a folder",
                { sheet, _, _ in
                    try files.removeItem(atPath: sheet)
                    try files.createDirectory(atPath: sheet + "/x", withIntermediateDirectories: true)
                }
            ),
            ("list cut", { _, _, list in try change(list) { $0.removeLast($0.count / 3) } }),
            ("list damaged", { _, _, list in try change(list) { $0[$0.count / 2] ^= 0x40 } }),
            ("list empty", { _, _, list in try change(list) { $0 = Data() } }),
        ]
        var found: [String: Int] = [:]
        for (what, damage) in damages {
            let broken = TemporaryFolder.unmade()
            try ResumedSetTests.strip(clip, broken, last: 25)
            let kept = broken.path + "/" + ResumedSetTests.folder + "/"
            let sheets = TemporaryFolder.names(kept).filter { $0 != "list" }
            try #require(sheets.count > 6)
            try damage(kept + sheets[1], kept + sheets[3], kept + "list")
            found[what] = try ResumedSetTests.strip(clip, broken)
            try ResumedSetTests.expectSame(whole, broken, what)
        }
        // One sheet is decoded again, not what comes after it; of a damaged list, what was recorded behind the damage.
        let all = try #require(found["nothing"])
        #expect(found["longer"] == all && found["unknown"] == all)
        for what in ["a bit", "cut", "gone", "another", "a folder"] {
            let count = try #require(found[what])
            #expect(count < all && count >= all - 4, "\(what): \(count) of \(all)")
        }
        for what in ["list cut", "list damaged"] { #expect(found[what] ?? all < all, "\(what)") }
        #expect(found["list empty"] == 0)
    }

    /// Neither a link nor a file with two names is written into, and neither is put into a set.
    @Test func finishedSheetsOfOthersAreLeftAlone() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let (whole, scratch) = (TemporaryFolder.unmade(), try TemporaryFolder())
        try ResumedSetTests.strip(clip, whole)
        for isLink in [true, false] {
            let broken = TemporaryFolder.unmade()
            try ResumedSetTests.strip(clip, broken, last: 25)
            let kept = broken.path + "/" + ResumedSetTests.folder
            let sheet = try #require(TemporaryFolder.names(kept).first { $0 != "list" })
            // The right bytes, and another program's.
            let other = try scratch.write(try Data(contentsOf: URL(filePath: kept + "/" + sheet)), to: "\(isLink)")
            try FileManager.default.removeItem(atPath: kept + "/" + sheet)
            if isLink {
                try FileManager.default.createSymbolicLink(atPath: kept + "/" + sheet, withDestinationPath: other)
            } else {
                try FileManager.default.linkItem(atPath: other, toPath: kept + "/" + sheet)
            }
            let before = try scratch.bytes("\(isLink)")
            try ResumedSetTests.strip(clip, broken)
            try ResumedSetTests.expectSame(whole, broken, "link \(isLink)")
            let names = try Tool.run("stat", ["-c", "%h", other]).output
            #expect(try scratch.bytes("\(isLink)") == before && names == "1\n", "\(names)")
        }
    }

    /// Another request, or another film under the name: nothing of it is taken.
    @Test func anotherRequestBeginsAgain() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let scratch = try TemporaryFolder()
        let film = scratch.path(of: "film.mp4")
        try FileManager.default.copyItem(atPath: Clip.folder + "/clips/h264-bf3.mp4", toPath: film)
        let changes: [(inout ThumbnailStrip.Options) -> Void] = [
            { $0.thumbnails.widths = [40] }, { $0.request = ThumbnailPlan.Request(.count(29)) },
            { $0.thumbnails.background = RGBColor(red: 1, green: 2, blue: 3) }, { $0.thumbnails.computesMD5 = true },
        ]
        for (number, change) in changes.enumerated() {
            let (broken, whole) = (TemporaryFolder.unmade(), TemporaryFolder.unmade())
            try ResumedSetTests.strip(clip, broken, last: 20)
            var options = ResumedSetTests.request
            change(&options)
            #expect(try ResumedSetTests.strip(clip, broken, options) == 0, "\(number)")
            try ResumedSetTests.strip(clip, whole, options)
            try ResumedSetTests.expectSame(whole, broken, "\(number)")
        }
        // Other sheets of the same pictures: none of them is there.
        let broken = TemporaryFolder.unmade()
        try ResumedSetTests.strip(clip, broken, last: 20)
        var options = ResumedSetTests.request
        options.sheets.quality = 30
        #expect(try ResumedSetTests.strip(clip, broken, options) == 0)
        // The film was written again.
        let again = TemporaryFolder.unmade()
        func stopped(_ last: Int?) throws -> Int? {
            var first: Int?
            let stop = Cancellation()
            _ = try? stop.perform {
                try VideoAsset(path: film, options: .init(cache: .none)).writeStrip(
                    into: again.path, options: ResumedSetTests.request,
                    progress: { progress in
                        let now = Int(progress.completed)
                        first = first ?? now
                        if let last, now >= last { stop.cancel() }
                    })
            }
            return first
        }
        #expect(try stopped(20) == 0)
        #expect(try stopped(22) ?? 0 > 10)
        try scratch.age("film.mp4", to: 1_000_000_000)
        #expect(try stopped(nil) == 0)
    }

    /// A set whose files cannot have their names is not decoded again.
    @Test func whatCouldNotBeNamedIsKept() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let (whole, broken) = (TemporaryFolder.unmade(), TemporaryFolder.unmade())
        try ResumedSetTests.strip(clip, whole)
        let obstacle = broken.path(of: "64/sheet-003.jpg")
        try FileManager.default.createDirectory(atPath: obstacle + "/x", withIntermediateDirectories: true)
        let error = #expect(throws: ScrubError.self) {
            try clip.asset.writeStrip(into: broken.path, options: ResumedSetTests.request)
        }
        #expect(error?.advice?.contains("30 pictures are kept in \(broken.path)/.scrub-thumbnails") == true)
        #expect(!broken.files.contains("64/sheet-000.jpg") && !broken.files.contains(".scrub-unfinished"))
        try FileManager.default.removeItem(atPath: obstacle)
        #expect(try ResumedSetTests.strip(clip, broken) == 30)
        try ResumedSetTests.expectSame(whole, broken, "named later")
    }

    /// The program, killed without a warning at several moments.
    @Test func aKilledProgramGoesOn() throws {
        let scratch = try TemporaryFolder()
        let film = scratch.path(of: "film.mp4")
        try LinearLines.makeLongGroups(film)
        let words = [
            film, "--count", "200", "--tolerance", "exact", "--columns", "4", "--rows", "2", "--no-cache", "-o",
        ]
        let whole = scratch.path(of: "whole")
        #expect(try Tool.run(CommandTests.program, ["strip"] + words + [whole]).status == 0)
        var kills = 0
        // As many finished sheets as are waited for, and then in the middle of the next.
        for count in [0, 1, 9, 20] {
            let out = scratch.path(of: "out-\(count)")
            let script = """
                out=$1; count=$2; shift 2
                "$0" strip "$@" "$out" & pid=$!
                until [ "$(ls "$out/.scrub-thumbnails" 2> /dev/null | wc -l)" -gt "$count" ] || ! kill -0 $pid; do :; done
                kill -9 $pid; wait $pid; echo $?
                """
            let killed = try Tool.run("bash", ["-c", script, CommandTests.program, out, "\(count)"] + words)
            // On a machine that is busy with other things it may be done before.
            let status = killed.output.split(separator: "\n").last
            #expect(status == "137" || status == "0", "\(killed.output) \(killed.errors)")
            if status == "137" { kills += 1 }
            let resumed = try Tool.run(CommandTests.program, ["strip"] + words + [out])
            #expect(resumed.status == 0, "\(resumed.errors)")
            let difference = try Tool.run("diff", ["-r", whole, out])
            #expect(difference.status == 0, "\(count): \(difference.output)")
        }
        #expect(kills > 0)
    }
}
