/// The film grain characteristics message (H.274 8.5, payload type 19 in H.264 D.1.21 and H.265 D.2.22).
enum FilmGrainMessage {
    static let payloadType = 19

    /// Looks for the message in an SEI unit, from the first bit behind the unit's header.
    ///
    /// - Returns: the last one's word; `nil` without any. A unit that breaks off is read as far as it goes.
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
