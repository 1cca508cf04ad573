package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.mobility.MobilitySettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The part that this end has in the tunnel.
public sealed interface EndRole {
  /// Opens paths, measures them, and decides about their use: a device, or a peer that dials.
  ///
  /// @param measuring the regular probes to a peer; null for a device, which probes a SNAPT as its
  ///   traffic needs
  /// @param hasOthers tells whether new flows might have another SNAPT, so that a silence must be
  ///   noticed soon; any thread may ask
  record Dialling(
      MobilitySettings mobility, @Nullable Measuring measuring, BooleanSupplier hasOthers)
      implements EndRole {}

  /// Receives at fixed addresses and follows the other end: a peer that listens.
  ///
  /// @param addresses at least one; with port 0 in the first one the kernel chooses the port of all
  /// @param watchdog time without a probe after which traffic leaves a path
  record Answering(List<InetSocketAddress> addresses, Duration watchdog) implements EndRole {}
}
