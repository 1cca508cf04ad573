package io.viaduct.bridge.directory;

import io.viaduct.bridge.directory.Claim.Party;
import io.viaduct.bridge.directory.SnaptDirectory.Refusal;
import io.viaduct.usage.v1.DrainOrder;
import io.viaduct.usage.v1.SnaptStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives each SNAPT id to one process at a time. A cloned machine has the same certificate and id
/// as its original.
///
/// | a second process announces the id, and the holder … | then |
/// |---|---|
/// | has closed its connection (the kernel does so when a process dies) | the second holds it |
/// | answers the probe within [#SILENCE] | the second is refused |
/// | does not answer, and the second has the same or a higher epoch | the second holds it, the first is ended |
/// | does not answer, and the second has a lower epoch | the second is refused until the connection is closed |
///
/// An address, which is a host and a control port, belongs to one id at a time too: a status with
/// the address of another id that is not stale is refused.
///
/// Equal epochs mean one process whose network has changed. Thread-safe; calls to streams are made
/// one at a time.
public final class SnaptClaims {
  /// 3 s, plus 0.5 s because a SNAPT of the previous version sends a status only every 3 s.
  public static final Duration SILENCE = Duration.ofMillis(3_500);

  /// Time in which a SNAPT whose stream has ended may come back before it leaves the lists: it
  /// opens a broken stream again after 1.5 s at most. A change must reach all devices within 5 s.
  static final Duration RETURN = Duration.ofSeconds(3);

  private static final Logger LOG = LoggerFactory.getLogger(SnaptClaims.class);

  private final SnaptDirectory directory;
  private final InstantSource clock;
  private final Map<String, Claim> claims = new HashMap<>(); // by configured id
  private long probes;

  public SnaptClaims(SnaptDirectory directory, InstantSource clock) {
    this.directory = directory;
    this.clock = clock;
  }

  /// The number of processes that were refused because another process holds the id.
  ///
  /// @param refusedFrom address of the last one
  public record Duplicates(long refused, @Nullable String refusedFrom) {}

  public synchronized Duplicates duplicates(String id) {
    Claim claim = claims.get(id);
    return claim == null
        ? new Duplicates(0, null)
        : new Duplicates(claim.refused, claim.refusedFrom);
  }

  /// Returns whether the process at the other end of a connection may report as this SNAPT: no
  /// other process holds the id.
  public synchronized boolean mayReport(String id, String peer) {
    Claim claim = claims.get(id);
    return claim == null || claim.owner == null || claim.owner.address().equals(peer);
  }

  /// Passes an operator's order to the process that holds an id.
  ///
  /// @return false if no process has announced the id
  public synchronized boolean order(String id, DrainOrder order) {
    Claim claim = claims.get(id);
    if (claim == null || claim.owner == null) {
      return false;
    }
    claim.owner.stream().order(order);
    return true;
  }

  /// Handles a valid status: accepts it, lets its stream wait for the result of a probe, or refuses
  /// it.
  public synchronized void onStatus(String id, Announcer from, SnaptStatus status) {
    Claim claim = claims.computeIfAbsent(id, _ -> new Claim());
    Party party = new Party(from, status);
    Party owner = claim.owner;
    Party contender = claim.contender;
    if (owner == null || isSameProcess(owner, party)) {
      accept(id, claim, party);
      if (contender != null) {
        refuse(id, claim, party, contender);
      }
    } else if (contender == null) {
      claim.contender = party;
      claim.askedAt = clock.instant();
      owner.stream().probe(++probes);
    } else if (contender.stream() == from) {
      claim.contender = party;
    } else {
      refuse(id, claim, owner, party);
    }
  }

  // A new stream on the holder's connection belongs to the holder.
  private static boolean isSameProcess(Party owner, Party party) {
    return owner.stream() == party.stream() || owner.address().equals(party.address());
  }

  /// Handles the end of a stream: a waiting process then takes over the id.
  public synchronized void onEnded(String id, Announcer stream) {
    Claim claim = claims.get(id);
    if (claim == null) {
      return;
    }
    Party contender = claim.contender;
    if (contender != null && contender.stream() == stream) {
      claim.contender = null;
    } else if (claim.owner != null && claim.owner.stream() == stream) {
      claim.owner = null;
      claim.leftAt = clock.instant();
      if (contender != null) {
        accept(id, claim, contender);
      }
    }
  }

