package io.viaduct.cnapt;

import io.viaduct.cnapt.hook.RoutingHook;
import io.viaduct.cnapt.tunnel.FlowEvents;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;

/// Joins the events of flows and the socket of the routing hook.
final class FlowHook implements FlowEvents.Output {
  private final RoutingHook hook;

  private FlowHook(RoutingHook hook) {
    this.hook = hook;
  }

  /// Opens the socket and starts to tell.
  ///
  /// @throws IOException if the socket cannot be opened
  static RoutingHook open(Path socket, FlowEvents events, InstantSource clock) throws IOException {
    RoutingHook opened = RoutingHook.open(socket, events::tellOpen);
    events.start(new FlowHook(opened), clock);
    return opened;
  }

  @Override
  public boolean isRead() {
    return hook.readers() > 0;
  }

  @Override
  public void event(String json) {
    hook.publish(json);
  }
}
