internal import ScrubSourcesLogic
internal import GRDB

/// A medium's row in the catalogue.
struct MediumRow: Sendable {
    let id: Int64
    let generation: Int64
    let url: String
    let validator: Validator
    let total: Int64
    let created: Int64
    let used: Int64
    /// The time when the server last confirmed this content.
    let checked: Int64
    let timeToLive: Int64
    /// The number of recorded bytes.
    let bytes: Int64
    /// The number of bytes on disk, including those lost in blocks.
    let allocated: Int64
    let counters: CacheCounters
}

/// The counters of a medium, or of all media.
struct CacheCounters: Hashable, Sendable {
    var hits: Int64 = 0
    var misses: Int64 = 0
    var bytesFromCache: Int64 = 0
    var bytesFetched: Int64 = 0
    var damaged: Int64 = 0

    var isZero: Bool { self == CacheCounters() }

    mutating func add(_ other: CacheCounters) {
        // One run's counts cannot come near the limit of 64 bits.
        hits &+= other.hits
        misses &+= other.misses
        bytesFromCache &+= other.bytesFromCache
        bytesFetched &+= other.bytesFetched
        damaged &+= other.damaged
    }
}

/// The maximum size of a medium in bytes. Beyond it, there is no offset for the lock that marks a medium as in use.
let largestMedium: Int64 = 1 << 62

extension CacheDatabase {
    private static let columns = """
        id, generation, url, etag, modified, strong, total, created, used, checked, lifetime, bytes, allocated, \
        hits, misses, bytes_hit, bytes_fetched, damaged
        """

    private static func medium(_ row: Row) throws -> MediumRow {
        guard let id = row.integer(0), id > 0, let generation = row.integer(1), generation > 0, let url = row.text(2),
            let strong = row.integer(5), let total = row.integer(6), (0...largestMedium).contains(total),
            let created = row.integer(7), let used = row.integer(8), let checked = row.integer(9),
            let lifetime = row.integer(10), let bytes = row.integer(11), bytes >= 0,
            let allocated = row.integer(12), allocated >= 0, let hits = row.integer(13),
            let misses = row.integer(14), let bytesHit = row.integer(15), let bytesFetched = row.integer(16),
            let damaged = row.integer(17)
        else { throw CatalogueFailure.damaged("it has an invalid medium") }
        return MediumRow(
            id: id, generation: generation, url: url,
            validator: Validator(entityTag: row.text(3), lastModified: row.text(4), isTimeStrong: strong == 1),
            total: total, created: created, used: used, checked: checked, timeToLive: lifetime, bytes: bytes,
            allocated: allocated,
            counters: CacheCounters(
                hits: hits, misses: misses, bytesFromCache: bytesHit, bytesFetched: bytesFetched, damaged: damaged))
    }

    func medium(key: String) throws(CatalogueFailure) -> MediumRow? {
        try read { try CacheDatabase.medium($0, key: key) }
    }

    static func medium(_ database: Database, key: String) throws -> MediumRow? {
        let statement = try database.cachedStatement(sql: "SELECT \(columns) FROM media WHERE key = ?")
        return try Row.fetchOne(statement, arguments: [key]).map(medium)
    }

    /// Returns whether a medium still exists in this generation.
    func isCurrent(_ id: Int64, _ generation: Int64) throws(CatalogueFailure) -> Bool {
        try read { try CacheDatabase.isCurrent($0, id, generation) }
    }

    static func isCurrent(_ database: Database, _ id: Int64, _ generation: Int64) throws -> Bool {
        let statement = try database.cachedStatement(sql: "SELECT 1 FROM media WHERE id = ? AND generation = ?")
        return try Row.fetchOne(statement, arguments: [id, generation]) != nil
    }

    /// Returns all media, the least recently used first.
    func media() throws(CatalogueFailure) -> [MediumRow] {
        try read { database in
            try Row.fetchAll(database, sql: "SELECT \(CacheDatabase.columns) FROM media ORDER BY used, id").map(
                CacheDatabase.medium)
        }
    }

    /// Returns the number of media and their bytes.
    func sum() throws(CatalogueFailure) -> (count: Int, allocated: Int64) {
        try read { database in
            let statement = try database.cachedStatement(sql: "SELECT count(*), total(allocated) FROM media")
            guard let row = try Row.fetchOne(statement), let count = row.integer(0),
                case .double(let sum) = (row[1] as DatabaseValue).storage
            else { throw CatalogueFailure.damaged("the media in it cannot be counted") }
            return (Int(count), Int64(exactly: sum.rounded()) ?? .max)
        }
    }

    /// Returns the counters since the catalogue was created.
    func totals() throws(CatalogueFailure) -> (counters: CacheCounters, evictions: Int64) {
        try read { database in
            guard
                let row = try Row.fetchOne(
                    database,
                    sql: "SELECT hits, misses, bytes_hit, bytes_fetched, damaged, evictions FROM cache WHERE one = 1"),
                let hits = row.integer(0), let misses = row.integer(1), let bytesHit = row.integer(2),
                let bytesFetched = row.integer(3), let damaged = row.integer(4), let evictions = row.integer(5)
            else { throw CatalogueFailure.damaged("its totals are missing") }
            return (
                CacheCounters(
                    hits: hits, misses: misses, bytesFromCache: bytesHit, bytesFetched: bytesFetched, damaged: damaged),
                evictions
            )
        }
    }

    /// Adds to the counters, within the caller's transaction.
    static func add(_ counters: CacheCounters, _ database: Database, to id: Int64) throws {
        guard !counters.isZero else { return }
        let changes = """
            SET hits = hits + ?, misses = misses + ?, bytes_hit = bytes_hit + ?, bytes_fetched = bytes_fetched + ?,
                damaged = damaged + ?
            """
        let numbers: [any DatabaseValueConvertible] = [
            counters.hits, counters.misses, counters.bytesFromCache, counters.bytesFetched, counters.damaged,
        ]
        try database.cachedStatement(sql: "UPDATE cache \(changes) WHERE one = 1").execute(
            arguments: StatementArguments(numbers))
        try database.cachedStatement(sql: "UPDATE media \(changes) WHERE id = ?").execute(
            arguments: StatementArguments(numbers + [id]))
    }

    /// Marks a medium as used now. Times never go back.
    static func touch(_ database: Database, _ id: Int64, now: Int64) throws {
        try database.cachedStatement(sql: "UPDATE media SET used = max(used, ?) WHERE id = ?").execute(
            arguments: [now, id])
    }
}
