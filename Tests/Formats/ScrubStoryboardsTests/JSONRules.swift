import Foundation
import Testing

/// Vidstack's view of a JSON file that a script hands to it, and its look-up of a time, written again from its known
/// behaviour. Read by Foundation, which knows nothing of our reader.
struct JSONRules {
    private struct Coords: Decodable {
        var x: Int
        var y: Int
    }

    private struct Image: Decodable {
        var url: String
        var startTime: Double
        var endTime: Double?
        var width: Int?
        var height: Int?
        var coords: Coords?
    }

    private struct Board: Decodable {
        struct Tile: Decodable {
            var start: Double
            var x: Int
            var y: Int
        }
        var url: String
        // The file's own names.
        var tile_width: Int
        var tile_height: Int
        var tiles: [Tile]
    }

    private var images: [Image]

    /// An array: URLs are resolved against the page's address, unless they are absolute.
    ///
    /// - Parameter page: the page's address.
    static func array(_ text: String, page: String) throws -> JSONRules {
        var images = try JSONDecoder().decode([Image].self, from: Data(text.utf8))
        let base = try #require(URL(string: page))
        for i in images.indices {
            images[i].url = try #require(URL(string: images[i].url, relativeTo: base)).absoluteString
        }
        return JSONRules(images: images)
    }

    /// A storyboard: its URL is taken as it stands, and tiles have no end.
    static func storyboard(_ text: String) throws -> JSONRules {
        let board = try JSONDecoder().decode(Board.self, from: Data(text.utf8))
        let url = try #require(URL(string: board.url))
        try #require(url.scheme != nil && url.host() != nil, "new URL() throws for \(board.url)")
        return JSONRules(
            images: board.tiles.map {
                Image(
                    url: url.absoluteString, startTime: $0.start, endTime: nil, width: board.tile_width,
                    height: board.tile_height, coords: Coords(x: $0.x, y: $0.y))
            })
    }

    /// The last image that has begun and not ended; an end of 0 means no end.
    func picture(at time: Double) -> ShownPicture? {
        let shown = images.last { image in
            image.startTime <= time && (image.endTime.map { $0 == 0 || time < $0 } ?? true)
        }
        guard let shown, let width = shown.width, let height = shown.height, let coords = shown.coords else {
            return nil
        }
        return ShownPicture(url: shown.url, x: coords.x, y: coords.y, width: width, height: height)
    }
}
