import ScrubFileIO
import Foundation
import ScrubHashing
import ScrubBase
import ScrubThumbnails
import ScrubTestSupport
import Testing

@testable import ScrubBatch

@Suite("Results where media servers look") struct ServerStoreTests {
    @Test func setsAreWhereServersLookAndAreKept() throws {
        let library = try BatchLibrary()
        let first = try library.run(library.served(plex: true))
        #expect(first.count == 3 && first.values.allSatisfy { $0.status == .done })
        let tree = try library.servedTree()
        let hash = try PlexLocation.hash(ofFile: library.films + "/h264-bf3.mp4")
        for name in [
            "h264-bf3.trickplay/192 - 10x10/0.jpg", "h264-bf3-320-1.bif", "below/nonzero.trickplay/192 - 10x10/0.jpg",
            "below/nonzero-320-1.bif", "below/.scrub/nonzero.ts/scrub.json", ".scrub/h264-bf3.mp4/scrub.json",
            "localhost/\(hash.prefix(1))/\(hash.dropFirst()).bundle/Contents/Indexes/index-sd.bif",
        ] { #expect(tree[name] != nil, "\(name)") }
        // Programs that pass over names with a dot see nothing else, and nothing is there twice.
        #expect(tree.keys.count { !$0.contains(".scrub/") } == 9)
        #expect(tree.keys.allSatisfy { !$0.contains(".scrub-") && !($0.contains(".scrub/") && $0.hasSuffix(".bif")) })
        #expect(TemporaryFolder.names(library.results) == [".scrub-batch"])
        #expect(library.takeWorked() == 3)
        // Known by the state; then by the records alone; then by a run over the folder below, which has its own locks
        // and state.
        #expect(try library.run(library.served(plex: true)).values.allSatisfy { $0.status == .kept })
        library.loseState()
        #expect(try library.run(library.served(plex: true)).values.allSatisfy { $0.status == .kept })
        let served = try library.served(plex: true)
        var options = served.options
        (options.folder, options.statePath) = (library.folder.path + "/other", library.folder.path + "/other.sqlite")
        let summary = try BatchRun(options, served.work).run(
            [.folder(library.films + "/below", prefix: "")], report: { _ in })
        #expect(summary.counts == [.kept: 2])
        #expect(library.takeWorked() == 0)
        #expect(try library.servedTree() == tree)
    }

    @Test func aFolderThatMovedHasItsResultsStill() throws {
        let library = try BatchLibrary()
        _ = try library.run(library.served())
        try FileManager.default.moveItem(atPath: library.films + "/below", toPath: library.films + "/elsewhere")
        #expect(library.takeWorked() == 3)
        #expect(try library.run(library.served()).values.allSatisfy { $0.status == .kept })
        #expect(library.takeWorked() == 0)
    }

    @Test func foreignPicturesStayUnlessReplacingIsAskedFor() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let theirs = try library.put([1, 2, 3], at: "h264-bf3.trickplay/192 - 10x10/0.jpg")
        let wide = try library.put([4], at: "h264-bf3.trickplay/480 - 10x10/0.jpg")
        func bytes(_ path: String) throws -> [UInt8] { try Folder.contents(of: path, limit: 1 << 20) }
        // Nothing is decoded for a result that would be thrown away, and the next run knows.
        for _ in 0..<2 {
            let found = try library.run(library.served([.jellyfin]))["h264-bf3.mp4"]
            #expect(found?.status == .skipped && found?.reason?.contains("192 - 10x10") == true)
        }
        #expect(library.takeWorked() == 0)
        #expect(try bytes(theirs) == [1, 2, 3])
        // Other sets are made, with a notice about this one.
        let partly = try library.run(library.served())["h264-bf3.mp4"]
        #expect(partly?.status == .done && partly?.warnings.count == 1)
        #expect(try bytes(theirs) == [1, 2, 3])
        #expect(FileFacts(path: library.films + "/h264-bf3-320-1.bif") != nil)
        #expect(try library.run(library.served())["h264-bf3.mp4"]?.status == .kept)
        library.loseState()
        #expect(try library.run(library.served())["h264-bf3.mp4"]?.status == .kept)
        #expect(library.takeWorked() == 1)
        #expect(try library.run(library.served(replaces: true))["h264-bf3.mp4"]?.status == .done)
        #expect(try bytes(theirs).count > 100 && bytes(wide) == [4])
        #expect(try library.run(library.served(replaces: true))["h264-bf3.mp4"]?.status == .kept)
        #expect(try library.run(library.served())["h264-bf3.mp4"]?.status == .kept)
    }

