import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// A file in the cache folder is used if it is this user's own plain file in a folder of this user's alone. Everything
/// else is ignored with one warning, and never waited for.
@Suite struct CacheTrustTests {
    private let clip = Clip.folder + "/clips/h264-bf3.mp4"

    /// A program that waits for a pipe is ended, and its status is 124 then.
    private func scrub(_ cache: String, _ words: [String]) throws -> Tool.Result {
        try Tool.run(
            "timeout", ["-k", "1", "60", CommandTests.program] + words, environment: ["SCRUB_CACHE_DIR": cache])
    }

    private func warnings(_ result: Tool.Result) -> [Substring] { result.errors.split(separator: "\n") }

    /// Puts something in the place of each saved file.
    private func replace(_ names: [String], in cache: TemporaryFolder, with kind: String) throws {
        for name in names {
            let path = cache.path(of: name)
            let aside = cache.path(of: "aside-" + name)
            try FileManager.default.moveItem(atPath: path, toPath: aside)
            switch kind {
            case "pipe": #expect(mkfifo(path, 0o600) == 0)
            case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            default: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: aside)
            }
        }
    }

    @Test(arguments: ["pipe", "folder", "link"]) func otherThanPlainFilesAreIgnored(_ kind: String) throws {
        let cache = try TemporaryFolder()
        let words = ["info", clip, "--json", "--cost"]
        let plain = try scrub(cache.path, words)
        #expect(plain.status == 0 && plain.errors.isEmpty, "\(plain.errors)")
        let names = cache.contents
        #expect(Set(names.map { $0.split(separator: ".").last }) == ["scrubindex", "scrubfacts", "scrubcost"])
        try replace(names, in: cache, with: kind)
        let other = try scrub(cache.path, words)
        #expect(other.status == 0 && other.output == plain.output, "\(other.status) \(other.errors)")
        let cause = ["pipe": "is a named pipe", "folder": "is a folder", "link": "is a link"][kind] ?? ""
        #expect(warnings(other).count == names.count, "\(other.errors)")
        for name in names {
            let own = warnings(other).filter { $0.contains(name) }
            #expect(
                own.count == 1 && own.allSatisfy { $0.contains(cause) && $0.contains("warning: ") }, "\(other.errors)")
        }
        // Nothing of it was replaced or followed.
        for name in names {
            let type =
                try FileManager.default.attributesOfItem(atPath: cache.path(of: name))[.type] as? FileAttributeType
            #expect(type != .typeRegular, "\(name)")
        }
        // Commands that open it several times say it once.
        let seeks = try scrub(cache.path, ["seek", clip, "f1", "f50", "last", "--hash"])
        #expect(seeks.status == 0 && warnings(seeks).count == 1, "\(seeks.errors)")
    }

    /// The file of compared restarts is such a file too.
    @Test func aPipeInThePlaceOfProofsIsIgnored() throws {
        let (cache, folder) = (try TemporaryFolder(), try TemporaryFolder())
        let film = folder.path(of: "film.avi")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=2", "-c:v", "wmv2", "-g", "12", film,
            ])
        try #require(made.status == 0, "\(made.errors)")
        let words = ["seek", film, "f40", "last", "--hash"]
        let plain = try scrub(cache.path, words)
        let proofs = cache.contents.filter { $0.hasSuffix(".scrubproofs") }
        try #require(proofs.count == 1, "\(cache.contents)")
        try replace(proofs, in: cache, with: "pipe")
        let other = try scrub(cache.path, words)
        #expect(other.status == 0 && other.output == plain.output, "\(other.status) \(other.errors)")
        #expect(warnings(other).count == 1 && other.errors.contains("named pipe"), "\(other.errors)")
    }

    @Test func aFolderThatOthersMayWriteToIsNotUsed() throws {
        let folder = try TemporaryFolder()
        let cache = folder.path(of: "cache")
        #expect(try scrub(cache, ["seek", clip, "f1"]).errors.isEmpty)
        let names = TemporaryFolder.names(cache)
        for mode in [0o777, 0o775, 0o1777] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: cache)
            for words in [["seek", clip, "f1", "f7"], ["info", clip, clip], ["verify", clip, "--sample", "4"]] {
                let result = try scrub(cache, words)
                #expect(result.status == 0 && warnings(result).count == 1, "\(words) \(result.errors)")
                #expect(result.errors.contains("other users can write to the cache folder"), "\(result.errors)")
            }
            #expect(TemporaryFolder.names(cache) == names)
        }
        // Nor are files that others may write to, in a folder that they can enter.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: cache)
        #expect(try scrub(cache, ["seek", clip, "f1"]).errors.isEmpty)
        let index = cache + "/" + (names.first { $0.hasSuffix(".scrubindex") } ?? "")
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: index)
        let open = try scrub(cache, ["seek", clip, "f1"])
        #expect(open.status == 0 && open.errors.contains("is writable by other users"), "\(open.errors)")
        // A folder that no one else can enter protects them.
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: cache)
        #expect(try scrub(cache, ["seek", clip, "f1"]).errors.isEmpty)
    }

    @Test func keptFilesAreReadableByTheUserOnly() throws {
        let folder = try TemporaryFolder()
        let result = try Tool.run(
            "bash", ["-c", "umask 000; exec \"$0\" info \"$1\" --cost", CommandTests.program, clip],
            environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache")])
        #expect(result.status == 0, "\(result.errors)")
        let names = TemporaryFolder.names(folder.path(of: "cache"))
        #expect(names.count == 3)
        for name in names {
            let facts = try FileManager.default.attributesOfItem(atPath: folder.path(of: "cache/" + name))
            #expect(facts[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "gives a folder to another user"))
    func aFolderOrAnIndexOfAnotherUserIsNotUsed() throws {
        let folder = try TemporaryFolder()
        let cache = folder.path(of: "cache")
        #expect(try scrub(cache, ["seek", clip, "f1"]).errors.isEmpty)
        let names = TemporaryFolder.names(cache)
        let index = cache + "/" + (names.first { $0.hasSuffix(".scrubindex") } ?? "")
        #expect(chown(index, 65534, 65534) == 0)
        let other = try scrub(cache, ["seek", clip, "f1", "f2"])
        #expect(other.status == 0 && warnings(other).count == 1, "\(other.errors)")
        #expect(other.errors.contains("belongs to another user"), "\(other.errors)")
        #expect(chown(index, 0, 0) == 0 && chown(cache, 65534, 65534) == 0)
        let result = try scrub(cache, ["seek", clip, "f1", "f2"])
        #expect(result.status == 0 && warnings(result).count == 1, "\(result.errors)")
        #expect(result.errors.contains("the cache folder belongs to another user"), "\(result.errors)")
        #expect(TemporaryFolder.names(cache) == names)
        #expect(try scrub(cache, ["cache", "stats"]).status == 69)
    }

    /// The catalogue of fetched bytes: SQLite would wait for a pipe and follow a link.
    @Test(arguments: ["catalogue.sqlite", "catalogue.sqlite-wal", "opening.lock"], ["pipe", "link"])
    func aCatalogueMustBeAPlainFile(_ name: String, _ kind: String) throws {
        let served = try RemoteCommandTests.Served()
        let words = ["seek", served.url, "f3", "f60", "--hash"]
        let plain = try served.scrub(words)
        #expect(plain.status == 0 && plain.errors.isEmpty, "\(plain.errors)")
        let path = served.cache.path(of: "media-1/" + name)
        try? FileManager.default.removeItem(atPath: path)
        if kind == "pipe" {
            #expect(mkfifo(path, 0o600) == 0)
        } else {
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: served.cache.path(of: "elsewhere"))
        }
        let result = try Tool.run(
            "timeout", ["-k", "1", "60", CommandTests.program] + words,
            environment: ["SCRUB_CACHE_DIR": served.cache.path, "http_proxy": "", "all_proxy": ""])
        #expect(result.status == 0 && result.output == plain.output, "\(result.status) \(result.errors)")
        #expect(warnings(result).count == 1 && result.errors.contains(name), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: served.cache.path(of: "elsewhere")))
    }

    /// One folder, one warning, also where media and indexes are both in it.
    @Test func anAddressGetsOneWarningToo() throws {
        let served = try RemoteCommandTests.Served()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: served.cache.path)
        let result = try served.scrub(["seek", served.url, "f3", "--hash"])
        #expect(result.status == 0 && warnings(result).count == 1, "\(result.errors)")
        #expect(served.cache.contents.isEmpty)
    }
}
