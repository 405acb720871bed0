internal import FileIO
package import LibAV
package import ScrubBase
package import ScrubIndex

/// Key pictures over the whole film, decoded one after the other while nobody waits.
struct StripWork {
    /// One decoder, apart from those that stand somewhere.
    var pool: DecoderPool
    /// Frames that are still to come.
    var frames: ArraySlice<Int>
    /// What is under way.
    var job: (frame: Int, job: DecodeJob)?
}

extension FrameEngine {
    /// The most bytes of a strip's pictures, and of its decoder: a picture, its second field, and what is on its way out.
    package static func stripByteCount(
        _ index: FrameIndex, count: Int, longSide: Int
    ) -> (pictures: Int, decoding: Int) {
        guard count > 0 else { return (0, 0) }
        let description = index.facts.descriptions[0]
        let (width, height) = (Int(max(16, description.width)), Int(max(16, description.height)))
        let full = DecoderPool.estimatedBytes(description)
        let size = FrameReducer.size(width: width, height: height, longSide: longSide)
        // Rows are padded to 64 samples, and buffers to whole pages.
        let area = (size.width + 63) / 64 * 64 * (size.height + 16)
        return (count * (area * (full / (width * height) + 1) + 4096), 4 * DecoderPool.allottedBytes(description))
    }

    /// Frames that can be decoded alone and lie nearest to the middles of `count` equal parts of the film, coarse to
    /// fine: any first few of them are spread over the whole film. Fewer where there are fewer key pictures.
    ///
    /// Cost: may read the heads of the key pictures.
    package func stripFrames(count: Int) -> [Int] {
        let keys = index.restarts.compactMap { index.frame(ofPicture: Int($0)) }.sorted()
        guard !keys.isEmpty, index.frameCount > 0 else { return [] }
        var found: [Int] = []
        var seen: Set<Int> = []
        for slot in BitReversal.order(count) {
            let middle = (2 * slot + 1) * index.frameCount / (2 * count)
            let above = keys.partitioningIndex { $0 >= middle }
            let near = [above - 1, above].filter { keys.indices.contains($0) }.map { keys[$0] }
            guard let key = near.min(by: { abs($0 - middle) < abs($1 - middle) }), seen.insert(key).inserted else {
                continue
            }
            found.append(key)
        }
        return found
    }

    /// Says which frames the strip is to have; nothing is decoded yet.
    package func prepareStrip(of frames: [Int]) {
        strip = StripWork(pool: DecoderPool(index: index, settings: pool.forWorkers()), frames: frames[...])
    }

    /// Does a little of the strip: about one packet.
    ///
    /// - Parameter take: gets the pictures, with their frame numbers. Those that are not clean are left out.
    /// - Returns: whether there is more to do.
    /// - Throws: `inputOutput` when reading fails; that picture is left out.
    package func workOnStrip(_ take: (Int, SharedFrame) -> Void) throws(ScrubError) -> Bool {
        guard var work = strip else { return false }
        defer { strip = work.frames.isEmpty && work.job == nil ? nil : work }
        if work.job == nil { work.job = try nextOfStrip(&work) }
        guard let (frame, job) = work.job else { return !work.frames.isEmpty }
        let picture = Int(index.frames[frame])
        do throws(ScrubError) {
            try job.step(reader: &reader) { (number, image) in if number == picture { take(frame, image) } }
        } catch {
            work.job = nil
            throw error
        }
        guard job.isOver else { return true }
        if job.decoder.isClean { work.pool.put(job.decoder) }
        work.job = nil
        return !work.frames.isEmpty
    }

    private func nextOfStrip(_ work: inout StripWork) throws(ScrubError) -> (Int, DecodeJob)? {
        guard let frame = work.frames.popFirst() else { return nil }
        guard isKeyFrame(frame) else { return nil }
        let plan = restartPlan(forFrame: frame)
        let feeds = feedPlan(plan, targets: [plan.target])
        work.pool.settings.x264Build = reader.encoderBuild()
        let job = DecodeJob.Work(plan: feeds, targets: [plan.target], isDrained: true)
        let (decoder, rest) = try work.pool.take(for: feeds, targets: job.targets)
        return (frame, DecodeJob(job, decoder: decoder, feeds: rest))
    }
}
