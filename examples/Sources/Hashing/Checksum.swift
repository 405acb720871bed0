/// The FNV-1a hash of some bytes. An app's own Hashing.
public func checksum(_ bytes: borrowing Span<UInt8>) -> UInt32 {
    var sum: UInt32 = 2_166_136_261
    for place in bytes.indices { sum = (sum ^ UInt32(bytes[place])) &* 16_777_619 }
    return sum
}
