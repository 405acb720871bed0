import ScrubFileIO
import Foundation
import Glibc
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Two runs into one folder, and files that runs leave.
@Suite struct FolderLockTests {
    private func strip(_ asset: VideoAsset, _ folder: String, _ count: Int, waits: Bool = false) throws {
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(count)))
        options.thumbnails.widths = [64]
        (options.sheets.columns, options.sheets.rows) = (1, 1)
        options.waitsForOtherRuns = waits
        _ = try asset.writeStrip(into: folder, options: options)
    }

    /// By whatever path: the same folder is the same folder.
    @Test func theSecondRunIsRefusedAndSaysWhoIsThere() throws {
        let scratch = try TemporaryFolder()
        let out = scratch.path + "/out"
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: scratch.path + "/link", withDestinationPath: out)
        let asset = try KnownClip("h264-bf3.mp4").asset
        let lock = try FolderLock(path: out)
        for path in [out, out + "/", scratch.path + "/link", scratch.path + "/./out/../link/."] {
            let error = #expect(throws: ScrubError.self) { try strip(asset, path, 2) }
            #expect(error?.code == .unavailable && error?.cause.contains("this process itself") == true, "\(path)")
        }
        let film = Clip.folder + "/clips/h264-bf3.mp4"
        try FileManager.default.createDirectory(atPath: scratch.path + "/set", withIntermediateDirectories: false)
        try strip(asset, scratch.path + "/set", 2)
        for arguments in [
            ["strip", film, "--count", "2", "-o", out], ["thumbs", film, "--profile", "web", "-o", out],
            ["poster", film, "-o", out + "/"], ["poster", film, "--count", "2", "-o", out],
            ["convert", scratch.path + "/set", "--to", "vtt", "-o", out],
        ] {
            let result = try Tool.run(CommandTests.program, arguments)
            #expect(result.status == 69, "\(arguments)")
            #expect(
                result.errors.contains("another run is writing to this folder: process \(getpid()) "),
                "\(result.errors)")
        }
        #expect(TemporaryFolder.names(out) == [])
        withExtendedLifetime(lock) {}
    }

    /// A child between fork and exec has the locked folder open too: it must not keep the lock when its owner lets go.
    @Test func theLockGoesWithItsOwnerWhoeverHasTheFolderOpen() throws {
        let scratch = try TemporaryFolder()
        var lock: FolderLock? = try FolderLock(path: scratch.path)
        let name = URL(filePath: scratch.path).resolvingSymlinksInPath().path
        let descriptor = try #require(
            TemporaryFolder.names("/proc/self/fd").first {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) == name
            }.flatMap { Int32($0) })
        // The same open file, as a child has it.
        let other = dup(descriptor)
        defer { close(other) }
        #expect(throws: ScrubError.self) { try FolderLock(path: scratch.path) }
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(throws: Never.self) { try FolderLock(path: scratch.path) }
    }

    /// The lock goes with its owner, and with `--wait` a run waits for that.
    @Test func aRunThatWaitsGetsItsTurn() throws {
        let scratch = try TemporaryFolder()
        let film = Clip.folder + "/clips/h264-bf3.mp4"
        var lock: FolderLock? = try FolderLock(path: scratch.path)
        let process = Process()
        (process.executableURL, process.standardError) = (URL(filePath: CommandTests.program), Pipe())
        process.standardOutput = FileHandle.nullDevice
        process.arguments = ["strip", film, "--no-cache", "--count", "2", "--wait", "-o", scratch.path]
        try process.run()
        // What it says proves that it waits.
        let said = (process.standardError as? Pipe)?.fileHandleForReading.availableData ?? Data()
        #expect(String(decoding: said, as: UTF8.self).contains("waiting for process \(getpid()) "))
        #expect(TemporaryFolder.names(scratch.path) == [])
        withExtendedLifetime(lock) {}
        lock = nil
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(scratch.contents == ["manifest.json", "sheet-000.jpg", "thumbnails.vtt"])
    }

    /// Waiting ends when it is cancelled.
    @Test func waitingCanBeCancelled() throws {
        let scratch = try TemporaryFolder()
        let lock = try FolderLock(path: scratch.path)
        let asked = Locked(0)
        let third = Cancellation(within: nil) {
            asked.withLock { asked in
                asked += 1
                return asked > 2
            }
        }
        let error = #expect(throws: ScrubError.self) {
            try third.perform { try FolderLock(path: scratch.path, waits: true) }
        }
        #expect(error?.isCancellation == true && error?.code == .unavailable && asked.withLock { $0 } == 3)
        withExtendedLifetime(lock) {}
    }

    /// Threads of one process exclude each other as processes do: one is first, and the others are refused or come
    /// after it.
    @Test func threadsOfOneProcessExcludeEachOther() async throws {
        let scratch = TemporaryFolder.unmade()
        let asset = try KnownClip("h264-bf3.mp4").asset
        let ends = await withTaskGroup(of: ScrubError.Code?.self) { group in
            for count in 2..<8 {
                group.addTask {
                    do {
                        try strip(asset, scratch.path, count)
                        return nil
                    } catch { return (error as? ScrubError)?.code }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ends.contains(nil) && ends.allSatisfy { $0 == nil || $0 == .unavailable })
        #expect(try await asset.verifyThumbnailSets(in: scratch.path).isSound)
    }

    /// A folder that cannot be locked is written into all the same, and it is said.
    @Test(arguments: [ENOLCK, EOPNOTSUPP]) func aFolderWithoutLocksIsUsedAllTheSame(_ reason: Int32) throws {
        let scratch = try TemporaryFolder()
        let lock = try FolderLock(
            path: scratch.path,
            lock: { _, _ in
                errno = reason
                return -1
            })
        #expect(lock.problem?.isEmpty == false && lock.isCurrent)
    }

    /// A folder that was removed, and made again, while a run worked on it is another run's.
    @Test func aFolderThatWasReplacedIsLeftAlone() throws {
        let scratch = TemporaryFolder.unmade()
        let asset = try KnownClip("h264-bf3.mp4").asset
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(2)))
        options.thumbnails.widths = [64]
        let error = #expect(throws: ScrubError.self) {
            try asset.writeStrip(
                into: scratch.path, options: options,
                progress: { progress in
                    let done = Int(progress.completed)
                    guard done == 1 else { return }
                    try? FileManager.default.removeItem(atPath: scratch.path)
                    try? FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: false)
                })
        }
        #expect(error?.code == .inputOutput)
        #expect(scratch.files.isEmpty)
    }

    /// Fifty sheets and then ten, and a foreign file among them.
    @Test func aSmallerSetLeavesNothingOfALargerOne() throws {
        let scratch = TemporaryFolder.unmade()
        let asset = try KnownClip("h264-bf3.mp4").asset
        try strip(asset, scratch.path, 50)
        try scratch.write([1], to: "sheet-999.jpg")
        #expect(scratch.files.count == 53)
        try strip(asset, scratch.path, 10)
        #expect(scratch.files.count == 13 && scratch.files.contains("sheet-999.jpg"))
        // An index of the earlier set in another format would tell wrong times of the new sheets.
        _ = try ThumbnailSets.convert(scratch.path, to: .hls, into: scratch.path)
        _ = try ThumbnailSets.convert(scratch.path, to: .json, into: scratch.path)
        #expect(scratch.files.contains("images.m3u8") && scratch.files.contains("thumbnails.vtt"))
        try strip(asset, scratch.path, 10)
        #expect(scratch.files.contains("images.m3u8"), "of the very same set")
        try strip(asset, scratch.path, 11)
        #expect(!scratch.files.contains("images.m3u8") && !scratch.files.contains("thumbnails.json"))
        #expect(try asset.verifyThumbnailSets(in: scratch.path).isSound)
    }

    /// A foreign manifest does not make other people's files go.
    @Test func onlyOurOwnNamesAreRemoved() throws {
        let scratch = TemporaryFolder.unmade()
        let asset = try KnownClip("h264-bf3.mp4").asset
        try strip(asset, scratch.path, 3)
        let manifest = try scratch.text("manifest.json")
        try scratch.write([1], to: "letter.txt")
        try Data(manifest.replacing("\"files\":[", with: "\"files\":[\"letter.txt\",\"../x\",").utf8)
            .write(to: URL(filePath: scratch.path(of: "manifest.json")))
        try strip(asset, scratch.path, 2)
        #expect(scratch.files.contains("letter.txt") && !scratch.files.contains("sheet-002.jpg"))
    }

    /// A run that fails leaves an earlier set as it was, and what it has finished; it says so.
    @Test func aFailedRunLeavesWhatIsFinishedAndSaysSo() throws {
        let scratch = TemporaryFolder.unmade()
        let asset = try KnownClip("h264-bf3.mp4").asset
        try strip(asset, scratch.path, 4)
        let before = try scratch.files.map { try scratch.bytes($0) }
        // A folder in a sheet's place.
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/sheet-004.jpg", withIntermediateDirectories: false)
        // The name is refused by the system only when the files get their names; what is before it is another matter.
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(30)))
        options.thumbnails.widths = [64]
        (options.sheets.columns, options.sheets.rows) = (1, 1)
        let error = #expect(throws: ScrubError.self) {
            let stop = Cancellation()
            _ = try stop.perform {
                try asset.writeStrip(
                    into: scratch.path, options: options, progress: { if $0.completed >= 5 { stop.cancel() } })
            }
        }
        #expect(error?.advice?.contains("kept in \(scratch.path)/.scrub-thumbnails: the same call") == true)
        let after = scratch.files.filter { !$0.hasPrefix(".scrub-") && $0 != "sheet-004.jpg" }
        #expect(try after.map { try scratch.bytes($0) } == before)
        #expect(scratch.files.contains(".scrub-thumbnails/list") && !scratch.files.contains(".scrub-unfinished"))
        #expect(try asset.verifyThumbnailSets(in: scratch.path).isSound, "finished sheets are not a set")
    }

    /// A run that could not begin leaves nothing at all, not even the folder.
    @Test func aRunThatCannotBeginLeavesNothing() throws {
        let scratch = try TemporaryFolder()
        let film = Clip.folder + "/clips/h264-bf3.mp4"
        let out = scratch.path + "/out"
        let result = try Tool.run(
            CommandTests.program, ["thumbs", film, "--profile", "jellyfin", "--every", "1.5", "-o", out])
        #expect(result.status == 64 && scratch.contents == [])
        // Of a run that was killed.
        try FileManager.default.createDirectory(
            atPath: out + "/.scrub-unfinished/web", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: out + "/.scrub-unfinished/link", withDestinationPath: "/etc")
        try Data().write(to: URL(filePath: out + "/.scrub-unfinished/web/sheet-000.jpg"))
        try strip(try KnownClip("h264-bf3.mp4").asset, out, 2)
        #expect(!FileManager.default.fileExists(atPath: out + "/.scrub-unfinished"))
        #expect(FileManager.default.fileExists(atPath: "/etc/passwd"))
    }

    /// A run does not write through a link, over a file that has another name too, or into something else. That holds
    /// for the folder of finished parts and for the list in it.
    @Test func whatIsFinishedOverwritesNoOtherFile() throws {
        let scratch = try TemporaryFolder()
        let asset = try KnownClip("h264-bf3.mp4").asset
        let letter = try scratch.write(Array("mine".utf8), to: "letter.txt")
        for kind in ["link", "name", "pipe"] {
            for isFolder in [true, false] {
                let out = scratch.path + "/\(kind)-\(isFolder)"
                let finished = out + "/.scrub-thumbnails"
                try FileManager.default.createDirectory(
                    atPath: isFolder ? out : finished, withIntermediateDirectories: true)
                let name = isFolder ? finished : finished + "/list"
                switch kind {
                case "link": try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: letter)
                case "name": try FileManager.default.linkItem(atPath: letter, toPath: name)
                default: #expect(mkfifo(name, 0o600) == 0)
                }
                let error = #expect(throws: ScrubError.self) { try strip(asset, out, 2) }
                #expect(error?.code == .inputOutput && error?.file == name, "\(kind): \(error?.description ?? "")")
                #expect(try scratch.text("letter.txt") == "mine")
            }
        }
    }

    /// A folder of posters is replaced by the next one, and a foreign picture stays.
    @Test func postersReplaceEarlierOnes() throws {
        let scratch = TemporaryFolder.unmade()
        let film = Clip.folder + "/clips/demo.mp4"
        func poster(_ count: Int, _ more: String...) throws {
            let result = try Tool.run(
                CommandTests.program, ["poster", film, "--count", "\(count)", "-o", scratch.path + "/"] + more)
            #expect(result.status == 0, "\(result.errors)")
        }
        try poster(3, "--explain")
        try scratch.write([1], to: "poster-of-mine.jpg")
        #expect(scratch.files.contains("explanation.json"))
        try poster(1)
        let posters = scratch.files.filter { $0.hasPrefix("poster-1-") }
        #expect(posters.count == 1 && Set(scratch.files) == Set(posters + ["poster-of-mine.jpg", "posters.json"]))
    }

    /// Several posters by one name are numbered by rank.
    @Test func postersOfOneNameAreNumbered() throws {
        let scratch = try TemporaryFolder()
        let film = Clip.folder + "/clips/demo.mp4"
        let result = try Tool.run(
            CommandTests.program,
            ["poster", film, "--count", "2", "--json", "--width", "64", "-o", scratch.path + "/p.jpg"])
        #expect(result.status == 0 && scratch.files == ["p-1.jpg", "p-2.jpg"], "\(result.errors)")
        #expect(result.output.contains("\"file\":\"\(scratch.path)/p-1.jpg\""))
        let slip = try Tool.run(
            CommandTests.program, ["poster", film, "--count", "2", "-o", scratch.path + "/p.jpgg"])
        #expect(slip.status == 64 && slip.errors.contains(".webp"), "a slip is no folder's name")
    }
}
