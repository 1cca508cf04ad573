package io.viaduct.bridge.provisioning;

import io.viaduct.bridge.registrar.Subscriber;
import io.viaduct.usage.v1.SubscriberEvent;
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
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The copy of the last directory on disk. With it, a bridge that starts while billing is away can
/// serve. It holds H(A1)s: directory 0700, file 0600. The file is a sequence of events, as on the
/// stream: one that names the domain, one per subscriber, and `complete`. It is written to a
/// temporary file, which is then renamed.
final class SubscriberCopy {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberCopy.class);
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  private final Path file;
  private final String domain;

  /// @param state directory of the bridge; created if it does not exist
  /// @throws IOException if the directory is not writable or cannot be restricted to the bridge
  SubscriberCopy(Path state, String domain) throws IOException {
    this.file = state.resolve("subscribers");
    this.domain = domain;
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

  /// Returns the directory as last written; empty if there is no copy, or it is incomplete or of
  /// another domain.
  Optional<List<Subscriber>> read() {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    List<Subscriber> all = new ArrayList<>();
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      SubscriberEvent first = SubscriberEvent.parseDelimitedFrom(in);
      if (first == null || !first.getRemoved().equals(domain)) {
        LOG.warn("{} is the copy of another domain, and is not used", file);
        return Optional.empty();
      }
      for (SubscriberEvent event = SubscriberEvent.parseDelimitedFrom(in);
          event != null;
          event = SubscriberEvent.parseDelimitedFrom(in)) {
        if (event.getComplete()) {
          return Optional.of(all);
        }
        all.add(SubscriberMessage.read(event.getSubscriber()));
      }
      LOG.warn("{} is incomplete, and is not used", file);
    } catch (IOException e) {
      LOG.warn("{} cannot be read, and is not used: {}", file, e.getClass().getSimpleName());
    }
    return Optional.empty();
  }

  /// Replaces the copy.
  void write(Collection<Subscriber> all) throws IOException {
    Path next = file.resolveSibling("subscribers.next");
    Files.deleteIfExists(next);
    Files.createFile(next, PosixFilePermissions.asFileAttribute(FILE));
    try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE);
        OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel))) {
      SubscriberEvent.newBuilder().setRemoved(domain).build().writeDelimitedTo(out);
      for (Subscriber each : all) {
        SubscriberEvent.newBuilder()
            .setSubscriber(SubscriberMessage.write(each))
            .build()
            .writeDelimitedTo(out);
      }
      SubscriberEvent.newBuilder().setComplete(true).build().writeDelimitedTo(out);
      out.flush();
      channel.force(true);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
