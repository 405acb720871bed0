internal import ScrubFileIO
package import ScrubLibAV
package import ScrubBase
package import ScrubIndex

/// Key pictures spread over the whole video, decoded one after another with a separate decoder while no caller is
/// waiting.
///
/// Use from one thread at a time.
package final class KeyframeStrip {
    private var resources: GroupResources
    /// The remaining frames, coarse to fine.
    private var frames: ArraySlice<Int>
    private var underway: (frame: Int, run: GroupRun, isClaim: Bool)?

    /// Creates a strip.
    ///
    /// - Parameter count: the maximum number of pictures.
    init(planner: SeekPlanner, count: Int, settings: OpenDecoderPool.Settings) {
        // Its announcements of reads are separate from those for the newest request.
        let planner = planner.file.isRemote ? planner.forAnotherReader : planner
        resources = GroupResources(planner, OpenDecoderPool(index: planner.index, settings: settings))
        frames = planner.keyFrames(spreadOver: count)[...]
    }

    private var planner: SeekPlanner { resources.planner }

    /// Returns the maximum number of bytes of a strip's pictures.
    package static func byteCount(_ index: FrameIndex, count: Int, longSide: Int) -> Int {
        guard count > 0 else { return 0 }
        let (width, height) = index.pictureShape
        let size = FrameReducer.size(width: width, height: height, longSide: longSide)
        let (pictures, overflow) = count.multipliedReportingOverflow(by: index.byteCount(ofPictureReducedTo: size))
        return overflow ? .max : pictures
    }

    /// Returns the maximum number of bytes of its decoder: a picture, its second field, and the pictures in transit.
    package static func workingByteCount(_ index: FrameIndex) -> Int { 4 * index.pictureBufferByteCount }

    /// The frame whose picture is decoded next; `nil` while one is in progress, and if there is none left.
    package var nextFrame: Int? { underway == nil ? frames.first : nil }

    /// Skips the next picture, which was obtained without decoding.
    ///
    /// - Returns: whether there is more to do.
    package func skipNext() -> Bool {
        if underway == nil { frames = frames.dropFirst() }
        return underway != nil || !frames.isEmpty
    }

    /// Drops its decoder, because its memory is needed. Work in progress restarts with the next step.
    package func pause() {
        if let underway { frames = [underway.frame] + frames }
        underway = nil
        resources.pool.clear()
    }

    /// Decodes about one packet.
    ///
    /// - Parameter take: receives the pictures, with their frame numbers. Those that are not clean are skipped.
    /// - Returns: whether there is more to do.
    /// - Throws: `inputOutput` if reading fails; that picture is skipped.
    package func step(_ take: (Int, SharedFrame) -> Void) throws(ScrubError) -> Bool {
        if underway == nil {
            let next = frames.first
            underway = try self.next()
            if underway == nil, let next, Cancellation.isCurrentCancelled { frames = [next] + frames }
        }
        guard let (frame, run, isClaim) = underway else { return !frames.isEmpty }
        let picture = Int(planner.index.frames[frame])
        do throws(ScrubError) {
            for found in try run.step(&resources) where found.number == picture {
                // A picture from an unproven restart may be a different one, unless the decoder reports that it is
                // independent.
                if let image = found.frame, !isClaim || image.frame.isToldKey { take(frame, image) }
            }
        } catch {
            if Cancellation.isCurrentCancelled { return true }
            underway = nil
            throw error
        }
        guard run.end != nil else { return true }
        underway = nil
        return !frames.isEmpty
    }

    private func next() throws(ScrubError) -> (Int, GroupRun, Bool)? {
        if planner.file.isRemote { planner.expect(frames: frames.prefix(16), byteLimit: 2 << 20) }
        guard let frame = frames.popFirst(), planner.isKeyFrame(frame), !Cancellation.isCurrentCancelled else {
            return nil
        }
        let plan = planner.plan(forFrame: frame)
        let work = GroupRun.Work(
            plan: planner.feedPlan(plan, targets: [plan.target]), targets: [plan.target], isDrained: true)
        return (frame, try GroupRun(work, &resources), !planner.unprovenRestarts(of: plan).isEmpty)
    }
}
