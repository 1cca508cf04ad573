package io.viaduct.host.netlink;

import io.netty.channel.IoEventLoop;
import java.util.Set;

/// Reports the signal strength of wireless links on one event loop.
public interface SignalSource extends AutoCloseable {
  /// Sets the links whose signal is asked for. Loop only.
  ///
  /// @param linkIndexes the kernel's numbers of the usable links
  void watch(Set<Integer> linkIndexes);

  @Override
  void close();

  /// Opens a source.
  @FunctionalInterface
  interface Factory {
    /// @param listener called on that loop
    SignalSource open(IoEventLoop loop, SignalListener listener);
  }
}
