package import ScrubBase

/// A source that grows while it is read. Reading at its present end waits there. So a demuxer never takes it for the
/// end of the file, at which it gives out incomplete packets.
package protocol AwaitedByteSource: ByteSource {
    /// Waits until a byte is there.
    ///
    /// - Returns: whether it is; false where no more comes.
    func waitForByte(at offset: Int64) -> Bool

    /// Announces that reading goes on elsewhere.
    func willRead(at offset: Int64)
}
