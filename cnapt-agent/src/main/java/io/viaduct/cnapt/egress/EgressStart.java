package io.viaduct.cnapt.egress;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/// Routes on their way, on a thread of their own: the agent starts everything else meanwhile.
public final class EgressStart {
  private final FutureTask<EgressRouting> leading;

  /// Begins at once.
  ///
  /// @param device name of a TUN that exists
  /// @param mtu of the TUN, bytes
  public EgressStart(TunSettings tun, String device, int mtu, RoutingSettings routing) {
    leading = new FutureTask<>(() -> EgressRouting.lead(tun, device, mtu, routing));
    Thread.ofPlatform().name("routing-start").daemon().start(leading);
  }

  /// The routes, once they stand.
  ///
  /// @throws IOException if the kernel has refused them
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
