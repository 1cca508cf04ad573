package io.viaduct.bridge.revocation;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.Revocation;
import io.viaduct.usage.v1.Revocations;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/// Entries by account and device, with limits. Accounts are in the order of their last entry.
final class RevocationList {
  private final int entriesMax;
  private final int perAccountMax;
  private final Map<String, Map<ByteString, Revocation>> byAccount = new LinkedHashMap<>();
  private int size;

  /// @param entriesMax most entries
  /// @param perAccountMax most entries of one account that name a device
  RevocationList(int entriesMax, int perAccountMax) {
    this.entriesMax = entriesMax;
    this.perAccountMax = perAccountMax;
  }

  int size() {
    return size;
  }

  /// Adds an entry, or replaces the one about the same tokens.
  ///
  /// @return number of other entries that had to make room
  int put(Revocation entry) {
    Map<ByteString, Revocation> own = byAccount.remove(entry.getAccount());
    own = own == null ? new LinkedHashMap<>() : own;
    byAccount.put(entry.getAccount(), own); // the last one now
    if (own.remove(entry.getDeviceKey()) != null) {
      size--;
    }
    own.put(entry.getDeviceKey(), entry);
    size++;
    return shrink(own) + shrink();
  }

  private int shrink(Map<ByteString, Revocation> own) {
    int devices = own.containsKey(ByteString.EMPTY) ? own.size() - 1 : own.size();
    if (devices <= perAccountMax) {
      return 0;
    }
    for (ByteString device : own.keySet()) {
      if (!device.isEmpty()) {
        own.remove(device);
        size--;
        return 1;
      }
    }
    return 0;
  }

  private int shrink() {
    int displaced = 0;
    while (size > entriesMax) {
      Map.Entry<String, Map<ByteString, Revocation>> first = byAccount.entrySet().iterator().next();
      byAccount.remove(first.getKey());
      size -= first.getValue().size();
      displaced += first.getValue().size();
    }
    return displaced;
  }

  /// Removes entries of an account. @return whether there was one
  boolean removeIf(String account, Predicate<Revocation> condition) {
    Map<ByteString, Revocation> own = byAccount.get(account);
    if (own == null) {
      return false;
    }
    int before = own.size();
    own.values().removeIf(condition);
    size -= before - own.size();
    if (own.isEmpty()) {
      byAccount.remove(account);
    }
    return before != own.size();
  }

  /// Removes the entries whose tokens have all ended. @return whether there was one
  ///
  /// @param nowMs Unix time in ms
  boolean forgetUntil(long nowMs) {
    int before = size;
    byAccount
        .values()
        .removeIf(own -> {
          int count = own.size();
          own.values().removeIf(entry -> entry.getUntilMs() <= nowMs);
          size -= count - own.size();
          return own.isEmpty();
        });
    return size != before;
  }

  Revocations message() {
    Revocations.Builder all = Revocations.newBuilder();
    byAccount.values().forEach(own -> all.addAllEntries(own.values()));
    return all.build();
  }
}
