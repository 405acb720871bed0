package import ScrubBase

/// A source that grows while it is read. A read at its current end waits there, so that a demuxer never mistakes it for
/// the end of the file, at which it would output incomplete packets.
package protocol AwaitedByteSource: ByteSource {
    /// Waits until a byte is available.
    ///
    /// - Returns: whether it is available; false if no more bytes will arrive.
    func waitForByte(at offset: Int64) -> Bool

    /// Announces that reading continues elsewhere.
    func willRead(at offset: Int64)
}
