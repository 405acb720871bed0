import ScrubBase
import ScrubStoryboards

/// The indexes of thumbnail sets: BIF, WebVTT, JSON, HLS, DASH.
enum SetBody {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        if let bif = answer({ () throws(ScrubError) in try Storyboard.BIF(parsing: bytes) }) {
            try expect(bif.entries.allSatisfy { $0.byteRange.upperBound <= bytes.count }, "a picture behind the file")
            try expect(
                zip(bif.entries, bif.entries.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp },
                "times that do not ascend")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if let track = answer({ () throws(ScrubError) in try Storyboard.WebVTT(parsing: text) }) {
            try fixed(track.text, "WebVTT") { (text) throws(ScrubError) in try Storyboard.WebVTT(parsing: text).text }
        }
        if let tiles = answer({ () throws(ScrubError) in try Storyboard.Tiles(parsing: text) }) {
            try fixed(tiles.text, "tiles") { (text) throws(ScrubError) in try Storyboard.Tiles(parsing: text).text }
        }
        if let images = answer({ () throws(ScrubError) in try Storyboard.JSONImages(parsing: text) }) {
            try fixed(images.text, "images") { (text) throws(ScrubError) in
                try Storyboard.JSONImages(parsing: text).text
            }
        }
        if let playlist = answer({ () throws(ScrubError) in try Storyboard.HLSImagePlaylist(parsing: text) }) {
            try fixed(playlist.text, "image playlist") { (text) throws(ScrubError) in
                try Storyboard.HLSImagePlaylist(parsing: text).text
            }
        }
        if let playlist = answer({ () throws(ScrubError) in try Storyboard.HLSIFramePlaylist(parsing: text) }) {
            try fixed(playlist.text, "frame playlist") { (text) throws(ScrubError) in
                try Storyboard.HLSIFramePlaylist(parsing: text).text
            }
        }
        if let streams = answer({ () throws(ScrubError) in try Storyboard.HLSStream.streams(parsing: text) }),
            !streams.isEmpty
        {
            try fixed(Storyboard.HLSStream.master(streams), "streams") { (text) throws(ScrubError) in
                Storyboard.HLSStream.master(try Storyboard.HLSStream.streams(parsing: text))
            }
        }
        if let storyboard = answer({ () throws(ScrubError) in try Storyboard.JSON.storyboard(parsing: text) }),
            let manifest = answer({ () throws(ScrubError) in try Storyboard.JSON.manifest(storyboard) })
        {
            try fixed(manifest, "manifest") { (text) throws(ScrubError) in
                try Storyboard.JSON.manifest(try Storyboard.JSON.storyboard(parsing: text))
            }
        }
        _ = answer { () throws(ScrubError) in try Storyboard.DASHKeyPictures.sets(parsing: text) }
        for set in answer({ () throws(ScrubError) in try Storyboard.DASHTiles.sets(parsing: text) }) ?? [] {
            _ = (set.sheetCount, set.url(ofSheet: 1))
        }
    }

    /// A set that is written from one that was read is read again, and written in the same way.
    private static func fixed(
        _ text: String, _ name: String, _ rewrite: (String) throws(ScrubError) -> String
    ) throws(Finding) {
        do throws(ScrubError) {
            let second = try rewrite(text)
            guard second == text else { throw ScrubError(.badData, "it is written otherwise") }
        } catch {
            throw Finding(description: "\(name): what was written is not read back: \(error)")
        }
    }
}
