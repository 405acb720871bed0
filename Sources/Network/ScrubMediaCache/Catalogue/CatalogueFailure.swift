internal import GRDB
internal import ScrubBase

/// The reason why the catalogue did not answer.
enum CatalogueFailure: Error {
    /// The file is not a catalogue, or is damaged, and must be recreated.
    case damaged(String)
    /// Another process kept the catalogue locked for too long. Only this one step was lost.
    case busy
    /// The disk is full, broken or read-only: no more is recorded in this run.
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

    /// The failure as a clause for people.
    var words: String {
        switch self {
        case .damaged(let words), .unwritable(let words): words
        case .busy: "another process has it locked"
        }
    }
}

extension Row {
    /// Returns an integer; `nil` for any other value, whatever a damaged catalogue contains.
    func integer(_ column: Int) -> Int64? {
        guard case .int64(let number) = (self[column] as DatabaseValue).storage else { return nil }
        return number
    }

    /// Returns a text; `nil` for any other value.
    func text(_ column: Int) -> String? {
        guard case .string(let text) = (self[column] as DatabaseValue).storage else { return nil }
        return text
    }
}
