#if Viewer
import Foundation
import ScrubBase
import ScrubMedia
import ScrubSources
import ScrubTestSupport
import Testing

@testable import ScrubViewer

/// A film's strip while it is made.
@Suite struct FilmStripTests {
    /// Where previews are kept the strip is made of them, and says so.
    @Test(arguments: [true, false]) func keptPreviewsAreTaken(_ areKept: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(try Data(contentsOf: URL(filePath: Repository.clips + "/demo.mp4")), to: "film.mp4")
        try folder.age("film.mp4", to: 1_000_000_000)
        let options = VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: folder.path(of: "cache")))
        if areKept { _ = try await VideoAsset.open(path: path, options: options).keepPreviews() }
        try await withViewer([path], { $0.options = options }) { viewer in
            var strip: [String: Any] = [:]
            while strip["state"] as? String != "ready" {
                strip = try await viewer.object("media/\(try await viewer.id())/strip.json")
            }
            let tiles = try #require(strip["tiles"] as? [[String: Any]])
            #expect(strip["done"] as? Int == strip["total"] as? Int && tiles.count > 50)
            #expect(tiles.allSatisfy { $0["preview"] as? Bool == (areKept ? true : nil) })
        }
    }

    /// A strip of a film that was replaced meanwhile is never made, and says so to those that wait for it.
    @Test func ofAReplacedFilmItHasEnded() async throws {
        let medium = try TestViewer.medium("demo.mp4")
        let maker = StripMaker(isBusy: { false }, made: { _ in Issue.record("it was made") })
        medium.retire()
        let strip = try await maker.strip(medium)
        #expect(strip.hasEnded && strip.failure?.code == .unavailable && maker.known(medium) == nil)
    }

    /// An answer with a sheet names its frames place by place, while it is made and when it is whole.
    @Test func aSheetSaysWhichFramesAreOnIt() async throws {
        try await withViewer { viewer in
            let path = "/api/media/\(try await viewer.id())/"
            var isWhole = false
            while !isWhole {
                let before = try await viewer.object("media/\(try await viewer.id())/strip.json")
                let answer = try await viewer.get(path + "sheet/0.webp?v=0")
                let said = try #require(answer["scrub-frames"]).split(separator: ",", omittingEmptySubsequences: false)
                #expect(answer.status == 200 && said.count == 50)
                isWhole = before["state"] as? String == "ready"
                guard isWhole else { continue }
                let tiles = try #require(before["tiles"] as? [[String: Any]]).filter { $0["sheet"] as? Int == 0 }
                #expect(said.map { Int($0) } == tiles.map { $0["frame"] as? Int })
                // Row by row, as the page finds the place of a tile.
                let sheet = try #require((before["sheets"] as? [[String: Any]])?.first)
                let (columns, width, height) = (
                    try #require(sheet["columns"] as? Int), try #require(sheet["tileWidth"] as? Int),
                    try #require(sheet["tileHeight"] as? Int)
                )
                for (place, tile) in tiles.enumerated() {
                    #expect(tile["x"] as? Int == place % columns * width)
                    #expect(tile["y"] as? Int == place / columns * height)
                }
            }
        }
    }
}
#endif
