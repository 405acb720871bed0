internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

extension VideoAsset {
    /// The order in which frames are requested when a video is verified.
    public enum VerificationOrder: String, CaseIterable, Sendable {
        /// From the first frame to the last, with a reader that continues from its current position.
        case forward
        /// From the last frame to the first, so that each group is accessed from its end.
        case backward
        /// In random order, with a reader that has few decoders and a small cache.
        case random
        /// Each frame with a separate reader, which decodes only the packets planned for the frame and then drains the
        /// decoder.
        case alone
        /// All frames in one batch, with groups decoded in parallel.
        case batch
    }
}

extension VideoAsset {
    /// The result of a verification.
    public struct VerificationReport: Sendable {
        /// A frame whose picture or position differs from the linear decode.
        public struct Fault: Sendable, Hashable {
            /// The order in which the frame was requested; `nil` if the index itself is wrong, which does not depend on
            /// the order.
            public let order: VideoAsset.VerificationOrder?
            /// The frame's number.
            public let frame: Int
            /// A description of the fault.
            public let reason: String
        }

        /// The number of checked answers across all orders.
        public let comparedFrameCount: Int
        /// The number of pictures that the linear decode output.
        public let linearPictureCount: Int
        /// The number of answers across all orders that were damaged, undecodable or otherwise not exact. They are not
        /// compared with the linear decode.
        public let damagedFrameCount: Int
        /// Exact answers whose picture differs from the frame's picture in the linear decode, and frames that the
        /// linear decode outputs at a different position than the index states.
        public let faults: [Fault]
        /// The orders that were tested.
        public let orders: [VideoAsset.VerificationOrder]
        /// The number of checked answers in each order.
        public let comparedFrameCounts: [VideoAsset.VerificationOrder: Int]
    }
}

