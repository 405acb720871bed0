internal import Scrub
package import ScrubBase
package import ScrubMedia
package import ScrubThumbnails

extension ContactSheet {
    /// Returns the sheet's facts, for programs.
    ///
    /// - Parameters:
    ///   - film: the film's name.
    ///   - output: the path of the sheet's file.
    package func json(of asset: VideoAsset, film: String, output: String, face: Face) -> JSONText {
        var line = JSONText()
        line.add("file", film)
        line.add("output", output)
        line.add("width", width)
        line.add("height", height)
        if let approximationNote { line.add("note", approximationNote) }
        line.add(
            "pictures",
            .array(
                slots.map { slot in
                    var entry = JSONText()
                    entry.add("frame", slot.frameNumber)
                    entry.add("seconds", Double(slot.time.numerator) / Double(slot.time.denominator))
                    return .object(entry)
                }))
        line.add(warnings: warnings, face: face)
        line.add(missing: asset.missingMedia)
        line.add(network: asset.networkCost)
        return line
    }
}

extension ContactSheet.Options.Format {
    /// The format for a word, in upper or lower case, with `jpg` for `jpeg`; `nil` for other words.
    package init?(named word: String) {
        let name = word.lowercased()
        self.init(rawValue: name == "jpg" ? "jpeg" : name)
    }

    /// The format of a path's suffix; `nil` for other suffixes.
    package init?(suffixOf path: String) {
        guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        self.init(named: String(decoding: path.utf8[path.utf8.index(after: dot)...], as: UTF8.self))
    }

    /// The suffix of a file's name, without the dot.
    package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }
}
