internal import ScrubBitstream
package import ScrubFileIO

/// The coded pictures of a finished index: ``CodedPictures`` that no longer change, in memory or in a saved index. The
/// columns have the same meaning.
package struct PictureTable: Sendable, Equatable {
    package let offsets: Column<Int64>
    package let sizes: Column<UInt32>
    package let presentationTimes: Column<Int64>
    package let decodeTimes: Column<Int64>
    package let flags: Column<PictureFlags>
    package let fingerprints: Column<UInt32>
    package let descriptions: Column<UInt8>
    package let recoveryCounts: [UInt32: UInt32]

    package init(_ pictures: CodedPictures) {
        offsets = Column(pictures.offsets)
        sizes = Column(pictures.sizes)
        presentationTimes = Column(pictures.presentationTimes)
        decodeTimes = Column(pictures.decodeTimes)
        flags = Column(pictures.flags)
        fingerprints = Column(pictures.fingerprints)
        descriptions = Column(pictures.descriptions)
        recoveryCounts = pictures.recoveryCounts
    }

    init(
        offsets: Column<Int64>, sizes: Column<UInt32>, presentationTimes: Column<Int64>, decodeTimes: Column<Int64>,
        flags: Column<PictureFlags>, fingerprints: Column<UInt32>, descriptions: Column<UInt8>,
        recoveryCounts: [UInt32: UInt32]
    ) {
        self.offsets = offsets
        self.sizes = sizes
        self.presentationTimes = presentationTimes
        self.decodeTimes = decodeTimes
        self.flags = flags
        self.fingerprints = fingerprints
        self.descriptions = descriptions
        self.recoveryCounts = recoveryCounts
    }

    /// Returns the same pictures with other flags.
    func with(flags: [PictureFlags]) -> PictureTable {
        PictureTable(
            offsets: offsets, sizes: sizes, presentationTimes: presentationTimes, decodeTimes: decodeTimes,
            flags: Column(flags), fingerprints: fingerprints, descriptions: descriptions,
            recoveryCounts: recoveryCounts)
    }

    /// The number of coded pictures.
    package var count: Int { offsets.count }

    /// Returns the index of the stream description that a picture needs.
    package func description(of picture: Int) -> Int { descriptions.isEmpty ? 0 : Int(descriptions[picture]) }
}
