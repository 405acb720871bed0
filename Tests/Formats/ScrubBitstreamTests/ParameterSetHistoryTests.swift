import Testing

@testable import ScrubBitstream

/// Sets are single bytes here: their content is a number.
@Suite struct ParameterSetHistoryTests {
    /// What a stream holds in file order.
    enum Step {
        case sps(UInt8, id: Int = 0)
        case pps(UInt8, id: Int = 0, sps: Int = 0)
        case vps(UInt8)
        case broken
        case slice(Int = 0)
        /// Another configuration of the container's, with these sets.
        case configuration([Step])
    }

    /// Returns the pictures at which a decoder that begins there has other sets.
    private func dependent(
        _ codec: VideoCodec, configuration: [Step], _ packets: [(isKey: Bool, steps: [Step])]
    ) -> [Int] {
        var history = ParameterSetHistory(codec: codec)
        func take(_ steps: [Step]) {
            for step in steps {
                let video: ParameterSetHistory.Item? = codec == .hevc ? .video(0) : nil
                switch step {
                case .sps(let content, let id): history.send(.sequence(id), base: video, [content].span)
                case .pps(let content, let id, let sps):
                    history.send(.picture(id), base: .sequence(sps), [content].span)
                case .vps(let content): history.send(.video(0), base: nil, [content].span)
                case .broken: history.sendUnread()
                case .slice(let id): history.use(id)
                case .configuration: break
                }
            }
        }
        take(configuration)
        for (number, packet) in packets.enumerated() {
            var steps = packet.steps
            if case .configuration(let sets)? = steps.first {
                history.beginConfiguration()
                take(sets)
                steps.removeFirst()
            }
            history.beginPacket()
            take(steps)
            if packet.isKey { history.mayBegin(with: number) }
        }
        return history.dependentRestarts
    }

    private let plain: (isKey: Bool, steps: [Step]) = (false, [.slice()])
    private let key: (isKey: Bool, steps: [Step]) = (true, [.slice()])

    @Test func setsThatStayAreNoDependency() {
        let sets: [Step] = [.sps(1), .pps(1)]
        #expect(dependent(.h264, configuration: sets, [key, plain, key, plain]).isEmpty)
        #expect(
            dependent(.h264, configuration: [], [(true, sets + [.slice()]), plain, (true, sets + [.slice()])]) == [])
        // Without a configuration a later restart lacks them.
        #expect(dependent(.h264, configuration: [], [(true, sets + [.slice()]), plain, key]) == [2])
    }

    @Test func aSetWithinAGroupReachesLaterRestarts() {
        let sets: [Step] = [.sps(1), .pps(1)]
        let changed: (isKey: Bool, steps: [Step]) = (false, [.pps(2), .slice()])
        #expect(dependent(.h264, configuration: sets, [key, changed, key, plain, key]) == [2, 4])
        let own: (isKey: Bool, steps: [Step]) = (true, [.pps(2), .slice()])
        #expect(dependent(.h264, configuration: sets, [key, changed, own, plain, key]) == [4])
        let back: (isKey: Bool, steps: [Step]) = (false, [.pps(1), .slice()])
        #expect(dependent(.h264, configuration: sets, [key, changed, key, back, key]) == [2])
        // One that no later picture uses matters to nothing.
        let other: (isKey: Bool, steps: [Step]) = (false, [.pps(2, id: 1), .slice()])
        #expect(dependent(.h264, configuration: sets, [key, other, key]) == [])
        #expect(dependent(.h264, configuration: sets, [key, other, key, (false, [.slice(1)])]) == [2])
    }

    /// A picture set of H.264 goes on with the sequence set that it came behind.
    @Test func pictureSetsStayBoundInH264() {
        let sets: [Step] = [.sps(1), .pps(1)]
        let alone: (isKey: Bool, steps: [Step]) = (false, [.sps(2), .slice()])
        #expect(dependent(.h264, configuration: sets, [key, alone, key]) == [])
        // The restart brings a picture set, and binds it again: to another set than a decoder that begins there has.
        let binding: (isKey: Bool, steps: [Step]) = (true, [.pps(1), .slice()])
        #expect(dependent(.h264, configuration: sets, [key, alone, binding]) == [2])
        let whole: (isKey: Bool, steps: [Step]) = (true, [.sps(2), .pps(1), .slice()])
        #expect(dependent(.h264, configuration: sets, [key, alone, whole, key]) == [3])
    }

    /// A changed set of HEVC takes those below it away.
    @Test func changedSetsRemoveThoseBelowInHEVC() {
        let sets: [Step] = [.vps(1), .sps(1), .pps(1)]
        let alone: (isKey: Bool, steps: [Step]) = (false, [.sps(2), .slice()])
        #expect(dependent(.hevc, configuration: sets, [key, alone, key]) == [2])
        // The same content as the configuration's: removed in one, kept in the other.
        let back: (isKey: Bool, steps: [Step]) = (true, [.sps(1), .slice()])
        #expect(dependent(.hevc, configuration: sets, [key, alone, back]) == [2])
        let video: (isKey: Bool, steps: [Step]) = (false, [.vps(2), .slice()])
        #expect(dependent(.hevc, configuration: sets, [key, video, key]) == [2])
        let whole: (isKey: Bool, steps: [Step]) = (true, [.vps(2), .sps(2), .pps(1), .slice()])
        #expect(dependent(.hevc, configuration: sets, [key, alone, whole, key]) == [3])
    }

    @Test func unreadableSetsMayBeAny() {
        let sets: [Step] = [.sps(1), .pps(1)]
        let broken: (isKey: Bool, steps: [Step]) = (false, [.broken, .slice()])
        let own: (isKey: Bool, steps: [Step]) = (true, sets + [.slice()])
        #expect(dependent(.h264, configuration: sets, [key, broken, key, own, key]) == [2])
    }

    /// A decoder that begins behind another configuration is opened with that one alone.
    @Test func configurationsOnTheWay() {
        let sets: [Step] = [.sps(1), .pps(1)]
        let second: (isKey: Bool, steps: [Step]) = (true, [.configuration([.sps(2), .pps(2)]), .slice()])
        #expect(dependent(.h264, configuration: sets, [key, plain, second, plain, key]) == [])
        // It has only some of the sets.
        let part: (isKey: Bool, steps: [Step]) = (true, [.configuration([.sps(1), .pps(2, id: 1)]), .slice()])
        #expect(dependent(.h264, configuration: sets, [key, plain, part, key]) == [2, 3])
    }
}
