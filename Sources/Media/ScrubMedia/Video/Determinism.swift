package import ScrubLibAV

/// One way to run the same requests: how many threads decode, and with which instructions.
package struct DecodeSetting: Sendable, Hashable, CustomStringConvertible {
    package let threadCount: Int
    package let instructions: InstructionSet

    package init(threadCount: Int, instructions: InstructionSet) {
        (self.threadCount, self.instructions) = (threadCount, instructions)
    }

    package var description: String {
        "\(threadCount == 1 ? "1 thread" : "\(threadCount) threads"), \(instructions.rawValue) instructions"
    }

    /// 1, 2 and 8 threads with each set of instructions.
    package static let all = [1, 2, 8].flatMap { count in
        InstructionSet.allCases.map { DecodeSetting(threadCount: count, instructions: $0) }
    }
}

/// The outcome of asking the same again and again.
package struct DeterminismReport: Sendable {
    /// A frame that was answered otherwise than in the first run with the same instructions, or as exact with another
    /// picture than the linear decode's with these instructions.
    package struct Difference: Sendable, Hashable {
        package let frame: Int
        package let setting: DecodeSetting
        /// Both answers, for people.
        package let reason: String
    }

    /// Frames that were asked for in each run.
    package let frames: Int
    /// The settings that were gone through, each as often as was asked for.
    package let settings: [DecodeSetting]
    package let runs: Int
    package let differences: [Difference]
    /// Frames whose picture is another one with other instructions: FFmpeg itself makes it so without its `bitexact`
    /// flag, for MPEG-2 and MPEG-4 part 2 among others (`libavcodec/x86/hpeldsp_init.c`).
    package let dependentFrames: Int
}

extension VideoAsset {
    /// Asks for the same frames with each setting, several times. It compares verdicts and pictures, those of damaged
    /// frames too, with the first run's, and exact ones with a linear decode by the same instructions.
    ///
    /// Sets the process's instructions, and at the end all of them again: nothing else may decode at the time.
    ///
    /// Cost: for each run a forward pass over the frames and their seek costs at random, and a linear decode for each
    /// set of instructions. Memory: for each set a hash for each asked frame, and a reader's.
    ///
    /// - Parameters:
    ///   - numbers: frames that exist. They are asked for forward, then at random.
    ///   - runs: the number of tries of each setting.
    ///   - progress: told how far it is, from 0 to 1.
    /// - Throws: `inputOutput` when reading fails.
    package func checkDeterminism(
        _ settings: [DecodeSetting] = DecodeSetting.all, numbers: [Int], runs: Int = 3,
        progress: (Double) -> Void = { _ in }
    ) throws(ScrubError) -> DeterminismReport {
        defer { InstructionSet.all.apply() }
        var known: [InstructionSet: [String]] = [:]
        var differences: [DeterminismReport.Difference] = []
        let asked = numbers + shuffled(numbers)
        for run in 0..<runs {
            for (place, setting) in settings.enumerated() {
                setting.instructions.apply()
                let answers = try answers(asked, threads: setting.threadCount)
                if let first = known[setting.instructions] {
                    for (number, (was, now)) in zip(asked, zip(first, answers)) where was != now {
                        differences.append(.init(frame: number, setting: setting, reason: "\(was), then \(now)"))
                    }
                } else {
                    known[setting.instructions] = answers
                    let (truth, packets, _) = try linearHashes({ _ in })
                    for (number, answer) in zip(asked, answers) where answer.hasPrefix("exact ") {
                        let expected = "exact " + (truth[number] ?? "without a picture")
                        guard answer != expected, answer != packets[number].map({ "exact " + $0 }) else { continue }
                        differences.append(
                            .init(
                                frame: number, setting: setting,
                                reason: "\(answer), and \(expected) in the linear decode"))
                    }
                }
                progress(Double(run * settings.count + place + 1) / Double(runs * settings.count))
            }
        }
        let all = Array(known.values)
        let dependent = Set(
            asked.indices.filter { place in all.contains { $0[place] != all[0][place] } }.map { asked[$0] })
        return DeterminismReport(
            frames: asked.count, settings: settings, runs: runs, differences: differences,
            dependentFrames: dependent.count)
    }

    /// Returns verdict and picture of each frame, as text.
    private func answers(_ numbers: [Int], threads: Int) throws(ScrubError) -> [String] {
        var options = FrameReader.Options()
        // Few enough that the second half is decoded and not remembered.
        (options.threadCount, options.decoderLimit, options.cacheByteLimit) = (threads, 2, 16 << 20)
        var reader = FrameReader(self, options: options)
        var answers: [String] = []
        answers.reserveCapacity(numbers.count)
        for number in numbers {
            let answer = try reader.frame(numbered: number)
            let picture = try answer.picture.map { (picture) throws(ScrubError) in try picture.md5() }
            answers.append("\(answer.verdict.name) \(picture ?? "without a picture")")
        }
        return answers
    }
}