extension VideoAsset {
    /// Verifies, picture by picture, that requests in any order return the same frames as decoding from the beginning.
    ///
    /// The reference is a linear decode of the file, like that of the ffmpeg command: on one thread, from the first
    /// packet to the last, and without the index. Its picture number *n* is the picture of frame *n*. If the linear
    /// decode finds damage and loses pictures, the picture decoded from the frame's own packet is also accepted. If
    /// there is no damage, the linear decode must output exactly the pictures that have frame numbers, in order. Then
    /// the frames are requested in the given orders, and each answer that claims to be exact is compared by hash.
    ///
    /// Cost: one linear decode and, for each order, about the sum of the seek costs of its frames. The total is at most
    /// ten linear decodes, unless `sample` specifies the number of frames. Memory: one hash per frame, and the memory
    /// of one reader.
    ///
    /// - Parameters:
    ///   - orders: the orders to try.
    ///   - sample: the number of frames to compare in each order, 1 or more, spread evenly over the video. In addition,
    ///     the first sixteen and the last sixteen frames are compared. `nil` means 200 frames, or fewer in an order in
    ///     which 200 frames would cost more than that order's share of the ten linear decodes. The actual numbers are
    ///     in ``VideoAsset/VerificationReport/comparedFrameCounts``.
    ///   - options: the reader's decoders, threads and memory. The random order uses at most two decoders and a small
    ///     cache.
    ///   - progress: receives the progress, in ``WorkProgress/Unit/frames``, on the decoding thread.
    /// - Throws: ``ScrubError`` with `usage` for a sample below 1 or for invalid ``FrameReader/Options``, or
    ///   `inputOutput` if reading fails. `CancellationError` if the task was cancelled; the work then stops after the
    ///   current picture.
    public func verify(
        orders: [VideoAsset.VerificationOrder] = VideoAsset.VerificationOrder.allCases, sample: Int? = nil,
        options: FrameReader.Options = .init(), progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> VideoAsset.VerificationReport {
        try await BlockingWork.run(.long) {
            try self.verify(orders: orders, sample: sample, options: options, progress: progress)
        }
    }

    /// Verifies synchronously, on the calling thread. See the asynchronous method.
    ///
    /// - Throws: ``ScrubError/cancelled`` between two pictures if the work on this thread is cancelled.
    package func verify(
        orders: [VideoAsset.VerificationOrder] = VideoAsset.VerificationOrder.allCases, sample: Int? = nil,
        options: FrameReader.Options = .init(), progress: (WorkProgress) -> Void = { _ in }
    ) throws(ScrubError) -> VideoAsset.VerificationReport {
        do throws(ScrubError) {
            return try compare(orders, sample, options, progress)
        } catch  where error.isCancellation {
            throw ScrubError.cancelled("cancelled before all pictures were compared").inFile(path)
        }
    }

    private func compare(
        _ orders: [VideoAsset.VerificationOrder], _ sample: Int?, _ options: FrameReader.Options,
        _ progress: (WorkProgress) -> Void
    ) throws(ScrubError) -> VideoAsset.VerificationReport {
        if let sample { try ScrubError.check("sample", sample) }
        try options.check()
        let numbers = spread(sample ?? VideoAsset.usualSample)
        let requests = orders.map { order in
            (order, inOrder(order, sample == nil ? affordable(numbers, order, options) : numbers))
        }
        let total = frames.count + requests.reduce(0) { $0 + $1.1.count }
        let (truth, packets, misplaced) = try linearHashes { progress(WorkProgress($0, of: total, .frames)) }
        var done = frames.count
        var checker = Checker(truth: truth, packets: packets)
        checker.faults = misplaced
        for (order, asked) in requests {
            try check(order, asked, options) { (answer) throws(ScrubError) in
                try Cancellation.check()
                try checker.compare(answer, order)
                done += 1
                if done % 16 == 0 { progress(WorkProgress(done, of: total, .frames)) }
            }
        }
        progress(WorkProgress(total, of: total, .frames))
        return VideoAsset.VerificationReport(
            comparedFrameCount: checker.compared, linearPictureCount: truth.count,
            damagedFrameCount: checker.damaged, faults: checker.faults,
            orders: orders, comparedFrameCounts: checker.comparisons)
    }

    private struct Checker {
        let truth: [Int: String]
        /// The hashes of the frames' own packets, for a damaged stream that loses pictures.
        let packets: [Int: String]
        var comparisons: [VideoAsset.VerificationOrder: Int] = [:]
        var compared: Int { comparisons.values.reduce(0, +) }
        var damaged = 0
        var faults: [VideoAsset.VerificationReport.Fault] = []

        mutating func compare(_ answer: FrameAnswer, _ order: VideoAsset.VerificationOrder) throws(ScrubError) {
            comparisons[order, default: 0] += 1
            guard case .exact = answer.verdict, let picture = answer.picture else {
                damaged += 1
                return
            }
            let number = answer.frame.number
            let expected = [truth[number], packets[number]].compactMap { $0 }
            guard !expected.isEmpty else {
                faults.append(
                    .init(
                        order: order, frame: number,
                        reason: "the linear decode did not output a picture for this frame"))
                return
            }
            let hash = try picture.md5()
            if !expected.contains(hash) {
                faults.append(
                    .init(
                        order: order, frame: number, reason: "the picture differs from the one in the linear decode"))
            }
        }
    }

    private static let usualSample = 200

    /// Returns as many of the given frames as cost about one and a half linear decodes in an order. The forward and
    /// batch orders decode groups in sequence, so all frames fit within that cost.
    private func affordable(
        _ numbers: [Int], _ order: VideoAsset.VerificationOrder, _ options: FrameReader.Options
    ) -> [Int] {
        guard order != .forward, order != .batch else { return numbers }
        var reader = FrameReader(self, options: options)
        var left = frames.count + frames.count / 2
        // The first few of the shuffled frames are a random sample.
        let taken = shuffled(numbers).prefix { number in
            left -= reader.decodeCost(ofFrame: number)
            return left >= 0
        }
        return Array(taken.isEmpty ? shuffled(numbers).prefix(1) : taken).sorted()
    }

    /// Returns the frames of a sample that an order requests, in that order.
    private func inOrder(_ order: VideoAsset.VerificationOrder, _ numbers: [Int]) -> [Int] {
        switch order {
        case .forward, .batch: numbers
        case .backward: numbers.reversed()
        case .random: shuffled(numbers)
        case .alone: Array(shuffled(numbers).prefix(max(1, numbers.count / 4)))
        }
    }

    /// Requests frames in one order, which they already have.
    private func check(
        _ order: VideoAsset.VerificationOrder, _ numbers: [Int], _ options: FrameReader.Options,
        _ compare: (FrameAnswer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        var options = options
        switch order {
        case .forward, .backward:
            var reader = FrameReader(self, options: options)
            for number in numbers { try compare(try reader.frame(numbered: number)) }
        case .random:
            // Small enough that pictures are evicted and decoders are reassigned.
            options.decoderLimit = min(2, options.decoderLimit)
            options.cacheByteLimit = min(32 << 20, options.cacheByteLimit)
            var reader = FrameReader(self, options: options)
            for number in numbers { try compare(try reader.frame(numbered: number)) }
        case .alone:
            for number in numbers {
                var reader = FrameReader(self, options: options)
                try compare(try reader.frame(numbered: number))
            }
        case .batch:
            var reader = FrameReader(self, options: options)
            try reader.eachFrame(numbered: numbers) { (answer) throws(ScrubError) in try compare(answer) }
        }
    }

    /// Returns frame numbers over the whole video, including the first and the last sixteen: delays and counts go wrong
    /// at the ends.
    package func spread(_ count: Int) -> [Int] {
        var numbers = Set(frames.indices.prefix(16)).union(frames.indices.suffix(16))
        for i in 0..<min(count, frames.count) { numbers.insert(i * frames.count / min(count, frames.count)) }
        return numbers.sorted()
    }

    /// Returns the numbers in a fixed shuffled order (a linear congruential generator, Knuth's constants).
    func shuffled(_ numbers: [Int]) -> [Int] {
        var (result, state) = (numbers, UInt64(20_261_121))
        for i in result.indices.reversed() where i > 0 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            result.swapAt(i, Int(state >> 33) % (i + 1))
        }
        return result
    }

    /// Returns the hashes of a linear decode's pictures in output order, by the expected frame numbers, and the index's
    /// faults if the decode found no damage. With damage, decoders may lose pictures, and the numbers after them are
    /// not corrected. In that case, it also returns the hashes by the frame numbers of their packets.
    func linearHashes(_ progress: (_ place: Int) -> Void) throws(ScrubError) -> (
        hashes: [Int: String], packets: [Int: String], misplaced: [VideoAsset.VerificationReport.Fault]
    ) {
        var hashes: [Int: String] = [:]
        var packets: [Int: String] = [:]
        var faults: [VideoAsset.VerificationReport.Fault] = []
        var next = 0
        let isSound = try LinearDecode.run(file: file, index: index) { (output) throws(ScrubError) in
            try Cancellation.check()
            let place = hashes.count
            hashes[place] = try translatingErrors("the picture cannot be hashed") { () throws(AVError) in
                try output.frame.frame.md5()
            }
            if place % 32 == 0 { progress(min(place, frames.count)) }
            guard let number = output.picture.flatMap({ index.frame(ofPicture: $0) }) else {
                faults.append(
                    .init(
                        order: nil, frame: next,
                        reason: "before this frame, the linear decode outputs a picture without a frame number"))
                return
            }
            packets[number] = hashes[place]
            if number != next {
                faults.append(
                    .init(
                        order: nil, frame: number,
                        reason: "the linear decode outputs this frame where frame \(next) should be"))
            }
            next = number + 1
        }
        for number in frames.indices.dropFirst(hashes.count) {
            faults.append(
                .init(order: nil, frame: number, reason: "the linear decode does not output a picture for this frame"))
        }
        // For damaged streams, the index itself says which of its numbers are uncertain.
        return (hashes, isSound ? [:] : packets, isSound && !index.hasUncertainNumbers ? faults : [])
    }
}
