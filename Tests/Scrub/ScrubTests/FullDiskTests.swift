import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// The way a program gets mounts of its own here.
enum Mounts {
    static let unshare: [String]? = [["unshare", "-m"], ["unshare", "-rm"]].first { words in
        let trial = "mount -t tmpfs -o size=4k tmpfs /tmp"
        return (try? Tool.run(words[0], Array(words.dropFirst()) + ["sh", "-c", trial]))?.status == 0
    }
}

/// Disks that are really full: small ones of their own in memory, mounted where no one else sees them.
@Suite(.enabled(if: Mounts.unshare != nil, "a disk is mounted: needs root, or namespaces for users"))
struct FullDiskTests {
    /// Runs the program with `DISK` in its arguments standing for a disk mounted with these options, and copies the
    /// disk's content afterwards to `kept`.
    private func run(
        _ arguments: [String], disk options: String, before: TemporaryFolder? = nil, kept: TemporaryFolder,
        cachesThere: Bool = false
    ) throws -> Tool.Result {
        let place = try TemporaryFolder()
        let script = """
            place=$1 options=$2 before=$3 kept=$4; shift 4
            mount -t tmpfs -o "$options" tmpfs "$place" || exit 99
            if [ -n "$before" ]; then cp -r "$before/." "$place" || exit 98; fi
            "$@"; status=$?
            cp -r "$place/." "$kept"; exit $status
            """
        let words = arguments.map { $0.replacingOccurrences(of: "DISK", with: place.path) }
        let unshare = try #require(Mounts.unshare)
        return try Tool.run(
            unshare[0],
            unshare.dropFirst() + ["sh", "-c", script, "sh", place.path, options, before?.path ?? "", kept.path]
                + [CommandTests.program] + words,
            environment: ["SCRUB_CACHE_DIR": cachesThere ? place.path + "/cache" : "/dev/null/scrub"])
    }

    /// Returns regular files by their paths, without those whose names say that they are not done.
    private func files(_ folder: TemporaryFolder) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in folder.files where !name.split(separator: "/").contains(where: { $0.hasPrefix(".scrub-") }) {
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: folder.path(of: name), isDirectory: &isFolder),
                !isFolder.boolValue
            {
                found[name] = try folder.bytes(name)
            }
        }
        return found
    }

    private static let clip = Clip.folder + "/clips/h264-bf3.mp4"

    /// Sizes grow until everything fits, so each command fails at one step of its work after the other.
    @Test(arguments: [
        (["strip", clip, "--every", "500ms", "--no-cache", "-o", "DISK/set"], true),
        (["strip", clip, "--every", "500ms", "--no-cache", "-o", "DISK"], true),
        (["thumbs", clip, "--profile", "web,jellyfin,roku", "--no-cache", "-o", "DISK/set"], true),
        (["convert", "SET", "--to", "hls", "-o", "DISK/set"], true),
        (["convert", "SET", "--to", "bif", "-o", "DISK"], true),
        (["sheet", clip, "--no-cache", "-o", "DISK/sheet.jpg"], true),
        (["poster", clip, "--no-cache", "-o", "DISK/p.png"], true),
        (["poster", clip, "--no-cache", "--count", "3", "-o", "DISK/a/p.jpg"], false),
        (["seek", clip, "f3..f9", "--no-cache", "-o", "DISK/a/x-%03d.png"], false),
        (["seek", clip, "f3", "--no-cache", "-o", "DISK/x.rgb"], true),
        (["bench", clip, "--requests", "3", "--plot", "DISK/plot.html"], true),
    ])
    func nothingHalfWrittenHasAName(_ arguments: [String], _ isAllOrNothing: Bool) throws {
        let folder = try TemporaryFolder()
        let made = try Tool.run(
            CommandTests.program,
            ["strip", Self.clip, "--every", "500ms", "--no-cache", "-o", folder.path(of: "set")])
        try #require(made.status == 0, "\(made.errors)")
        let words = arguments.map { $0 == "SET" ? folder.path(of: "set") : $0 }
        let ample = try TemporaryFolder()
        let whole = try run(words, disk: "size=64m", kept: ample)
        try #require(whole.status == 0, "\(whole.errors)")
        let wanted = try files(ample)
        try #require(!wanted.isEmpty)

        var (failures, pages) = (0, 1)
        while true {
            let kept = try TemporaryFolder()
            let result = try run(words, disk: "size=\(4 * pages)k", kept: kept)
            let found = try files(kept)
            if result.status == 0 {
                #expect(found.count == wanted.count)
                break
            }
            failures += 1
            #expect(result.status == 74, "\(pages) pages: \(result.errors)")
            #expect(result.errors.contains("No space left on device"), "\(pages) pages: \(result.errors)")
            if isAllOrNothing { #expect(found.isEmpty, "\(pages) pages: \(found.keys)") }
            for (name, bytes) in found {
                let isWhole = bytes == wanted[name]
                #expect(isWhole, "\(pages) pages: \(name)")
            }
            #expect(!kept.files.contains { $0.hasSuffix(".tmp") }, "\(pages) pages: \(kept.files)")
            pages *= 2
        }
        #expect(failures > 0)
    }

    /// A disk can also have no place for one more file.
    @Test func noPlaceForNames() throws {
        for count in 2...4 {
            let kept = try TemporaryFolder()
            let result = try run(
                ["strip", Self.clip, "--every", "500ms", "--no-cache", "-o", "DISK"],
                disk: "size=64m,nr_inodes=\(count)", kept: kept)
            #expect(result.status == 74 && result.errors.contains("No space left on device"), "\(result.errors)")
            #expect(try files(kept).isEmpty, "\(kept.files)")
        }
    }

    /// A set that is there stays whole when the next one finds no place.
    @Test func anEarlierSetStays() throws {
        let folder = try TemporaryFolder()
        let made = try Tool.run(
            CommandTests.program, ["strip", Self.clip, "--every", "1", "--no-cache", "-o", folder.path])
        try #require(made.status == 0, "\(made.errors)")
        let earlier = try files(folder)
        let kept = try TemporaryFolder()
        let result = try run(
            ["strip", Self.clip, "--every", "200ms", "--format", "png", "--no-cache", "-o", "DISK"],
            disk: "size=200k", before: folder, kept: kept)
        #expect(result.status == 74, "\(result.errors)")
        let isSame = try files(kept) == earlier
        #expect(isSame, "\(kept.files)")
    }

    /// An index that finds no place is a failure of the command that makes one, and a warning of all others.
    @Test(arguments: [("index", 74), ("info", 0), ("frames", 0)])
    func noPlaceForTheIndex(_ command: String, _ status: Int32) throws {
        let (folder, kept) = (try TemporaryFolder(), try TemporaryFolder())
        let film = folder.path(of: "film.mp4")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "color=gray:s=32x32:r=25", "-frames:v", "3000", "-c:v", "libx264",
                "-preset", "ultrafast", "-bf", "2", film,
            ])
        try #require(made.status == 0, "\(made.errors)")
        let result = try run([command, film], disk: "size=4k", kept: kept, cachesThere: true)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(".scrubindex: cannot be written: No space left on device"), "\(result.errors)")
        #expect(result.errors.contains("the index was not saved") == (status != 0), "\(result.errors)")
        #expect(!kept.files.contains { $0.hasSuffix(".scrubindex") || $0.hasSuffix(".tmp") }, "\(kept.files)")
    }
}
