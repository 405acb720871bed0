internal import GRDB
internal import ScrubBase

/// Why the catalogue did not answer.
enum CatalogueFailure: Error {
    /// It is not a catalogue, or is damaged: it must be created again.
    case damaged(String)
    /// Another process kept it locked for too long. Nothing was lost but this one step.
    case busy
    /// The disk is full, broken or may not be written: nothing more is recorded in this run.
    case unwritable(String)

    init(_ error: any Error) {
        guard let error = error as? DatabaseError else {
            self = (error as? CatalogueFailure) ?? .damaged("\(error)")
            return
        }
        let words = error.message ?? "\(error.extendedResultCode)"
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_INTERRUPT, .SQLITE_NOMEM: self = .busy
        case .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_NOLFS:
            self = .unwritable(words)
        default: self = .damaged(words)
        }
    }

    /// The clause for people.
    var words: String {
        switch self {
        case .damaged(let words), .unwritable(let words): words
        case .busy: "another process keeps it locked"
        }
    }
}

extension Row {
    /// Returns a whole number; nil for anything else, whatever a broken catalogue has there.
    func integer(_ column: Int) -> Int64? {
        guard case .int64(let number) = (self[column] as DatabaseValue).storage else { return nil }
        return number
    }

    /// Returns a text; nil for anything else.
    func text(_ column: Int) -> String? {
        guard case .string(let text) = (self[column] as DatabaseValue).storage else { return nil }
        return text
    }
}
