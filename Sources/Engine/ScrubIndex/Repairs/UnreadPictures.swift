internal import ScrubBitstream

// H.264 and HEVC streams in which a picture's headers can't be read: a raw recording that ends within a header, bytes
// that were lost. Such a picture may be one that decoders show, or none, and it may be anywhere among those that
// wait to be shown.
extension ScanIndexer.Scanned {
    /// Whether neither the pictures' order counts nor the container's times tell in which order all pictures show.
    func lacksOrder(_ codec: VideoCodec) -> Bool {
        (codec == .h264 || codec == .hevc) && !unread.isEmpty
            && pictures.presentationTimes.contains(CodedPictures.noTime)
    }
}

extension CodedPictures {
    /// Marks frames whose number is not certain because a picture can't be read.
    ///
    /// A linear decode tells which pictures come out, and in which order. Its word holds for all pictures up to the
    /// first one that no packet made, which has no frame here. It holds for none if it shows a picture without a number
    /// here.
    ///
    /// A file that is still being written, or would take too long, has none. There only pictures that are out before
    /// the first such picture goes in are certain. A decoder holds at most as many pictures back as its buffer has
    /// (H.264 A.3.1, H.265 A.4.2), so all before those. Pictures before the first restart have no number anyway.
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

    /// Marks frames that are ordered by the container's times, because a picture can't be read, where the order counts
    /// between such pictures contradict the times.
    ///
    /// - Parameters:
    ///   - frames: the pictures that are presented, in the order of their times.
    ///   - sections: pictures at which counts begin again.
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

    /// The decoded picture buffer's sixteen, and the one that is being decoded.
    private static let mostHeldBack = 17
}
