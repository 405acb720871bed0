internal import ScrubBase
internal import ScrubFileIO
internal import ScrubIndex
package import ScrubLibAV

/// A film's previews on the disk, by frame number.
///
/// Thread safety: safe from any thread.
package final class KeptPreviews: Sendable {
    private let file: PreviewFile
    private let index: FrameIndex
    /// The frames whose previews are there, ascending.
    private let frames: Locked<[Int]>

    init(_ file: PreviewFile, of index: FrameIndex) {
        (self.file, self.index) = (file, index)
        frames = Locked(file.pictures.compactMap { index.frame(ofPicture: $0) }.sorted())
    }

    /// Whether an appending failed. A full disk is not tried again for each preview.
    private let hasFailed = Locked(false)

    /// Whether previews may be appended.
    var isWriting: Bool { file.isWriting && !hasFailed.withLock { $0 } }
    package var count: Int { frames.withLock { $0.count } }
    var path: String { file.path }
    var byteCount: Int64 { file.byteCount }

    /// Whether a frame has a preview. Nothing is read.
    package func contains(_ frame: Int) -> Bool { file.contains(Int(index.frames[frame])) }

    /// Returns the picture of a frame's preview: that very frame, reduced and coded with loss.
    ///
    /// Cost: one read, and half a millisecond for 640 samples.
    ///
    /// - Returns: `nil` if it has no sound preview, or memory is short.
    package func picture(ofFrame frame: Int, in allocator: FrameAllocator) -> SharedFrame? {
        self[frame].flatMap { index.picture(ofPreview: $0, in: allocator) }
    }

    /// A frame's preview, if it is there and sound.
    subscript(frame: Int) -> [UInt8]? {
        if let bytes = file.bytes(ofPicture: Int(index.frames[frame])) { return bytes }
        // A damaged one hides those beside it no longer.
        frames.withLock { frames in
            let place = frames.partitioningIndex { $0 >= frame }
            if place < frames.count, frames[place] == frame { frames.remove(at: place) }
        }
        return nil
    }

    /// Returns the nearest frame that has a preview.
    func nearest(to frame: Int) -> Int? { frames.withLock { $0.nearest(to: frame) } }

    /// Appends previews and waits until they are on the disk.
    ///
    /// - Returns: false if they are not kept.
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
    /// Returns the nearest of ascending numbers; of two the lower one.
    func nearest(to number: Int) -> Int? {
        let place = partitioningIndex { $0 >= number }
        let above = place < count ? self[place] : nil
        guard place > 0 else { return above }
        let below = self[place - 1]
        return above.map { $0 - number < number - below ? $0 : below } ?? below
    }
}
