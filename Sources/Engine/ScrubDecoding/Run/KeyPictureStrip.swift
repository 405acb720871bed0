internal import ScrubFileIO
package import ScrubLibAV
package import ScrubBase
package import ScrubIndex

/// Key pictures over the whole film, decoded one after the other while no caller waits, with a decoder of their own.
///
/// Use from one thread at a time.
package final class KeyPictureStrip {
    private var resources: GroupResources
    /// Frames that are still to come, coarse to fine.
    private var frames: ArraySlice<Int>
    private var underway: (frame: Int, run: GroupRun, isClaim: Bool)?

    /// - Parameter count: the most pictures.
    init(planner: SeekPlanner, count: Int, settings: OpenDecoderPool.Settings) {
        // Its announcements of reads are kept apart from those for the newest request.
        let planner = planner.file.isRemote ? planner.forAnotherReader : planner
        resources = GroupResources(planner, OpenDecoderPool(index: planner.index, settings: settings))
        frames = planner.keyFrames(spreadOver: count)[...]
    }

    private var planner: SeekPlanner { resources.planner }

    /// Returns the most bytes of a strip's pictures.
    package static func byteCount(_ index: FrameIndex, count: Int, longSide: Int) -> Int {
        guard count > 0 else { return 0 }
        let (width, height) = index.pictureShape
        let size = FrameReducer.size(width: width, height: height, longSide: longSide)
        let (pictures, overflow) = count.multipliedReportingOverflow(by: index.byteCount(ofPictureReducedTo: size))
        return overflow ? .max : pictures
    }

    /// Returns the most bytes that its decoder takes: a picture, its second field, and the pictures on their way out.
    package static func workingByteCount(_ index: FrameIndex) -> Int { 4 * index.pictureBufferByteCount }

    /// The frame whose picture is decoded next; `nil` while one is under way, and when none is left.
    package var nextFrame: Int? { underway == nil ? frames.first : nil }

    /// Leaves the next picture out: it was had without decoding.
    ///
    /// - Returns: whether there is more to do.
    package func skipNext() -> Bool {
        if underway == nil { frames = frames.dropFirst() }
        return underway != nil || !frames.isEmpty
    }

    /// Drops its decoder, because its memory is wanted; work under way is begun again with the next step.
    package func pause() {
        if let underway { frames = [underway.frame] + frames }
        underway = nil
        resources.pool.clear()
    }

    /// Does about one packet.
    ///
    /// - Parameter take: gets the pictures, with their frame numbers. Those that are not clean are left out.
    /// - Returns: whether there is more to do.
    /// - Throws: `inputOutput` when reading fails; that picture is left out.
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
                // One from a restart that nothing proves may be another picture, unless the decoder says that it needs
                // no other.
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
