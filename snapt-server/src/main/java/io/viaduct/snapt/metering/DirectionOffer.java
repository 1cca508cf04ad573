package io.viaduct.snapt.metering;

import io.viaduct.tunnel.flow.FlowState;
import java.util.function.ToLongFunction;

/// The offer of a session's path in one direction, and how long its flows have waited for it.
///
/// @param spareBytes bytes that the path could have carried beside its load, in the open interval
/// @param waitedNs returns the time for which a flow has had packets that waited for the path, in
///   ns, cumulative
/// @param fullNs time of the open interval in which the SNAPT itself saw the path full, in ns; 0
///   where the SNAPT measures the waiting times itself
/// @param carriedBytes bytes of outer IP packets that the path has carried in the open interval; 0
///   where fullNs is 0
public record DirectionOffer(
    double spareBytes, ToLongFunction<FlowState> waitedNs, long fullNs, long carriedBytes) {
  /// Nothing is known of a path that has not been probed yet.
  public static final DirectionOffer NONE = new DirectionOffer(0, _ -> 0);

  /// An offer whose waiting times this end measures itself.
  public DirectionOffer(double spareBytes, ToLongFunction<FlowState> waitedNs) {
    this(spareBytes, waitedNs, 0, 0);
  }
}
