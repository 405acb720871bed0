/// The index at the end of a VP9 packet that contains several frames (VP9 bitstream specification, Annex B).
package enum VP9Superframe {
    /// Two markers and eight sizes of four bytes.
    package static let maximumIndexSize = 2 + 8 * 4

    /// Returns the ranges of the frames in a packet, according to its superframe index if there is one (B.2, B.3).
    ///
    /// - Parameter tail: the packet's last bytes: ``maximumIndexSize`` bytes, or all of them.
    package static func frames(tail: Span<UInt8>, packetSize: Int) -> [Range<Int>] {
        guard let marker = tail.indices.last.map({ tail[$0] }) else { return [] }
        let sizeBytes = Int(marker >> 3 & 3) + 1
        let count = Int(marker & 7) + 1
        let indexSize = 2 + sizeBytes * count
        let hasIndex =
            marker & 0xE0 == 0xC0 && tail.count >= indexSize && tail[tail.count - indexSize] == marker
        guard hasIndex else { return [0..<packetSize] }
        var frames: [Range<Int>] = []
        var start = 0
        let end = packetSize - indexSize
        let sizes = tail.extracting(tail.count - indexSize + 1..<tail.count - 1)
        for frame in 0..<count {
            var size = 0
            for byte in 0..<sizeBytes { size |= Int(sizes[frame * sizeBytes + byte]) << (byte * 8) }
            guard size <= end - start else { break }
            if size > 0 { frames.append(start..<start + size) }
            start += size
        }
        return frames
    }
}
