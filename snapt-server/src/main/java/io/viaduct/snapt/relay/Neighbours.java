package io.viaduct.snapt.relay;

import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.napt.AddressPool;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/// Finds the session out of which a datagram has come, by the public address of that session. Such
/// a session relays the datagrams of its neighbours (ADR 0068).
///
/// Threads: the loop of a session enters and removes it; any event loop may ask.
final class Neighbours {
  /// The place of an address that no session of the group can have.
  static final int NONE = -1;

  /// The place of an address that is of another member's pool.
  static final int ELSEWHERE = -2;

  private final AddressPool pool;
  private final AtomicReferenceArray<@Nullable Session> bySlot;
  private final Map<InetAddress, Session> byForeignAddress = new ConcurrentHashMap<>();
  private volatile MemberAccounts members = MemberAccounts.NONE;

  Neighbours(AddressPool pool) {
    this.pool = pool;
    bySlot = new AtomicReferenceArray<>(pool.slots());
  }

  /// Sets the sessions of the other members; once, before the first session.
  void members(MemberAccounts others) {
    members = others;
  }

  void begin(Session session) {
    if (session.slot() >= 0) {
      bySlot.set(session.slot(), session);
    } else {
      byForeignAddress.put(address(session.address().ipv4Bytes()), session);
      byForeignAddress.put(address(session.address().ipv6Bytes()), session);
    }
  }

  /// Removes a session, unless another one has its address by now.
  void end(Session session) {
    if (session.slot() >= 0) {
      bySlot.compareAndSet(session.slot(), session, null);
    } else {
      byForeignAddress.remove(address(session.address().ipv4Bytes()), session);
      byForeignAddress.remove(address(session.address().ipv6Bytes()), session);
    }
  }

  private static InetAddress address(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("4 or 16 bytes are an address", e);
    }
  }

  /// Returns whether the session of a neighbour may have an address.
  boolean has(InetSocketAddress address) {
    return placeOf(address) != NONE;
  }

  /// Returns the place of an address: a slot of the own pool, or one of the constants. It never
  /// changes.
  int placeOf(InetSocketAddress address) {
    int slot = pool.slotOf(address.getAddress());
    return slot >= 0 ? slot : members.has(address.getAddress()) ? ELSEWHERE : NONE;
  }

  /// Returns whether a place is that of one session.
  boolean is(Session session, int place, InetSocketAddress address) {
    return here(place, address) == session;
  }

  /// Returns the account of the session at a place; null if there is none, or it is not known yet.
  @Nullable String accountOf(int place, InetSocketAddress address) {
    Session here = here(place, address);
    return here == null ? members.accountOf(address.getAddress()) : here.token().getAccount();
  }

  private @Nullable Session here(int place, InetSocketAddress address) {
    return place >= 0 ? bySlot.get(place) : byForeignAddress.get(address.getAddress());
  }

  /// Returns the account of the session here that has a public address, null if there is none.
  @Nullable String accountHere(InetAddress address) {
    int slot = pool.slotOf(address);
    Session here = slot >= 0 ? bySlot.get(slot) : byForeignAddress.get(address);
    return here == null ? null : here.token().getAccount();
  }
}
