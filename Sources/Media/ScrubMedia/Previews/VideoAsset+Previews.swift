internal import ScrubFileIO
internal import ScrubIndex
package import ScrubPictures

extension VideoAsset {
    /// Opens the previews that are kept of this video, or begins them: beside its saved index, under the same key.
    ///
    /// Nothing more is appended once the file is known to have changed since it was opened.
    ///
    /// - Parameters:
    ///   - isWriter: whether previews may be appended.
    ///   - removesOthers: whether other files of the cache are removed where its limits ask for room.
    /// - Returns: `nil` where no index is saved either (``VideoAsset/IndexCache/none``, content without an identifier,
    ///   a file that is still written), and where the cache's folder or file cannot be used.
    package func keptPreviews(
        _ recipe: PreviewCoder.Recipe, isWriter: Bool = true, removesOthers: Bool = true
    ) -> PreviewFile? {
        guard let key, let store else { return nil }
        var directory = store.previews
        directory.removesOthers = removesOthers
        return PreviewFile(
            in: directory, key: key, recipe: recipe, pictureCount: index.pictures.count, isWriter: isWriter,
            // Reads that fail on the network come right again; a file's do not.
            isCurrent: { [file] in !file.hasChanged && (file.isRemote || file.failureCount == 0) })
    }

    /// Opens the previews of the usual size that are kept of this video, to be read.
    ///
    /// - Returns: `nil` if no preview is kept.
    package func keptPreviewsToRead() -> KeptPreviews? {
        let file = keptPreviews(.init(longSide: PreviewTrack.keptSide), isWriter: false)
        guard let file, file.count > 0 else { return nil }
        return KeptPreviews(file, of: index)
    }
}
