import Foundation
import Scrub
import ScrubThumbnails
import ScrubFileIO
import ScrubIndex
import ScrubMedia
import ScrubPictures
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Thumbnails that are made of a film's kept previews: on wish alone, near the frames, and never called exact.
@Suite struct PreviewThumbnailTests {
    private let recipe = PreviewCoder.Recipe(longSide: PreviewTrack.keptSide)

    /// A film with a cache of its own.
    private func film(_ folder: TemporaryFolder, _ clip: String = "demo.mp4") throws -> VideoAsset {
        let path = folder.path(of: clip)
        if !folder.contents.contains(clip) {
            try folder.write(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/" + clip)), to: clip)
            try folder.age(clip, to: 1_000_000_000)
        }
        let cache = VideoAsset.IndexCache(path: folder.path(of: "cache"))
        return try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: cache))
    }

    private func options(_ count: Int = 20, fromPreviews: Bool = true) -> ThumbnailStrip.Options {
        var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(count)))
        options.thumbnails.widths = [320]
        (options.sheets.columns, options.sheets.rows, options.sheets.quality) = (2, 2, 100)
        options.thumbnails.usesKeptPreviews = fromPreviews
        return options
    }

    private func pixels(_ jpeg: Data) throws -> [UInt8] { try JPEG.decode([UInt8](jpeg)).bytes }

    /// Returns the mean difference of two strips' pictures, sheet by sheet.
    private func differences(_ one: TemporaryFolder, _ other: TemporaryFolder) throws -> [Double] {
        let names = one.contents.filter { $0.hasSuffix(".jpg") }
        #expect(names == other.contents.filter { $0.hasSuffix(".jpg") } && !names.isEmpty)
        return try names.map { name in
            let (a, b) = (try pixels(one.bytes(name)), try pixels(other.bytes(name)))
            try #require(a.count == b.count && !a.isEmpty)
            return Double(zip(a, b).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(a.count)
        }
    }

    @Test func theyAreNearTheFramesAndNeverExact() throws {
        let folder = try TemporaryFolder()
        let asset = try film(folder)
        _ = try asset.keepPreviews()
        let (small, whole) = (TemporaryFolder.unmade(), TemporaryFolder.unmade())
        let strip = try asset.writeStrip(into: small.path, options: options())
        #expect(strip.warnings.isEmpty, "\(strip.warnings)")
        let thumbnails = try #require(strip.storyboards.first).thumbnails
        #expect(thumbnails.allSatisfy { $0.isFromPreview && $0.verdict == "approximate" })
        #expect(thumbnails.map(\.frameNumber) == strip.plan.slots.map(\.frameNumber))
        let decoded = try asset.writeStrip(into: whole.path, options: options(fromPreviews: false))
        #expect(decoded.storyboards[0].thumbnails.allSatisfy { !$0.isFromPreview && $0.verdict == "exact" })
        let differences = try differences(small, whole)
        #expect(differences.allSatisfy { $0 > 0 && $0 < 3 }, "\(differences)")
        // What the manifest says is read again, and a set without them does not know the word.
        let read = try Storyboard.JSON.storyboard(parsing: small.text("manifest.json"))
        #expect(read.thumbnails == thumbnails)
        #expect(try !whole.text("manifest.json").contains("preview"))
        #expect(try asset.verifyThumbnailSets(in: small.path, sample: 8).isSound)
    }

    @Test func whatPreviewsLackIsDecoded() throws {
        let (full, part) = (try TemporaryFolder(), try TemporaryFolder())
        let complete = try film(full)
        _ = try complete.keepPreviews()
        let asset = try film(part)
        let plan = try asset.thumbnailPlan(for: options().request)
        let frames = plan.slots.map(\.frameNumber)
        do {
            let (from, to) = (
                try #require(complete.keptPreviews(recipe, isWriter: false)), try #require(asset.keptPreviews(recipe))
            )
            // Every third one, and one of these is damaged.
            for (place, frame) in frames.enumerated() where place.isMultiple(of: 3) {
                let picture = Int(asset.index.frames[frame])
                let bytes = try #require(from.bytes(ofPicture: picture))
                #expect(to.append([(picture, place == 6 ? [1, 2, 3] : bytes)]))
            }
        }
        let (mixed, whole) = (TemporaryFolder.unmade(), TemporaryFolder.unmade())
        let thumbnails = try asset.writeStrip(into: mixed.path, options: options()).storyboards[0].thumbnails
        _ = try asset.writeStrip(into: whole.path, options: options(fromPreviews: false))
        for (place, thumbnail) in thumbnails.enumerated() {
            let isMade = place.isMultiple(of: 3) && place != 6
            #expect(thumbnail.isFromPreview == isMade && thumbnail.verdict == (isMade ? "approximate" : "exact"))
        }
        #expect(try differences(mixed, whole).allSatisfy { $0 < 3 })
    }

    /// The bytes are those of a run without the option then, and one sentence says why.
    @Test func withoutPreviewsAllIsDecoded() throws {
        let folder = try TemporaryFolder()
        let asset = try film(folder)
        let (one, other, hashed) = (TemporaryFolder.unmade(), TemporaryFolder.unmade(), TemporaryFolder.unmade())
        let strip = try asset.writeStrip(into: one.path, options: options(4))
        #expect(
            strip.warnings.count == 1 && strip.warnings[0].description.contains("keepPreviews() makes them"),
            "\(strip.warnings)")
        _ = try asset.writeStrip(into: other.path, options: options(4, fromPreviews: false))
        #expect(one.contents == other.contents)
        for name in one.contents { #expect(try one.bytes(name) == other.bytes(name), "\(name)") }
        _ = try asset.keepPreviews()
        // On wish alone, and never where whole pictures or larger ones are asked for.
        let again = TemporaryFolder.unmade()
        _ = try asset.writeStrip(into: again.path, options: options(4, fromPreviews: false))
        #expect(try again.bytes("sheet-000.jpg") == other.bytes("sheet-000.jpg"))
        var wish = options(4)
        wish.thumbnails.computesMD5 = true
        let hashes = try asset.writeStrip(into: hashed.path, options: wish)
        #expect(hashes.warnings.count == 1 && hashes.hashes.count == 4)
        (wish.thumbnails.computesMD5, wish.thumbnails.widths) = (false, [320, 800])
        let large = try asset.writeStrip(into: TemporaryFolder.unmade().path, options: wish)
        #expect(large.warnings.count == 1 && large.storyboards[0].thumbnails.allSatisfy { $0.verdict == "exact" })
    }

    /// High dynamic range and fields need more than 8 bits and reduced rows.
    @Test(arguments: ["colour-pq.mp4", "colour-hlg.mp4"]) func highDynamicRangeIsDecoded(_ clip: String) throws {
        let folder = try TemporaryFolder()
        let asset = try film(folder, clip)
        _ = try asset.keepPreviews()
        let (one, other) = (TemporaryFolder.unmade(), TemporaryFolder.unmade())
        _ = try asset.writeStrip(into: one.path, options: options(3))
        _ = try asset.writeStrip(into: other.path, options: options(3, fromPreviews: false))
        for name in one.contents { #expect(try one.bytes(name) == other.bytes(name), "\(name)") }
    }

    /// What a stopped run has called exact is decoded again, though previews came meanwhile.
    @Test func aStoppedRunKeepsItsWord() throws {
        let folder = try TemporaryFolder()
        let asset = try film(folder)
        let broken = TemporaryFolder.unmade()
        let stop = Cancellation()
        #expect(throws: ScrubError.self) {
            try stop.perform {
                try asset.writeStrip(
                    into: broken.path, options: options(), progress: { if $0.completed >= 10 { stop.cancel() } })
            }
        }
        _ = try asset.keepPreviews()
        let thumbnails = try asset.writeStrip(into: broken.path, options: options()).storyboards[0].thumbnails
        let exact = thumbnails.prefix { $0.verdict == "exact" && !$0.isFromPreview }
        #expect((1..<20).contains(exact.count))
        #expect(thumbnails.dropFirst(exact.count).allSatisfy { $0.isFromPreview && $0.verdict == "approximate" })
        let whole = TemporaryFolder.unmade()
        _ = try asset.writeStrip(into: whole.path, options: options(fromPreviews: false))
        let differences = try differences(broken, whole)
        for sheet in 0..<(exact.count / 4) { #expect(differences[sheet] == 0, "sheet \(sheet)") }
    }

    /// Sets for players take the option alike, and one made so is current for that option alone.
    @Test func setsAndTheCommand() throws {
        let folder = try TemporaryFolder()
        let asset = try film(folder)
        _ = try asset.keepPreviews()
        let sets = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options([.web, .plex])
        (options.request, options.usesKeptPreviews, options.skipsUpToDateSets) = (.init(.every(.one)), true, true)
        let made = try asset.writeThumbnailSets(into: sets.path, options: options)
        let count = try #require(made.plan).slots.count
        #expect(made.previewCount == count && made.warnings.isEmpty, "\(made.warnings)")
        for name in ["web/manifest.json", "plex/index-sd.bif.json"] {
            let board = try Storyboard.JSON.storyboard(parsing: sets.text(name))
            #expect(board.thumbnails.allSatisfy { $0.isFromPreview && $0.verdict == "approximate" }, "\(name)")
        }
        #expect(try asset.verifyThumbnailSets(in: sets.path, sample: 4).isSound)
        #expect(try asset.writeThumbnailSets(into: sets.path, options: options).sets.allSatisfy(\.isUpToDate))
        options.usesKeptPreviews = false
        let decoded = try asset.writeThumbnailSets(into: sets.path, options: options)
        #expect(decoded.previewCount == 0 && decoded.sets.allSatisfy { !$0.isUpToDate })

        let arguments = ["thumbs", folder.path(of: "demo.mp4"), "--profile", "web", "--from-previews", "--every", "1"]
        let environment = ["SCRUB_CACHE_DIR": folder.path(of: "cache")]
        let output = ["-o", TemporaryFolder.unmade().path, "--json"]
        let said = try Tool.run(CommandTests.program, arguments + output, environment: environment)
        #expect(said.status == 0 && said.output.contains("\"fromPreviews\":\(count)"), "\(said.errors)")
        let without = try Tool.run(CommandTests.program, arguments + output + ["--no-cache"])
        #expect(without.status == 0 && without.output.contains("\"fromPreviews\":0"), "\(without.output)")
        #expect(without.errors.contains("all pictures are decoded"), "\(without.errors)")
        #expect(try Tool.run(CommandTests.program, arguments + ["--plan"]).status == 64)
        let batch = ["batch", folder.path, "--from-previews"]
        #expect(try Tool.run(CommandTests.program, batch + ["--info", "--to", sets.path]).status == 64)
        #expect(
            try Tool.run(CommandTests.program, batch + ["--profile", "web", "--no-cache", "--to", sets.path]).status
                == 64)
    }
}
