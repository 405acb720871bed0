package import ScrubBase
package import ScrubMedia
package import ScrubThumbnails

extension ThumbnailStrip {
    /// Returns the manifest of each size, one line each, for programs. Before the manifest come warnings, the missing
    /// media and the network cost where there are any.
    package func json(of asset: VideoAsset, face: Face) throws(ScrubError) -> [String] {
        var notes = JSONText()
        notes.add(warnings: warnings, face: face)
        notes.add(missing: asset.missing)
        notes.add(network: asset.networkCost)
        let own = notes.text.dropFirst().dropLast()
        return try storyboards.map { (storyboard) throws(ScrubError) in
            let manifest = try Storyboard.JSON.manifest(storyboard).filter { $0 != "\n" }
            return "{" + own + (own.isEmpty ? "" : ",") + manifest.dropFirst()
        }
    }
}

extension JSONText {
    /// Adds the instructions that could not be followed; nothing if there are none.
    package mutating func add(warnings: [Wording], face: Face) {
        guard !warnings.isEmpty else { return }
        add("warnings", .array(warnings.map { .string($0.text(for: face)) }))
    }
}
