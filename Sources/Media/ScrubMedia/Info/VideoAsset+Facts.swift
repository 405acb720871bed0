internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubIndex

extension VideoAsset {
    /// Returns facts about the file other than its frames: either those saved with the index, or else facts that are
    /// read now and saved.
    ///
    /// - Throws: `inputOutput` if reading the first picture fails.
    func facts() throws(ScrubError) -> (facts: MediaFacts, problem: String?) {
        if let saved = savedFacts { return (saved, nil) }
        let failures = file.failureCount
        var problem: String?
        var facts = MediaFacts(container: .init())
        do throws(AVError) {
            facts.container = try ContainerReader.describe(file)
        } catch {
            problem = error.scrubError("the other streams cannot be listed").cause
        }
        if needsPicture {
            var options = FrameReader.Options()
            // For one picture, more threads would only cost more memory.
            options.threadCount = 1
            var reader = FrameReader(self, options: options)
            let first = try reader.frame(at: .first)
            if let shared = first.picture?.shared {
                facts.firstPicture = PictureDescription(shared.frame)
            } else {
                problem = "the first frame cannot be decoded: \(first.verdict.reason ?? "")"
            }
        }
        try file.checkReads(since: failures)
        if problem == nil, let key { try? store?.save(facts, key) }
        return (facts, problem)
    }

    /// The facts saved with the index.
    var savedFacts: MediaFacts? { key.flatMap { store?.loadFacts($0) } }

    /// Whether some facts are only available in the pictures: the pixel format, fields, or the peak brightness.
    private var needsPicture: Bool {
        let description = index.facts.descriptions[0]
        if PixelFormat(rawValue: description.pixelFormat).name.isEmpty { return true }
        if index.facts.fieldStatement == .picturesTell { return true }
        let isHDR = description.colorTransfer == 16 || description.colorTransfer == 18
        return isHDR && description.mastering == nil
    }
}
