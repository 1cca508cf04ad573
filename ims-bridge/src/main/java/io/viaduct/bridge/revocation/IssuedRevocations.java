package io.viaduct.bridge.revocation;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.registrar.SubscriberChange;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.service.storage.DurableFile;
import io.viaduct.usage.v1.Revocation;
import io.viaduct.usage.v1.Revocations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The tokens that are void before their end (ADR 0071): those of users who were suspended or
/// closed, and of devices that were removed. An entry lasts until the last of its tokens has ended,
/// or until the directory has the user or the device again. Thread-safe.
public final class IssuedRevocations {
  /// Most entries of the list. Above it those of the users who changed longest ago are dropped.
  static final int ENTRIES_MAX = 10_000;

  /// Most removed devices of one user. Above it the earliest are dropped: a user who adds and
  /// removes devices must not displace the entries of others.
  static final int DEVICES_MAX = 16;

  // Covers a SNAPT whose clock is late, and the grace after a token's end.
  private static final Duration MARGIN = Duration.ofMinutes(1);

  // A change that billing has read before it accepted a device may arrive after the bridge has
  // heard of the device. So the loss of a new device counts only if it lasts.
  private static final Duration NEW_FOR = Duration.ofSeconds(5);
  private static final Duration SETTLED = Duration.ofMillis(500);

  private static final Logger LOG = LoggerFactory.getLogger(IssuedRevocations.class);

  /// Tokens of an account. @param device public key of their device, without octets for all devices
  private record Tokens(String account, ByteBuffer device) {
    static Tokens all(String account) {
      return new Tokens(account, ByteBuffer.allocate(0));
    }

    static Tokens of(Revocation entry) {
      return new Tokens(entry.getAccount(), ByteBuffer.wrap(entry.getDeviceKey().toByteArray()));
    }
  }

  private final Path file;
  private final Duration lifetime;
  private final Subscribers subscribers;
  private final InstantSource clock;
  private final Counter dropped;

  // All guarded by this, except list.
  private final RevocationList entries = new RevocationList(ENTRIES_MAX, DEVICES_MAX);
  private final Map<Tokens, Instant> due = new LinkedHashMap<>(); // time at which they count
  private final Map<Tokens, Instant> newDevices = new HashMap<>(); // time of their arrival
  private final Set<String> changed = new HashSet<>(); // users
  private volatile @Nullable Revocations list;

  private IssuedRevocations(
      Path state,
      Duration lifetime,
      Subscribers subscribers,
      InstantSource clock,
      MeterRegistry registry) {
    this.file = state.resolve("revocations");
    this.lifetime = lifetime;
    this.subscribers = subscribers;
    this.clock = clock;
    dropped =
        Counter.builder("viaduct_bridge_revocations_dropped")
            .description("Revocations without a place in the list: their tokens stay valid")
            .register(registry);
    Gauge.builder("viaduct_bridge_revocations", this, IssuedRevocations::size)
        .description("Users and devices whose tokens are void before their end")
        .register(registry);
  }

  /// Loads the list of the last run, and follows the directory from now on.
  ///
  /// @param state directory of the file
  /// @param lifetime of tokens
  static IssuedRevocations open(
      Path state,
      Duration lifetime,
      Subscribers subscribers,
      InstantSource clock,
      MeterRegistry registry)
      throws IOException {
    IssuedRevocations tokens = new IssuedRevocations(state, lifetime, subscribers, clock, registry);
    try {
      tokens.take(Revocations.parseFrom(Files.readAllBytes(tokens.file)));
    } catch (NoSuchFileException _) {
      LOG.debug("{} does not exist: no token is revoked", tokens.file);
    } catch (InvalidProtocolBufferException _) {
      LOG.warn("{} cannot be read, and is not used: tokens that it names are valid", tokens.file);
    }
    subscribers.onChange(tokens::changed);
    return tokens;
  }

