internal import ScrubStoryboards

/// Files of pictures that a run has written, so that the sets of other players that have the very same ones get copies.
///
/// Memory: some 200 bytes for each sheet, 8 for each picture of a BIF file.
struct WrittenPictures {
    /// All that a file's bytes depend on, within a run.
    enum Key: Hashable {
        /// A sheet with the thumbnails of some slots.
        case sheet(
            slots: Range<Int>, size: Int, columns: Int, width: Int, height: Int, format: ImageFormat, quality: Int)
        /// All thumbnails, each a JPEG of its own.
        case bif(size: Int, quality: Int)
    }

    /// A file, and the bytes of each picture in it.
    struct File {
        let path: String
        let byteCounts: [Int]
    }

    private var files: [Key: File] = [:]

    /// The first file that was written for a key.
    subscript(_ key: Key) -> File? { files[key] }

    /// Records a file that stays where it is until the run is over.
    mutating func add(_ key: Key, _ path: String, _ byteCounts: [Int]) {
        if files[key] == nil { files[key] = File(path: path, byteCounts: byteCounts) }
    }
}
