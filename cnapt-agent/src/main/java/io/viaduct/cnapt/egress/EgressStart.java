package io.viaduct.cnapt.egress;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/// Sets the routes on its own thread, while the agent starts its other parts.
public final class EgressStart {
  private final FutureTask<EgressRouting> leading;

  /// Starts to set the routes at once.
  ///
  /// @param device name of a TUN that exists
  /// @param mtu MTU of the TUN, in bytes
  /// @param resolvers resolvers that are reached through the tunnel even if they are in a connected
  ///   network
  /// @param split traffic that stays outside the tunnel
  public EgressStart(
      TunSettings tun,
      String device,
      int mtu,
      RoutingSettings routing,
      List<InetAddress> resolvers,
      SplitTunnel split) {
    leading =
        new FutureTask<>(() -> EgressRouting.lead(tun, device, mtu, routing, resolvers, split));
    Thread.ofPlatform().name("routing-start").daemon().start(leading);
  }

  /// Waits until the routes are set, and returns them.
  ///
  /// @throws IOException if the kernel refused a change
  public EgressRouting await() throws IOException {
    try {
      return leading.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException refused) {
        throw refused;
      }
      throw new IllegalStateException("routing failed", e.getCause());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while routes were set");
    }
  }
}
