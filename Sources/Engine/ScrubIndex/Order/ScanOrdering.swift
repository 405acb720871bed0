internal import ScrubBitstream
internal import ScrubLibAV
internal import ScrubBase

/// Puts scanned packets into display order and on a timeline.
struct ScanOrdering {
    let stream: StreamDescription
    /// Whether the container is a raw stream without a clock.
    let hasNoTimestamps: Bool
    /// Whether the container's clock may jump.
    let timestampsMayJump: Bool
    let decodeTimes: [Int64]
    /// The end time of the last picture, if the file specifies it.
    let end: StreamEnd?
    let rules: IndexRules

    func makeIndex(facts: StreamFacts, scanned: ScanIndexer.Scanned) -> FrameIndex {
        var facts = facts
        var pictures = scanned.pictures
        facts.changesParameters = scanned.changesParameters || !scanned.configurations.isEmpty
        facts.hasFilmGrain = scanned.hasFilmGrain
        for configuration in scanned.configurations {
            var description = facts.descriptions[0]
            description.extradata = configuration
            facts.descriptions.append(description)
        }
        dropUnsafeRestarts(&pictures, scanned, facts.codec)
        pictures.markBrokenOff(scanned)
        let order = displayOrder(pictures, scanned, codec: facts.codec)
        pictures.markLost(scanned)
        pictures.markOutOfStep(scanned)
        if let first = scanned.firstShared {
            pictures.markUncounted(from: first)
            facts.warnings.append(SharedPackets.warning)
        }
        if let first = scanned.firstUnconfigured { pictures.markUncounted(from: first) }
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
            pictures.markContradicted(scanned, frames: frames, sections: sections)
            if scanned.surveyedOrder == nil { pictures.markLate(scanned.late, frames: frames) }
            if facts.codec == .h264, let comingOut = scanned.comingOut {
                pictures.markDropped(allBut: comingOut)
            } else if facts.codec == .h264, scanned.surveyedOrder == nil {
                pictures.markDropped(
                    orderCounts: scanned.orderCounts, sections: sections, delay: Int(stream.codec.videoDelay))
            }
        }
        pictures.markUncertain(scanned, facts.codec, order: order)
        if !timestampsMayJump, let first = firstWildTime(pictures, facts.timeBase) {
            pictures.markUncounted(from: first)
        }
        // This step is last, because these restarts still begin sequences.
        for picture in scanned.dependentRestarts where pictures.flags[picture].randomAccess != .none {
            pictures.flags[picture] = pictures.flags[picture].with(.inexact)
        }
        let step = giveTimes(&pictures, frames: frames, scanned: scanned, facts: &facts)
        let lastDuration = lastDuration(pictures, frames: frames, scanned: scanned, facts: facts, step: step)
        let times = frames.map { pictures.presentationTimes[Int($0)] }
        let second = max(1, facts.timeBase.denominator / max(1, facts.timeBase.numerator))
        let ascending = Timeline.inDisplayOrder(times, splice: second)
        let repaired = Timeline.repaired(ascending ?? times, step: step, splice: second) ?? ascending
        if ascending != nil {
            facts.warnings.append(
                "the container's times contradict the order in which the pictures are shown; the times are sorted to "
                    + "match that order")
        } else if repaired != nil, times.contains(CodedPictures.noTime) {
            facts.warnings.append("some frames have no presentation time in the container; their times are computed")
        } else if repaired != nil {
            facts.warnings.append("the container's presentation times jump or run backwards")
        }
        return FrameIndex(
            facts: facts, pictures: pictures,
            presentation: Presentation(displayOrder: order, repairedTimes: repaired, lastDuration: lastDuration),
            dependencies: scanned.dependencies)
    }

    /// Drops restarts that do not include their own parameter sets in a stream that changes them. They would be decoded
    /// with those that a decoder happens to have.
    private func dropUnsafeRestarts(
        _ pictures: inout CodedPictures, _ scanned: ScanIndexer.Scanned, _ codec: VideoCodec
    ) {
        // A decoder has palettes and tables that are only in some packets only if it has decoded those packets.
        if scanned.carriesPalettes {
            for picture in pictures.flags.indices.dropFirst() {
                pictures.flags[picture] = pictures.flags[picture].with(.none)
            }
        }
        let kinds = scanned.tableKinds.reduce(into: JPEGTables.Kinds()) { $0.formUnion($1) }
        for (picture, own) in scanned.tableKinds.enumerated() where picture > 0 && own != kinds {
            pictures.flags[picture] = pictures.flags[picture].with(.none)
        }
        // Film grain is seeded with the whole order count, which only an instantaneous restart sets (H.264 8.2.1.1). A
        // decoder that begins at an open restart also adds the grain of leading pictures that it drops to the next one.
        if scanned.hasFilmGrain, [.h264, .hevc].contains(codec) {
            for picture in pictures.flags.indices.dropFirst()
            where ![.none, .instantaneous].contains(pictures.flags[picture].randomAccess) {
                pictures.flags[picture] = pictures.flags[picture].with(.inexact)
            }
        }
        for picture in scanned.heirs where pictures.flags[picture].randomAccess != .none {
            pictures.flags[picture] = pictures.flags[picture].with(.inexact)
        }
        // If edits repeat parts, order counts repeat, and a linear decode has determined which pictures are output.
        for picture in scanned.openJoints.isEmpty ? scanned.repeatedOrders : [] {
            pictures.flags[picture] = pictures.flags[picture].with(.none)
        }
        pictures.dropRestarts(of: scanned)
        for picture in pictures.flags.indices.dropFirst() where scanned.variesFieldDistance {
            pictures.flags[picture] = pictures.flags[picture].with(.none)
        }
        for picture in scanned.strangers where picture > 0 {
            pictures.flags[picture] = pictures.flags[picture].with(.none)
        }
        // For H.264 and HEVC, the sets themselves show which restarts are affected. For codecs without a parser, no
        // packet is known to contain any sets.
        guard scanned.changesParameters, ![.h264, .hevc, .other].contains(codec) else { return }
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
            // If a picture has no time, counts order even the pictures after one that cannot be read:
            // ``markUnread(_:order:)`` determines which of them are certain.
            if scanned.unread.isEmpty || scanned.lacksOrder(codec) {
                let sections = Set(scanned.sequenceStarts + splices).sorted().filter { $0 > 0 }
                return DisplayOrder.sort(keys: scanned.orderCounts, sectionStarts: sections, isShown: isShown)
            }
        case .mpeg1, .mpeg2, .mpeg4:
            let keys = DisplayOrder.anchorKeys(
                count: pictures.count, isBidirectional: { scanned.isBidirectional[$0] }, isShown: isShown)
            return DisplayOrder.sort(keys: keys, sectionStarts: [], isShown: isShown)
        case .av1, .vp8, .vp9:
            // Each packet shows its picture at once: reordering uses hidden pictures inside the packets.
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

    /// Returns the first picture whose time is more than 30 hours from that of the previous one. The ffmpeg command
    /// considers such a time wrong, and may drop the picture (`dts_error_threshold`).
    private func firstWildTime(_ pictures: CodedPictures, _ timeBase: Rational) -> Int? {
        let limit = Int128(30 * 3600) * Int128(timeBase.denominator) / Int128(max(1, timeBase.numerator))
        var last: Int64?
        for (picture, time) in decodeTimes.enumerated() {
            let own = time == CodedPictures.noTime ? pictures.presentationTimes[picture] : time
            guard own != CodedPictures.noTime else { continue }
            if let last, (Int128(own) - Int128(last)).magnitude > UInt128(limit) { return picture }
            last = own
        }
        return nil
    }

    /// Returns the restarts before which the decode clock jumps back: the points at which streams were joined.
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

    /// Assigns times to the frames of a stream that has none, and returns the usual distance between two frames.
    private func giveTimes(
        _ pictures: inout CodedPictures, frames: [UInt32], scanned: ScanIndexer.Scanned, facts: inout StreamFacts
    ) -> Int64 {
        let hasTimes = frames.contains { pictures.presentationTimes[Int($0)] != CodedPictures.noTime }
        if hasNoTimestamps || (!hasTimes && !decodeTimes.contains { $0 != CodedPictures.noTime }) {
            // A raw stream: frames follow each other at the stream's own rate, one time base unit each. If each field
            // is a packet, libavformat's average rate counts fields, not pictures.
            let hasFields = pictures.flags.contains { $0.contains(.secondField) }
            let mean = hasFields ? stream.baseFrameRate : nil
            if let rate = mean ?? stream.averageFrameRate ?? stream.baseFrameRate,
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
            // AVI: only the decode times are known. Output pictures follow the same clock in display order.
            let clock = frames.map { decodeTimes[Int($0)] }.filter { $0 != CodedPictures.noTime }.sorted()
            if clock.count == frames.count {
                for (picture, time) in zip(frames, clock) { pictures.presentationTimes[Int(picture)] = time }
            }
        }
        let times = frames.map { pictures.presentationTimes[Int($0)] }
        let step = Timeline.commonStep(times) ?? 0
        let own = frames.map { scanned.durations[Int($0)] }
        let last = own.last ?? 0
        if last > 0, step > 0 {
            // The duration of a field, or an average one, is not that of a picture. In an AVI, durations are ticks of
            // its clock, which are correct.
            let areTicks =
                facts.container == "avi"
                && !PictureParser(codec: facts.codec, extradata: stream.codec.extradata).mayHoldFields
            return areTicks || Timeline.fit(own, to: times) ? last : step
        }
        if last > 0, let picture = frames.last { return last &+ fieldDuration(behind: picture, pictures, scanned) }
        if step > 0 { return step }
        // For a single picture, libavformat derives a rate from its clock.
        let rate = (stream.averageFrameRate ?? stream.baseFrameRate).flatMap { $0 <= Rational(240) ? $0 : nil }
        let byRate =
            Rational.one.divided(by: rate ?? Rational(25)).flatMap { $0.divided(by: facts.timeBase) }
            .map { Int64(clamping: $0.scaledDown(1)) } ?? 1
        return max(1, byRate)
    }

    /// Returns the duration of a picture's second field that is a separate packet.
    private func fieldDuration(
        behind picture: UInt32, _ pictures: CodedPictures, _ scanned: ScanIndexer.Scanned
    ) -> Int64 {
        let next = Int(picture) + 1
        guard next < pictures.count, pictures.flags[next].contains(.secondField) else { return 0 }
        return min(max(0, scanned.durations[next]), 1 << 32)
    }

    /// Returns the duration of the last frame: up to the end that the file specifies, or up to the end of the following
    /// packets that show the frame again.
    ///
    /// - Parameter step: the frame's duration according to its own packet.
    private func lastDuration(
        _ pictures: CodedPictures, frames: [UInt32], scanned: ScanIndexer.Scanned, facts: StreamFacts, step: Int64
    ) -> Int64 {
        guard !hasNoTimestamps, let last = frames.last else { return step }
        var shown = pictures.presentationTimes[Int(last)]
        // libavformat gives no time for the anchors of some B pictures in AVI, where the last picture is shown with the
        // last chunk.
        if shown == CodedPictures.noTime, facts.container == "avi" { shown = decodeTimes.max() ?? shown }
        // After a splice, the clock is a different one.
        guard shown != CodedPictures.noTime, frames.allSatisfy({ pictures.presentationTimes[Int($0)] <= shown }) else {
            return step
        }
        let own = end?.stay(of: shown, orElse: step) ?? step
        // For these codecs, a picture that was lost and not decoded is not a repeat.
        guard ![.h264, .hevc, .av1, .vp9, .mpeg1, .mpeg2].contains(facts.codec), facts.container != "avi",
            !timestampsMayJump
        else { return own }
        var latest = scanned.emptyEnd ?? .min
        for picture in Int(last) + 1..<max(pictures.count, Int(last) + 1)
        where pictures.flags[picture].contains(.hidden) && !pictures.flags[picture].contains(.discarded) {
            let times = [pictures.presentationTimes[picture], decodeTimes[picture]]
            guard let time = times.first(where: { $0 != CodedPictures.noTime }) else { continue }
            let stay = scanned.durations[picture] > 0 ? scanned.durations[picture] : step
            let (sum, overflow) = time.addingReportingOverflow(stay)
            if !overflow { latest = max(latest, sum) }
        }
        let (left, overflow) = latest.subtractingReportingOverflow(shown)
        return overflow ? own : max(own, left)
    }
}