  /// Decides about processes that wait because the holder was probed, and about SNAPTs whose stream
  /// has ended; must be called a few times per second.
  public synchronized void onClock() {
    Instant now = clock.instant();
    leave(now);
    claims.forEach((id, claim) -> {
      Party owner = claim.owner;
      Party contender = claim.contender;
      Instant askedAt = claim.askedAt;
      if (owner != null
          && contender != null
          && askedAt != null
          && !now.isBefore(askedAt.plus(SILENCE))) {
        onSilence(id, claim, owner, contender);
      }
    });
  }

  /// Lets each stream send what its SNAPT has not got yet; must be called a few times per second.
  public synchronized void refresh() {
    claims.values().stream()
        .map(claim -> claim.owner)
        .filter(Objects::nonNull)
        .forEach(owner -> owner.stream().refresh());
  }

  private void leave(Instant now) {
    boolean changed = false;
    for (Map.Entry<String, Claim> each : claims.entrySet()) {
      Instant leftAt = each.getValue().leftAt;
      if (leftAt != null && !now.isBefore(leftAt.plus(RETURN))) {
        each.getValue().leftAt = null;
        directory.away(each.getKey());
        changed = true;
      }
    }
    if (changed) {
      claims.values().stream()
          .map(claim -> claim.owner)
          .filter(Objects::nonNull)
          .forEach(owner -> owner.stream().changed());
    }
  }

  private void onSilence(String id, Claim claim, Party owner, Party contender) {
    if (contender.epoch() < owner.epoch()) {
      refuse(id, claim, owner, contender);
      return;
    }
    LOG.warn(
        "SNAPT {} at {} (epoch {}) does not answer: the process at {} (epoch {}) takes over its id",
        id,
        owner.address(),
        owner.epoch(),
        contender.address(),
        contender.epoch());
    accept(id, claim, contender);
    owner.stream()
        .refuse(
            Refusal.SUPERSEDED,
            "id '%s' was taken over by the SNAPT at %s (epoch %d), because this one did not answer"
                    .formatted(id, contender.address(), contender.epoch())
                + " for 3 s: if both are meant to run, give this one an id, a certificate and keys"
                + " of its own");
  }

  private void accept(String id, Claim claim, Party party) {
    Optional<String> holder = directory.holderOfAddress(id, party.status());
    if (holder.isPresent()) {
      refuseAddress(id, claim, party, holder.get());
      return;
    }
    if (claim.owner == null || claim.owner.stream() != party.stream()) {
      claim.take(party);
    } else {
      claim.owner = party;
    }
    directory.note(id, party.status());
    party.stream().accepted();
  }

  private void refuseAddress(String id, Claim claim, Party party, String holder) {
    SnaptStatus status = party.status();
    String words =
        "address %s:%d belongs to SNAPT '%s', which is in use: correct the announced host and port"
                .formatted(status.getHost(), status.getControlPort(), holder)
            + " of one of the two, or wait until the other was silent for directory.stale-after";
    if (claim.isFirstRefusal(party)) {
      LOG.warn("SNAPT {} at {} is refused: {}", id, party.address(), words);
    }
    if (claim.owner != null && claim.owner.stream() == party.stream()) {
      claim.owner = null;
      claim.leftAt = clock.instant();
    }
    if (claim.contender != null && claim.contender.stream() == party.stream()) {
      claim.contender = null;
    }
    party.stream().refuse(Refusal.ADDRESS_IN_USE, words);
  }

  private void refuse(String id, Claim claim, Party owner, Party other) {
    boolean lower = claim.askedAt != null && other.epoch() < owner.epoch() && isOverdue(claim);
    claim.countRefusal(other);
    if (claim.isFirstRefusal(other)) {
      LOG.warn(
          "SNAPT {}: the process at {} (epoch {}) is refused, because the one at {} (epoch {})"
              + " holds the id; give each machine its own id, certificate and keys",
          id,
          other.address(),
          other.epoch(),
          owner.address(),
          owner.epoch());
    }
    other.stream()
        .refuse(
            lower ? Refusal.LOWER_EPOCH : Refusal.ID_IN_USE,
            lower
                ? ("id '%s' is held by the SNAPT at %s with epoch %d, and this one has the lower epoch %d:"
                        + " it is accepted when the other's connection has ended. Was the state"
                        + " directory of this SNAPT lost?")
                    .formatted(id, owner.address(), owner.epoch(), other.epoch())
                : ("id '%s' is in use by the SNAPT at %s, which answers: stop one of the two, or give"
                        + " this one an id, a certificate and keys of its own")
                    .formatted(id, owner.address()));
  }

  private boolean isOverdue(Claim claim) {
    return claim.askedAt != null && !clock.instant().isBefore(claim.askedAt.plus(SILENCE));
  }
}
