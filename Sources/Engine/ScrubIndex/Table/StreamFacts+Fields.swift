internal import ScrubBitstream
package import ScrubLibAV

extension StreamFacts {
    /// The source that determines whether pictures consist of two fields from different moments.
    package enum FieldStatement: Sendable, Equatable {
        /// The headers, the container, or the codec itself specify it.
        case told(isInterlaced: Bool)
        /// Each decoded picture specifies it.
        case picturesTell
        /// No source specifies it.
        case unknown
    }

    /// The source that determines whether this stream's pictures consist of fields. Does not read anything.
    package var fieldStatement: FieldStatement {
        let description = descriptions[0]
        // AVFieldOrder: 1 is progressive, larger values are field orders.
        let order = description.fieldOrder
        switch description.codecName {
        case "h264":
            guard PictureParser(codec: .h264, extradata: description.extradata).mayHoldFields else {
                return .told(isInterlaced: false)
            }
            return order > 1 ? .told(isInterlaced: true) : .picturesTell
        case "hevc":
            // libavcodec's pictures are single fields, and libavformat's value is not a field order (FFmpeg 5.1 to
            // 7.1).
            let isOfFields = PictureParser(codec: .hevc, extradata: description.extradata).isOfFields
            return .told(isInterlaced: isOfFields)
        case "mpeg2video" where order > 0: return .told(isInterlaced: order > 1)
        case "mpeg2video", "mpeg4", "vc1", "dvvideo", "ffv1", "mjpeg", "prores", "dnxhd", "cavs": return .picturesTell
        case "mpeg1video", "h261", "h263", "flv1", "theora", "vp3", "vp6", "vp6f", "vp8", "vp9", "av1", "gif", "png",
            "apng", "webp":
            return .told(isInterlaced: false)
        default: return order > 0 ? .told(isInterlaced: order > 1) : .unknown
        }
    }

    /// Returns whether pictures consist of fields; `nil` if unknown.
    ///
    /// - Parameter firstPicture: the description of the first picture, if it was decoded.
    package func isInterlaced(firstPicture: PictureDescription?) -> Bool? {
        switch fieldStatement {
        case .told(let isInterlaced): isInterlaced
        case .picturesTell, .unknown: firstPicture?.isInterlaced
        }
    }
}
