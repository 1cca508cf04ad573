package io.viaduct.cnapt.control;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Names of SNAPTs into addresses. A name that was once known keeps its last addresses when no
/// resolver answers: right after a handover, or because the resolver lies behind the tunnel that is
/// not up. Blocking; for virtual threads.
final class SnaptAddresses {
  private static final int HOSTS_MAX = 256;

  private final Map<String, InetAddress[]> known = new ConcurrentHashMap<>();

  /// The next address to try.
  ///
  /// @param attempt counts up; a host with several addresses is tried at each in turn
  /// @throws UnknownHostException if the name is not known and never was
  InetSocketAddress resolve(Snapt snapt, int attempt) throws UnknownHostException {
    InetAddress[] found;
    try {
      found = InetAddress.getAllByName(snapt.host());
      if (known.size() < HOSTS_MAX) {
        known.put(snapt.host(), found);
      }
    } catch (UnknownHostException e) {
      found = known.getOrDefault(snapt.host(), new InetAddress[0]);
      if (found.length == 0) {
        throw e;
      }
    }
    InetAddress chosen = found[Math.floorMod(attempt, found.length)];
    return new InetSocketAddress(chosen, snapt.controlPort());
  }

  @Override
  public String toString() {
    return known.entrySet().stream()
        .map(e -> e.getKey() + " " + Arrays.toString(e.getValue()))
        .toList()
        .toString();
  }
}
