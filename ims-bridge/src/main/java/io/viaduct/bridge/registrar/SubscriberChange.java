package io.viaduct.bridge.registrar;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A change of one user in the directory.
///
/// @param user name of the user
/// @param before the record before; null for a new user
/// @param now the present record; null for a user that was removed
public record SubscriberChange(String user, @Nullable Subscriber before, @Nullable Subscriber now) {

  /// Returns whether the user could have tokens and may have none now: the account is suspended,
  /// closed, or has no SIP credentials any more.
  public boolean isLockOut() {
    return before != null && !before.isSuspended() && (now == null || now.isSuspended());
  }

  /// Returns the keys of the devices that the user has no more.
  public Set<ByteBuffer> lostDevices() {
    return onlyIn(before, now);
  }

  /// Returns the keys of the devices that a known user has got.
  public Set<ByteBuffer> newDevices() {
    return before == null ? Set.of() : onlyIn(now, before);
  }

  private static Set<ByteBuffer> onlyIn(@Nullable Subscriber one, @Nullable Subscriber other) {
    if (one == null || other != null && other.deviceKeys().containsAll(one.deviceKeys())) {
      return Set.of();
    }
    Set<ByteBuffer> keys = new HashSet<>(one.deviceKeys());
    if (other != null) {
      keys.removeAll(other.deviceKeys());
    }
    return keys;
  }

  boolean isNone() {
    return Objects.equals(before, now);
  }
}
