package io.viaduct.cnapt.control;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.Directory;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.SignedDirectory;
import io.viaduct.usage.v1.SnaptState;
import java.security.PublicKey;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/// Checks the directories that SNAPTs carry for the bridge. A SNAPT may compete with the others: it
/// can withhold a directory, but neither change one nor show an old one. Any thread may call the
/// methods.
public final class BridgeDirectory {
  /// Greatest age of a directory, by the bridge's clock.
  static final long AGE_MS_MAX = 60_000;

  private static final int ENTRIES_MAX = 128;

  /// Reasons for which a directory is refused.
  public enum Refusal {
    /// It is signed by a key that the bridge has not granted.
    UNKNOWN_KEY,
    FORGED,
    MALFORMED,
    /// A newer one has been taken.
    OLDER,
    TOO_OLD;

    /// Returns the name in metrics.
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final LongSupplier nanoTime;
  private final AtomicLongArray refusals = new AtomicLongArray(Refusal.values().length);
  private BridgeKeys granted = BridgeKeys.NONE; // guarded by this object, as all below
  private long grantedNs;
  private long version;

  public BridgeDirectory(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /// Takes the keys and the clock of a grant. A bridge whose clock was set back counts from there.
  public synchronized void granted(BridgeKeys keys) {
    if (!keys.keys().isEmpty()) {
      granted = keys;
      grantedNs = nanoTime.getAsLong();
      version = Math.min(version, keys.bridgeMs());
    }
  }

  /// Returns whether the bridge signs directories: what SNAPTs say of others then counts for
  /// nothing.
  public synchronized boolean isSigned() {
    return !granted.keys().isEmpty();
  }

  /// Returns the SNAPTs of a directory; empty, and counted, if it is refused. The same directory
  /// may come by several SNAPTs.
  ///
  /// @param encoded a `SignedDirectory`
  public synchronized Optional<List<Relay>> read(ByteString encoded) {
    try {
      SignedDirectory signed = SignedDirectory.parseFrom(encoded);
      PublicKey key = granted.keys().get(signed.getKeyId());
      if (key == null) {
        return refuse(Refusal.UNKNOWN_KEY);
      }
      if (!SignedMessage.SNAPT_DIRECTORY.isSignedBy(
          key, signed.getDirectory(), signed.getSignature())) {
        return refuse(Refusal.FORGED);
      }
      return take(Directory.parseFrom(signed.getDirectory()));
    } catch (InvalidProtocolBufferException _) {
      return refuse(Refusal.MALFORMED);
    }
  }

  private Optional<List<Relay>> take(Directory directory) {
    if (directory.getEntriesCount() == 0 || directory.getEntriesCount() > ENTRIES_MAX) {
      return refuse(Refusal.MALFORMED);
    }
    if (directory.getVersion() < version) {
      return refuse(Refusal.OLDER);
    }
    if (bridgeMs() - directory.getVersion() > AGE_MS_MAX) {
      return refuse(Refusal.TOO_OLD);
    }
    version = directory.getVersion();
    return Optional.of(directory.getEntriesList().stream().map(BridgeDirectory::relay).toList());
  }

  // A device's own clock may be wrong.
  private long bridgeMs() {
    return granted.bridgeMs() + (nanoTime.getAsLong() - grantedNs) / 1_000_000;
  }

  private static Relay relay(DirectoryEntry entry) {
    boolean drains = entry.getState() == SnaptState.DRAINING;
    return Relay.newBuilder()
        .setSnaptId(entry.getSnaptId())
        .setHost(entry.getHost())
        .setControlPort(entry.getControlPort())
        .setDataPort(entry.getDataPort())
        .setRegion(entry.getRegion())
        .setState(drains ? Relay.State.DRAINING : Relay.State.SERVING)
        .setDrainDeadlineMs(entry.getDrainDeadlineMs())
        .setLoadPercent(entry.getLoadPercent())
        .addAllSurcharges(entry.getSurchargesList())
        .build();
  }

  private Optional<List<Relay>> refuse(Refusal why) {
    refusals.incrementAndGet(why.ordinal());
    return Optional.empty();
  }

  /// Returns the number of directories that were refused for a reason.
  public long refused(Refusal why) {
    return refusals.get(why.ordinal());
  }
}
