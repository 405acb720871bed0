/// Posters that `scrub poster` wrote to a folder, with names that identify their frames.
enum PosterFiles {
    /// Returns a set for each folder with `poster-RANK-frame-NUMBER` pictures.
    static func sets(_ files: [String]) -> [ParsedThumbnailSet] {
        var sets: [String: ParsedThumbnailSet] = [:]
        for file in files {
            let parts = file.pathComponents
            guard let name = parts.last,
                let found = name.wholeMatch(of: /poster-\d+-frame-(\d+)\.(?:jpg|png|webp|avif)/),
                let frame = Int(found.1)
            else { continue }
            let folder = parts.dropLast().joined(separator: "/")
            sets[folder, default: ParsedThumbnailSet(file: folder.isEmpty ? "." : folder, format: "posters")].tiles
                .append(
                    .init(place: .file(path: file), start: .zero, end: .zero, frame: frame))
        }
        return sets.sorted { $0.key < $1.key }.map(\.value)
    }
}