    @Test func aPlaceThatBecameFreeIsFilled() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let theirs = try library.put([1], at: "h264-bf3-320-1.bif")
        #expect(try library.run(library.served())["h264-bf3.mp4"]?.warnings.count == 1)
        _ = Folder.removeFile(theirs)
        #expect(try library.run(library.served())["h264-bf3.mp4"]?.status == .done)
        #expect(Folder.byteCount(of: theirs) != 1)
        _ = library.takeWorked()
        // A server that takes ours away, and one that puts another width beside it.
        Folder.removeTree(library.films + "/h264-bf3.trickplay")
        #expect(try library.run(library.served())["h264-bf3.mp4"]?.status == .done)
        try library.put([1], at: "h264-bf3.trickplay/640 - 10x10/0.jpg")
        #expect(try library.run(library.served())["h264-bf3.mp4"]?.status == .kept)
        // Or one that put its own in the place of ours.
        try library.put([1], at: "h264-bf3.trickplay/192 - 10x10/0.jpg")
        let found = try library.run(library.served())["h264-bf3.mp4"]
        #expect(found?.status == .done && found?.warnings.count == 1)
        #expect(Folder.byteCount(of: library.films + "/h264-bf3.trickplay/192 - 10x10/0.jpg") == 1)
    }

    @Test func otherContentsAndOptionsReplaceOnlyOurOwn() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        _ = try library.run(library.served(plex: true))
        let first = try library.servedTree()
        #expect(try library.run(library.served(every: 2, plex: true))["h264-bf3.mp4"]?.status == .done)
        #expect(FileFacts(path: library.films + "/h264-bf3-320-1.bif") == nil)
        #expect(FileFacts(path: library.films + "/h264-bf3-320-2.bif") != nil)
        #expect(try library.run(library.served(plex: true))["h264-bf3.mp4"]?.status == .done)
        #expect(try library.servedTree() == first)
        // Another film of that name, and then none that can be decoded.
        try library.add("nonzero.ts", as: "h264-bf3.mp4")
        #expect(try library.run(library.served())["h264-bf3.mp4"]?.status == .done)
        let bytes = try Folder.contents(of: library.films + "/h264-bf3-320-1.bif", limit: 1 << 20)
        #expect(Data(bytes) != first["h264-bf3-320-1.bif"])
        try library.folder.write(Array("no film".utf8), to: "films/h264-bf3.mp4")
        #expect(try library.run(library.served())["h264-bf3.mp4"]?.status == .failed)
        #expect(TemporaryFolder.names(library.films) == [".scrub", "below", "h264-bf3.mp4"])
    }

    /// A run that is killed between the first picture's name and the record's leaves files that the next one knows to
    /// be Scrub's.
    @Test func filesOfAKilledRunAreReplaced() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        _ = try library.run(library.served())
        let home = library.films + "/.scrub/h264-bf3.mp4"
        var record = try #require(BatchRecord.read(in: home))
        record.status = "placing"
        try AtomicFile.write(Array(record.text.utf8), to: .kept(home + "/scrub.json"))
        library.loseState()
        _ = library.takeWorked()
        let again = try library.run(library.served(quality: 30))["h264-bf3.mp4"]
        #expect(again?.status == .done && again?.warnings == [])
        #expect(library.takeWorked() == 1)
        let small = try library.servedTree()
        // And one that is killed before the record knows nothing yet, with the very pictures there: they stay, of the
        // same bytes.
        Folder.removeTree(home)
        library.loseState()
        #expect(try library.run(library.served([.jellyfin], quality: 30))["h264-bf3.mp4"]?.status == .skipped)
        #expect(try library.run(library.served([.jellyfin, .web], quality: 30))["h264-bf3.mp4"]?.warnings == [])
        let name = "h264-bf3.trickplay/192 - 10x10/0.jpg"
        #expect(try library.servedTree()[name] == small[name])
    }

    /// Two films of one name in one folder are one film to servers: the first has the place.
    @Test func filmsOfOneNameDoNotTakeEachOthersPlace() throws {
        let library = try BatchLibrary([])
        try library.add("h264-bf3.mp4", as: "film.mp4")
        try library.add("h264-open-gop.mkv", as: "film.mkv")
        let found = try library.run(library.served())
        // The other one is left out with a warning, or, if the place is taken before it is decoded, skipped.
        let others = found.values.filter { $0.status == .skipped || $0.warnings != [] }
        #expect(found.count == 2 && others.count == 1)
        let words = others.flatMap { $0.warnings + [$0.reason ?? ""] }
        #expect(words.contains { $0.contains("film.trickplay") }, "\(words)")
        let tree = try library.servedTree()
        let again = try library.run(library.served())
        for (name, first) in found {
            #expect(again[name]?.status == (first.status == .skipped ? .skipped : .kept), "\(name)")
        }
        #expect(try library.servedTree() == tree)
    }

    @Test func aFolderThatTakesNothingFailsItsOwnFilmsOnly() throws {
        let library = try BatchLibrary()
        // Also the superuser cannot make a folder below a file.
        try library.put([1], at: "below/.scrub")
        let found = try library.run(library.served())
        #expect(found["h264-bf3.mp4"]?.status == .done)
        for name in ["below/h264-open-gop.mkv", "below/nonzero.ts"] {
            #expect(found[name]?.status == .failed && found[name]?.code == 74, "\(found[name]?.reason ?? "-")")
        }
        #expect(library.takeWorked() == 1)
        try library.folder.write(Array("no film".utf8), to: "films/below/nonzero.ts")
        library.clock.withLock { $0 += 100 }
        #expect(try library.run(library.served())["below/nonzero.ts"]?.code == 65)
    }

    @Test func onlyUnownedLeftoversAreRemoved() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        try Folder.make(library.results + "/" + BatchOutputNames.folderName)
        let shelf = library.films + "/.scrub/"
        let own = shelf + BatchOutputNames.workName("h264-bf3.mp4", of: "00000000")
        // Of a run over another root, whose locks are not seen here.
        let other = shelf + BatchOutputNames.workName("films/h264-bf3.mp4", of: "00000000")
        for folder in [own, other] { try Folder.make(folder + "/jellyfin") }
        library.clock.withLock { $0 = BatchClock.now }
        #expect(try library.run(library.served())["h264-bf3.mp4"]?.status == .done)
        #expect(FileFacts(path: own) == nil && FileFacts(path: other) != nil)
        library.clock.withLock { $0 += 90_000 }
        try library.add("nonzero.ts", as: "h264-bf3.mp4")
        #expect(try library.run(library.served())["h264-bf3.mp4"]?.status == .done)
        #expect(FileFacts(path: other) == nil)
    }

    @Test func oddNamesHaveTheirPlaces() throws {
        let library = try BatchLibrary([])
        let names = [
            "no suffix", "two.dots.mp4", "back\\slash\\n.mp4", "ü-320-1.mp4", "-320-10.mp4", "a'b\"c.mp4", " .mp4",
        ]
        for name in names { try library.add("h264-bf3.mp4", as: name) }
        let found = try library.run(library.served())
        #expect(found.count == names.count && found.values.allSatisfy { $0.status == .done && $0.warnings == [] })
        let tree = try library.servedTree()
        for base in ["no suffix", "two.dots", "back\\slash\\n", "ü-320-1", "-320-10", "a'b\"c", " "] {
            #expect(tree[base + ".trickplay/192 - 10x10/0.jpg"] != nil, "\(base)")
            #expect(tree[base + "-320-1.bif"] != nil, "\(base)")
        }
        #expect(try library.run(library.served()).values.allSatisfy { $0.status == .kept })
        #expect(library.takeWorked() == names.count)
        // Manifests say no line feeds in paths; BIF files have none.
        try library.add("h264-bf3.mp4", as: "new\nline\\.mp4")
        #expect(try library.run(library.served([.plex]))["new\nline\\.mp4"]?.status == .done)
        #expect(try library.run(library.served([.plex]))["new\nline\\.mp4"]?.status == .kept)
        #expect(library.takeWorked() == names.count + 1)
    }

    /// Runs over two roots have neither locks nor a state in common.
    @Test func runsOverTwoRootsAtOnceAreSound() throws {
        let clips = ["h264-bf3.mp4", "h264-open-gop.mkv", "nonzero.ts", "h264-mbaff.ts", "hevc-open-gop.ts"]
        let calm = try BatchLibrary(clips)
        _ = try calm.run(calm.served(plex: true))
        let library = try BatchLibrary(clips)
        let served = try library.served(plex: true)
        let found = Locked<[BatchOutcome]>([])
        let threads = try [library.films, library.films + "/below"].enumerated().map { number, root in
            try DedicatedThread {
                var options = served.options
                options.folder = library.folder.path + "/locks-\(number)"
                options.statePath = library.folder.path + "/state-\(number).sqlite"
                do {
                    _ = try BatchRun(options, served.work).run(
                        [.folder(root, prefix: "")], report: { outcome in found.withLock { $0.append(outcome) } })
                } catch {
                    Issue.record("\(error)")
                }
            }
        }
        for thread in threads { thread.join() }
        // A film whose work was for nothing may say so, and the next run finds it done.
        let odd = found.withLock { $0.filter { $0.status == .skipped || $0.warnings != [] } }
        #expect(odd.isEmpty, "\(odd.map { ($0.file.path, $0.status, $0.reason ?? "", $0.warnings) })")
        library.clock.withLock { $0 += 100 }
        #expect(try library.run(served).values.allSatisfy { $0.status == .kept })
        let (tree, expected) = (try library.servedTree(), try calm.servedTree())
        #expect(Set(tree.keys) == Set(expected.keys))
        for (name, bytes) in expected where !name.hasSuffix(".json") { #expect(tree[name] == bytes, "\(name)") }
    }

    @Test func noRecordLeadsElsewhere() throws {
        let library = try BatchLibrary(["h264-bf3.mp4"])
        let places = try #require(try library.served(plex: true).options.servers)
        let path = library.films + "/h264-bf3.mp4"
        let film = ServedFilm(
            places, FoundFile(path: path, place: "h264-bf3.mp4", facts: try #require(FileFacts(path: path))))
        for name in [
            "jellyfin/../below/x.jpg", "jellyfin/other.trickplay/192 - 10x10/0.jpg",
            "jellyfin/h264-bf3.trickplay/../0.jpg",
            "jellyfin/h264-bf3.trickplay//0.jpg", "jellyfin/manifest.json", "plex/other-320-1.bif", "plex/h264-bf3.mp4",
            "plex/h264-bf3-320.bif", "plex/h264-bf3-320-x.bif", "plex/h264-bf3-320-1-2.bif",
            "plex/../h264-bf3-320-1.bif",
            "/etc/passwd", "", "web/sheet-000.jpg",
        ] { #expect(film.unit(of: name) == nil, "\(name)") }
        #expect(film.unit(of: "plex/h264-bf3-320-10.bif")?.target == library.films + "/h264-bf3-320-10.bif")
        #expect(
            film.unit(of: "jellyfin/h264-bf3.trickplay/320 - 10x10/7.jpg")?.target
                == library.films + "/h264-bf3.trickplay/320 - 10x10")
    }

    @Test func plexsHashIsItsOwn() throws {
        // FIPS 180-4's examples, and a real film of which the server's own answer was published.
        #expect(PlainText.hexadecimal(sha1("abc".utf8)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(
            PlainText.hexadecimal(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8))
                == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
        let hash = PlexLocation.hash(
            size: 928_670_754, head: "87a82ca143a5d84ba4ba33f421f25fbac9811f89",
            tail: "ce2f3dd83c1cc4ffa4deda5588a9118be004ce09")
        #expect(hash == "782e3038c7290470c29320a840e5f92123912e56")
        #expect(
            PlexLocation.folder(hash: hash)
                == "localhost/7/82e3038c7290470c29320a840e5f92123912e56.bundle/Contents/Indexes")
        // The end counts only where there is more than the beginning.
        let folder = try TemporaryFolder()
        let bytes = (0..<65_537).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        for count in [0, 1, 65_535, 65_536, 65_537] {
            let digits = { (part: ArraySlice<UInt8>) in PlainText.hexadecimal(sha1(part)) }
            let expected =
                "\(count)" + digits(bytes.prefix(min(count, 65_536)))
                + (count > 65_536 ? digits(bytes[(count - 65_536)..<count]) : "")
            let path = try folder.write(Array(bytes.prefix(count)), to: "film")
            #expect(try PlexLocation.hash(ofFile: path) == PlainText.hexadecimal(sha1(expected.utf8)), "\(count)")
        }
    }

    @Test func profilesWithoutSuchAPlaceAreRefused() throws {
        let folder = try TemporaryFolder()
        #expect(throws: ScrubError.self) {
            try ServerLocations(isBeside: true, plexMedia: nil, sets: ThumbnailSets.Options([.web]))
        }
        #expect(throws: ScrubError.self) {
            try ServerLocations(isBeside: false, plexMedia: folder.path, sets: ThumbnailSets.Options([.plex]))
        }
    }
}
