package io.viaduct.snapt.binding;

import com.google.protobuf.ByteString;
import io.viaduct.snapt.napt.InnerAddresses;
import io.viaduct.snapt.napt.PublicAddress;
import io.viaduct.tunnel.flow.FlowTuple;
import io.viaduct.tunnel.pacing.LinkRate;
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
    Carried carried,
    long untilMs,
    Listener listener) {
  boolean isOf(ByteString device) {
    return deviceKey.equals(device);
  }

  /// The flows that the session brings along, and the rates known of its links.
  ///
  /// @param flows the open ones
  /// @param rates of the device's links, from the SNAPT
  public record Carried(List<Flow> flows, List<LinkRate> rates) {
    /// Nothing is known: flows and rates begin anew.
    public static final Carried NOTHING = new Carried(List.of(), List.of());

    public Carried {
      flows = List.copyOf(flows);
      rates = List.copyOf(rates);
    }
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
