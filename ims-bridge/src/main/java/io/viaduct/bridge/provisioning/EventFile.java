package io.viaduct.bridge.provisioning;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A file with events, as on a stream, that only the bridge may read: directory 0700, file 0600. It
/// is written to a temporary file, which is then renamed.
///
/// @param <E> the events
final class EventFile<E extends MessageLite> {
  private static final Logger LOG = LoggerFactory.getLogger(EventFile.class);
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  private final Path file;
  private final Parser<E> parser;

  /// @param state directory of the bridge; created if it does not exist
  /// @throws IOException if the directory is not writable or cannot be restricted to the bridge
  EventFile(Path state, String name, Parser<E> parser) throws IOException {
    this.file = state.resolve(name);
    this.parser = parser;
    try {
      Files.createDirectories(state);
      Files.setPosixFilePermissions(state, DIRECTORY);
      if (!Files.isWritable(state)) {
        throw new IOException("not writable");
      }
    } catch (IOException e) {
      throw new IOException(
          "state: %s must be a directory that the bridge owns and may write (%s)"
              .formatted(state, e.getClass().getSimpleName()),
          e);
    }
  }

  /// Returns the events; empty if there is no file, or it cannot be read.
  Optional<List<E>> read() {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    List<E> events = new ArrayList<>();
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      for (E event = parser.parseDelimitedFrom(in);
          event != null;
          event = parser.parseDelimitedFrom(in)) {
        events.add(event);
      }
      return Optional.of(events);
    } catch (IOException e) {
      LOG.warn("{} cannot be read, and is not used: {}", file, e.getClass().getSimpleName());
      return Optional.empty();
    }
  }

  /// Replaces the file.
  void write(List<E> events) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.deleteIfExists(next);
    Files.createFile(next, PosixFilePermissions.asFileAttribute(FILE));
    try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE);
        OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel))) {
      for (E each : events) {
        each.writeDelimitedTo(out);
      }
      out.flush();
      channel.force(true);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
