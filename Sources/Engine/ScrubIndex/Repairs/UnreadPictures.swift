internal import ScrubBitstream

// H.264 and HEVC streams in which a picture's headers cannot be read, for example because a raw recording ends within a
// header or because bytes are lost. Decoders may or may not show such a picture, and it may be anywhere among the
// pictures that are waiting to be shown.
extension ScanIndexer.Scanned {
    /// Returns whether neither the order counts of the pictures nor the container's times give the display order of all
    /// pictures.
    func lacksOrder(_ codec: VideoCodec) -> Bool {
        (codec == .h264 || codec == .hevc) && !unread.isEmpty
            && pictures.presentationTimes.contains(CodedPictures.noTime)
    }
}

extension CodedPictures {
    /// Marks frames whose number is not certain because a picture cannot be read.
    ///
    /// A linear decode shows which pictures are output, and in which order. The result applies to all pictures up to
    /// the first one that was not produced by a packet, which has no frame here. If the linear decode shows a picture
    /// without a number here, the result does not apply to any.
    ///
    /// A file that is still being written, or would take too long, has no such result. There, only pictures that are
    /// output before the first such picture is fed are certain. A decoder delays at most as many pictures as fit in its
    /// buffer (H.264 A.3.1, H.265 A.4.2), so all before those are certain. Pictures before the first restart have no
    /// number anyway.
    ///
    /// - Parameter order: all pictures in display order.
    mutating func markUnread(_ scanned: ScanIndexer.Scanned, order: [UInt32]) {
        var certain = order.count
        if scanned.surveyedOrder != nil {
            certain = scanned.firstRepeat ?? order.count
            if order.contains(where: { flags[Int($0)].contains(.undecodable) }) { certain = 0 }
        } else {
            let start = flags.firstIndex(where: StreamStart.isRestart) ?? 0
            guard let unread = scanned.unread.first(where: { $0 >= start }) else { return }
            certain = order.firstIndex { Int($0) >= unread } ?? order.count
            let earlier = order.indices.reversed().lazy.filter { Int(order[$0]) < unread }
            if let waiting = Array(earlier.prefix(CodedPictures.mostHeldBack)).last { certain = min(certain, waiting) }
        }
        for picture in order.dropFirst(certain) { flags[Int(picture)].insert(.misplaced) }
    }

    /// Marks frames that are ordered by the container's times because a picture cannot be read, if the order counts
    /// between such pictures contradict the times.
    ///
    /// - Parameters:
    ///   - frames: the presented pictures, in the order of their times.
    ///   - sections: the pictures at which counts start again.
    mutating func markContradicted(_ scanned: ScanIndexer.Scanned, frames: [UInt32], sections: [Int]) {
        guard !scanned.unread.isEmpty, scanned.surveyedOrder == nil,
            !presentationTimes.contains(CodedPictures.noTime), scanned.orderCounts.count == count
        else { return }
        let unread = Set(scanned.unread)
        let section = sectionNumbers(sections + scanned.unread)
        let read = frames.filter { !unread.contains(Int($0)) }
        for group in Dictionary(grouping: read, by: { section[Int($0)] }).values {
            markOutOfPlace(group, in: scanned.orderCounts)
        }
    }

    /// The 16 pictures of the decoded picture buffer, and the one that is being decoded.
    private static let mostHeldBack = 17
}
