package io.viaduct.sip;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The addresses of the servers behind one name, and the one in use.
///
/// The address in use is kept while it serves, also when the name's order changes or an earlier
/// address serves again. One that does not serve is left for the next in the list (RFC 3263 section
/// 4.3), and the last one for the first. So the first is used again only after all that follow it
/// have failed, as DNS clients try every server before they repeat one (RFC 1035 section 4.2.1), or
/// when the name has lost the address in use. Thread-safe.
///
/// @param <A> type of an address
public final class ServerAddresses<A> {
  private volatile List<A> known = List.of(); // written by the holder of the lock
  private @Nullable A used; // from here on guarded by this
  private boolean isLeft;

  /// Returns the address to use: the one in use if it is still among them, or the next one.
  ///
  /// @param resolved at least one
  public synchronized A choose(List<A> resolved) {
    known = List.copyOf(resolved);
    int at = used == null ? -1 : resolved.indexOf(used);
    A next = resolved.get(isLeft ? (at + 1) % resolved.size() : Math.max(at, 0));
    isLeft = false;
    used = next;
    return next;
  }

  /// Notes that an address does not serve now. A late note on an earlier address has no effect.
  public synchronized void leave(A failed) {
    isLeft |= failed.equals(used);
  }

  /// Returns whether an address was among those of the last choice.
  public boolean has(A address) {
    return known.contains(address);
  }

  /// Returns whether there is more than one address.
  public boolean hasSeveral() {
    return known.size() > 1;
  }
}
