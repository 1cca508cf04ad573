package io.viaduct.bridge.directory;

import io.viaduct.bridge.configuration.Snapt;
import io.viaduct.bridge.directory.SnaptEntry.State;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.service.digest.Sha256;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.ReplicaEntry;
import io.viaduct.usage.v1.ReplicaKind;
import io.viaduct.usage.v1.SnaptState;
import io.viaduct.usage.v1.SnaptStatus;
import java.nio.ByteBuffer;
import java.security.PublicKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// The enrolled SNAPTs with their last status. Thread-safe.
public final class SnaptDirectory {
  /// Reasons for which an announcement is refused.
  public enum Refusal {
    NOT_CONFIGURED,
    /// Certificate and status name different SNAPTs.
    FOREIGN_ID,
    MALFORMED,
    /// Another SNAPT has announced this host and control port, and is not stale.
    ADDRESS_IN_USE,
    /// Another process holds the id, and answers the probe.
    ID_IN_USE,
    /// Another process with a higher epoch holds the id. It is silent, but its connection is open.
    LOWER_EPOCH,
    /// This process held the id, did not answer a probe, and another process took over.
    SUPERSEDED
  }

  private static final int HOST_CHARACTERS_MAX = 253;
  private static final int LOAD_PERCENT_MAX = 100;

  /// A price that begins is told at most so late.
  private static final Duration VIEW_AGE_MAX = Duration.ofSeconds(1);

  private final Duration staleAfter;
  private final InstantSource clock;
  private final Replicas replicas;
  private final Map<String, SnaptEntry> entries = new LinkedHashMap<>();
  private final Instant completeAt;
  private volatile boolean isBillings; // the list is billing's, of now or of the last time
  private @Nullable View view; // guarded by the entries; null after a change
  private View lastView = new View(Instant.MIN, Instant.MIN, List.of(), List.of());

  /// The two lists of one moment. They are made once for all devices and SNAPTs of a large fleet:
  /// for each subscription and each status they would cost more than all else.
  ///
  /// @param until time at which they are made again, because silence and prices follow the clock
  private record View(
      Instant from, Instant until, List<Relay> relays, List<DirectoryEntry> entries) {
    boolean isOf(Instant now) {
      return !now.isBefore(from) && now.isBefore(until);
    }
  }

  /// Makes the directory of a bridge without others.
  public SnaptDirectory(List<Snapt> configured, Duration staleAfter, InstantSource clock) {
    this(configured, staleAfter, Replicas.NONE, clock);
  }

  SnaptDirectory(
      List<Snapt> configured, Duration staleAfter, Replicas replicas, InstantSource clock) {
    this.staleAfter = staleAfter;
    this.replicas = replicas;
    this.clock = clock;
    replicas.attach(ReplicaKind.SNAPT, this::take);
    completeAt = clock.instant().plus(staleAfter);
    configured.forEach(
        snapt -> entries.put(snapt.id(), SnaptEntry.unheard(EnrolledSnapt.configured(snapt))));
  }

  /// Replaces the list by billing's. A SNAPT that is missing is not enrolled from now on.
  public void enrol(Collection<EnrolledSnapt> all) {
    configure(all);
    isBillings = true;
  }

  /// Returns whether a SNAPT is not enrolled for certain. Until billing's list is known, a SNAPT
  /// that is missing may only be unknown yet.
  public boolean isUnenrolled(String id) {
    return isBillings && configured(id).isEmpty();
  }

  /// Replaces the list. A SNAPT that stays in it keeps its status. A SNAPT that was removed is
  /// refused with its next status and its next report.
  public void configure(Collection<EnrolledSnapt> all) {
    synchronized (entries) {
      Map<String, SnaptEntry> former = Map.copyOf(entries);
      view = null;
      entries.clear();
      for (EnrolledSnapt each : all) {
        SnaptEntry known = former.get(each.snapt().id());
        entries.put(each.snapt().id(), known == null ? SnaptEntry.unheard(each) : known.with(each));
      }
    }
  }

  public Optional<Snapt> configured(String id) {
    synchronized (entries) {
      return Optional.ofNullable(entries.get(id)).map(SnaptEntry::configured);
    }
  }

