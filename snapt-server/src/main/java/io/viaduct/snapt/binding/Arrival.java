package io.viaduct.snapt.binding;

import com.google.protobuf.ByteString;
import io.viaduct.snapt.napt.InnerAddresses;
import io.viaduct.snapt.napt.PublicAddress;
import io.viaduct.tunnel.flow.FlowTuple;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.List;

/// A session that another SNAPT hands over: the next session of the device has its address and its
/// flows.
///
/// @param number of the hand-over, at the other SNAPT
/// @param deviceKey public key of the device, 32 raw bytes
/// @param inner addresses of the device in its tunnel; a session with others is not this one
/// @param untilMs Unix time until which the device may come
public record Arrival(
    long number,
    ByteString deviceKey,
    PublicAddress address,
    InnerAddresses inner,
    List<Flow> flows,
    long untilMs,
    Listener listener) {
  public Arrival {
    flows = List.copyOf(flows);
  }

  /// A flow that is open.
  ///
  /// @param application its name; one that the device does not name in its Hello is unclassified
  public record Flow(FlowTuple tuple, ServiceClass serviceClass, String application) {}

  /// Hears of the hand-over, on the control thread.
  public interface Listener {
    /// Called when the session has the address, and the device can be reached.
    void bound(Session session);

    /// Called if the device has not come in time, or this SNAPT stops.
    void lapsed();

    /// Called when the session has ended, unless it was handed on.
    void over(Session session);
  }
}
