/// The limits of a rendition.
package struct RenditionBudget: Hashable, Sendable {
    /// The desired width of pictures; nil for any.
    package var width: Int?
    package var height: Int?
    /// The maximum peak bit rate, in bits per second; nil for any.
    package var peakBitRate: Int64?

    package init(width: Int? = nil, height: Int? = nil, peakBitRate: Int64? = nil) {
        (self.width, self.height, self.peakBitRate) = (width, height, peakBitRate)
    }

    /// Returns the index of the best rendition that the budget allows: the one with the largest picture, then the
    /// highest bit rate, then the first one. If none is allowed, it chooses the one with the lowest bit rate.
    /// Renditions with only sound are considered only if there is nothing else.
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
