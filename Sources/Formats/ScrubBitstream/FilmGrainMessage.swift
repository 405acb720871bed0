/// The film grain characteristics message (H.274 8.5, payload type 19 in H.264 D.1.21 and H.265 D.2.22).
enum FilmGrainMessage {
    static let payloadType = 19

    /// Looks for the message in an SEI unit, from the first bit after the unit's header.
    ///
    /// - Returns: the value of the last message; `nil` if there is none. A truncated unit is read up to its end.
    static func find(in reader: inout BitReader) -> CodedPicture.FilmGrain? {
        var found: CodedPicture.FilmGrain?
        SupplementalMessages.read(&reader) { (type, size, payload) throws(HeaderError) in
            // film_grain_characteristics_cancel_flag
            if type == payloadType, size > 0 { found = try payload.flag() ? .cancelled : .given }
            return true
        }
        return found
    }
}
