package io.viaduct.snapt.metering;

import io.viaduct.usage.v1.FlowUsage;

/// The demand of a flow on its path in an interval, and the rest that the path had: the operating
/// point of its price (ADR 0042).
///
/// @param intervalNs length of the interval so far
/// @param waitedNs time of it in which the flow had packets that waited for the path
/// @param spareBytes bytes that the path could have carried beside its load
record FlowOffer(long intervalNs, long waitedNs, double spareBytes) {
  /// Largest rate that is reported, in kbit/s; a bridge refuses more.
  private static final double SPARE_MAX = 1e8;

  void addTo(FlowUsage.Builder usage) {
    double busy = Math.clamp((double) waitedNs / Math.max(1, intervalNs), 0.0, 1.0);
    double freeMs = (1 - busy) * intervalNs / 1e6;
    double spare = freeMs < 1 ? 0 : Math.clamp(spareBytes * 8 / freeMs, 0, SPARE_MAX);
    usage.setBusy(busy).setSpareKbitPerSecond(spare);
  }
}
