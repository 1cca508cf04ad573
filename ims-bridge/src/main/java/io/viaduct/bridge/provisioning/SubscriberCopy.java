package io.viaduct.bridge.provisioning;

import io.viaduct.bridge.registrar.Subscriber;
import io.viaduct.usage.v1.SubscriberEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The copy of the last directory on disk. With it, a bridge that starts while billing is away can
/// serve. It holds H(A1)s. Its events: one that names the domain, one per subscriber, and
/// `complete`.
final class SubscriberCopy {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriberCopy.class);

  private final EventFile<SubscriberEvent> file;
  private final String domain;

  /// @param state directory of the bridge; created if it does not exist
  /// @throws IOException if the directory is not writable or cannot be restricted to the bridge
  SubscriberCopy(Path state, String domain) throws IOException {
    this.file = new EventFile<>(state, "subscribers", SubscriberEvent.parser());
    this.domain = domain;
  }

  /// Returns the directory as last written; empty if there is no copy, or it is incomplete or of
  /// another domain.
  Optional<List<Subscriber>> read() {
    Optional<List<SubscriberEvent>> events = file.read();
    if (events.isEmpty()) {
      return Optional.empty();
    }
    List<SubscriberEvent> all = events.get();
    if (all.isEmpty() || !all.getFirst().getRemoved().equals(domain)) {
      LOG.warn("{} is the copy of another domain, and is not used", file);
      return Optional.empty();
    }
    if (!all.getLast().getComplete()) {
      LOG.warn("{} is incomplete, and is not used", file);
      return Optional.empty();
    }
    return Optional.of(
        all.subList(1, all.size() - 1).stream()
            .map(event -> SubscriberMessage.read(event.getSubscriber()))
            .toList());
  }

  /// Replaces the copy.
  void write(Collection<Subscriber> all) throws IOException {
    List<SubscriberEvent> events = new ArrayList<>();
    events.add(SubscriberEvent.newBuilder().setRemoved(domain).build());
    for (Subscriber each : all) {
      events.add(SubscriberEvent.newBuilder().setSubscriber(SubscriberMessage.write(each)).build());
    }
    events.add(SubscriberEvent.newBuilder().setComplete(true).build());
    file.write(events);
  }
}