  /// Returns whether a SNAPT may show a certificate with a public key: any key, unless billing has
  /// given the certificate.
  public boolean mayShow(String id, PublicKey key) {
    Optional<ByteBuffer> wanted;
    synchronized (entries) {
      wanted =
          Optional.ofNullable(entries.get(id)).flatMap(each -> each.enrolled().certificateKey());
    }
    return wanted.isEmpty() || wanted.get().equals(ByteBuffer.wrap(Sha256.of(key.getEncoded())));
  }

  /// Checks a status.
  ///
  /// @param id common name of the certificate
  /// @return the reason of the refusal, or empty
  public Optional<Refusal> refusal(String id, SnaptStatus status) {
    if (!status.getSnaptId().equals(id)) {
      return Optional.of(Refusal.FOREIGN_ID);
    }
    if (!isWellFormed(status)) {
      return Optional.of(Refusal.MALFORMED);
    }
    return configured(id).isPresent() ? Optional.empty() : Optional.of(Refusal.NOT_CONFIGURED);
  }

  /// Returns the id of another SNAPT that has the host and control port of a status. Devices tell
  /// SNAPTs apart by these two, so a second SNAPT with the same ones could take the first out of
  /// their lists. A SNAPT that is silent for longer than `stale-after` frees its address.
  Optional<String> holderOfAddress(String id, SnaptStatus status) {
    Instant now = clock.instant();
    return all().stream()
        .filter(entry -> !entry.configured().id().equals(id))
        .filter(entry -> entry.hasAddressOf(status) && !isSilent(entry, now))
        .map(entry -> entry.configured().id())
        .findFirst();
  }

  /// Records a valid status.
  public void note(String id, SnaptStatus status) {
    synchronized (entries) {
      keep(id, status);
      replicas.put(
          ReplicaKind.SNAPT, id, clock.instant().plus(staleAfter), entry -> entry.setSnapt(status));
    }
  }

  private void keep(String id, SnaptStatus status) {
    Instant now = clock.instant();
    entries.computeIfPresent(
        id,
        (_, old) -> {
          if (state(old, now) != State.UP || !old.isToldLike(status)) {
            view = null;
          }
          return old.heard(status, now);
        });
  }

  /// Takes a status that another bridge has got, or that the SNAPT has left it.
  private void take(ReplicaEntry entry) {
    synchronized (entries) {
      if (!replicas.isCurrent(entry)) {
        return;
      }
      if (Replicas.isRemoval(entry)) {
        view = null;
        entries.computeIfPresent(entry.getKey(), (_, old) -> old.gone());
      } else {
        keep(entry.getKey(), entry.getSnapt());
      }
    }
  }

  /// Records that the stream of a SNAPT has ended, so that devices are not sent to it. Its address
  /// stays its own until it was silent for `stale-after`. A SNAPT that announces itself to another
  /// bridge now has only changed its bridge.
  void away(String id) {
    synchronized (entries) {
      if (replicas.isAlone() || replicas.isOwn(ReplicaKind.SNAPT, id)) {
        replicas.remove(ReplicaKind.SNAPT, id);
        view = null;
        entries.computeIfPresent(id, (_, old) -> old.gone());
      }
    }
  }

