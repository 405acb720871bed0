internal import Scrub
package import ScrubBase
package import ScrubMedia
package import ScrubThumbnails

extension ThumbnailStrip {
    /// Returns the manifest of each size, one line each, for programs. Any warnings, missing media and network cost
    /// come before the manifest.
    package func json(of asset: VideoAsset, face: Face) throws(ScrubError) -> [String] {
        var notes = JSONText()
        notes.add(warnings: warnings, face: face)
        notes.add(missing: asset.missingMedia)
        notes.add(network: asset.networkCost)
        let own = notes.text.dropFirst().dropLast()
        return try storyboards.map { (storyboard) throws(ScrubError) in
            let manifest = try Storyboard.JSON.manifest(storyboard).filter { $0 != "\n" }
            return "{" + own + (own.isEmpty ? "" : ",") + manifest.dropFirst()
        }
    }
}

extension JSONText {
    /// Adds the instructions that could not be followed; nothing if there are none. The command prints them separately.
    package mutating func add(warnings: [Wording], face: Face) {
        guard !warnings.isEmpty, face != .command else { return }
        add("warnings", .array(warnings.map { .string($0.text(for: face)) }))
    }
}
