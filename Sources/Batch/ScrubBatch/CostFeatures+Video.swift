package import ScrubBatchLogic
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubDecoding
internal import ScrubIndex
package import ScrubMedia
package import ScrubThumbnails

extension CostFeatures {
    /// Cost: the plan, and an index search for each thumbnail. It does not decode anything.
    ///
    /// - Parameter thumbnailPixels: the pixels of one thumbnail in all sets together.
    package init(of asset: VideoAsset, _ request: ThumbnailPlan.Request, thumbnailPixels: Int) throws(ScrubError) {
        let plan = try asset.thumbnailPlan(for: request)
        let description = asset.index.facts.descriptions.first
        let area = Double(description?.width ?? 0) * Double(description?.height ?? 0)
        self.init(
            codec: description?.codecName ?? CostModel.otherCodec, fedPixels: Double(plan.decodedPictureCount) * area,
            fedBytes: Double(plan.byteCount), shownPixels: Double(plan.frameCount) * area,
            indexBytes: asset.openReport.indexOrigin == .built ? Double(asset.openReport.readByteCount) : 0,
            outputPixels: Double(plan.slots.count) * Double(thumbnailPixels))
    }

    /// The facts for a film whose frames are all decoded.
    ///
    /// - Parameter outputPixels: the pixels of all pictures that are made.
    init(ofAllFrames asset: VideoAsset, outputPixels: Double) {
        let description = asset.index.facts.descriptions.first
        let area = Double(description?.width ?? 0) * Double(description?.height ?? 0)
        let pictures = asset.index.pictures
        self.init(
            codec: description?.codecName ?? CostModel.otherCodec, fedPixels: Double(pictures.count) * area,
            fedBytes: pictures.sizes.reduce(0) { $0 + Double($1) }, shownPixels: Double(asset.frames.count) * area,
            indexBytes: asset.openReport.indexOrigin == .built ? Double(asset.openReport.readByteCount) : 0,
            outputPixels: outputPixels)
    }

    /// The facts for verifying a film's frames: one linear decode, and then a decode in each order.
    ///
    /// - Parameter sample: as in ``BatchWork/verification(sample:)``.
    init(ofProof asset: VideoAsset, sample: Int) {
        self.init(ofAllFrames: asset, outputPixels: 0)
        let count = Double(asset.index.pictures.count)
        let numbers = asset.spread(sample == 0 ? asset.frames.count : max(1, sample))
        // The mean cost of a single frame, from a few samples.
        var reader = FrameReader(asset)
        let few = stride(from: 0, to: numbers.count, by: max(1, numbers.count / 24)).map { numbers[$0] }
        let mean = few.reduce(0.0) { $0 + Double(reader.decodeCost(ofFrame: $1)) } / Double(max(1, few.count))
        let alone = mean * Double(numbers.count)
        // Reading forward, backward and all at once shares decoded pictures. Random order, and single frames for a
        // quarter of them, do not share any.
        let decoded = count + 3 * min(count, alone) + 1.25 * alone
        let compared = Double(asset.frames.count) + 4.25 * Double(numbers.count)
        let whole = (pixels: fedPixels, bytes: fedBytes, shown: shownPixels)
        guard count > 0, !asset.frames.isEmpty else { return }
        (fedPixels, fedBytes) = (whole.pixels * decoded / count, whole.bytes * decoded / count)
        shownPixels = whole.shown * compared / Double(asset.frames.count)
    }

    /// For the state, which only stores them and returns them.
    var text: String { "\(codec) \(fedPixels) \(fedBytes) \(shownPixels) \(indexBytes) \(outputPixels)" }

    /// Parses the output of ``text``; `nil` for anything else.
    init?(text: String) {
        let words = text.split(separator: " ")
        let numbers = words.dropFirst().compactMap { Double($0) }
        guard words.count == 6, numbers.count == 5, numbers.allSatisfy({ $0.isFinite && $0 >= 0 }) else { return nil }
        self.init(
            codec: String(words[0]), fedPixels: numbers[0], fedBytes: numbers[1], shownPixels: numbers[2],
            indexBytes: numbers[3], outputPixels: numbers[4])
    }
}
