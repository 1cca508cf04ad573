package io.viaduct.snapt.metering;

import io.viaduct.usage.v1.UsageReport;
import java.util.LinkedHashMap;
import java.util.Map;

/// The neighbours that have carried datagrams of a session in its open interval, with their wire
/// bytes. Owned by the session's event loop.
final class IntervalRelays {
  /// Most relays of one report (docs/protocol.md).
  static final int RELAYS_MAX = 8;

  private final Map<String, Bytes> byAccount = new LinkedHashMap<>();

  private static final class Bytes {
    private long count;
  }

  /// Adds bytes of a relay.
  ///
  /// @return false if the report has no place for it
  boolean add(String account, long bytes) {
    Bytes of = byAccount.get(account);
    if (of == null) {
      if (byAccount.size() == RELAYS_MAX) {
        return false;
      }
      of = new Bytes();
      byAccount.put(account, of);
    }
    of.count += bytes;
    return true;
  }

  void addTo(UsageReport.Builder report) {
    byAccount.forEach(
        (account, of) -> report.addRelaysBuilder().setAccount(account).setBytes(of.count));
  }

  /// Starts the next interval.
  void roll() {
    byAccount.clear();
  }
}
