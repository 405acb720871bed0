package import ScrubLibAV

/// A way to run the same requests: the number of decoding threads, and the instruction set.
package struct DecodeSetting: Sendable, Hashable, CustomStringConvertible {
    package let threadCount: Int
    package let instructions: InstructionSet

    package init(threadCount: Int, instructions: InstructionSet) {
        (self.threadCount, self.instructions) = (threadCount, instructions)
    }

    package var description: String {
        "\(threadCount == 1 ? "1 thread" : "\(threadCount) threads"), \(instructions.rawValue) instructions"
    }

    /// All settings: 1, 2 and 8 threads with each instruction set.
    package static let all = [1, 2, 8].flatMap { count in
        InstructionSet.allCases.map { DecodeSetting(threadCount: count, instructions: $0) }
    }
}

/// The result of repeating the same requests.
package struct DeterminismReport: Sendable {
    /// A frame whose answer differed from the first run with the same instructions, or that was called exact but
    /// differs from the linear decode with these instructions.
    package struct Difference: Sendable, Hashable {
        package let frame: Int
        package let setting: DecodeSetting
        /// Both answers, for people.
        package let reason: String
    }

    /// The number of frames requested in each run.
    package let frames: Int
    /// The tested settings, each with the requested number of runs.
    package let settings: [DecodeSetting]
    package let runs: Int
    package let differences: [Difference]
    /// The number of frames whose picture differs with other instructions. FFmpeg itself causes this without its
    /// `bitexact` flag, for MPEG-2 and MPEG-4 part 2 among others (`libavcodec/x86/hpeldsp_init.c`).
    package let dependentFrames: Int
}

extension VideoAsset {
    /// Requests the same frames with each setting several times. It compares verdicts and pictures, including those of
    /// damaged frames, with the first run's, and exact ones with a linear decode with the same instructions.
    ///
    /// It changes the process's instruction set and finally restores it: nothing else may decode in the meantime.
    ///
    /// Cost: for each run a forward pass over the frames and their seek costs in random order, and a linear decode for
    /// each instruction set. Memory: for each set a hash per requested frame, and a reader's memory.
    ///
    /// - Parameters:
    ///   - numbers: frames that exist. They are requested forward, then in random order.
    ///   - runs: the number of runs of each setting.
    ///   - progress: receives the finished ``WorkProgress/Unit/frames``.
    /// - Throws: `inputOutput` if reading fails.
    package func checkDeterminism(
        _ settings: [DecodeSetting] = DecodeSetting.all, numbers: [Int], runs: Int = 3,
        progress: (WorkProgress) -> Void = { _ in }
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
                                reason: "\(answer), but \(expected) in the linear decode"))
                    }
                }
                progress(WorkProgress(run * settings.count + place + 1, of: runs * settings.count, .frames))
            }
        }
        let all = Array(known.values)
        let dependent = Set(
            asked.indices.filter { place in all.contains { $0[place] != all[0][place] } }.map { asked[$0] })
        return DeterminismReport(
            frames: asked.count, settings: settings, runs: runs, differences: differences,
            dependentFrames: dependent.count)
    }

    /// Returns the verdict and picture of each frame, as text.
    private func answers(_ numbers: [Int], threads: Int) throws(ScrubError) -> [String] {
        var options = FrameReader.Options()
        // Few enough that the second half is decoded rather than cached.
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
