package io.viaduct.sip.useragent;

import io.viaduct.sip.SipFlow;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The addresses of the registrars behind one name, and the one in use. One that does not serve is
/// left for the next in the list. Confined to the user agent's thread, but for [#has].
final class RegistrarAddresses {
  private volatile List<SipFlow> known = List.of();
  private @Nullable SipFlow used;
  private boolean isLeft;

  /// Returns the address to use: the one in use if it is still among them, or the next one.
  ///
  /// @param resolved at least one
  SipFlow choose(List<SipFlow> resolved) {
    known = resolved;
    int at = used == null ? -1 : resolved.indexOf(used);
    SipFlow next = resolved.get(isLeft ? (at + 1) % resolved.size() : Math.max(at, 0));
    isLeft = false;
    used = next;
    return next;
  }

  /// Notes that an address does not serve now.
  void leave(SipFlow failed) {
    isLeft |= failed.equals(used);
  }

  /// Returns whether a source is one of the registrars. Any thread may ask.
  boolean has(SipFlow source) {
    return known.contains(source);
  }
}
