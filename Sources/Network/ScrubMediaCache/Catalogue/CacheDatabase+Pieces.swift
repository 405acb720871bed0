internal import GRDB

extension CacheDatabase {
    /// Returns the recorded pieces of a medium that overlap a range.
    func pieces(
        _ id: Int64, _ generation: Int64, in range: Range<Int64>, total: Int64
    ) throws(CatalogueFailure) -> [Piece] {
        try read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT start, end, hash FROM pieces
                    WHERE media = ? AND generation = ? AND start > ? AND start < ? AND end > ? ORDER BY start
                    """)
            // No piece exceeds the maximum length, so earlier ones need not be examined.
            let first = max(-1, range.lowerBound - Piece.byteLimit)
            return try Row.fetchAll(
                statement, arguments: [id, generation, first, range.upperBound, range.lowerBound]
            ).map { try CacheDatabase.piece($0, total) }
        }
    }

    /// Returns all pieces of a medium, in the order in which they were recorded.
    func pieces(_ id: Int64, _ generation: Int64, total: Int64) throws(CatalogueFailure) -> [Piece] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT start, end, hash FROM pieces WHERE media = ? AND generation = ? ORDER BY recorded, start
                    """, arguments: [id, generation]
            ).map { try CacheDatabase.piece($0, total) }
        }
    }

    private static func piece(_ row: Row, _ total: Int64) throws -> Piece {
        guard let start = row.integer(0), let end = row.integer(1), let hash = row.integer(2),
            let piece = Piece(start: start, end: end, hash: UInt64(bitPattern: hash), total: total)
        else { throw CatalogueFailure.damaged("it has an invalid piece") }
        return piece
    }

    /// Inserts pieces whose bytes are synced, within the caller's transaction. A piece that overlaps another one is
    /// skipped.
    static func insert(
        _ pieces: [Piece], _ database: Database, _ id: Int64, _ generation: Int64, now: Int64
    ) throws -> [Piece] {
        let look = try database.cachedStatement(
            sql: """
                SELECT 1 FROM pieces WHERE media = ? AND generation = ? AND start > ? AND start < ? AND end > ?
                """)
        let enter = try database.cachedStatement(
            sql: "INSERT INTO pieces (media, generation, start, end, hash, recorded) VALUES (?, ?, ?, ?, ?, ?)")
        var entered: [Piece] = []
        for piece in pieces {
            let first = max(-1, piece.range.lowerBound - Piece.byteLimit)
            guard
                try Row.fetchOne(
                    look, arguments: [id, generation, first, piece.range.upperBound, piece.range.lowerBound]) == nil
            else { continue }
            try enter.execute(
                arguments: [
                    id, generation, piece.range.lowerBound, piece.range.upperBound, Int64(bitPattern: piece.hash), now,
                ])
            entered.append(piece)
        }
        return entered
    }

    /// Removes pieces, within the caller's transaction: exactly these, not those recorded there since.
    ///
    /// - Returns: the number of bytes of those that existed.
    static func remove(_ pieces: [Piece], _ database: Database, _ id: Int64, _ generation: Int64) throws -> Int64 {
        let statement = try database.cachedStatement(
            sql: "DELETE FROM pieces WHERE media = ? AND generation = ? AND start = ? AND end = ? AND hash = ?")
        var bytes: Int64 = 0
        for piece in pieces {
            try statement.execute(
                arguments: [
                    id, generation, piece.range.lowerBound, piece.range.upperBound, Int64(bitPattern: piece.hash),
                ])
            if database.changesCount > 0 { bytes += Int64(piece.range.count) }
        }
        return bytes
    }

    /// Updates the recorded and allocated bytes of a medium, within the caller's transaction.
    static func account(_ database: Database, _ id: Int64, more bytes: Int64, allocated: Int64) throws {
        try database.cachedStatement(
            sql: "UPDATE media SET bytes = max(0, bytes + ?), allocated = ? WHERE id = ?"
        ).execute(arguments: [bytes, allocated, id])
    }
}