  // The first directory is compared with it, to find later changes.
  private synchronized void take(Revocations last) {
    for (Revocation each : last.getEntriesList()) {
      entries.put(each);
      changed.add(each.getAccount());
    }
  }

  private synchronized void changed(SubscriberChange change) {
    Instant now = clock.instant();
    String user = change.user();
    changed.add(user);
    change.newDevices().forEach(device -> newDevices.put(new Tokens(user, device), now));
    if (change.isLockOut()) {
      due.put(Tokens.all(user), now);
    }
    for (ByteBuffer device : change.lostDevices()) {
      Tokens lost = new Tokens(user, device);
      due.put(lost, newDevices.containsKey(lost) ? now.plus(SETTLED) : now);
    }
  }

  /// Returns the list for SNAPTs: the same object until it changes. Empty until the directory of
  /// users is known, because what has changed in it is not known either.
  public Optional<Revocations> list() {
    return Optional.ofNullable(list);
  }

  /// Brings the list up to date.
  public synchronized void onClock() {
    if (!subscribers.isLoaded()) {
      return;
    }
    Instant now = clock.instant();
    boolean isChanged = list == null;
    isChanged |= takeBack();
    isChanged |= revoke(now);
    isChanged |= entries.forgetUntil(now.toEpochMilli());
    newDevices.values().removeIf(since -> since.isBefore(now.minus(NEW_FOR)));
    if (isChanged) {
      list = entries.message();
    }
  }

  private boolean takeBack() {
    boolean any = false;
    for (String user : changed) {
      any |= entries.removeIf(user, entry -> !isVoid(Tokens.of(entry)));
    }
    changed.clear();
    return any;
  }

  private boolean revoke(Instant now) {
    boolean any = false;
    Iterator<Map.Entry<Tokens, Instant>> each = due.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<Tokens, Instant> next = each.next();
      if (!next.getValue().isAfter(now)) {
        each.remove();
        any |= isVoid(next.getKey()) && revoke(entry(next.getKey(), now));
      }
    }
    return any;
  }

  private boolean revoke(Revocation entry) {
    LOG.info(
        "tokens of {} are revoked: {}",
        entry.getDeviceKey().isEmpty() ? entry.getAccount() : "a device of " + entry.getAccount(),
        entry.getReason());
    int displaced = entries.put(entry);
    if (displaced > 0) {
      dropped.increment(displaced);
      LOG.warn("{} revocations have no place: their tokens stay valid until they end", displaced);
    }
    return true;
  }

  private boolean isVoid(Tokens tokens) {
    return tokens.device.hasRemaining()
        ? !subscribers.hasDevice(tokens.account, octets(tokens.device))
        : !subscribers.isActive(tokens.account);
  }

  private Revocation entry(Tokens tokens, Instant now) {
    Revocation.Reason reason =
        tokens.device.hasRemaining()
            ? Revocation.Reason.DEVICE_REMOVED
            : subscribers.contains(tokens.account)
                ? Revocation.Reason.SUSPENDED
                : Revocation.Reason.CLOSED;
    return Revocation.newBuilder()
        .setAccount(tokens.account)
        .setDeviceKey(ByteString.copyFrom(tokens.device.duplicate()))
        .setUntilMs(now.plus(lifetime).plus(MARGIN).toEpochMilli())
        .setReason(reason)
        .build();
  }

  private static byte[] octets(ByteBuffer buffer) {
    byte[] octets = new byte[buffer.remaining()];
    buffer.duplicate().get(octets);
    return octets;
  }

  /// Writes the list to disk, with what counts from the next [#onClock] on. It must be written
  /// before the copy of the users: with a copy that is older, the next start finds the changes
  /// again.
  public void save() throws IOException {
    DurableFile.write(file, forDisk().toByteArray());
  }

  private synchronized Revocations forDisk() {
    Instant now = clock.instant();
    Revocations.Builder all = entries.message().toBuilder();
    due.keySet().forEach(tokens -> all.addEntries(entry(tokens, now)));
    return all.build();
  }

  private synchronized int size() {
    return entries.size();
  }
}
