internal import ScrubFileIO
internal import ScrubIndex
package import ScrubPictures

extension VideoAsset {
    /// Opens the previews kept for this video, or creates their file next to its saved index, under the same key.
    ///
    /// Previews are no longer appended once the file is known to have changed since it was opened.
    ///
    /// - Parameters:
    ///   - isWriter: whether previews may be appended.
    ///   - removesOthers: whether other files of the cache may be removed if its limits require making room.
    /// - Returns: `nil` if no index is saved either (``VideoAsset/IndexCache/none``, content without an identifier, a
    ///   file that is still being written), and if the cache's folder or file cannot be used.
    package func keptPreviews(
        _ recipe: PreviewCoder.Recipe, isWriter: Bool = true, removesOthers: Bool = true
    ) -> PreviewFile? {
        guard let key, let store else { return nil }
        var directory = store.previews
        directory.removesOthers = removesOthers
        return PreviewFile(
            in: directory, key: key, recipe: recipe, pictureCount: index.pictures.count, isWriter: isWriter,
            // Failed reads on the network may succeed later; a file's do not.
            isCurrent: { [file] in !file.hasChanged && (file.isRemote || file.failureCount == 0) })
    }

    /// Opens the previews of the default size kept for this video, for reading.
    ///
    /// - Returns: the previews; `nil` if none are kept.
    package func keptPreviewsToRead() -> SavedPreviews? {
        let file = keptPreviews(.init(longSide: PreviewTrack.keptSide), isWriter: false)
        guard let file, file.count > 0 else { return nil }
        return SavedPreviews(file, of: index)
    }
}
