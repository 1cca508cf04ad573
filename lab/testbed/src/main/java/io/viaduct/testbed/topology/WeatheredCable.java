package io.viaduct.testbed.topology;

import io.viaduct.testbed.weather.Direction;
import io.viaduct.testbed.weather.WeatheredLink;

/// The cable with weather of one device and one link.
///
/// @param far namespace of the other end: the gateway, or the switch
/// @param port of the other end
public record WeatheredCable(
    LinkPlan link,
    NetworkNamespace device,
    NetworkNamespace far,
    String port,
    WeatheredLink weathered) {
  /// Returns the packets that the kernel dropped because the impairer's thread did not get a
  /// processor in time, or because the device was down.
  public long droppedByKernel(Direction direction) {
    return direction == Direction.UP
        ? device.call(() -> PortBytes.dropped(link.device()))
        : far.call(() -> PortBytes.dropped(port));
  }
}
