/// The messages of a supplemental enhancement information unit (H.264 7.3.2.3.1, H.265 7.3.5).
enum SupplementalMessages {
    /// Calls a closure with a unit's messages, from the first bit after the unit's header.
    ///
    /// A truncated message ends the reading. Earlier messages still count.
    ///
    /// - Parameter take: receives the message's payloadType, its payloadSize in bytes and a reader at its first bit,
    ///   which may be left at any position. Returns whether to continue.
    static func read(
        _ reader: inout BitReader, _ take: (_ type: Int, _ size: Int, inout BitReader) throws(HeaderError) -> Bool
    ) {
        do {
            while true {
                let type = try extendedNumber(&reader)
                let size = try extendedNumber(&reader)
                // Only the sizes locate the messages.
                var payload = reader
                guard try take(type, size, &payload) else { return }
                try reader.skip(size * 8)
            }
        } catch {
            // rbsp_trailing_bits look like the start of another message, so reading past the end is the normal end.
        }
    }

    /// Reads payloadType or payloadSize: the sum of bytes of 255 and a last byte (H.264 7.3.2.3.1).
    private static func extendedNumber(_ reader: inout BitReader) throws(HeaderError) -> Int {
        var value = 0
        while true {
            let byte = try reader.bits(8)
            value += byte
            if byte != 255 { return value }
        }
    }
}
