internal import ScrubBase
internal import ScrubFileIO
internal import ScrubIndex
package import ScrubLibAV

/// A video's previews on disk, by frame number.
///
/// Thread safety: safe from any thread.
package final class SavedPreviews: Sendable {
    private let file: PreviewFile
    private let index: FrameIndex
    /// The frames with available previews, in ascending order.
    private let frames: Locked<[Int]>

    init(_ file: PreviewFile, of index: FrameIndex) {
        (self.file, self.index) = (file, index)
        frames = Locked(file.pictures.compactMap { index.frame(ofPicture: $0) }.sorted())
    }

    /// Whether appending has failed. A full disk is not retried for each preview.
    private let hasFailed = Locked(false)

    /// Whether previews may be appended.
    var isWriting: Bool { file.isWriting && !hasFailed.withLock { $0 } }
    package var count: Int { frames.withLock { $0.count } }
    var path: String { file.path }
    var byteCount: Int64 { file.byteCount }

    /// Returns whether a frame has a preview. Does not read the preview.
    package func contains(_ frame: Int) -> Bool { file.contains(Int(index.frames[frame])) }

    /// Returns the picture of a frame's preview: exactly that frame, reduced and lossily compressed.
    ///
    /// Cost: one read, and half a millisecond for 640 samples.
    ///
    /// - Returns: the picture; `nil` if there is no valid preview, or if memory is short.
    package func picture(ofFrame frame: Int, in allocator: FrameAllocator) -> SharedFrame? {
        self[frame].flatMap { index.picture(ofPreview: $0, in: allocator) }
    }

    /// A frame's preview, if it exists and is valid.
    subscript(frame: Int) -> [UInt8]? {
        if let bytes = file.bytes(ofPicture: Int(index.frames[frame])) { return bytes }
        // A damaged preview no longer hides its neighbors.
        frames.withLock { frames in
            let place = frames.partitioningIndex { $0 >= frame }
            if place < frames.count, frames[place] == frame { frames.remove(at: place) }
        }
        return nil
    }

    /// Returns the nearest frame that has a preview.
    func nearest(to frame: Int) -> Int? { frames.withLock { $0.nearest(to: frame) } }

    /// Appends previews and waits until they are on disk.
    ///
    /// - Returns: false if they were not saved.
    func append(_ previews: [(frame: Int, bytes: [UInt8])]) -> Bool {
        guard !previews.isEmpty else { return true }
        guard file.append(previews.map { (Int(index.frames[$0.frame]), $0.bytes) }) else {
            hasFailed.withLock { $0 = true }
            return false
        }
        frames.withLock { frames in
            for (frame, _) in previews {
                let place = frames.partitioningIndex { $0 >= frame }
                if place == frames.count || frames[place] != frame { frames.insert(frame, at: place) }
            }
        }
        return true
    }
}

extension [Int] {
    /// Returns the nearest number in an ascending list; of two equally near numbers, the lower one.
    func nearest(to number: Int) -> Int? {
        let place = partitioningIndex { $0 >= number }
        let above = place < count ? self[place] : nil
        guard place > 0 else { return above }
        let below = self[place - 1]
        return above.map { $0 - number < number - below ? $0 : below } ?? below
    }
}
