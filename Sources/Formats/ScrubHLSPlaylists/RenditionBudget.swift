/// The limits of a rendition.
package struct RenditionBudget: Hashable, Sendable {
    /// The size that pictures are wanted in; nil for any.
    package var width: Int?
    package var height: Int?
    /// Bits per second at the peak; nil for any.
    package var peakBitRate: Int64?

    package init(width: Int? = nil, height: Int? = nil, peakBitRate: Int64? = nil) {
        (self.width, self.height, self.peakBitRate) = (width, height, peakBitRate)
    }

    /// Returns the place of the best rendition that the budget allows: the largest picture, then the greatest bit rate,
    /// then the first. If none is allowed, the one with the least bit rate is chosen. Those with sound alone count only
    /// where there is nothing else.
    package func choose(among renditions: [MasterPlaylist.Rendition]) -> Int? {
        let seen = renditions.indices.filter { !renditions[$0].isSoundOnly }
        let places = seen.isEmpty ? Array(renditions.indices) : seen
        let allowed = places.filter { isAllowed(renditions[$0]) }
        let rank = { (place: Int) in
            let rendition = renditions[place]
            return (Int64(rendition.width ?? 0) * Int64(rendition.height ?? 0), rendition.bandwidth, -place)
        }
        return allowed.max { rank($0) < rank($1) }
            ?? places.min { (renditions[$0].bandwidth, $0) < (renditions[$1].bandwidth, $1) }
    }

    private func isAllowed(_ rendition: MasterPlaylist.Rendition) -> Bool {
        if let peakBitRate, rendition.bandwidth > peakBitRate { return false }
        if let width, let known = rendition.width, known > width { return false }
        if let height, let known = rendition.height, known > height { return false }
        return true
    }
}
