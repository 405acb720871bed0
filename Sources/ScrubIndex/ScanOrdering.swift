internal import Bitstream
internal import LibAV
internal import ScrubBase

/// Puts scanned packets into display order and on a timeline.
struct ScanOrdering {
    let stream: StreamDescription
    /// Whether the container is a raw stream without a clock.
    let hasNoTimestamps: Bool
    let decodeTimes: [Int64]
    let rules: IndexRules

    func makeIndex(facts: StreamFacts, scanned: ScanIndexer.Scanned) -> FrameIndex {
        var facts = facts
        var pictures = scanned.pictures
        facts.changesParameters = scanned.changesParameters
        dropUnsafeRestarts(&pictures, scanned)
        let order = displayOrder(pictures, scanned, codec: facts.codec)
        pictures.markLost(scanned)
        pictures.markOutOfStep(scanned)
        if let first = scanned.firstShared {
            pictures.markUncounted(from: first)
            facts.warnings.append(SharedPackets.warning)
        }
        StreamStart.markUndecodable(
            &pictures, displayOrder: order, codec: facts.codec, isSurveyed: scanned.surveyedOrder != nil,
            inspect: { pictures, picture in
                (
                    pictures.flags[picture].randomAccess, scanned.decodableLeading.contains(picture),
                    Int(pictures.recoveryCounts[UInt32(picture)] ?? 0), !pictures.flags[picture].contains(.disposable)
                )
            })
        let frames = order.filter { pictures.flags[Int($0)].isDisjoint(with: .notPresented) }
        pictures.forgiveSplices()
        if [.h264, .hevc].contains(facts.codec) {
            let sections = scanned.sequenceStarts + splices(pictures)
            pictures.markMisplaced(frames: frames, sections: sections)
            if facts.codec == .h264, let comingOut = scanned.comingOut {
                pictures.markDropped(allBut: comingOut)
            } else if facts.codec == .h264, scanned.surveyedOrder == nil,
                scanned.unread.isEmpty || scanned.lacksOrder(.h264)
            {
                pictures.markDropped(
                    orderCounts: scanned.orderCounts, sections: sections, delay: Int(stream.codec.videoDelay))
            }
        }
        pictures.markUncertain(scanned, facts.codec, order: order)
        let step = giveTimes(&pictures, frames: frames, scanned: scanned, facts: &facts)
        let times = frames.map { pictures.presentationTimes[Int($0)] }
        let second = max(1, facts.timeBase.denominator / max(1, facts.timeBase.numerator))
        let ascending = Timeline.inDisplayOrder(times, splice: second)
        let repaired = Timeline.repaired(ascending ?? times, step: step, splice: second) ?? ascending
        if ascending != nil {
            facts.warnings.append(
                "the container's times contradict the order in which the pictures are shown; each frame has the time "
                    + "of its place")
        } else if repaired != nil, times.contains(CodedPictures.noTime) {
            facts.warnings.append("some frames have no presentation time in the container; theirs are computed")
        } else if repaired != nil {
            facts.warnings.append("the container's presentation times jump or run backwards")
        }
        return FrameIndex(
            facts: facts, pictures: pictures,
            presentation: Presentation(displayOrder: order, repairedTimes: repaired, lastDuration: step),
            dependencies: scanned.dependencies)
    }

    /// Where parameter sets change on the way, a restart that doesn't bring its own would be decoded with those
    /// that a decoder happens to have.
    private func dropUnsafeRestarts(_ pictures: inout CodedPictures, _ scanned: ScanIndexer.Scanned) {
        // Palettes and tables that only some packets bring: a decoder that has them has seen those.
        if scanned.carriesPalettes {
            for picture in pictures.flags.indices.dropFirst() {
                pictures.flags[picture] = pictures.flags[picture].with(.none)
            }
        }
        let kinds = scanned.tableKinds.reduce(into: JPEGTables.Kinds()) { $0.formUnion($1) }
        for (picture, own) in scanned.tableKinds.enumerated() where picture > 0 && own != kinds {
            pictures.flags[picture] = pictures.flags[picture].with(.none)
        }
        for picture in scanned.heirs where pictures.flags[picture].randomAccess != .none {
            pictures.flags[picture] = pictures.flags[picture].with(.inexact)
        }
        pictures.dropRestarts(of: scanned)
        guard scanned.changesParameters else { return }
        for picture in 0..<pictures.count
        where pictures.flags[picture].randomAccess != .none && !scanned.parameterSetCarriers.contains(picture) {
            pictures.flags[picture] = pictures.flags[picture].with(.inexact)
        }
    }

