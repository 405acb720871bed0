#if Viewer
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubViewer

/// A film's strip while it is made.
@Suite struct FilmStripTests {
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
