import ScrubFileIO
import Foundation
import ScrubBase
import ScrubThumbnails
import ScrubTestSupport

@testable import ScrubBatch

extension BatchLibrary {
    /// A folder as Plex keeps its media in.
    var plex: String { folder.path + "/plex/Media" }

    /// Options for servers' places, and the work for them. Work is counted.
    func served(
        _ profiles: [ThumbnailSets.Profile] = [.jellyfin, .plex], every seconds: Int64 = 1, plex: Bool = false,
        quality: Int = 80, replaces: Bool = false
    ) throws -> (work: BatchWork, options: BatchOptions) {
        var sets = ThumbnailSets.Options(profiles)
        sets.request = ThumbnailPlan.Request(.every(Rational(seconds)), tolerance: .automatic)
        (sets.quality, sets.fitsTrickplay) = (quality, true)
        if plex {
            try FileManager.default.createDirectory(
                atPath: self.plex + "/localhost", withIntermediateDirectories: true)
        }
        var places = try ServerLocations(isBeside: true, plexMedia: plex ? self.plex : nil, sets: sets)
        places.replaces = replaces
        let made = BatchWork.thumbnailSets(sets)
        let counted = BatchWork(name: made.name, request: made.request, thumbnailPixels: made.thumbnailPixels) {
            [worked] (asset, surroundings) throws(ScrubError) in
            worked.withLock { $0.append(asset.path.mediumName) }
            return try made.make(asset, surroundings)
        }
        var options = options()
        options.servers = places
        return (places.fitting(counted), options)
    }

    func run(
        _ served: (work: BatchWork, options: BatchOptions), stops: @escaping @Sendable () -> Bool = { false }
    ) throws -> [String: BatchOutcome] { try run(served.work, served.options, stops: stops) }

    /// All files beside the films and in Plex's folder, with their bytes, without the films.
    func servedTree() throws -> [String: Data] {
        var tree: [String: Data] = [:]
        for root in [films, plex] {
            for name in (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? [] {
                guard FileFacts(path: root + "/" + name)?.kind == .file, !MediaWalk.promisesFilm(name) else { continue }
                tree[name] = try Data(contentsOf: URL(filePath: root + "/" + name))
            }
        }
        return tree
    }

    /// Puts a foreign file below the films. - Returns: its path.
    @discardableResult
    func put(_ bytes: [UInt8], at name: String) throws -> String {
        if let above = Folder.folder(of: films + "/" + name) { try Folder.make(above) }
        try AtomicFile.write(bytes, to: .kept(films + "/" + name))
        return films + "/" + name
    }

    func loseState() {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: folder.path + "/state.sqlite" + suffix)
        }
    }

    /// Returns the number of films that were really worked on since the last call.
    func takeWorked() -> Int {
        worked.withLock { worked in
            defer { worked = [] }
            return worked.count
        }
    }
}