  /// Returns all SNAPTs in the order of the list: by id, or as the configuration has them.
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
    return state(entry, clock.instant());
  }

  private State state(SnaptEntry entry, Instant now) {
    if (entry.seen() == null) {
      return State.UNKNOWN;
    }
    return entry.away() || isSilent(entry, now) ? State.STALE : State.UP;
  }

  private boolean isSilent(SnaptEntry entry, Instant now) {
    Instant seen = entry.seen();
    return seen == null || now.isAfter(seen.plus(staleAfter));
  }

  /// Returns the SNAPTs that a device may connect to, the preferred first; empty as [#entries]. The
  /// order is that of [#all], so that the list changes only when a SNAPT comes or goes, or its
  /// price changes. It is the same object until then.
  public List<Relay> relays() {
    return view().relays;
  }

  /// Returns the SNAPTs that may be used now, with their state, for the devices of each SNAPT;
  /// empty after a start while a SNAPT that is up may not have announced itself yet, because
  /// devices take the list as complete. It is the same object until it changes.
  public List<DirectoryEntry> entries() {
    return view().entries;
  }

  private View view() {
    synchronized (entries) {
      Instant now = clock.instant();
      View known = view;
      if (known != null && known.isOf(now)) {
        return known;
      }
      List<SnaptEntry> complete = complete(now);
      View last = lastView;
      View made =
          new View(
              now,
              until(now),
              same(last.relays, complete.stream().flatMap(e -> relay(e, now).stream()).toList()),
              same(last.entries, complete.stream().flatMap(e -> entry(e, now).stream()).toList()));
      view = made;
      lastView = made;
      return made;
    }
  }

  // A list that has not changed stays the same object, so that its readers compare nothing else.
  private static <T> List<T> same(List<T> before, List<T> now) {
    return now.equals(before) ? before : now;
  }

  private List<SnaptEntry> complete(Instant now) {
    return now.isBefore(completeAt)
            && entries.values().stream().anyMatch(each -> each.status() == null)
        ? List.of()
        : List.copyOf(entries.values());
  }

  /// Returns the time at which the lists may change without an event.
  private Instant until(Instant now) {
    Instant until = now.plus(VIEW_AGE_MAX);
    if (now.isBefore(completeAt) && completeAt.isBefore(until)) {
      until = completeAt;
    }
    for (SnaptEntry each : entries.values()) {
      Instant seen = each.seen();
      if (seen != null && !isSilent(each, now) && seen.plus(staleAfter).isBefore(until)) {
        until = seen.plus(staleAfter).plusNanos(1);
      }
    }
    return until;
  }

  private Optional<DirectoryEntry> entry(SnaptEntry entry, Instant now) {
    SnaptStatus status = entry.status();
    return status == null || state(entry, now) != State.UP
        ? Optional.empty()
        : Optional.of(
            DirectoryEntry.newBuilder()
                .setSnaptId(status.getSnaptId())
                .setHost(status.getHost())
                .setControlPort(status.getControlPort())
                .setDataPort(status.getDataPort())
                .setRegion(entry.region())
                .addAllSurcharges(entry.enrolled().surcharges().at(now))
                .setStateValue(status.getStateValue()) // also one of a later version
                .setDrainDeadlineMs(status.getDrainDeadlineMs())
                .setLoadPercent(entry.toldLoad())
                .build());
  }

  /// A SNAPT that drains refuses new sessions, so no device is sent to it.
  private Optional<Relay> relay(SnaptEntry entry, Instant now) {
    SnaptStatus status = entry.status();
    return status == null
            || state(entry, now) != State.UP
            || status.getState() == SnaptState.DRAINING
        ? Optional.empty()
        : Optional.of(
            new Relay(
                status.getSnaptId(),
                status.getHost(),
                status.getControlPort(),
                status.getDataPort(),
                entry.region(),
                entry.enrolled().surcharges().at(now)));
  }

  private static boolean isWellFormed(SnaptStatus status) {
    return status.getHost().matches("[A-Za-z0-9.:_-]{1," + HOST_CHARACTERS_MAX + "}")
        && isPort(status.getControlPort())
        && isPort(status.getDataPort())
        && status.getRegion().length() <= 64
        && status.getVersion().length() <= 64
        && status.getLoadPercent() >= 0
        && status.getLoadPercent() <= LOAD_PERCENT_MAX
        && status.getDrainDeadlineMs() >= 0
        && Double.isFinite(status.getUpBitPerSecond())
        && Double.isFinite(status.getDownBitPerSecond())
        && areCounts(
            status.getEpoch(),
            status.getSessions(),
            status.getSessionsLimit(),
            status.getReportsPending(),
            status.getDatagramsRefused());
  }

  // Unsigned on the wire, signed in Java: a value of 2^63 or more would be shown as negative.
  private static boolean areCounts(long... numbers) {
    return LongStream.of(numbers).allMatch(number -> number >= 0);
  }

  private static boolean isPort(int port) {
    return port > 0 && port <= 65_535;
  }
}
