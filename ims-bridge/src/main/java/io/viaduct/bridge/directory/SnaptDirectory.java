package io.viaduct.bridge.directory;

import io.viaduct.bridge.BridgeConfiguration.Snapt;
import io.viaduct.bridge.directory.SnaptEntry.State;
import io.viaduct.usage.v1.SnaptStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/// The SNAPTs of the configuration with what they announced last. Thread-safe.
public final class SnaptDirectory {
  /// Why an announcement was refused.
  public enum Refusal {
    NOT_CONFIGURED,
    /// The certificate names another SNAPT than the status.
    FOREIGN_ID,
    MALFORMED,
    /// Another process holds the id and answers.
    ID_IN_USE,
    /// Another process with a higher epoch holds the id; it is silent, its connection stands.
    LOWER_EPOCH,
    /// This process held the id, was silent, and another one took over.
    SUPERSEDED
  }

  private static final int HOST_CHARACTERS_MAX = 253;

  private final Duration staleAfter;
  private final InstantSource clock;
  private final Map<String, SnaptEntry> entries = new LinkedHashMap<>();

  public SnaptDirectory(List<Snapt> configured, Duration staleAfter, InstantSource clock) {
    this.staleAfter = staleAfter;
    this.clock = clock;
    configured.forEach(snapt -> entries.put(snapt.id(), new SnaptEntry(snapt, null, null)));
  }

  public Optional<Snapt> configured(String id) {
    synchronized (entries) {
      return Optional.ofNullable(entries.get(id)).map(SnaptEntry::configured);
    }
  }

  /// Checks a status.
  ///
  /// @param id common name of the certificate
  /// @return why it cannot be taken, or empty
  public Optional<Refusal> refusal(String id, SnaptStatus status) {
    if (!status.getSnaptId().equals(id)) {
      return Optional.of(Refusal.FOREIGN_ID);
    }
    if (!isWellFormed(status)) {
      return Optional.of(Refusal.MALFORMED);
    }
    return configured(id).isPresent() ? Optional.empty() : Optional.of(Refusal.NOT_CONFIGURED);
  }

  /// Takes note of a sound status.
  public void note(String id, SnaptStatus status) {
    synchronized (entries) {
      entries.computeIfPresent(
          id, (_, old) -> new SnaptEntry(old.configured(), status, clock.instant()));
    }
  }

  /// All SNAPTs in the order of the configuration.
  public List<SnaptEntry> all() {
    synchronized (entries) {
      return List.copyOf(entries.values());
    }
  }

  /// Counts the SNAPTs that are in a state now.
  public long count(State state) {
    return all().stream().filter(entry -> state(entry) == state).count();
  }

  public State state(SnaptEntry entry) {
    Instant seen = entry.seen();
    if (seen == null) {
      return State.UNKNOWN;
    }
    return clock.instant().isAfter(seen.plus(staleAfter)) ? State.STALE : State.UP;
  }

  /// Those that a device may connect to, the preferred first: the order of the configuration, so
  /// that the list changes only when a SNAPT comes or goes.
  public List<Relay> relays() {
    return all().stream().flatMap(entry -> relay(entry).stream()).toList();
  }

  private Optional<Relay> relay(SnaptEntry entry) {
    SnaptStatus status = entry.status();
    return status == null || state(entry) != State.UP
        ? Optional.empty()
        : Optional.of(
            new Relay(
                status.getSnaptId(),
                status.getHost(),
                status.getControlPort(),
                status.getDataPort()));
  }

  private static boolean isWellFormed(SnaptStatus status) {
    return status.getHost().matches("[A-Za-z0-9.:_-]{1," + HOST_CHARACTERS_MAX + "}")
        && isPort(status.getControlPort())
        && isPort(status.getDataPort())
        && status.getRegion().length() <= 64
        && status.getOwner().length() <= 64
        && status.getVersion().length() <= 64
        && Double.isFinite(status.getUpBitPerSecond())
        && Double.isFinite(status.getDownBitPerSecond())
        && areCounts(
            status.getEpoch(),
            status.getSessions(),
            status.getSessionsLimit(),
            status.getReportsPending(),
            status.getDatagramsRefused());
  }

  // Unsigned on the wire, signed in Java: what is beyond would be shown as less than none.
  private static boolean areCounts(long... numbers) {
    return LongStream.of(numbers).allMatch(number -> number >= 0);
  }

  private static boolean isPort(int port) {
    return port > 0 && port <= 65_535;
  }
}
