package io.viaduct.cnapt.naming;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Replaces the host's resolv.conf(5) by one with the operator's resolvers, and restores it. The
/// host's file or symbolic link is kept in the agent's state directory. The first line of the new
/// file names that place, so that an agent can restore the file after another agent was killed.
///
/// Not thread-safe.
final class ResolverFile {
  private static final String MARK = "# Set by cnapt while it is up. Before it, kept in ";

  private final Path file;
  private final Path kept;

  /// @param file the host's file, `/etc/resolv.conf`
  /// @param kept absolute path of the kept file; one per agent
  ResolverFile(Path file, Path kept) {
    this.file = file;
    this.kept = kept;
  }

  /// Returns the file with the network's resolvers: the given file, or the kept one if an agent has
  /// replaced it.
  static Path outside(Path file) {
    Path before = keptOf(file).orElse(file);
    try {
      return Files.isSymbolicLink(before) && !before.equals(file)
          ? file.resolveSibling(Files.readSymbolicLink(before)) // relative to its former directory
          : before;
    } catch (IOException _) {
      return before;
    }
  }

  private static Optional<Path> keptOf(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .findFirst()
          .filter(line -> line.startsWith(MARK))
          .map(line -> Path.of(line.substring(MARK.length())));
    } catch (IOException | java.io.UncheckedIOException _) {
      return Optional.empty(); // the file is missing or is not text, so no agent has written it
    }
  }

  /// Returns true if the present file is the one that this agent has written.
  boolean isSet() {
    return keptOf(file).equals(Optional.of(kept));
  }

  /// Sets the resolvers. If another program has written the file meanwhile, its file replaces the
  /// kept one.
  ///
  /// @param addresses addresses of resolvers, in order
  /// @throws IOException if the file cannot be replaced, or another agent has set it
  void set(List<String> addresses) throws IOException {
    Optional<Path> by = keptOf(file);
    if (by.isPresent() && !isSet()) {
      throw new IOException(
          "dns: %s was set by another agent, which keeps the former one in %s: stop that agent, or, if it was killed, start and stop it once"
              .formatted(file, by.get()));
    }
    if (by.isEmpty()) {
      keep();
    }
    StringBuilder text = new StringBuilder(MARK).append(kept).append('\n');
    addresses.forEach(address -> text.append("nameserver ").append(address).append('\n'));
    replace(text.toString().getBytes(UTF_8));
  }

  /// Restores the kept file, unless another program has written the file since.
  ///
  /// @return true if the kept file was restored
  /// @throws IOException if the file cannot be replaced
  boolean restore() throws IOException {
    if (!isSet()) {
      return false;
    }
    if (Files.isSymbolicLink(kept)) {
      Path made = beside();
      Files.deleteIfExists(made);
      Files.createSymbolicLink(made, Files.readSymbolicLink(kept));
      Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    } else if (Files.exists(kept)) {
      replace(Files.readAllBytes(kept));
    } else {
      Files.delete(file); // the host had no file before
    }
    Files.deleteIfExists(kept);
    return true;
  }

  private void keep() throws IOException {
    Files.deleteIfExists(kept);
    if (Files.isSymbolicLink(file)) {
      Files.createSymbolicLink(kept, Files.readSymbolicLink(file));
    } else if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      Files.copy(file, kept);
      try (FileChannel copy = FileChannel.open(kept, StandardOpenOption.WRITE)) {
        copy.force(true); // the copy must be on disk before the original is deleted
      }
    }
  }

  private Path beside() {
    return file.resolveSibling("." + file.getFileName() + ".cnapt");
  }

  // Replaces the file atomically by a rename, if that is possible. In a container, the file is a
  // mount point and can only be written in place.
  private void replace(byte[] text) throws IOException {
    Path made = beside();
    try {
      Files.write(made, text);
      Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rw-r--r--"));
      Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      Files.deleteIfExists(made);
      if (Files.isSymbolicLink(file) || !Files.exists(file)) {
        throw e; // a write through the symbolic link would change another program's file
      }
      Files.write(file, text, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
    }
  }
}
