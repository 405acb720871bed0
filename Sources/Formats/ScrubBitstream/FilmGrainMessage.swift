/// The film grain characteristics message (H.274 8.5, payload type 19 in H.264 D.1.21 and H.265 D.2.22).
enum FilmGrainMessage {
    static let payloadType = 19

    /// Looks for the message in an SEI unit, from the first bit behind the unit's header.
    ///
    /// - Returns: the last one's word; `nil` without any. A unit that breaks off is read as far as it goes.
    static func find(in reader: inout BitReader) -> CodedPicture.FilmGrain? {
        var found: CodedPicture.FilmGrain?
        do {
            while true {
                let type = try extendedNumber(&reader)
                let size = try extendedNumber(&reader)
                if type == payloadType, size > 0 {
                    var payload = reader
                    // film_grain_characteristics_cancel_flag
                    found = try payload.flag() ? .cancelled : .given
                }
                try reader.skip(size * 8)
            }
        } catch {
            // rbsp_trailing_bits look like the start of another message: running out is the normal end.
            return found
        }
    }

    /// Reads payloadType and payloadSize: bytes of 255 and a last one, summed up (H.264 7.3.2.3.1).
    static func extendedNumber(_ reader: inout BitReader) throws(HeaderError) -> Int {
        var value = 0
        while true {
            let byte = try reader.bits(8)
            value += byte
            if byte != 255 { return value }
        }
    }
}
