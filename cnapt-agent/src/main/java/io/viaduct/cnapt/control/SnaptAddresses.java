package io.viaduct.cnapt.control;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Finds the addresses of SNAPTs. The sources are, in this order: the agent's own look-up; its last
/// answer, if no resolver answers after a handover; and the addresses that the bridge has granted
/// with the name. If there are granted addresses, the own look-up is limited to one second, so that
/// a device without a resolver need not wait. Blocking; for virtual threads.
final class SnaptAddresses {
  private static final int HOSTS_MAX = 256;
  private static final long LOOK_UP_MS = 1_000;

  private final HostLookUp lookUp;
  private final Map<String, List<InetAddress>> known = new ConcurrentHashMap<>();
  private volatile Map<String, List<InetAddress>> granted = Map.of();

  /// Looks hosts up as all of this process are.
  SnaptAddresses() {
    this(host -> List.of(InetAddress.getAllByName(host)));
  }

  SnaptAddresses(HostLookUp lookUp) {
    this.lookUp = lookUp;
  }

  /// Replaces the granted addresses by those of the last grant.
  ///
  /// @return whether they differ
  boolean granted(Map<String, List<InetAddress>> addresses) {
    Map<String, List<InetAddress>> before = granted;
    granted = Map.copyOf(addresses);
    return !granted.equals(before);
  }

  /// Returns the addresses of a SNAPT in the order in which they are tried, at least one.
  ///
  /// @throws UnknownHostException if no source has an address
  List<InetAddress> resolve(Snapt snapt) throws UnknownHostException {
    List<InetAddress> fromGrant = granted.getOrDefault(snapt.host(), List.of());
    Set<InetAddress> all = new LinkedHashSet<>();
    try {
      all.addAll(fromGrant.isEmpty() ? lookUp(snapt.host()) : lookUpInTime(snapt.host()));
    } catch (UnknownHostException e) {
      all.addAll(known.getOrDefault(snapt.host(), List.of()));
      if (all.isEmpty() && fromGrant.isEmpty()) {
        throw e;
      }
    }
    all.addAll(fromGrant);
    return List.copyOf(all);
  }

  private List<InetAddress> lookUp(String host) throws UnknownHostException {
    List<InetAddress> found = lookUp.addresses(host);
    if (known.size() < HOSTS_MAX || known.containsKey(host)) {
      known.put(host, found);
    }
    return found;
  }

  // A look-up that is answered too late is still stored for the next attempt.
  private List<InetAddress> lookUpInTime(String host) throws UnknownHostException {
    FutureTask<List<InetAddress>> looking = new FutureTask<>(() -> lookUp(host));
    Thread.ofVirtual().name("resolve").start(looking);
    try {
      return looking.get(LOOK_UP_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new UnknownHostException("no resolver has an address of " + host + ": " + e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new UnknownHostException("interrupted while " + host + " was looked up");
    }
  }
}
