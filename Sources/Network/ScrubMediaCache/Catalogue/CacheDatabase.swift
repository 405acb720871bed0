internal import ScrubFileIO
internal import GRDB
internal import ScrubBase

/// The catalogue: an SQLite database in WAL mode that records which media exist and which of their bytes.
///
/// Only bytes in `pieces` exist. A commit is not synced: if it is lost in a power failure, work is lost, but the bytes
/// that it refers to were synced before it. Values read here are not trusted: an impossible number means a damaged
/// catalogue.
///
/// Thread safety: safe from any thread; statements and transactions run one at a time.
final class CacheDatabase: Sendable {
    /// Its unique name, which is part of its data files' paths.
    let epoch: String
    /// The salt of the keys' hash.
    let salt: [UInt8]
    /// The identity of its file.
    let number: [UInt64]?
    private let queue: DatabaseQueue

    /// "SCRB" in big-endian order.
    static let applicationID: Int64 = 0x5343_5242
    static let version: Int64 = 1

    private init(_ queue: DatabaseQueue, epoch: String, salt: [UInt8], number: [UInt64]?) {
        self.queue = queue
        self.epoch = epoch
        self.salt = salt
        self.number = number
    }

    /// Opens or creates the catalogue of a folder. A file in its place that is not a valid catalogue of this version is
    /// renamed.
    ///
    /// - Parameters:
    ///   - busyTimeout: the seconds to wait for another process's transaction.
    ///   - broken: the file of a catalogue that has turned out to be damaged.
    static func open(
        _ folder: MediaFolder, busyTimeout: Double, broken: [UInt64]? = nil
    ) throws(ScrubError) -> CacheDatabase {
        // The usual case: it exists, and no lock is needed.
        if broken == nil, Folder.number(of: folder.catalogue) != nil,
            let found = try? connect(folder, busyTimeout, makes: false)
        {
            return found
        }
        let lock = try FileLock(path: folder.lock)
        defer { withExtendedLifetime(lock) {} }
        if let broken, Folder.number(of: folder.catalogue) == broken { setAside(folder) }
        var tries = 0
        while true {
            do throws(CatalogueFailure) {
                return try connect(folder, busyTimeout, makes: true)
            } catch {
                tries += 1
                switch error {
                case .damaged where tries < 4: setAside(folder)
                // SQLite itself does not always wait for recovery after a killed process.
                case .busy where tries < 20: PollingDelay.take()
                default:
                    throw ScrubError(
                        .unavailable, "the media cache's catalogue cannot be used: \(error.words)",
                        file: folder.catalogue,
                        advice:
                            "set SCRUB_CACHE_DIR to a writable folder, or turn the cache off (\(term: .keepsNothing))"
                    )
                }
            }
        }
    }

    /// Renames the files, the journals first: that of a lost database must not be replayed into the next one.
    private static func setAside(_ folder: MediaFolder) {
        for suffix in ["-wal", "-shm", ""] {
            _ = Folder.move(folder.catalogue + suffix, to: folder.damagedCatalogue + suffix)
        }
    }

    private static func connect(
        _ folder: MediaFolder, _ busyTimeout: Double, makes: Bool
    ) throws(CatalogueFailure) -> CacheDatabase {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(busyTimeout)
        configuration.label = "scrub.media-cache"
        configuration.prepareDatabase { database in
            // Several processes write the file, and it is never mapped: truncating a mapped file would crash the
            // process.
            try database.execute(
                sql:
                    "PRAGMA synchronous=NORMAL; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON"
            )
        }
        do {
            let queue = try DatabaseQueue(path: folder.catalogue, configuration: configuration)
            let (epoch, salt) = try queue.inDatabase { database -> (String, [UInt8]) in
                if makes { try make(database) }
                guard try number(database, "application_id") == applicationID,
                    try number(database, "user_version") == version,
                    let row = try Row.fetchOne(database, sql: "SELECT epoch, salt FROM cache WHERE one = 1"),
                    let epoch = row.text(0), MediaFolder.isEpoch(epoch), let salt = row.text(1), salt.utf8.count == 32
                else { throw CatalogueFailure.damaged("it has a different version") }
                return (epoch, Array(salt.utf8))
            }
            return CacheDatabase(queue, epoch: epoch, salt: salt, number: Folder.number(of: folder.catalogue))
        } catch {
            throw CatalogueFailure(error)
        }
    }

