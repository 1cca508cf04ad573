package io.viaduct.snapt.metering;

import io.viaduct.tunnel.flow.FlowState;
import java.util.function.ToLongFunction;

/// The offer of a session's path in one direction, and how long its flows have waited for it.
///
/// @param spareBytes bytes that the path could have carried beside its load, in the open interval
/// @param waitedNs returns the time for which a flow has had packets that waited for the path, in
///   ns, cumulative
public record DirectionOffer(double spareBytes, ToLongFunction<FlowState> waitedNs) {
  /// Nothing is known of a path that has not been probed yet.
  public static final DirectionOffer NONE = new DirectionOffer(0, _ -> 0);
}
