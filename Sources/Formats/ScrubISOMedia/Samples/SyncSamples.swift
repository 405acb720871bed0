import ScrubBase

extension SampleTableBuilder {
    /// Marks the samples at which decoding may start (ISO/IEC 14496-12, 8.6.2, and QuickTime's `stps`).
    ///
    /// Without an `stss` box, every sample is a sync sample. An empty `stss` box means that none is. Players must still
    /// start somewhere, so the first sample counts as one unless another box specifies starting points.
    mutating func addSyncSamples(path: String) throws(ScrubError) {
        guard let box = track.tables.stss else { return }
        let full = try box.rows(
            in: track.moov, width: 4, tolerant: true, path: path, warnings: &table.warnings)
        var partial = Rows.none
        if let box = track.tables.stps {
            partial = try box.rows(
                in: track.moov, width: 4, tolerant: true, path: path, warnings: &table.warnings)
        }
        let moov = track.moov
        let bytes = moov.span
        // Samples count from 1; a few writers count from 0, as the first row shows.
        let isOneBased =
            (full.count > 0 && bigEndian32(bytes, at: full.start) > 0)
            || (partial.count > 0 && bigEndian32(bytes, at: partial.start) > 0)
        let base = isOneBased ? 1 : 0
        var kinds = [SampleTable.SyncKind](repeating: [], count: table.count)
        for (rows, kind) in [(full, SampleTable.SyncKind.sync), (partial, .partial)] {
            for row in 0..<rows.count {
                let sample = Int(bigEndian32(bytes, at: rows.start + row * 4)) - base
                if kinds.indices.contains(sample) { kinds[sample].insert(kind) }
            }
        }
        if full.count == 0, partial.count == 0 {
            var hasGroup = false
            for box in track.tables.sbgp {
                let runs = try SampleGroup.Runs(box, in: track.moov, path: path)
                if runs?.grouping == .rap { hasGroup = true }
            }
            if !hasGroup { kinds[0] = .sync }
        }
        table.syncKinds = kinds
    }
}