    private func displayOrder(
        _ pictures: CodedPictures, _ scanned: ScanIndexer.Scanned, codec: VideoCodec
    ) -> [UInt32] {
        let isShown = { (picture: Int) in pictures.flags[picture].isDisjoint(with: [.hidden, .secondField]) }
        let inDecodeOrder = [Int64](repeating: 0, count: pictures.count)
        let splices = self.splices(pictures)
        let times = pictures.presentationTimes
        if !rules.codecDecidesOrder, !times.contains(CodedPictures.noTime) {
            return DisplayOrder.sort(keys: times, sectionStarts: splices, isShown: isShown)
        }
        if let order = scanned.surveyedOrder { return order }
        switch codec {
        case .h264, .hevc:
            // Where a picture has no time, counts order even those behind one that can't be read: ``markUnread(_:order:)``
            // says which of them are certain.
            if scanned.unread.isEmpty || scanned.lacksOrder(codec) {
                let sections = Set(scanned.sequenceStarts + splices).sorted().filter { $0 > 0 }
                return DisplayOrder.sort(keys: scanned.orderCounts, sectionStarts: sections, isShown: isShown)
            }
        case .mpeg1, .mpeg2, .mpeg4:
            let keys = DisplayOrder.anchorKeys(
                count: pictures.count, isBidirectional: { scanned.isBidirectional[$0] }, isShown: isShown)
            return DisplayOrder.sort(keys: keys, sectionStarts: [], isShown: isShown)
        case .av1, .vp8, .vp9:
            // Each packet shows its picture at once: reordering is done by hidden pictures inside the packets.
            return DisplayOrder.sort(keys: inDecodeOrder, sectionStarts: [], isShown: isShown)
        case .other where scanned.followsAnchorRule:
            let keys = DisplayOrder.anchorKeys(
                count: pictures.count, isBidirectional: { scanned.isBidirectional[$0] }, isShown: isShown)
            return DisplayOrder.sort(keys: keys, sectionStarts: [], isShown: isShown)
        case .other: break
        }
        if !stream.codec.reorders || times.contains(CodedPictures.noTime) {
            return DisplayOrder.sort(keys: inDecodeOrder, sectionStarts: [], isShown: isShown)
        }
        return DisplayOrder.sort(keys: times, sectionStarts: splices, isShown: isShown)
    }

    /// Restarts before which the decode clock jumps back: the seams of joined streams.
    private func splices(_ pictures: CodedPictures) -> [Int] {
        var found: [Int] = []
        var previous = CodedPictures.noTime
        for (picture, time) in decodeTimes.enumerated() where time != CodedPictures.noTime {
            if previous != CodedPictures.noTime, time < previous,
                pictures.flags[picture].randomAccess == .instantaneous
            {
                found.append(picture)
            }
            previous = time
        }
        return found
    }

    /// Gives times to the frames of a stream that has none at all, and tells the usual distance of two frames.
    private func giveTimes(
        _ pictures: inout CodedPictures, frames: [UInt32], scanned: ScanIndexer.Scanned, facts: inout StreamFacts
    ) -> Int64 {
        let hasTimes = frames.contains { pictures.presentationTimes[Int($0)] != CodedPictures.noTime }
        if hasNoTimestamps || (!hasTimes && !decodeTimes.contains { $0 != CodedPictures.noTime }) {
            // A raw stream: frames follow each other at the stream's own rate, one time base unit each.
            if let rate = stream.averageFrameRate ?? stream.baseFrameRate,
                let base = Rational.one.divided(by: rate)
            {
                facts.timeBase = base
            }
            for (number, picture) in frames.enumerated() {
                pictures.presentationTimes[Int(picture)] = Int64(number)
            }
            return 1
        }
        if !hasTimes {
            // AVI: only when packets go in is known. What comes out follows the same clock in display order.
            let clock = frames.map { decodeTimes[Int($0)] }.filter { $0 != CodedPictures.noTime }.sorted()
            if clock.count == frames.count {
                for (picture, time) in zip(frames, clock) { pictures.presentationTimes[Int(picture)] = time }
            }
        }
        let times = frames.map { pictures.presentationTimes[Int($0)] }
        let last = frames.last.map { scanned.durations[Int($0)] } ?? 0
        let rate = stream.averageFrameRate ?? stream.baseFrameRate
        let byRate =
            rate.flatMap { Rational.one.divided(by: $0) }.flatMap { $0.divided(by: facts.timeBase) }
            .map { Int64(clamping: $0.scaledDown(1)) } ?? 1
        return last > 0 ? last : Timeline.commonStep(times, fallback: max(1, byRate))
    }
}