    private static func number(_ database: Database, _ pragma: String) throws -> Int64? {
        try Row.fetchOne(database, sql: "PRAGMA \(pragma)")?.integer(0)
    }

    /// Fills an empty database. Called under the folder's lock.
    ///
    /// It does not sync, because a caller is waiting to open an address. After a power failure, a new catalogue is
    /// damaged or missing, and is recreated in either case. The first checkpoint syncs everything before it.
    private static func make(_ database: Database) throws {
        guard try number(database, "application_id") == 0, try number(database, "user_version") == 0,
            try Row.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master")?.integer(0) == 0
        else { return }
        try database.execute(sql: "PRAGMA synchronous=OFF; PRAGMA journal_mode=WAL")
        var random = SystemRandomNumberGenerator()
        let epoch = PlainText.hexadecimal(random.next() as UInt64)
        let salt = PlainText.hexadecimal(random.next() as UInt64) + PlainText.hexadecimal(random.next() as UInt64)
        try database.inTransaction(.immediate) {
            for statement in schema { try database.execute(sql: statement) }
            try database.execute(
                sql: "INSERT INTO cache (one, epoch, salt) VALUES (1, ?, ?)", arguments: [epoch, salt])
            // These numbers make it a catalogue, in the same transaction.
            try database.execute(sql: "PRAGMA application_id=\(applicationID)")
            try database.execute(sql: "PRAGMA user_version=\(version)")
            return .commit
        }
        try database.execute(sql: "PRAGMA synchronous=NORMAL")
    }

    private static let schema = [
        """
        CREATE TABLE cache (
            one INTEGER PRIMARY KEY CHECK (one = 1), epoch TEXT NOT NULL, salt TEXT NOT NULL,
            hits INTEGER NOT NULL DEFAULT 0, misses INTEGER NOT NULL DEFAULT 0,
            bytes_hit INTEGER NOT NULL DEFAULT 0, bytes_fetched INTEGER NOT NULL DEFAULT 0,
            evictions INTEGER NOT NULL DEFAULT 0, damaged INTEGER NOT NULL DEFAULT 0)
        """,
        """
        CREATE TABLE media (
            id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, url TEXT NOT NULL,
            generation INTEGER NOT NULL, etag TEXT, modified TEXT, strong INTEGER NOT NULL, total INTEGER NOT NULL,
            created INTEGER NOT NULL, used INTEGER NOT NULL, checked INTEGER NOT NULL, lifetime INTEGER NOT NULL,
            bytes INTEGER NOT NULL DEFAULT 0, allocated INTEGER NOT NULL DEFAULT 0,
            hits INTEGER NOT NULL DEFAULT 0, misses INTEGER NOT NULL DEFAULT 0,
            bytes_hit INTEGER NOT NULL DEFAULT 0, bytes_fetched INTEGER NOT NULL DEFAULT 0,
            damaged INTEGER NOT NULL DEFAULT 0)
        """,
        // Times of use are rarely written, pieces often.
        "CREATE INDEX media_used ON media (used)",
        """
        CREATE TABLE pieces (
            media INTEGER NOT NULL, generation INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
            hash INTEGER NOT NULL, recorded INTEGER NOT NULL, PRIMARY KEY (media, generation, start)) WITHOUT ROWID
        """,
    ]

    /// Runs a read-only statement.
    func read<Value>(_ body: (Database) throws -> Value) throws(CatalogueFailure) -> Value {
        do { return try queue.inDatabase(body) } catch { throw CatalogueFailure(error) }
    }

    /// Runs a write transaction.
    func write<Value>(_ body: (Database) throws -> Value) throws(CatalogueFailure) -> Value {
        do {
            return try queue.inDatabase { database in
                var result: Value?
                try database.inTransaction(.immediate) {
                    result = try body(database)
                    return .commit
                }
                guard let result else { throw CatalogueFailure.busy }
                return result
            }
        } catch {
            throw CatalogueFailure(error)
        }
    }
}
