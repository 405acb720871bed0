#if Viewer
import ScrubFileIO
import Glibc
import ScrubBase

/// Named files that do not exist: the page also reports them, but a wrong name is best noticed where it was typed.
enum MissingFiles {
    /// Returns the files in a list that cannot be opened, and why; folders and addresses are left to the server.
    static func among(_ names: [String]) -> [ScrubError] {
        names.compactMap { name in
            var facts = stat()
            guard !name.isNetworkAddress else { return nil }
            if unsafe fstatat(AT_FDCWD, name, &facts, 0) == 0, facts.st_mode & S_IFMT == S_IFDIR {
                do throws(ScrubError) { _ = try ConfinedFolder(path: name) } catch { return error }
                return nil
            }
            do throws(ScrubError) { _ = try FileSource(path: name) } catch { return error }
            return nil
        }
    }
}
#endif
