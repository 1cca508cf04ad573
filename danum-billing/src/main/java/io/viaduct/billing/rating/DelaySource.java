package io.viaduct.billing.rating;

/// The origin of the delay that a flow was priced at; the bill states it.
public enum DelaySource {
  /// Time stamps on the flow's packets.
  MEASURED,
  /// The flow's last good mean.
  LAST_GOOD,
  /// Half of the control round trip.
  HALF_CONTROL_RTT,
  /// Nothing was measured: the reference of the application or class.
  REFERENCE
}
